"""The formulas of the friction models, their combination and their lookup."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.dynamics.friction import (
    Armature,
    Coulomb,
    Motion,
    SmoothCoulomb,
    Stribeck,
    Viscous,
    combine,
    friction_model,
    friction_torque,
    linear,
)
from dynident.errors import UnknownNameError, ValueRangeError
from dynident.robots.robot import JointType
from tests.facts import raises

DQ = np.array([[-2.0, 0.0], [0.5, 3.0]])
DDQ = np.array([[1.0, -4.0], [0.0, 2.0]])
MOTION = Motion(np.zeros_like(DQ), DQ, DDQ)


def test_linear_is_equation_24_of_the_panda_paper():
    theta = np.array([[0.1, 0.2, 0.3], [1.0, 2.0, -3.0]])  # fv, fc, fo of each joint
    expected = theta[:, 0] * DQ + theta[:, 1] * np.sign(DQ) + theta[:, 2]
    np.testing.assert_allclose(friction_torque(linear(), theta, MOTION), expected)
    assert linear().parameter_names == ("fv", "fc", "fo")
    assert linear().units_of(JointType.REVOLUTE) == ("N·m·s/rad", "N·m", "N·m")


def test_armature_is_proportional_to_the_acceleration_alone():
    np.testing.assert_array_equal(Armature().columns(MOTION)[..., 0], DDQ)


def test_smooth_coulomb_becomes_coulomb_as_the_threshold_vanishes():
    np.testing.assert_array_equal(SmoothCoulomb(threshold=1e-9).columns(MOTION), Coulomb().columns(MOTION))


def test_smooth_coulomb_is_viscous_far_below_its_threshold():
    threshold = 1e4
    np.testing.assert_allclose(SmoothCoulomb(threshold).columns(MOTION) * threshold, Viscous().columns(MOTION), rtol=1e-6)


@pytest.mark.parametrize("threshold", [0.0, -1.0, np.nan, np.inf])
def test_threshold_must_be_a_positive_velocity(threshold):
    with raises(ValueRangeError, name="threshold"):
        SmoothCoulomb(threshold)


def test_a_combination_adds_torques_and_keeps_the_order_of_parameters():
    pair = combine(Armature(), Viscous())
    assert pair.parameter_names == ("Ia", "fv")
    theta = np.array([[1.0, 2.0], [3.0, 4.0]])
    parts = friction_torque(Armature(), theta[:, :1], MOTION) + friction_torque(Viscous(), theta[:, 1:], MOTION)
    np.testing.assert_allclose(friction_torque(pair, theta, MOTION), parts)


def test_a_combination_with_the_same_parameter_twice_is_refused():
    with raises(ValueRangeError, "fc", "twice", name="'coulomb+smooth_coulomb'"):
        combine(Coulomb(), SmoothCoulomb())


def test_an_empty_combination_is_refused():
    with raises(ValueRangeError, "one", name="models"):
        combine()


def test_names_joined_by_plus_are_a_combination():
    assert friction_model("viscous + armature") == combine(Viscous(), Armature())


def test_shapes_may_stand_in_parentheses():
    assert friction_model("viscous + smooth_coulomb(threshold=1e-1)") == combine(Viscous(), SmoothCoulomb(0.1))
    assert friction_model("stribeck(speed=1e+0, exponent = 1.3)+offset").parts[0] == Stribeck(1.0, 1.3)
    assert friction_model("coulomb()") == Coulomb()
    with raises(UnknownNameError, "stribeck", name="velocity", known=("speed", "exponent")):
        friction_model("stribeck(velocity=1)")
    with raises(ValueRangeError, "speed", "NAME=NUMBER", name="friction model 'stribeck(speed)'"):
        friction_model("stribeck(speed)")
    with raises(ValueRangeError, name="speed"):
        friction_model("stribeck(speed=-1)")


def test_an_unknown_name_lists_the_known_ones():
    with raises(
        UnknownNameError, "asymmetric_coulomb", "asymmetric_viscous", "cubic_viscous", "load_coulomb", "motor_ripple", name="stribek"
    ) as caught:
        friction_model("viscous+stribek")
    assert caught.value.name == "stribek"
