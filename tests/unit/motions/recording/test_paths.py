"""Paths: they keep limits, begin and end at rest, and can be stopped anywhere without leaving them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import Dataset
from dynident.motions import LimitError, robot_limits
from dynident.motions.recording.paths import DrivenPath, PathClock, slow_moves, stopping_time, trajectory_path
from tests.facts import raises

ROBOT = load_robot("planar_2r")
LIMITS = replace(robot_limits(ROBOT, position_margin=0.0, velocity_scale=1.0, acceleration_scale=1.0, effort_scale=1.0), torque=None)
RATE = 1000.0


def sine(duration: float = 4.0, *, phase: float = 0.0, amplitude: float = 0.8) -> Dataset:
    t = np.arange(0.0, duration + 1e-9, 0.01)
    w = 2 * np.pi * np.array([0.5, 0.25])
    x = np.outer(t, w) + phase
    return Dataset(time=t, q=amplitude * np.sin(x), dq=amplitude * w * np.cos(x), ddq=-amplitude * w**2 * np.sin(x))


def differences(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    dq = np.diff(q, axis=0) * RATE
    return dq, np.diff(dq, axis=0) * RATE


def test_a_slow_move_is_at_rest_at_both_ends_and_keeps_its_limits():
    path = slow_moves(ROBOT, [np.array([0.0, 1.0]), np.array([1.5, -0.5])], limits=LIMITS, rate=RATE, hold=0.2)
    np.testing.assert_allclose(path.q[[0, -1]], [[0.0, 1.0], [1.5, -0.5]], atol=1e-12)
    np.testing.assert_array_equal(path.q[-200:], np.tile(path.q[-1], (200, 1)))
    np.testing.assert_allclose(path.dq[[0, -1]], 0.0, atol=1e-12)
    dq, ddq = differences(path.q)
    assert np.all(np.abs(dq).max(axis=0) <= LIMITS.velocity)
    assert np.all(np.abs(ddq).max(axis=0) <= LIMITS.acceleration)
    assert path.keep == (0.0, 0.0)


def test_a_trajectory_that_begins_in_motion_is_begun_at_rest_on_the_same_way():
    motion = sine()
    path = trajectory_path(ROBOT, motion, limits=LIMITS, rate=RATE)
    assert np.abs(motion.dq[0]).max() > 2.0
    np.testing.assert_allclose(path.q[0], motion.q[0], atol=1e-12)
    np.testing.assert_allclose(path.q[-1], motion.q[-1], atol=1e-6)
    np.testing.assert_allclose(path.dq[[0, -1]], 0.0, atol=1e-5)
    assert path.duration == pytest.approx(5.0, abs=2e-3)  # a second at each end for half a second of the way
    dq, ddq = differences(path.q)
    np.testing.assert_allclose(dq, (path.dq[1:] + path.dq[:-1]) / 2, atol=1e-4)
    assert np.all(np.abs(dq).max(axis=0) <= np.abs(motion.dq).max(axis=0) + 1e-9)
    assert np.all(np.abs(ddq).max(axis=0) <= LIMITS.acceleration)
    middle = path.q[500 + 1000 : 500 + 3000]
    np.testing.assert_allclose(middle, 0.8 * np.sin(np.outer(np.arange(1000, 3000) / RATE, 2 * np.pi * np.array([0.5, 0.25]))), atol=1e-6)


def test_one_that_begins_at_rest_is_driven_as_it_is():
    t = np.arange(0.0, 2.0 + 1e-9, 0.01)
    s = t / 2.0
    q = np.column_stack([s**4 * (1 - s) ** 4 * 50, -(s**4) * (1 - s) ** 4 * 40])
    path = trajectory_path(ROBOT, Dataset(time=t, q=q, dq=_derivative(s)), limits=LIMITS, rate=RATE)
    assert path.duration == pytest.approx(2.0)
    np.testing.assert_allclose(path.q[::10], q, atol=1e-6)


def _derivative(s: np.ndarray) -> np.ndarray:
    shape = (4 * s**3 * (1 - s) ** 4 - 4 * s**4 * (1 - s) ** 3) / 2.0
    return np.column_stack([50 * shape, -40 * shape])


def test_a_trajectory_beyond_a_limit_is_refused_with_the_joint_and_the_time():
    with raises(LimitError, 3, "rad/s", limit="velocity limit at 'joint1'"):
        trajectory_path(ROBOT, sine(amplitude=1.2), limits=LIMITS, rate=RATE)


def test_between_cycles_a_path_is_smooth():
    t = np.arange(0.0, 1.0, 1 / RATE)
    path = DrivenPath(rate=RATE, q=np.sin(5 * t)[:, None], dq=5 * np.cos(5 * t)[:, None])
    odd = np.random.default_rng(0).uniform(0.0, 0.99, 200)
    np.testing.assert_allclose([path.at(x)[0] for x in odd], np.sin(5 * odd), atol=1e-12)
    assert path.at(-1.0)[0] == path.q[0, 0]
    assert path.at(9.0)[0] == path.q[-1, 0]


def test_a_stop_stays_on_the_path_and_brakes_no_harder_than_allowed():
    path = trajectory_path(ROBOT, sine(), limits=LIMITS, rate=RATE)
    stopping = stopping_time(path, LIMITS)
    clock = PathClock(stopping)
    times = np.arange(0.0, 4.0, 1 / RATE)
    driven = []
    for t in times:
        if t >= 1.5:
            clock.stop(t)
        driven.append(path.at(clock.along(t)))
    dq, ddq = differences(np.array(driven))
    assert 0.5 <= stopping <= 1.0
    assert np.abs(dq[1450]).max() > 1.0
    stood = int((1.5 + stopping) * RATE) + 2
    np.testing.assert_allclose(dq[stood:], 0.0, atol=1e-9)
    assert np.all(np.abs(ddq).max(axis=0) <= LIMITS.acceleration)
    assert np.all(np.abs(dq).max(axis=0) <= path.speeds + 1e-6)
    assert clock.along(9.0) == pytest.approx(1.5 + stopping / 2)
    assert clock.stands(1.5 + stopping)
    assert not clock.stands(1.5 + 0.9 * stopping)
