"""Expectation and maximisation against closed forms: the folded normal density, its bias, its likelihood."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import foldnorm

from benchmarks.sign_cases import Case, make_case
from dynident.routes.signs import Magnitudes, prepare_magnitudes
from dynident.routes.signs.refine import fit_hard, inflation_of, log_likelihood, refine, soft_signs
from dynident.routes.signs.sign_cost import search_levels, sign_cost


@cache
def case() -> Case:
    return make_case("1r", 7, friction=False, noise=0.05)


@cache
def magnitudes() -> Magnitudes:
    return prepare_magnitudes(case().described, case().log, friction=None)


def test_likelihood_is_that_of_the_folded_normal_distribution():
    rng = np.random.default_rng(0)
    mu, levels = rng.normal(size=(50, 2)), np.array([0.3, 2.0])
    b = np.abs(mu + levels * rng.normal(size=(50, 2)))
    expected = foldnorm.logpdf(b, np.abs(mu) / levels, scale=levels).sum(axis=0)
    np.testing.assert_allclose(log_likelihood(b, mu, levels), expected, rtol=1e-9)


def test_soft_signs_are_the_mean_sign_of_what_was_measured():
    rng = np.random.default_rng(1)
    mu, sigma = 0.4, 0.7
    z = mu + sigma * rng.normal(size=400_000)
    b = np.abs(z)
    for low, high in ((0.1, 0.2), (0.5, 0.6), (1.0, 1.1)):
        inside = (b > low) & (b < high)
        expected = float(np.mean(np.sign(z[inside])))
        found = float(np.mean(soft_signs(b[inside], np.full(inside.sum(), mu), np.array([sigma]))))
        assert found == pytest.approx(expected, abs=4.0 / np.sqrt(inside.sum()))


def test_more_iterations_are_never_less_likely():
    start = 0.7 * case().coefficients
    found = [refine(magnitudes(), start, iterations=k).log_likelihood for k in (1, 2, 4, 8, 16)]
    assert all(b >= a - 1e-6 for a, b in pairwise(found))


def test_refined_coefficients_are_nearer_than_those_of_hard_signs():
    m, truth = magnitudes(), case().coefficients
    cost = sign_cost(m, search_levels(m))
    right = np.array([np.sign(case().torque[item.samples, item.joint].sum()) for item in m.segments])
    hard, soft = fit_hard(m, cost, right), refine(m, cost.coefficients(right))
    assert np.linalg.norm(soft.coefficients - truth) < 0.5 * np.linalg.norm(hard.coefficients - truth)
    assert soft.levels[0] == pytest.approx(case().noise[0], rel=0.05)
    np.testing.assert_allclose(hard.coefficients, cost.coefficients(right))


def test_the_negative_of_a_model_is_as_likely_and_stays_the_negative():
    one, other = refine(magnitudes(), case().coefficients), refine(magnitudes(), -case().coefficients)
    np.testing.assert_allclose(one.coefficients, -other.coefficients, atol=1e-9)
    assert one.log_likelihood == pytest.approx(other.log_likelihood)


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_inflation_of_a_first_order_process(memory):
    rng = np.random.default_rng(2)
    r = np.zeros(100_000)
    for t, kick in enumerate(rng.normal(size=len(r) - 1), start=1):
        r[t] = memory * r[t - 1] + kick
    assert inflation_of(r) == pytest.approx((1.0 + memory) / (1.0 - memory), rel=0.15)


def test_inflation_of_nothing_is_one():
    assert inflation_of(np.zeros(10)) == 1.0
