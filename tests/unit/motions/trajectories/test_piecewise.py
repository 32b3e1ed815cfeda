"""Polynomials between knots against their closed forms."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.interpolate import BPoly

from dynident.motions import CubicTrajectory, QuinticTrajectory, SampledTrajectory, WaypointTrajectory
from dynident.motions.trajectories.easing import ease
from dynident.motions.trajectories.piecewise import interpolate

RNG = np.random.default_rng(5)
TIMES = np.array([0.0, 0.7, 1.5, 4.0])
POINTS = RNG.normal(size=(4, 3))
JOINTS = ("a", "b", "c")
MOMENTS = np.linspace(-0.5, 4.5, 1201)


def smoothstep(s: np.ndarray) -> tuple[np.ndarray, ...]:
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2), 30.0 * s**2 * (1.0 - s) ** 2, 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)


def cubic_step(s: np.ndarray) -> tuple[np.ndarray, ...]:
    return s**2 * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s), 6.0 - 12.0 * s


def rest_to_rest(step, time: np.ndarray) -> list[np.ndarray]:
    t = np.clip(time, 0.0, TIMES[-1])
    k = np.clip(np.searchsorted(TIMES, t, side="right") - 1, 0, len(TIMES) - 2)
    T = np.diff(TIMES)[k][:, None]
    parts = step((t - TIMES[k])[:, None] / T)
    way = np.diff(POINTS, axis=0)[k]
    ddq = np.where((time == t)[:, None], way * parts[2] / T**2, 0.0)
    return [POINTS[k] + way * parts[0], way * parts[1] / T, ddq]


@pytest.mark.parametrize(
    ("trajectory", "step"),
    [
        (WaypointTrajectory(joints=JOINTS, times=TIMES, points=POINTS), smoothstep),
        (CubicTrajectory(joints=JOINTS, times=TIMES, knots=POINTS), cubic_step),
    ],
)
def test_moves_are_the_step_polynomials(trajectory, step):
    for values, expected in zip(trajectory.sample(MOMENTS), rest_to_rest(step, MOMENTS), strict=True):
        np.testing.assert_allclose(values, expected, rtol=0.0, atol=1.5e-13 * max(1.0, np.abs(expected).max()))


def test_a_quintic_is_the_minimum_jerk_polynomial():
    motion = QuinticTrajectory(joints=JOINTS, start=POINTS[0], end=POINTS[1], duration=1.7).sample(MOMENTS)
    s = np.clip(MOMENTS / 1.7, 0.0, 1.0)[:, None]
    way = POINTS[1] - POINTS[0]
    for order, (values, part) in enumerate(zip(motion, smoothstep(s), strict=True)):
        np.testing.assert_allclose(values, (POINTS[0] if order == 0 else 0.0) + way * part / 1.7**order, rtol=0.0, atol=1.5e-13)


def test_all_pieces_at_once_are_those_of_scipy():
    q, dq, ddq = RNG.normal(size=(3, 4, 3))
    for derivatives in ((q, dq), (q, dq, ddq)):
        expected = BPoly.from_derivatives(TIMES, np.stack(derivatives, axis=1))
        np.testing.assert_allclose(interpolate(TIMES, *derivatives).c, expected.c, rtol=1e-13, atol=1e-13)


def test_samples_of_a_kilohertz_keep_their_accelerations():
    time = np.arange(2001) / 1000.0
    known = {"q": np.sin(time)[:, None] + 3.0, "dq": np.cos(time)[:, None], "ddq": -np.sin(time)[:, None]}
    between = np.linspace(0.0, 2.0, 7777)
    motion = SampledTrajectory(joints=("a",), times=time, **known).sample(between)
    np.testing.assert_allclose(motion.q[:, 0], np.sin(between) + 3.0, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(motion.ddq[:, 0], -np.sin(between), rtol=0.0, atol=2e-7)  # 40 ε q / h² of the second differences


def test_easing_is_the_integral_of_the_step():
    time = np.linspace(0.0, 2.0, 101)
    pace = ease(time, 5.0, 2.0, 0.0)
    u = time[:-1] / 2.0
    np.testing.assert_allclose(pace.along[:-1], 2.0 * u**4 * (2.5 - 3.0 * u + u**2), rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(pace.pace[:-1], smoothstep(u)[0], rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(pace.change[:-1], smoothstep(u)[1] / 2.0, rtol=0.0, atol=1e-14)


def test_a_trajectory_that_was_sampled_travels_between_processes():
    trajectory = WaypointTrajectory(joints=JOINTS, times=TIMES, points=POINTS)
    expected = trajectory.sample(MOMENTS)
    for values, others in zip(expected, pickle.loads(pickle.dumps(trajectory)).sample(MOMENTS), strict=True):  # noqa: S301 (our own)
        np.testing.assert_array_equal(values, others)
