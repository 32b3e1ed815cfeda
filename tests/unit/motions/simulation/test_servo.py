"""The servo: poles where they should be, limits, anti-windup."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.errors import UnknownNameError, ValueRangeError
from dynident.motions.simulation import Servo
from dynident.motions.simulation.servo import Regulator
from tests.facts import raises


def test_a_double_integrator_with_the_servo_has_three_poles_at_the_bandwidth():
    omega = 2 * np.pi * 5.0
    np.testing.assert_allclose(np.roots([1.0, 3 * omega, 3 * omega**2, omega**3]), -omega, rtol=1e-4)
    regulator = Regulator(5.0, 1e-3, np.array([np.inf]), np.zeros(1))
    S = np.array([[2.0]])
    first = regulator.torque(np.array([1.0]), np.array([0.0]), np.zeros(1), S)
    np.testing.assert_allclose(first, 2.0 * (3 * omega**2 + 1e-3 * omega**3))
    second = regulator.torque(np.array([0.0]), np.array([1.0]), np.array([7.0]), S)
    np.testing.assert_allclose(second, 7.0 + 2.0 * (3 * omega + 1e-3 * omega**3))


def test_the_torque_is_cut_and_the_integral_does_not_wind_up():
    regulator = Regulator(5.0, 1e-3, np.array([10.0]), np.zeros(1))
    S = np.eye(1)
    for _ in range(1000):
        assert regulator.torque(np.array([1.0]), np.zeros(1), np.zeros(1), S) == 10.0
    assert regulator.saturated[0]
    assert abs(regulator.torque(np.zeros(1), np.zeros(1), np.zeros(1), S)[0]) < 1e-9
    assert not regulator.saturated[0]


def test_the_bandwidth_is_lowered_to_what_the_period_allows():
    M = np.eye(2)[None]
    assert Servo(bandwidth=10.0).stable_bandwidth(M, M, 1e-3) == 10.0
    assert Servo(bandwidth=100.0).stable_bandwidth(M, M, 1e-3) == pytest.approx(0.5 / 3e-3 / (2 * np.pi))
    # rotors that are lighter than what the gains are made for
    assert Servo(bandwidth=10.0).stable_bandwidth(M, 0.1 * M, 1e-3) == pytest.approx(0.05 / 3e-3 / (2 * np.pi))


def test_gains_per_joint_are_the_mean_of_the_diagonal():
    M = np.array([[[1.0, 0.5], [0.5, 2.0]], [[3.0, 0.5], [0.5, 2.0]]])
    np.testing.assert_array_equal(Servo(per_joint=True).shape(M)[1], np.diag([2.0, 2.0]))
    np.testing.assert_array_equal(Servo().shape(M), M)


def test_wrong_input_is_refused():
    with pytest.raises(ValueRangeError):
        Servo(bandwidth=0.0)
    with raises(UnknownNameError, name="pid", known=("none", "gravity", "model")):
        Servo(feedforward="pid")
