"""The cost of sign vectors against plain least squares, and searches against all 2^S of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from benchmarks.sign_cases import make_case
from dynident.routes.signs import Magnitudes, prepare_magnitudes
from dynident.routes.signs.methods.em import segment_grams
from dynident.routes.signs.search import beam_search, descend, distinct, random_starts
from dynident.routes.signs.sign_cost import SignCost, search_levels, sign_cost


@cache
def magnitudes() -> Magnitudes:
    case = make_case("3r", 5, trajectories=1, seconds=4.0, base=0.1, noise=0.01)
    return prepare_magnitudes(case.described, case.log, friction=case.friction)


@cache
def small() -> SignCost:
    return sign_cost(magnitudes(), search_levels(magnitudes()))


@cache
def every() -> tuple[np.ndarray, np.ndarray]:
    """All sign vectors with the first sign plus, and their costs."""
    rest = np.array(list(product((1.0, -1.0), repeat=small().A.shape[1] - 1)))
    signs = np.column_stack([np.ones(len(rest)), rest])
    return signs, small().cost(signs)


def test_there_are_few_enough_segments_to_try_all_signs():
    assert 8 <= len(magnitudes().segments) <= 20


@pytest.mark.parametrize("seed", range(3))
def test_cost_is_what_least_squares_leaves(seed):
    m, cost = magnitudes(), small()
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], len(m.segments))
    rows, target = [], []
    for j, (group, Y) in enumerate(zip(m.groups, m.rows, strict=True)):
        wide = np.zeros((len(Y), m.base.rank))
        wide[:, group.columns] = Y / cost.levels[j]
        number = m.segment_of[:, j]
        rows.append(wide)
        target.append(np.where(number >= 0, signs[number] * m.b[m.working, j] / cost.levels[j], 0.0))
    Y, z = np.concatenate(rows), np.concatenate(target)
    pi, *_ = np.linalg.lstsq(Y, z, rcond=None)
    left = float(np.sum((Y @ pi - z) ** 2))
    assert cost.cost(signs) == pytest.approx(left, rel=1e-3)
    assert cost.cost(signs) >= left  # the row per coefficient that forbids absurd ones only adds


def test_flip_costs_are_differences_of_costs():
    cost = small()
    signs = np.random.default_rng(1).choice([-1.0, 1.0], cost.A.shape[1])
    flipped = signs * (1.0 - 2.0 * np.eye(len(signs)))
    np.testing.assert_allclose(cost.flip_costs(signs), cost.cost(flipped) - cost.cost(signs), atol=1e-6 * cost.total)


def test_the_beam_finds_the_best_of_all_sign_vectors():
    cost = small()
    beam = beam_search(cost, segment_grams(magnitudes(), cost.levels), width=16, order=np.argsort(-cost.energies))
    assert cost.cost(descend(cost, beam)).min() == pytest.approx(every()[1].min(), abs=1e-9 * cost.total)


def test_descent_ends_where_no_flip_helps_and_many_starts_find_the_best():
    cost = small()
    ends = descend(cost, random_starts(cost, 200, np.random.default_rng(0)))
    assert all(cost.flip_costs(row).min() >= -1e-9 * cost.total for row in ends)
    signs, costs = distinct(cost, ends, 5)
    assert costs[0] == pytest.approx(every()[1].min(), abs=1e-9 * cost.total)
    assert np.all(signs[:, 0] == 1.0)
    assert np.all(np.diff(costs) >= 0.0)


def test_a_certificate_is_only_given_to_the_best():
    cost = small()
    signs, costs = every()
    worse = signs[costs > costs.min() + 1e-9 * cost.total]  # segments at the edges, which have no rows, are ties
    assert len(worse) > 100
    assert all(cost.certificate(row) < -1e-9 for row in worse[:100])
    # two segments of one direction: equal signs are the best, and proven to be
    plain = SignCost(A=np.array([[1.0, 2.0]]), energies=np.array([1.0, 4.0]), joints=np.zeros(2, int), levels=np.ones(1), R=np.eye(1))
    assert plain.certificate(np.array([1.0, 1.0])) == pytest.approx(0.0, abs=1e-12)
    assert plain.certificate(np.array([1.0, -1.0])) < -0.1


def test_a_coefficient_that_the_motion_does_not_show_does_no_harm():
    m = magnitudes()
    hidden = [np.array(Y) for Y in m.rows]
    for group, Y in zip(m.groups, hidden, strict=True):
        Y[:, group.columns == 3] = 0.0
    blind = replace(m)
    vars(blind).update(rows=tuple(hidden))
    cost = sign_cost(blind, search_levels(blind))
    found = descend(cost, beam_search(cost, segment_grams(blind, cost.levels), width=16, order=np.argsort(-cost.energies)))
    best = found[int(np.argmin(cost.cost(found)))]
    assert np.all(np.isfinite(cost.coefficients(best)))
    assert abs(cost.coefficients(best)[3]) < 1e-6
    assert 0.0 <= cost.cost(best) < cost.total
