"""The papers' numbers with the recorded data that their authors and others released."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from dynident.reproduce import PAPERS, ClaimVerdict, Size
from dynident.reproduce.experiment import ExperimentOutcome, Setting
from dynident.reproduce.recordings import read_recordings

FILES = (
    "panda_gaz2019/trajectory_1.npz",
    "panda_gaz2019/derived_M_g_1010.npz",
    "kuka_lwr4/measurements_1.npz",
    "kuka_lwr4/measurements_2.npz",
)


@pytest.fixture(scope="module")
def setting(shared_data: Path) -> Setting:
    recordings, _ = read_recordings([shared_data / name for name in FILES])
    return Setting(size=Size.QUICK, recordings=recordings)


@pytest.mark.parametrize("name", ["gaz2019/controller", "gaz2019/classical", "gaz2016/validation"])
def test_what_was_measured_on_them_comes_out_again(setting: Setting, name: str):
    outcome = run(name, setting)
    measured = [claim for claim in outcome.claims if claim.origin == "prototype" and claim.place != "Table I, filters"]
    assert measured
    assert [claim for claim in measured if claim.verdict not in (ClaimVerdict.EQUAL, ClaimVerdict.BETTER, ClaimVerdict.NEAR)] == []


def test_at_the_released_configurations_standard_deviations_are_near_the_published_ones(setting: Setting):
    sigma = [claim for claim in run("gaz2019/controller", setting).claims if claim.place == "Table III, %σ"]
    assert len(sigma) == 44
    assert all(claim.verdict in (ClaimVerdict.EQUAL, ClaimVerdict.NEAR) for claim in sigma)
    printed_digits = [abs(claim.ours - claim.published) <= 0.04 * claim.published + 5e-5 for claim in sigma]
    assert all(printed_digits)


def test_the_printed_sigmoids_are_not_those_of_the_recorded_log(setting: Setting):
    """Two other fits of eq. (25) to it, with the coefficients of M and g held, give these φ1, and φ2 of 18 to more than 1000."""
    claims = {claim.quantity: claim for claim in run("gaz2019/friction", setting).claims if claim.place == "Table I of the supplement"}
    phi = np.array([[claims[f"φ{k} of joint {j}"].ours for k in (1, 2)] for j in range(1, 8)])
    np.testing.assert_allclose(phi[:, 0], [0.48, 0.68, 0.49, 1.13, 0.64, 0.32, 0.57], atol=0.015)
    assert np.all(phi[:, 1] > 18.0)
    assert not any(claim.verdict in (ClaimVerdict.EQUAL, ClaimVerdict.CONSTRUCTED) for claim in claims.values())
    assert all(claims[f"φ2 of joint {j}"].verdict is ClaimVerdict.NOT_REPRODUCIBLE for j in range(1, 8))


@cache
def run(name: str, setting: Setting) -> ExperimentOutcome:
    paper, _, key = name.partition("/")
    (experiment,) = [item for item in PAPERS[paper].experiments if item.key == key]
    return experiment.run(setting)
