"""Validations on recorded logs: bands that cover, motions that repeat, grades that tell models apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynident import identify, load_dataset, load_robot
from dynident.data import Dataset
from dynident.regression import Estimate
from dynident.validation import Grade, cross_validate, validate
from tests.facts import about, carries


@pytest.fixture(scope="module")
def panda_log(shared_data: Path) -> Dataset:
    return load_dataset(shared_data / "panda_gaz2019" / "trajectory_1.npz")


@pytest.fixture(scope="module")
def of_first_70_percent(panda_log: Dataset) -> Estimate:
    return identify(load_robot("panda"), panda_log.part(0, 0.7))


def test_the_bands_cover_held_out_fifths_of_the_panda_s_log(panda_log):
    covered: list[float] = []
    for k in range(5):
        rest = [panda_log.part(a, b) for a, b in ((0.0, k / 5), ((k + 1) / 5, 1.0)) if b > a]
        estimate = identify(load_robot("panda"), rest[0] if len(rest) == 1 else Dataset.concatenate(rest))
        found = validate(estimate, panda_log.part(k / 5, (k + 1) / 5))
        covered.append(float(found.band.coverage_percent["coefficients"].mean()))
        assert found.band.departures == ()
        assert found.coefficients.grade is not Grade.POOR
    assert min(covered) > 70.0
    assert 90.0 <= np.mean(covered) <= 99.0


@pytest.mark.parametrize(("train", "test"), [(1, 2), (2, 1)])
def test_the_bands_cover_the_kuka_s_other_log(shared_data, train, test):
    folder = shared_data / "kuka_lwr4"
    logs = {k: load_dataset(folder / f"measurements_{k}.npz") for k in (1, 2)}
    found = validate(identify(load_robot(folder / "kuka_lwr4.urdf"), logs[train]), logs[test])
    assert 90.0 <= found.band.coverage_percent["coefficients"].mean() <= 99.0
    assert found.band.departures == ()
    assert found.coefficients.grade is Grade.GOOD
    assert about(found.notes, "repeats", "fit")


def test_a_fifth_of_a_log_does_not_cover_the_rest(panda_log):
    found = validate(identify(load_robot("panda"), panda_log.part(0, 0.2)), panda_log.part(0.2, 1))
    assert len(found.band.departures) == 7
    assert found.band.coverage_percent["coefficients"].mean() >= 90.0


def test_the_last_part_of_the_panda_s_log_repeats_the_first(panda_log, of_first_70_percent):
    """Its error there is half of that on parts which the fit has not seen the like of."""
    found = validate(of_first_70_percent, panda_log.part(0.7, 1))
    assert carries(" ".join(found.notes), "100%", "repeats", "fit")
    whole = cross_validate(identify(load_robot("panda"), panda_log))
    assert whole.parts[0].startswith("phase")  # of a period of 13.3 s
    assert whole.mean_percent > 1.5 * found.coefficients.overall_percent
    assert found.coefficients.wide_percent > 2.0 * found.coefficients.overall_percent
    assert found.summary.rows == (100,) * 7


def test_models_that_lack_something_are_not_good(panda_log, of_first_70_percent):
    """A model without friction leaves less than 5 %, where the whole one leaves less than one."""
    test = panda_log.part(0.7, 1)
    found = validate(of_first_70_percent, test)
    assert found.coefficients.grade is Grade.GOOD
    assert found.nominal is not None
    assert found.nominal.grade is Grade.FAIR
    without = validate(identify(load_robot("panda"), panda_log.part(0, 0.7), friction=None), test)
    assert without.coefficients.overall_percent < 5.0
    assert without.coefficients.grade is Grade.FAIR
