"""Friction that opposes the motion, as inequalities on its parameters, and which speeds a log reached."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.dynamics.friction import Coupled, PerJoint, Viscous, friction_model, linear
from dynident.dynamics.friction.dissipation import SHARES, braking_factors, one_way_joints, opposing_inequalities, reached_speeds


def test_speeds_are_told_by_direction():
    dq = np.column_stack([np.linspace(-0.5, 2.0, 400), np.linspace(0.1, 1.0, 400), np.linspace(-1.0, -0.2, 400), np.zeros(400)])
    np.testing.assert_allclose(reached_speeds(dq), [[0.5, 2.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    assert one_way_joints(reached_speeds(dq)) == (1, 2)


def test_a_tremble_at_rest_is_no_turn_and_masked_samples_do_not_count():
    forward = np.concatenate([np.linspace(0.0, 1.0, 300), 0.02 * (-1.0) ** np.arange(300)])[:, None]
    assert one_way_joints(reached_speeds(forward)) == (0,)
    dq = np.concatenate([forward, np.full((300, 1), -1.0)])
    assert one_way_joints(reached_speeds(dq)) == ()
    assert one_way_joints(reached_speeds(dq, np.arange(900)[:, None] < 600)) == (0,)


def test_linear_friction_needs_two_inequalities():
    found = list(opposing_inequalities(linear(), np.array([[0.4, 0.5]])))
    np.testing.assert_allclose([item.factors[0] for item in found], [[5e-7, 1.0, 0.0], [0.5, 1.0, 0.0]])
    assert [item.parameter for item in found] == ["", ""]


@pytest.mark.parametrize("reached", [(0.0, 0.5), (0.5, 0.0), (0.0, 0.0)])
def test_parameters_of_a_joint_that_did_not_turn_both_ways_are_not_negative(reached):
    found = list(opposing_inequalities(linear(), np.array([reached])))
    alone = {item.parameter: item.factors[0].tolist() for item in found if item.parameter}
    assert alone == {"fv": [1.0, 0.0, 0.0], "fc": [0.0, 1.0, 0.0]}


def test_what_does_not_show_at_constant_speed_is_not_negative():
    model = friction_model("linear+armature+load_coulomb+temperature_viscous")
    found = [item.parameter for item in opposing_inequalities(model, np.ones((2, 2)))]
    assert [name for name in found if name] == ["Ia", "fcl"] * 2


def test_friction_may_fall_with_the_speed_as_long_as_it_brakes():
    """Stribeck's effect beside Coulomb and negative viscous friction: at all sampled speeds, and at none is more asked for."""
    model, fastest = friction_model("linear+stribeck"), 0.8
    rows = np.array([item.factors[0] for item in opposing_inequalities(model, np.full((1, 2), fastest))])
    torque = braking_factors(model, 0, fastest * SHARES, 1)[:, 0]
    for seed in range(200):
        theta = np.random.default_rng(seed).normal(size=4)
        assert bool(np.all(rows @ theta >= 0.0)) == bool(np.all(torque @ theta >= 0.0))


def test_each_joint_has_the_inequalities_of_its_own_model():
    model = PerJoint((Viscous(), friction_model("coulomb+armature")))
    found = list(opposing_inequalities(model, np.ones((2, 2))))
    assert model.parameter_names == ("fv", "fc", "Ia")
    np.testing.assert_array_equal(
        [item.factors for item in found], [[[1, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 1, 0]], [[0, 0, 0], [0, 0, 1]]]
    )


def test_a_motor_that_turns_two_joints_brakes_both():
    model = Coupled(friction_model("coulomb+armature"), np.array([[1.0, 0.0], [0.5, 1.0]]))
    assert model.parameter_names == ("fc", "Ia", "fcm", "Iam")
    found = [item.factors for item in opposing_inequalities(model, np.ones((2, 2))) if not item.parameter]
    # joint 1 alone turns motor 2 half as fast, and feels half of its friction; joint 2 has its own and all of the motor's
    np.testing.assert_allclose(found, [[[1, 0, 0, 0], [0, 0, 0.5, 0]], [[0, 0, 0, 0], [1, 0, 1, 0]]])
