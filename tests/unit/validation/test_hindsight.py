"""Errors beside what was possible: the best model in hindsight, grades that tell good models from bad ones, bandwidths, repeats."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot
from dynident.data import Dataset
from dynident.dynamics.friction import linear
from dynident.regression.problem import problem_on_base
from dynident.validation import Grade, validate
from dynident.validation.hindsight import best_rms, repeated_share
from tests.facts import about, carries
from tests.logs import synthetic_log


@pytest.fixture(scope="module")
def robot():
    return load_robot("spatial_3r")


@pytest.fixture(scope="module")
def train() -> Dataset:
    return synthetic_log("spatial_3r", noise=0.5, samples=3000)


@pytest.fixture(scope="module")
def test_log() -> Dataset:
    return synthetic_log("spatial_3r", noise=0.5, samples=3000, seed=6)


@pytest.mark.parametrize(
    ("percent", "ratio", "grade"),
    [
        (0.8, 1.3, Grade.GOOD),
        (0.4, 50.0, Grade.GOOD),
        (3.6, 3.2, Grade.FAIR),
        (3.6, 8.0, Grade.FAIR),
        (14.9, 6.0, Grade.POOR),
        (27.0, 2.4, Grade.POOR),
        (27.0, 1.2, Grade.FAIR),
    ],
)
def test_grades(percent, ratio, grade):
    assert Grade.of(percent, ratio) is grade


def test_no_model_is_better_than_the_best_in_hindsight(robot, train, test_log):
    estimate = identify(robot, train)
    found = validate(estimate, test_log)
    assert all(np.all(item.ratio >= 1.0) and item.overall_ratio >= 1.0 for item in found.models)
    problem = problem_on_base(estimate.base, test_log, cutoff=5.0)
    best = best_rms(estimate, problem, found.series)
    np.testing.assert_allclose(found.coefficients.ratio, found.coefficients.rms / best, rtol=1e-9)
    assert found.coefficients.overall_ratio < 1.2
    assert found.coefficients.grade is Grade.GOOD


def test_a_model_without_friction_is_not_good_though_its_error_is_small(robot):
    """The same friction beside torques that are much larger: a few percent, and several times what was possible."""
    heavy = robot.with_parameters(30.0 * robot.parameters)
    train, test = (synthetic_log(heavy, noise=0.3, samples=3000, seed=seed) for seed in (1, 6))
    with_friction, without = (validate(identify(heavy, train, friction=kind), test) for kind in (linear(), None))
    assert with_friction.coefficients.grade is Grade.GOOD
    assert without.coefficients.overall_percent < 5.0
    assert without.coefficients.grade is not Grade.GOOD
    rigid = next(item for item in with_friction.models if not item.friction)
    assert rigid.grade is not Grade.GOOD


def test_a_log_with_twice_the_noise_is_no_worse_a_model(robot, train):
    """What noise leaves, no model can explain."""
    estimate = identify(robot, train)
    quiet, loud = (validate(estimate, synthetic_log("spatial_3r", noise=noise, samples=3000, seed=6)) for noise in (0.3, 1.0))
    assert loud.coefficients.overall_percent > 2.0 * quiet.coefficients.overall_percent
    assert loud.coefficients.grade is Grade.GOOD


def test_a_wider_filter_lets_through_more_noise(robot, train, test_log):
    """White noise behind four times the bandwidth is twice as large."""
    found = validate(identify(robot, train), test_log).coefficients
    assert found.wide_percent == pytest.approx(2.0 * found.overall_percent, rel=0.15)
    assert "at 5 Hz" in validate(identify(robot, train), test_log).percent_text
    assert validate(identify(robot, train, cutoff=None), test_log).coefficients.wide_percent is None
    slow = replace(test_log, time=2.0 * test_log.time, dq=None, ddq=None)  # 50 Hz
    assert validate(identify(robot, slow, ignore_doctor=True), slow).coefficients.wide_percent is None


def test_the_spread_is_that_of_blocks(robot, train, test_log):
    found = validate(identify(robot, train), test_log)
    series, blocks = found.series, []
    for k in range(5):
        parts = [np.array_split(np.arange(len(item.time)), 5)[k] for item in series]
        errors = sum(np.sum(item.error("coefficients")[part] ** 2) for item, part in zip(series, parts, strict=True))
        totals = sum(np.sum(item.measured[part] ** 2) for item, part in zip(series, parts, strict=True))
        blocks.append(100.0 * np.sqrt(errors / totals))
    np.testing.assert_allclose(found.coefficients.block_percent, blocks, rtol=1e-12)
    assert found.coefficients.spread_percent == pytest.approx(np.std(blocks, ddof=1))


def test_a_motion_that_repeats_that_of_the_fit_is_recognised(robot, train, test_log):
    estimate = identify(robot, train)
    again = synthetic_log("spatial_3r", noise=0.0, samples=3000)
    rng = np.random.default_rng(9)
    again = replace(again, effort=again.effort + 0.5 * rng.normal(size=again.effort.shape))
    problem = problem_on_base(estimate.base, again, cutoff=5.0)
    assert repeated_share(estimate, problem) > 0.95
    assert about(validate(estimate, again).notes, "repeats", "fit")
    assert repeated_share(estimate, problem_on_base(estimate.base, test_log, cutoff=5.0)) < 0.05
    assert not about(validate(estimate, test_log).notes, "repeats", "fit")


def test_rows_that_were_used_are_said(robot, train, test_log):
    found = validate(identify(robot, train), test_log)
    assert found.summary.rows == tuple(len(item.time) for item in found.series)
    assert carries(str(found), "3000 samples", f"{found.summary.rows[0]} rows")


def test_another_bandwidth_has_no_noise_of_the_fit(robot, train, test_log):
    found = validate(identify(robot, train), test_log, cutoff=10.0)
    assert found.coverage_percent is None
    assert about(found.notes, "5 Hz")


def test_a_model_that_explains_less_than_half_is_bad_though_none_is_better():
    """As where positions in degrees were read as radians: no model of this form explains such a log."""
    estimate = identify(load_robot("planar_2r"), synthetic_log(noise=0.3), cutoff=None)
    found = validate(estimate, synthetic_log(noise=0.3, seed=9)).coefficients
    assert found.grade is Grade.GOOD
    assert replace(found, overall_percent=82.0, overall_ratio=1.0).grade is Grade.POOR
    assert replace(found, overall_percent=228.4, block_percent=np.array([10.0, 300.0])).percent_text == "228 ± 205 %"


def test_the_best_in_hindsight_may_have_another_law_of_friction(robot, train, test_log):
    """A model with linear friction of joints with Stribeck's effect is not near the best: a law of that kind would have left less."""
    rng = np.random.default_rng(0)

    def stick(log: Dataset, strength: float) -> Dataset:
        more = strength * np.exp(-((log.dq / 0.05) ** 2)) * np.sign(log.dq)
        return replace(log, effort=log.effort + more + 0.02 * rng.normal(size=log.effort.shape))

    quiet_train, quiet_test = (synthetic_log("spatial_3r", noise=0.0, samples=3000, seed=seed) for seed in (1, 6))
    found = {}
    for strength in (0.0, 4.0):
        estimate = identify(robot, stick(quiet_train, strength), friction=linear(), cutoff=None)
        found[strength] = validate(estimate, stick(quiet_test, strength)).coefficients
    assert found[0.0].overall_ratio < 1.1
    assert found[4.0].overall_ratio > 3.0
