"""Covariance under noise that is correlated in time: its pieces against dense matrices, and what a fit makes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import Robot, load_robot, regression
from dynident.dynamics.friction import linear
from dynident.regression import build_problem
from dynident.regression.uncertainty.autocovariance import bound_below
from tests.facts import about, carries
from tests.oracles.logs import generated_log


@pytest.fixture(scope="module")
def arm() -> Robot:
    return load_robot("spatial_3r")


def test_floor_leaves_a_covariance_alone_and_mends_what_is_none() -> None:
    rng = np.random.default_rng(0)
    R = np.triu(rng.normal(size=(5, 5))) + 3 * np.eye(5)
    good = R.T @ np.diag([0.5, 1.0, 2.0, 3.0, 4.0]) @ R
    np.testing.assert_allclose(bound_below(good, R), good, atol=1e-12)
    bad = R.T @ np.diag([-0.5, 1.0, 2.0, 3.0, 4.0]) @ R
    assert np.linalg.eigvalsh(bad).min() < 0
    assert np.linalg.eigvalsh(bound_below(bad, R)).min() > 0


def test_rate_does_not_matter(arm: Robot) -> None:
    """More rows of the same filtered signal say nothing new: values move within their std, and the std stays."""
    log = generated_log(arm, friction=linear(), samples=10_000, rate=250.0, noise=0.1)
    slow, fast = (
        regression.estimate(build_problem(arm, log.dataset, friction=linear(), cutoff=5.0, rate=rate), drop_above_percent=None)
        for rate in (20.0, 125.0)
    )
    np.testing.assert_allclose(fast.std, slow.std, rtol=0.1)
    assert np.all(np.abs(fast.values - slow.values) < 0.5 * slow.std)


@pytest.mark.parametrize("time_constant", [0.5, 1.0, 2.0])
def test_long_correlation_is_measured(arm: Robot, time_constant: float) -> None:
    """In the median over logs of two minutes to within a third; the residuals hold less of it than the noise, most where it is slow."""
    times = []
    for seed in range(8):
        log = generated_log(arm, friction=linear(), samples=12_000, rate=100.0, noise=0.1, time_constant=time_constant, noise_seed=seed)
        times.append(regression.estimate(build_problem(arm, log.dataset, friction=linear(), cutoff=5.0)).summary.correlation_times)
    assert np.shape(times) == (8, 3)
    assert np.median(times) == pytest.approx(time_constant, rel=1 / 3)


def test_correlation_that_is_long_beside_the_log_is_noted(arm: Robot) -> None:
    """Of noise over 1 s twenty seconds hold ten stretches, and two minutes sixty."""

    def notes(samples: int, time_constant: float) -> list[str]:
        log = generated_log(arm, friction=linear(), samples=samples, rate=100.0, noise=0.1, time_constant=time_constant)
        estimate = regression.estimate(build_problem(arm, log.dataset, friction=linear(), cutoff=5.0))
        return about(estimate.notes, "correlated")

    (note,) = notes(1500, 1.5)
    assert carries(note, "stretches")
    assert not notes(12_000, 1.0)
    assert not notes(1500, 0.0)


@pytest.mark.parametrize("time_constant", [1.0, 5.0])
def test_slow_noise_does_not_narrow_any_interval(arm: Robot, time_constant: float) -> None:
    """With no more lags than the filter needs, 95 % intervals of the worst coefficient, an offset, cover 70 and 40 % here."""
    inside = []
    for seed in range(40):
        log = generated_log(arm, friction=linear(), samples=6000, rate=100.0, noise=0.1, time_constant=time_constant, noise_seed=seed)
        estimate = regression.estimate(build_problem(arm, log.dataset, friction=linear(), cutoff=5.0))
        inside.append(np.abs(estimate.values - estimate.base.coefficients(log.standard)) <= 1.96 * estimate.noise_std)
    assert np.mean(inside, axis=0).min() > 0.75
    assert np.mean(inside) > 0.92


def test_unfiltered_white_noise_is_told_as_such(arm: Robot) -> None:
    estimate = regression.estimate(build_problem(arm, generated_log(arm, noise=0.1).dataset, friction=None, cutoff=None))
    assert about(estimate.notes, "independent", "residuals", "filtered")


def test_filtered_data_needs_no_such_note(arm: Robot) -> None:
    data = generated_log(arm, noise=0.1, samples=5000, rate=250.0).dataset
    assert not about(regression.estimate(build_problem(arm, data, cutoff=5.0, friction=None)).notes, "independent", "residuals")


def test_rows_that_are_gone_or_too_many_are_told(arm: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    data = generated_log(arm, noise=0.1, samples=5000, rate=250.0).dataset
    problem = build_problem(arm, data, cutoff=5.0, friction=None)
    assert about(regression.estimate(replace(problem, rows=(), filtered=None)).notes, "independent", "residuals")
    monkeypatch.setattr("dynident.regression.problem.LARGEST_FILTERED", 100)
    assert about(regression.estimate(problem).notes, "many")


def test_exact_data_has_a_finite_covariance_and_loses_nothing(arm: Robot) -> None:
    """Of the arm's coefficients some are zero: those may be dropped, rounding being all that they hold."""
    log = generated_log(arm, friction=linear(), samples=5000, rate=250.0)
    estimate = regression.estimate(build_problem(arm, log.dataset, friction=linear(), cutoff=5.0))
    truth = estimate.base.coefficients(log.standard)
    assert np.all(np.isfinite(estimate.covariance))
    assert np.all(estimate.kept[np.abs(truth) > 1e-12])
    np.testing.assert_allclose(estimate.values, truth, atol=1e-11)
