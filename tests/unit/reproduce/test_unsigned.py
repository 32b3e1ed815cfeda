"""The report's coefficients from base parameters, and its filter."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.regression import base_parameters
from dynident.reproduce.unsigned.arms import low_pass_fir
from dynident.reproduce.unsigned.coefficients import report_coefficients
from dynident.reproduce.unsigned.published import COEFFICIENTS_3R, MISPRINTS, TEN, coefficients_3r, true_thirteen


@pytest.mark.parametrize(
    ("arm", "name", "expected"), [("1R", "pendulum_1r", np.array([24.525, 1.67085])), ("3R", "spatial_3r", TEN @ true_thirteen())]
)
def test_of_the_true_robot_they_are_those_of_the_formulas(arm: str, name: str, expected: np.ndarray):
    robot = load_robot(name)
    values = base_parameters(robot).coefficients(np.asarray(robot.parameters).ravel())
    np.testing.assert_allclose(report_coefficients(arm, values), expected, atol=1e-12)


def test_they_are_the_torque():
    """Gravity's torque of the second joint, arm stretched out horizontally, is π9 + π10 of the ten, whatever the links."""
    from dynident.dynamics import gravity

    robot = load_robot("spatial_3r")
    links = np.asarray(robot.parameters) * np.array([1.0, 1.3, 1.0, 0.8, *[1.0] * 6])
    ten = report_coefficients("3R", base_parameters(robot).coefficients(links.ravel()))
    assert gravity(robot, links, np.zeros((1, 3)))[0, 1] == pytest.approx(ten[8] + ten[9])


def test_misprints_are_mended_only_where_asked():
    for (row, k), value in MISPRINTS.items():
        assert coefficients_3r(row)[k] == float(COEFFICIENTS_3R[row][k]) != value
        assert coefficients_3r(row, mended=True)[k] == value


def test_the_filter_keeps_slow_signals_in_their_place_and_stops_fast_ones():
    k = np.arange(400)
    slow, fast = np.sin(0.02 * np.pi * k), np.sin(0.8 * np.pi * k)
    kept = low_pass_fir(np.column_stack([slow, fast]), [0.35, 0.35])[20:-20]
    np.testing.assert_allclose(kept[:, 0], slow[20:-20], atol=0.01)
    assert np.abs(kept[:, 1]).max() < 0.01
