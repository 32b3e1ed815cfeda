"""From rest to rest around whole periods: joints without jumps, easing on the path, marks."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.errors import ShapeError, ValueRangeError
from dynident.motions import DrivenTrajectory, FourierTrajectory, QuinticTrajectory, WaypointTrajectory, trajectory_dataset
from dynident.motions.trajectories.easing import ease
from tests.facts import raises

JOINTS = ("hip", "knee")


def series(**changes) -> FourierTrajectory:
    a, b = np.random.default_rng(1).normal(size=(2, 2, 3))
    return FourierTrajectory(**{"joints": JOINTS, "base_frequency": 0.25, "a": a, "b": b, "q0": [0.1, -0.2], **changes})


def driven(*, repeats: int = 2, ease_in: float = 1.2, ease_out: float = 0.8, phase: float = 0.7) -> DrivenTrajectory:
    motion = series()
    start, end = motion.sample([phase - ease_in / 2, phase + ease_out / 2]).q
    return DrivenTrajectory(
        trajectory=motion,
        approach=QuinticTrajectory(joints=JOINTS, start=[0.0, 0.0], end=start, duration=1.5),
        retreat=QuinticTrajectory(joints=JOINTS, start=end, end=[0.0, 0.0], duration=2.5),
        repeats=repeats,
        ease_in=ease_in,
        ease_out=ease_out,
        phase=phase,
    )


def test_the_pace_is_the_derivative_of_the_time_along_the_path_and_its_change_that_of_the_pace():
    time, h = np.linspace(0.01, 6.89, 400), 1e-5
    before, here, after = (ease(time + step, 5.0, 1.8, 2.0) for step in (-h, 0.0, h))
    np.testing.assert_allclose((after.along - before.along) / (2 * h), here.pace, atol=1e-8)
    np.testing.assert_allclose((after.pace - before.pace) / (2 * h), here.change, atol=1e-8)
    ends = ease(np.array([0.0, 1.8, 4.9, 6.9]), 5.0, 1.8, 2.0)
    np.testing.assert_allclose(ends.along, [0.0, 0.9, 4.0, 5.0], atol=1e-12)  # easing goes half as far as full pace
    np.testing.assert_allclose(ends.pace, [0.0, 1.0, 1.0, 0.0], atol=1e-12)


def test_whole_periods_are_those_of_the_trajectory():
    motion = driven()
    t = np.linspace(0.0, 8.0, 300, endpoint=False)
    for found, expected in zip(motion.sample(motion.first_period + t), motion.trajectory.sample(np.mod(0.7 + t, 4.0)), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_it_is_at_rest_at_both_ends_and_nothing_jumps():
    motion = driven()
    assert motion.duration == pytest.approx(1.5 + 1.2 + 8.0 + 0.8 + 2.5)
    ends = motion.sample([0.0, motion.duration])
    np.testing.assert_allclose(ends.q, 0.0, atol=1e-12)
    np.testing.assert_allclose(np.concatenate([ends.dq, ends.ddq]), 0.0, atol=1e-9)
    step = 1e-4
    found = motion.sample(np.arange(0.0, motion.duration, step))
    jerk = np.diff(found.ddq, axis=0) / step
    assert np.abs(jerk).max() < 250.0  # a jump of the acceleration by 0.1 would be 1000
    assert np.abs(np.diff(found.dq, axis=0) / step - found.ddq[:-1]).max() < 0.02


def test_easing_stays_on_the_path():
    motion = driven()
    t = np.linspace(1.5, 2.7, 50)
    path = motion.trajectory.sample(np.linspace(0.0, 4.0, 20001)).q
    apart = np.abs(motion.sample(t).q[:, None] - path[None]).max(axis=2).min(axis=1)
    assert apart.max() < 1e-3


def test_parts_follow_each_other_and_periods_are_marked():
    motion = driven()
    parts = motion.parts
    assert [part.name for part in parts] == ["approach", "easing in", "period 1", "period 2", "easing out", "return"]
    assert [part.start for part in parts[1:]] == [part.stop for part in parts[:-1]]
    assert (parts[0].start, parts[-1].stop) == (0.0, motion.duration)
    log = trajectory_dataset(motion, 100.0)
    assert log.period is not None
    assert [int(np.sum(log.period == k)) for k in (0, 1, 2)] == [601, 400, 400]
    assert log.time[log.period == 1][0] == pytest.approx(motion.first_period)
    assert [part.name for part in driven(ease_in=1.2, repeats=1).parts if part.period] == ["period 1"]


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"repeats": 0}, ("repeats", 0)),
        ({"ease_in": -1.0}, ("ease_in", -1.0)),
        ({"ease_in": 0.5}, ("approach", "position")),
        ({"phase": 0.1}, ("approach", "fit")),
        ({"trajectory": series(duration=3.0), "repeats": 2}, ("end", "start")),
    ],
)
def test_parts_that_do_not_fit_are_refused(changes, facts):
    fields = {name: getattr(driven(), name) for name in ("trajectory", "approach", "retreat", "repeats", "ease_in", "ease_out", "phase")}
    with raises(ValueRangeError, *facts):
        DrivenTrajectory(**{**fields, **changes})


def test_waypoints_are_the_quintics_between_them():
    points = [[0.0, 1.0], [1.0, 1.0], [1.0, 1.0], [-1.0, 0.0]]
    whole = WaypointTrajectory(joints=JOINTS, times=[0.0, 1.0, 1.5, 4.0], points=points)
    t = np.linspace(0.0, 2.5, 40)
    last = QuinticTrajectory(joints=JOINTS, start=points[2], end=points[3], duration=2.5)
    for found, expected in zip(whole.sample(1.5 + t), last.sample(t), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_array_equal(whole.sample([1.2]).dq, 0.0)
    np.testing.assert_array_equal(whole.sample([9.0]).q, [points[3]])
    slow = whole.stretch(8.0)
    np.testing.assert_allclose(slow.sample(2 * t).q, whole.sample(t).q, atol=1e-12)
    with raises(ValueRangeError, "increase", name="times"):
        WaypointTrajectory(joints=JOINTS, times=[0.0, 0.0], points=points[:2])
    with raises(ShapeError, 2, name="times", shape=(1,)):
        WaypointTrajectory(joints=JOINTS, times=[0.0], points=points[:1])
