"""The papers' numbers with the recorded data that their authors and others released."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from dynident.reproduce import PAPERS, Size, Verdict
from dynident.reproduce.experiment import Outcome, Setting
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
    measured = [claim for claim in outcome.claims if claim.origin == "prototype"]
    assert measured
    assert [claim for claim in measured if claim.verdict not in (Verdict.EQUAL, Verdict.BETTER)] == []


def test_at_the_released_configurations_every_standard_deviation_is_the_published_one(setting: Setting):
    sigma = [claim for claim in run("gaz2019/controller", setting).claims if claim.place == "Table III, %σ"]
    assert len(sigma) == 44
    assert all(claim.verdict is Verdict.EQUAL for claim in sigma)


@cache
def run(name: str, setting: Setting) -> Outcome:
    paper, _, key = name.partition("/")
    (experiment,) = [item for item in PAPERS[paper].experiments if item.key == key]
    return experiment.run(setting)
