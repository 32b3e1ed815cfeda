"""What physics makes of hypotheses: the global sign, joints turned by themselves, and what counts as the same."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks.sign_cases import Case, make_case
from dynident import load_robot
from dynident.data import Dataset, EffortKind
from dynident.routes.signs import Magnitudes, SignHypotheses, prepare_magnitudes
from dynident.routes.signs.assignments import Assignment, _turns, differing, rank_assignments, same
from dynident.routes.signs.feasible import feasible_fit, hypothesis_goal, physical_terms
from dynident.routes.signs.refine import refine
from dynident.routes.signs.sign_cost import SignCost, search_levels, sign_cost


@cache
def case() -> Case:
    return make_case("3r", 11, trajectories=1)


@cache
def magnitudes() -> Magnitudes:
    return prepare_magnitudes(case().described, case().log, friction=case().friction)


@cache
def cost() -> SignCost:
    return sign_cost(magnitudes(), search_levels(magnitudes()))


@cache
def right() -> np.ndarray:
    return np.array([np.sign(case().torque[item.samples, item.joint].sum()) for item in magnitudes().segments])


@cache
def ranked(*turned: int) -> tuple[Assignment, ...]:
    """From a hypothesis in which whole joints are turned."""
    signs = np.where(np.isin(cost().joints, turned), -right(), right())
    found = SignHypotheses(segments=magnitudes().segments, signs=signs[None], costs=np.atleast_1d(cost().cost(signs)))
    return rank_assignments(magnitudes(), cost(), found)


@pytest.mark.parametrize("turned", [(), (0, 1, 2), (0,), (2,)])
def test_physics_and_data_turn_joints_back(turned):
    assert same(cost(), ranked(*turned)[0].signs, right())


def test_the_negative_is_there_as_likely_and_not_feasible():
    best = ranked()[0]
    negative = next(item for item in ranked() if same(cost(), item.signs, -right()))
    assert negative.refined.log_likelihood == pytest.approx(best.refined.log_likelihood)
    assert best.feasible.cost < 10.0
    assert negative.feasible.cost > 1e4


def test_assignments_are_distinct_and_in_order_and_every_joint_was_turned():
    scores = [item.score for item in ranked()]
    assert scores == sorted(scores, reverse=True)
    for place, item in enumerate(ranked()):
        assert not any(same(cost(), item.signs, other.signs) for other in ranked()[:place])
    assert np.all(np.any([differing(cost(), ranked()[0].signs, item.signs) for item in ranked()[1:]], axis=0))


def test_hypotheses_that_are_not_to_be_refined_stay_as_they_are():
    signs = right().copy()
    signs[int(np.argmin(cost().energies))] *= -1.0
    found = SignHypotheses(segments=magnitudes().segments, signs=-signs[None], costs=np.zeros(1))
    np.testing.assert_array_equal(rank_assignments(magnitudes(), cost(), found, refined=False)[0].signs, signs)
    found = replace(found, mirrored=False)
    np.testing.assert_array_equal(rank_assignments(magnitudes(), cost(), found, refined=False)[0].signs, -signs)


def test_what_differs_counts_by_energy_in_each_joint():
    one = right()
    faint, strong = one.copy(), one.copy()
    faint[int(np.argmin(cost().energies))] *= -1.0
    of_last = np.flatnonzero(cost().joints == 2)
    strong[of_last[int(np.argmax(cost().energies[of_last]))]] *= -1.0
    assert same(cost(), one, faint)
    np.testing.assert_array_equal(differing(cost(), one, strong), [False, False, True])


def test_true_coefficients_are_feasible_and_push_friction_is_not():
    m, pi = magnitudes(), case().coefficients
    model = refine(m, pi)
    terms = physical_terms(m, hypothesis_goal(m.base, model.R, model.rhs))
    assert feasible_fit(m.base, replace(model, rhs=model.R @ pi), terms).cost < 1e-3
    pushing = pi.copy()
    pushing[m.base.names.index("fc3")] *= -1.0
    pushing[m.base.names.index("fv3")] *= -1.0
    assert feasible_fit(m.base, replace(model, rhs=model.R @ pushing), terms).cost > 1e3


def test_ways_to_turn_joints():
    assert len(_turns(1)) == 1
    assert len(_turns(7)) == 64
    assert len({tuple(row * row[0]) for row in _turns(7)}) == 64
    many = _turns(30)
    assert len(many) == 1 + 30 + 30 * 29 // 2
    assert set((many < 0.0).sum(axis=1).tolist()) == {0, 1, 2}


LIFT = """
name: lift
convention: standard
joints: [{name: spindle, type: prismatic, a: 0, alpha: 0, d: 0, theta: 0, position: [0, 0.5]}]
"""


def test_a_load_and_friction_that_have_changed_places_are_put_right(tmp_path: Path):
    """|g + f| up and |g - f| down are the same where f and g are exchanged: only viscous friction tells."""
    (tmp_path / "lift.yaml").write_text(LIFT, encoding="utf-8")
    robot, time = load_robot(tmp_path / "lift.yaml"), np.arange(2000) / 100.0
    q, dq = 0.25 + 0.1 * np.sin(1.5 * time) + 0.05 * np.sin(2.5 * time), 0.15 * np.cos(1.5 * time) + 0.125 * np.cos(2.5 * time)
    ddq = -0.225 * np.sin(1.5 * time) - 0.3125 * np.sin(2.5 * time)
    force = 4.0 * (ddq + 9.80665) + 90.0 * np.sign(dq) + 60.0 * dq
    rng = np.random.default_rng(0)
    effort = np.abs(force + rng.normal(size=force.shape))
    log = Dataset(time=time, q=q[:, None] + 1e-5 * rng.normal(size=(2000, 1)), effort=effort[:, None], effort_kind=EffortKind.MAGNITUDE)
    prepared = prepare_magnitudes(robot, log)
    right = np.array([np.sign(force[item.samples].sum()) for item in prepared.segments])
    exchanged = np.ones_like(right)
    assert not np.array_equal(right, exchanged)
    price = sign_cost(prepared, search_levels(prepared))
    found = SignHypotheses(segments=prepared.segments, signs=exchanged[None], costs=np.atleast_1d(price.cost(exchanged)))
    assert same(price, rank_assignments(prepared, price, found)[0].signs, right)
