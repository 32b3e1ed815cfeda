"""Branch and bound against all 2^S sign vectors, and what it says when its budget ends."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

from benchmarks.sign_cases import make_case, score
from dynident.errors import ValueRangeError
from dynident.routes.signs import Magnitudes, SearchSettings, prepare_magnitudes, recover_signs, search_signs
from dynident.routes.signs.growing_fit import compress_segments, grow_steps, quiet_rows
from dynident.routes.signs.sign_cost import search_levels, sign_cost
from tests.facts import carries, raises


@cache
def magnitudes(name: str, seed: int) -> Magnitudes:
    seconds = {"1r": 8.0, "3r": 3.0}[name]
    case = make_case(name, seed, trajectories=1, seconds=seconds, base=0.1, noise=0.03)
    return prepare_magnitudes(case.described, case.log, friction=case.friction)


@pytest.mark.parametrize(("name", "seed"), [("1r", 0), ("1r", 1), ("3r", 5), ("3r", 6), ("3r", 7)])
def test_its_answers_are_the_best_of_all(name, seed):
    prepared = magnitudes(name, seed)
    count = len(prepared.segments)
    assert 5 <= count <= 18
    every = np.column_stack([np.ones(2 ** (count - 1)), np.array(list(product((1.0, -1.0), repeat=count - 1)))])
    costs = sign_cost(prepared, search_levels(prepared)).cost(every)
    best = np.argsort(costs)[:4]
    found = search_signs(prepared, method="exact", own={"keep": 4})
    assert found.proven
    np.testing.assert_allclose(found.costs, costs[best], rtol=1e-4)
    assert found.bound == found.costs[0]
    strongest, told = int(np.argmax(prepared.energies)), prepared.energies > 0.0  # segments at the edges have no rows, and any sign
    ours, theirs = (signs * signs[strongest] for signs in (found.signs[0], every[best[0]]))
    np.testing.assert_array_equal(ours[told], theirs[told])


def test_a_budget_that_ends_leaves_a_bound_below_the_truth(monkeypatch):
    case, said = make_case("panda", 1, trajectories=1, seconds=3.0, base=0.3), list[str]()
    prepared = prepare_magnitudes(case.described, case.log, friction=case.friction)
    proven = search_signs(prepared, method="exact")
    assert proven.proven
    monkeypatch.setattr("dynident.routes.signs.methods.exact._BLOCK", 1)  # one hypothesis at a time meets its first answer early
    ended = search_signs(prepared, method="exact", own={"nodes": 1}, settings=SearchSettings(progress=said.append))
    assert not ended.proven
    assert ended.bound < proven.costs[0] <= ended.costs[0]
    assert carries(said[-1], "budget")


def test_what_the_first_segments_cost_bounds_what_all_cost():
    prepared = magnitudes("3r", 6)
    levels = search_levels(prepared)
    rows = compress_segments(prepared, levels)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=len(rows))
    steps = grow_steps(rows, quiet_rows(prepared, levels))
    d, cost, history = np.zeros((prepared.base.rank, 1)), np.zeros(1), [0.0]
    for step, sign in zip(steps, signs, strict=True):
        d, cost = step.grow(d, cost + step.rest, float(sign))
        history.append(float(cost[0]))
    assert np.all(np.diff(history) >= -1e-6 * history[-1])
    assert history[-1] == pytest.approx(float(sign_cost(prepared, levels).cost(signs)), rel=1e-4)


def test_seven_joints_with_friction_are_proven():
    case = make_case("panda", 2, trajectories=1)
    prepared = prepare_magnitudes(case.described, case.log, friction=case.friction)
    found = search_signs(prepared, method="exact", own={"keep": 1})
    assert found.proven
    assert len(found.segments) > 60
    signs = np.ones(prepared.b.shape)
    for segment, sign in zip(found.segments, found.signs[0], strict=True):
        signs[segment.samples, segment.joint] = sign
    assert max(score(case, signs).percent, score(case, -signs).percent) > 98.0


def test_the_proof_reaches_the_result():
    case = make_case("panda", 2, trajectories=1)
    found = recover_signs(case.described, case.log, method="exact", friction=case.friction)
    assert found.confidence.searched
    assert found.confidence.proven
    assert carries(str(found), "signs", "proven")
    assert score(case, found.signs).success
    assert not recover_signs(case.described, case.log, method="em", friction=case.friction).confidence.searched


@pytest.mark.parametrize("own", [{"nodes": 0}, {"keep": 0}])
def test_impossible_budgets_are_refused(own):
    with raises(ValueRangeError, 0, 1, "exact"):
        search_signs(magnitudes("1r", 0), method="exact", own=own)
