"""Standard deviations over many logs: errors over those of noise are N(0, 1), whatever its colour, and intervals cover what they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kstest

import dynident
from dynident import regression
from dynident.dynamics.friction import linear
from dynident.regression import build_problem
from tests.oracles.logs import generated_log


def standardised_errors(
    name: str, logs: int, *, duration: float, cutoff: float, rate: float, time_constant: float, noise: str = "uniform"
) -> tuple[np.ndarray, np.ndarray]:
    """(logs, b) estimate - truth over logs with one motion and fresh noise, over the standard deviation of noise, and over half of the
    95 % interval."""
    robot = dynident.load_robot(name)
    level = 0.1 if noise == "uniform" else 0.2 / 2.0 ** np.arange(robot.n)
    errors, intervals = [], []
    for seed in range(logs):
        log = generated_log(
            robot,
            friction=linear(),
            samples=round(250 * duration),
            rate=250.0,
            noise=level,
            time_constant=time_constant,
            noise_seed=seed,
        )
        problem = build_problem(robot, log.dataset, friction=linear(), cutoff=cutoff, rate=rate)
        estimate = regression.estimate(problem, noise=noise, drop_above_percent=None)
        error = estimate.values - problem.base.coefficients(log.standard)
        errors.append(error / estimate.noise_std)
        intervals.append(error / estimate.half_interval)
    return np.array(errors), np.array(intervals)


def check_coverage(found: tuple[np.ndarray, np.ndarray]) -> None:
    """N(0, 1) by Kolmogorov and Smirnov at 1 %, and 95 % intervals of noise that cover 93 to 97 %; the printed ones, those of the larger
    source, cover more than that.

    The coefficients of one log have correlated errors, and the test wants independent ones: one coefficient per log,
    chosen in turn, for as many turns as there are coefficients; a true null fails one turn in a hundred.
    """
    errors, intervals = found
    logs, b = errors.shape
    assert 93.0 <= 100 * np.mean(np.abs(errors) <= 1.959964) <= 97.0
    assert 95.0 <= 100 * np.mean(np.abs(intervals) <= 1.0) <= 99.0
    turns = [kstest(errors[np.arange(logs), (np.arange(logs) + turn) % b], "norm").pvalue for turn in range(b)]
    assert np.median(turns) > 0.01
    assert np.mean(np.array(turns) < 0.01) < 0.1


FILTERS = [(5.0, 20.0), (5.0, 11.0)]


@pytest.mark.parametrize("time_constant", [0.0, 0.02, 0.3])
@pytest.mark.parametrize(("cutoff", "rate"), FILTERS)
def test_standard_deviations_are_right_under_coloured_noise(time_constant: float, cutoff: float, rate: float) -> None:
    check_coverage(standardised_errors("spatial_3r", 80, duration=20, cutoff=cutoff, rate=rate, time_constant=time_constant))


def test_standard_deviations_are_right_with_one_noise_level_per_joint() -> None:
    errors = standardised_errors("spatial_3r", 80, duration=20, cutoff=5.0, rate=20.0, time_constant=0.02, noise="per_group")
    check_coverage(errors)


def test_independent_samples_would_claim_too_much() -> None:
    """At 25 times the cutoff a dozen neighbouring rows say the same: taken for independent, std comes out far too small."""
    robot = dynident.load_robot("spatial_3r")
    log = generated_log(robot, friction=linear(), samples=5000, rate=250.0, noise=0.1)
    problem = build_problem(robot, log.dataset, friction=linear(), cutoff=5.0, rate=125.0)
    naive = replace(problem, rows=(), filtered=None)
    ratio = regression.estimate(problem, drop_above_percent=None).std / regression.estimate(naive, drop_above_percent=None).std
    assert 2.5 < np.median(ratio) < 5.0


@pytest.mark.slow
@pytest.mark.parametrize("time_constant", [0.0, 0.02, 0.1, 0.5])
@pytest.mark.parametrize(("duration", "rate"), [(20, 20.0), (20, 11.0), (60, 20.0)])
def test_two_hundred_panda_logs(time_constant: float, duration: float, rate: float) -> None:
    check_coverage(standardised_errors("panda", 200, duration=duration, cutoff=5.0, rate=rate, time_constant=time_constant))


@pytest.mark.slow
def test_two_hundred_panda_logs_with_one_noise_level_per_joint() -> None:
    check_coverage(standardised_errors("panda", 200, duration=20, cutoff=5.0, rate=20.0, time_constant=0.05, noise="per_group"))
