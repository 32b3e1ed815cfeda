"""Friction in a simulation: the right tangent, inertia apart, typical values."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics.friction import Coulomb, Motion, Smoothed, friction_model, linear
from dynident.errors import InputError, ShapeError, ValueRangeError
from dynident.motions.simulation import SimulatedFriction, typical_friction
from tests.facts import raises


def test_the_tangent_is_torque_and_slope():
    robot = load_robot("planar_2r")
    theta = np.array([[0.3, 0.5, 0.1], [0.2, 0.4, -0.1]])
    friction = SimulatedFriction.of(robot, linear(), theta)
    for velocity in ([0.0, 0.01], [0.5, -0.02], [-1.0, 1e-4]):
        v = np.array(velocity)
        here, slope = friction.tangent(Motion.steady(v))
        fv, fc, fo = theta.T
        np.testing.assert_allclose(here, fv * v + fc * np.tanh(v / 0.02) + fo, atol=1e-9)
        np.testing.assert_allclose(slope, fv + fc / 0.02 / np.cosh(v / 0.02) ** 2, rtol=1e-5)
        np.testing.assert_allclose(here, friction.torque(Motion.steady(v[None]))[0], atol=1e-12)


def test_what_goes_with_acceleration_is_inertia():
    robot = load_robot("planar_2r")
    friction = SimulatedFriction.of(robot, friction_model("viscous+armature"), [[0.1, 0.7], [0.1, 0.2]])
    np.testing.assert_allclose(friction.inertia, [0.7, 0.2])
    assert not np.any(SimulatedFriction.of(robot, linear(), np.ones((2, 3))).inertia)


def test_typical_values_are_shares_of_the_scale():
    robot = load_robot("planar_2r")
    np.testing.assert_allclose(typical_friction(robot, linear(), [80.0, 30.0]), [[0.4, 0.4, 0.08], [0.15, 0.15, 0.03]])
    with raises(InputError, "armature", "Ia"):
        typical_friction(robot, friction_model("armature"), 1.0)


def test_wrong_input_is_refused():
    robot = load_robot("planar_2r")
    with pytest.raises(ValueRangeError):
        Smoothed(Coulomb(), 0.0)
    with raises(ShapeError, "fv", "fc", "fo", name="friction_parameters", shape=(3, 3)):
        SimulatedFriction.of(robot, linear(), np.ones((3, 3)))
    with pytest.raises(ValueRangeError):
        SimulatedFriction.of(robot, linear(), np.full((2, 3), np.nan))
