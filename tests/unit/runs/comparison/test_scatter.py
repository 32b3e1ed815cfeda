"""The middle and the spread of a fleet: closed forms, calibration on random fleets, and robots that are off."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from dynident.runs.comparison.scatter import BETA, CUT, EFFICIENCY, FEWEST, chance_limit, scatter, weighted_median


def test_the_constants_are_the_integrals_that_they_stand_for():
    beta = quad(lambda z: min(z * z, CUT**2) * norm.pdf(z), -12, 12, points=[-CUT, CUT])[0]
    square = quad(lambda z: min(z**4, CUT**4) * norm.pdf(z), -12, 12, points=[-CUT, CUT])[0]
    slope = quad(lambda z: 2 * z * z * norm.pdf(z), -CUT, CUT)[0]
    assert pytest.approx(beta) == BETA
    assert pytest.approx(0.5 * slope**2 / (square - beta**2)) == EFFICIENCY


def test_with_equal_weights_the_middle_is_the_median():
    rng = np.random.default_rng(0)
    for count in (1, 2, 5, 8):
        values = rng.normal(size=count)
        assert weighted_median(values, np.full(count, 0.3)) == pytest.approx(np.median(values))


def test_a_weight_of_three_is_a_value_given_three_times():
    values, weights = np.array([1.0, 2.0, 5.0, 7.0]), np.array([3, 1, 1, 2])
    assert weighted_median(values, weights.astype(float)) == np.median(np.repeat(values, weights))


def test_the_equation_of_the_spread_is_solved():
    rng = np.random.default_rng(1)
    values, std = rng.normal(size=20), rng.uniform(0.01, 0.3, 20)
    found = scatter(values, std)
    assert found.spread > 0.0
    assert np.mean(np.minimum(found.deviations**2, CUT**2)) == pytest.approx(BETA, abs=1e-6)
    assert scatter(3.0 * values + 5.0, 3.0 * std).spread == pytest.approx(3.0 * found.spread)


def test_what_the_estimates_errors_explain_is_no_spread():
    rng = np.random.default_rng(2)
    assert scatter(0.3 * rng.normal(size=40), np.full(40, 1.0)).spread == 0.0


def test_few_runs_have_no_spread_of_their_own():
    found = scatter(np.array([0.0, 1.0, 5.0]), np.full(3, 0.1))
    assert found.spread == 0.0
    assert FEWEST > 3
    assert found.centre == 1.0


def test_deviations_have_unit_variance_on_fleets_of_unequal_precision():
    rng = np.random.default_rng(3)
    std = np.array([0.2, 0.2, 0.5, 1.0, 2.0, 4.0, 0.3, 0.7])
    found = np.array([scatter(np.hypot(1.0, std) * rng.normal(size=8), std).deviations for _ in range(150)])
    assert np.median(np.abs(found)) == pytest.approx(0.6745, rel=0.1)


def test_a_quarter_of_the_robots_can_be_off():
    rng = np.random.default_rng(4)
    spreads = [scatter(np.append(rng.normal(size=30), 100.0 + np.arange(10.0)), np.full(40, 0.1)).spread for _ in range(20)]
    assert 0.8 < np.mean(spreads) < 2.5
    off = scatter(np.append(rng.normal(size=30), np.full(10, 100.0)), np.full(40, 0.1)).deviations[30:]
    assert np.all(off > chance_limit(40, 40))


def test_chance_goes_beyond_the_limit_in_about_one_of_twenty_comparisons():
    rng = np.random.default_rng(5)
    runs, quantities, alarms = 12, 4, 0
    for _ in range(75):
        found = [scatter(rng.normal(size=runs), np.full(runs, 0.1)).deviations for _ in range(quantities)]
        alarms += np.abs(found).max() > chance_limit(runs, runs * quantities)
    assert alarms <= 11  # binomial of 75 at 1/20 is beyond that in one of a thousand cases


def test_without_a_spread_the_limit_is_that_of_a_normal_distribution():
    assert chance_limit(2, 1) == pytest.approx(norm.isf(0.025))
    assert chance_limit(2, 40) == pytest.approx(norm.isf(0.025 / 40))
    assert chance_limit(2, 40) < chance_limit(200, 40) < chance_limit(10, 40)
