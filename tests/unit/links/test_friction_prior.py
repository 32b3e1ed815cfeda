"""Friction as it is known before any data, and what that decides where a joint turned one way only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import Viscous, combine, friction_model
from dynident.dynamics.friction.dissipation import one_way_joints
from dynident.dynamics.friction.model import OFFSET_SHARE
from dynident.links import retrieval_problem, solve_retrieval
from dynident.links.friction_prior import dissipation, friction_std
from tests.facts import about
from tests.logs import FRICTION, synthetic_log

ROBOT = load_robot("planar_2r")


@pytest.fixture(scope="module")
def both_ways():
    return synthetic_log(noise=0.05)


@pytest.fixture(scope="module")
def one_way(both_ways):
    """Joint 2 turns slowly forward, and its friction falls with the speed as Stribeck says."""
    time = both_ways.time
    q, dq, ddq = both_ways.q.copy(), both_ways.dq.copy(), both_ways.ddq.copy()
    q[:, 1], dq[:, 1], ddq[:, 1] = 0.1 * time - 0.05 * np.cos(time), 0.1 + 0.05 * np.sin(time), 0.05 * np.cos(time)
    fv, fc, fo = FRICTION
    effort = inverse_dynamics(ROBOT, ROBOT.parameters, q, dq, ddq) + fv * dq + fc * np.sign(dq) + fo
    effort[:, 1] += 0.5 * np.exp(-((dq[:, 1] / 0.1) ** 2))
    effort += 0.05 * np.random.default_rng(0).normal(size=effort.shape)
    return replace(both_ways, q=q, dq=dq, ddq=ddq, effort=effort)


def test_each_parameter_is_at_most_what_moves_the_joint_on_average(both_ways):
    estimate = identify(ROBOT, both_ways, cutoff=None)
    effort, speed = (np.sqrt(np.mean(values**2, axis=0)) for values in (both_ways.effort, both_ways.dq))
    expected = np.column_stack([effort / speed, effort, OFFSET_SHARE * effort])
    np.testing.assert_allclose(friction_std(estimate), expected.ravel(), rtol=1e-9)


def _one_way(log, **options):
    return one_way_joints(identify(ROBOT, log, **options).reached)


def test_a_joint_that_never_reversed_is_found(both_ways, one_way):
    assert _one_way(both_ways, cutoff=None) == ()
    assert _one_way(one_way, cutoff=None) == (1,)
    assert _one_way(one_way, cutoff=2.0) == (1,)
    assert _one_way(one_way, friction=Viscous(), cutoff=None) == (1,)  # whatever the model


def test_less_than_a_hundredth_of_the_time_the_other_way_does_not_count(one_way):
    samples = len(one_way.time)
    for back, found in ((samples // 200, (1,)), (samples // 20, ())):
        dq = one_way.dq.copy()
        dq[:back, 1] *= -1.0
        assert _one_way(replace(one_way, dq=dq), cutoff=None) == found


def test_every_part_of_the_friction_of_such_a_joint_dissipates(both_ways, one_way):
    names = [[block.name for block in _terms(log)] for log in (both_ways, one_way)]
    assert not any(">= 0" in name for name in names[0])
    assert [name for name in names[1] if ">= 0" in name] == ["fv2 >= 0", "fc2 >= 0"]


def _terms(log):
    estimate = identify(ROBOT, log, cutoff=None)
    return dissipation(estimate).terms(ROBOT, estimate.base.columns).blocks


def test_what_opposes_a_motion_that_never_reverses_is_friction_rather_than_an_offset(both_ways, one_way):
    estimate = identify(ROBOT, one_way, cutoff=None)
    assert estimate.friction_parameters[1, 0] < -1.0  # the coefficients take Stribeck's effect for viscous friction
    links = solve_retrieval(retrieval_problem(estimate))
    fv, fc, fo = links.friction_parameters[1]
    assert fv >= -1e-9
    assert fc == pytest.approx(9.0 * fo, rel=1e-3)  # as the squares of what each can be
    assert len(about(links.notes, "joint2", "one", "way")) == 1
    unseen = identify(ROBOT, both_ways, cutoff=None).problem
    errors = [np.linalg.norm(_residual(unseen, values)) for values in (links.base.coefficients(links.x), estimate.values)]
    assert errors[0] < 0.7 * errors[1]


def _residual(problem, values):
    return problem.stack(np.ones(len(problem.groups))) @ np.append(values, -1.0)


def test_models_without_an_offset_or_without_friction(both_ways):
    estimate = identify(ROBOT, both_ways, friction=combine(Viscous(), friction_model("coulomb")), cutoff=None)
    assert np.all(np.isfinite(friction_std(estimate)))
    bare = identify(ROBOT, both_ways, friction=None, cutoff=None)
    assert friction_std(bare).size == 0
    assert dissipation(bare).constraints == ()
