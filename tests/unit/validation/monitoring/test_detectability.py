"""The bound of the study: identities that a signal in Gaussian noise obeys."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.detectability import detectability
from dynident.motions.simulation import Noise, Sensors

SENSORS = Sensors(velocity=Noise(coloured=0.007, correlation_time=0.004), torque=Noise(white=0.04, coloured=0.35, correlation_time=0.0015))
STEP = np.ones((50, 1))


def d(inertia: object, push: np.ndarray, friction: object = 0.0) -> float:
    M = np.diag(np.broadcast_to(np.asarray(inertia, dtype=float), (push.shape[1],)))
    return detectability(SENSORS, M, push, 1e-3, np.broadcast_to(np.asarray(friction, dtype=float), (push.shape[1],)))


def test_it_is_proportional_to_the_push_and_falls_with_the_inertia():
    assert d(1.0, 3.0 * STEP) == pytest.approx(3.0 * d(1.0, STEP), rel=1e-6)
    assert d(2.0, STEP) < d(1.0, STEP) < d(0.1, STEP)


def test_independent_joints_add_their_squares():
    both = np.column_stack([STEP, -2.0 * STEP])
    assert d([1.0, 0.3], both) ** 2 == pytest.approx(d(1.0, STEP) ** 2 + d(0.3, 2.0 * STEP) ** 2, rel=1e-6)


def test_friction_at_rest_takes_its_part_of_a_constant_push():
    assert d(1.0, STEP, 0.4) == pytest.approx(0.6 * d(1.0, STEP), rel=1e-6)
    assert d(1.0, STEP, 1.5) == pytest.approx(0.0, abs=1e-4)


def test_it_is_the_mean_of_the_matched_filter_over_its_deviation_in_draws():
    """White torque noise alone is a random walk, of which the mean of the increments is the best there is: d = push √(T / h) / σ."""
    quiet = Sensors(velocity=Noise(coloured=1e-9, correlation_time=0.004), torque=Noise(white=0.5, coloured=0.05, correlation_time=1e-5))
    found = detectability(quiet, np.eye(1), STEP, 1e-3, np.zeros(1))
    assert found == pytest.approx(np.sqrt(50.0) / np.hypot(0.5, 0.05), rel=1e-3)
