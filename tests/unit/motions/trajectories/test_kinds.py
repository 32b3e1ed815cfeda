"""What each kind of trajectory promises beyond the contract: boundary conditions, periods, the papers' tables."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynident.errors import ShapeError, UnknownNameError, ValueRangeError
from dynident.motions import (
    CubicTrajectory,
    FourierTrajectory,
    QuinticTrajectory,
    Repeated,
    SinusoidTrajectory,
    fastest_quintic,
    kuka_table_5,
    panda_table_1,
    trajectory_dataset,
    trajectory_from_dict,
)
from tests.facts import raises


def fourier(seed: int = 0, *, harmonics: int = 5, duration: float = 0.0) -> FourierTrajectory:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 3, harmonics))
    return FourierTrajectory(joints=("a", "b", "c"), base_frequency=0.05, a=a, b=b, q0=rng.normal(size=3), duration=duration)


def test_a_fourier_series_is_the_formula_of_the_report():
    series = fourier()
    w, t = 0.1 * pi, 1.7
    expected = series.q0 + sum(
        series.a[:, l - 1] / (l * w) * np.sin(l * w * t) - series.b[:, l - 1] / (l * w) * np.cos(l * w * t) for l in range(1, 6)
    )
    np.testing.assert_allclose(series.sample([t]).q[0], expected, rtol=1e-13)


def test_a_fourier_series_is_periodic():
    t = np.linspace(0.0, 20.0, 11)
    for first, second in zip(fourier().sample(t), fourier().sample(t + 20.0), strict=True):
        np.testing.assert_allclose(first, second, atol=1e-12)


@given(seed=st.integers(0, 50), harmonics=st.integers(4, 9), duration=st.sampled_from([20.0, 40.0, 13.0, 27.5]), prescribed=st.booleans())
def test_a_series_at_rest_starts_and_ends_at_rest(seed, harmonics, duration, prescribed):
    start = np.array([0.3, -1.0, 2.0]) if prescribed else None
    motion = fourier(seed, harmonics=harmonics, duration=duration).constrain_ends(start=start).sample([0.0, duration])
    np.testing.assert_allclose(motion.dq, 0.0, atol=1e-11)
    np.testing.assert_allclose(motion.ddq, 0.0, atol=1e-11)
    if start is not None:
        np.testing.assert_allclose(motion.q, [start, start], atol=1e-11)


def test_at_rest_changes_nothing_that_is_at_rest_already():
    once = fourier().constrain_ends()
    np.testing.assert_allclose(once.constrain_ends().coefficients, once.coefficients, atol=1e-12)
    assert np.abs(once.coefficients - fourier().coefficients).max() > 0.01


def test_a_prescribed_start_leaves_the_velocity_free():
    series = fourier().constrain_ends(start=[1.0, 2.0, 3.0], rest=False)
    motion = series.sample([0.0, 20.0])
    np.testing.assert_allclose(motion.q, [[1.0, 2.0, 3.0]] * 2, atol=1e-12)
    assert np.abs(motion.dq).max() > 0.1


def test_repeated_periods_at_the_ends_are_masked():
    repeated = Repeated(trajectory=fourier())
    assert repeated.duration == 100.0
    log = trajectory_dataset(repeated, 10.0)
    used = log.time[log.mask[:, 0]]
    assert (used[0], used[-1]) == (20.0, pytest.approx(79.9))
    np.testing.assert_allclose(log.q[log.time < 19.95], log.q[(log.time > 39.95) & (log.time < 59.95)], atol=1e-10)


def test_nothing_is_masked_without_warm_up():
    assert trajectory_dataset(Repeated(trajectory=fourier(), repeats=2, warm_up=0, cool_down=0), 10.0).mask is None


def test_what_jumps_can_not_be_repeated():
    with raises(ValueRangeError, "b", 1, name="trajectory"):
        Repeated(trajectory=QuinticTrajectory(joints=("a", "b"), start=[0, 0], end=[0, 1], duration=1.0))
    with raises(ValueRangeError, "one"):
        Repeated(trajectory=fourier(), repeats=2)


def test_table_1_of_the_panda_paper():
    motion = panda_table_1()
    t = np.array([0.3, 1.1])
    expected = 2.21 * np.sin(2 * pi * t / 3.68), -2.5 * np.sin(2 * pi * t / 1.06)
    np.testing.assert_allclose(motion.sample(t).dq[:, [0, 6]].T, expected, rtol=1e-13)
    swing = motion.sample(np.linspace(0.0, 200.0, 20001)).q
    middle = (swing.min(axis=0) + swing.max(axis=0)) / 2
    np.testing.assert_allclose(middle, [0, 0, 0, -1.5708, 0, 1.8675, 0], atol=1e-3)
    np.testing.assert_array_equal(panda_table_1(start=np.zeros(7)).sample([0.0]).q, np.zeros((1, 7)))


def test_table_5_of_the_kuka_paper():
    motion = kuka_table_5()
    knots = motion.sample([0.0, 5.0, 8.0, 15.0, 22.0, 24.0, 25.5, 28.0])
    quarter = pi / 4 * np.array([1, -1, 1, -1, 1, -1, 1])
    expected = [np.full(7, pi / 2), np.zeros(7), np.full(7, pi / 2), np.full(7, -pi / 2), np.full(7, pi / 2), quarter, -quarter, quarter]
    np.testing.assert_allclose(knots.q, expected, atol=1e-13)
    np.testing.assert_allclose(knots.dq, 0.0, atol=1e-12)
    assert motion.duration == 28.0


def test_a_quintic_is_at_rest_at_its_ends_and_outside():
    motion = QuinticTrajectory(joints=("a",), start=[1.0], end=[3.0], duration=2.0).sample([-1.0, 0.0, 1.0, 2.0, 5.0])
    np.testing.assert_allclose(motion.q.ravel(), [1, 1, 2, 3, 3])
    np.testing.assert_allclose(motion.dq.ravel(), [0, 0, 1.875, 0, 0])
    np.testing.assert_allclose(motion.ddq.ravel(), 0.0, atol=1e-12)


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=2), st.floats(0.1, 3), st.floats(0.1, 10))
def test_the_fastest_quintic_reaches_a_limit_and_breaks_none(end, velocity, acceleration):
    motion = fastest_quintic(("a", "b"), [0.0, 0.0], end, velocity=velocity, acceleration=acceleration)
    samples = motion.sample(np.linspace(0.0, motion.duration, 20001))
    shares = np.abs(samples.dq).max() / velocity, np.abs(samples.ddq).max() / acceleration
    assert max(shares) <= 1.0 + 1e-9
    if motion.duration > 1e-3:
        assert max(shares) > 1.0 - 1e-6


@pytest.mark.parametrize(
    ("make", "error", "what"),
    [
        (lambda: FourierTrajectory(joints=("a",), base_frequency=0.0, a=[[1]], b=[[1]], q0=[0]), ValueRangeError, "base_frequency"),
        (lambda: FourierTrajectory(joints=("a",), base_frequency=1.0, a=[[1, 2]], b=[[1]], q0=[0]), ShapeError, "b"),
        (
            lambda: FourierTrajectory(joints=("a", "a"), base_frequency=1.0, a=[[1]] * 2, b=[[1]] * 2, q0=[0, 0]),
            ValueRangeError,
            "'a'",
        ),
        (lambda: SinusoidTrajectory(joints=("a",), amplitude=[1], period=[0], start=[0], duration=1), ValueRangeError, "period"),
        (lambda: SinusoidTrajectory(joints=("a",), amplitude=[np.nan], period=[1], start=[0], duration=1), ValueRangeError, "amplitude"),
        (lambda: CubicTrajectory(joints=("a",), times=[0, 0], knots=[[0], [1]]), ValueRangeError, "times"),
        (lambda: CubicTrajectory(joints=("a",), times=[0], knots=[[0]]), ShapeError, "times"),
        (lambda: QuinticTrajectory(joints=("a",), start=[0, 1], end=[1], duration=1), ShapeError, "start"),
        (lambda: trajectory_from_dict({"kind": "zigzag"}), UnknownNameError, "zigzag"),
    ],
)
def test_wrong_values_are_named(make, error, what):
    with raises(error, what):
        make()
