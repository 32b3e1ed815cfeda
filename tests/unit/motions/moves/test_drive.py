"""A designed motion from home and back: limits on all of it, the home that is chosen, and what bars the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics import inverse_dynamics
from dynident.errors import ValueRangeError
from dynident.motions import FourierTrajectory, LimitError, Trajectory, check_trajectory, plan_drive, robot_limits, trajectory_dataset
from dynident.motions.limits.limits import Box
from dynident.motions.limits.margins import position_range, standing_margins
from dynident.motions.moves.home import HomeSource, find_home
from dynident.motions.moves.moves import plan_move, slow_limits
from tests.facts import carries, raises

ROBOT = load_robot("planar_2r")
LIMITS = replace(robot_limits(ROBOT), torque=None)


def series(scale: float = 1.0, **changes) -> FourierTrajectory:
    a, b = scale * np.random.default_rng(3).uniform(-0.6, 0.6, size=(2, 2, 4))
    return FourierTrajectory(**{"joints": ROBOT.joint_names, "base_frequency": 0.2, "a": a, "b": b, "q0": [0.4, -0.3], **changes})


def test_all_of_it_keeps_the_limits_and_it_begins_and_ends_at_home():
    assert check_trajectory(series(), ROBOT, LIMITS).holds
    drive = plan_drive(ROBOT, series(), limits=LIMITS, home=[-1.0, 0.5], repeats=3, rate=100.0)
    driven = drive.trajectory
    assert (drive.home.source, drive.report.holds, driven.repeats) == (HomeSource.GIVEN, True, 3)
    assert check_trajectory(driven, ROBOT, LIMITS, rate=3000.0).holds
    log = trajectory_dataset(driven, 100.0)
    np.testing.assert_allclose(log.q[[0, -1]], [[-1.0, 0.5]] * 2, atol=1e-12)
    np.testing.assert_allclose(np.concatenate([log.dq[[0, -1]], log.ddq[[0, -1]]]), 0.0, atol=1e-9)
    assert [int(np.sum(log.period == k)) for k in (1, 2, 3)] == [500, 500, 500]
    assert driven.approach.duration < 3.0
    assert carries(drive.sentence, "3 periods", "5 s", f"{driven.duration - driven.first_period - 15.0:.1f} s")


def test_the_period_begins_where_the_way_home_is_shortest():
    free = plan_drive(ROBOT, series(), limits=LIMITS, home=[-1.0, 0.5])
    others = [plan_drive(ROBOT, series(), limits=LIMITS, home=[-1.0, 0.5], phase=phase) for phase in (0.0, 1.25, 2.5)]
    assert all(free.trajectory.duration <= other.trajectory.duration + 1e-9 for other in others)
    assert others[1].trajectory.phase == 1.25


def test_easing_takes_as_long_as_the_accelerations_need():
    fast = FourierTrajectory(joints=ROBOT.joint_names, base_frequency=0.1, a=[[1.0], [0.8]], b=[[0.0], [0.0]], q0=[0.0, 0.0])
    tight = replace(LIMITS, acceleration=np.array([0.7, 0.6]))  # of the motion itself, 0.63 and 0.5
    loose, slow = (plan_drive(ROBOT, fast, limits=limits, home=[0.0, 0.0], phase=0.0).trajectory for limits in (LIMITS, tight))
    assert (loose.ease_in, slow.ease_in > 2.0) == (1.0, True)
    assert np.all(np.abs(slow.sample(np.linspace(0.0, slow.duration, 20001)).ddq).max(axis=0) <= tight.acceleration)


def test_a_motion_that_starts_at_rest_needs_no_easing():
    still = series().constrain_ends()
    driven = plan_drive(ROBOT, still, limits=LIMITS, home=[0.0, 0.0]).trajectory
    assert (driven.ease_in, driven.ease_out, driven.phase) == (0.0, 0.0, 0.0)


def test_jerk_limits_hold_on_all_of_it():
    limits = replace(LIMITS, jerk=np.array([20.0, 20.0]))
    driven = plan_drive(ROBOT, series(0.5), limits=limits, home=[-2.0, 2.0]).trajectory
    t = np.linspace(0.0, driven.duration, 100001)
    jerk = np.diff(driven.sample(t).ddq, axis=0) / t[1]
    assert np.abs(jerk).max() <= 20.0
    assert next(margin for margin in check_trajectory(driven, ROBOT, limits).margins if margin.name == "jerk").unit == "rad/s³"
    broken = check_trajectory(driven, ROBOT, replace(limits, jerk=np.full(2, 0.5 * np.abs(jerk).max()))).broken
    assert [margin.name for margin in broken] == ["jerk"]


def test_home_is_described_or_near_the_middle_or_given():
    assert find_home(ROBOT, LIMITS, None).source is HomeSource.MIDDLE
    panda = load_robot("panda")
    described = find_home(panda, robot_limits(panda), None)
    assert described.source is HomeSource.DESCRIBED
    np.testing.assert_allclose(described.q, [0, -np.pi / 4, 0, -3 * np.pi / 4, 0, np.pi / 2, np.pi / 4])
    below = replace(LIMITS, boxes=(Box(lower=np.array([-2.0, -2.0, -2.0]), upper=np.array([0.4, 2.0, 2.0]), frames=("tool",)),))
    nearest = find_home(ROBOT, below, None)
    assert nearest.source is HomeSource.NEAREST
    assert all(margin.holds for margin in standing_margins(ROBOT, below, nearest.q, None))
    with raises(LimitError, 0.62, limit="workspace box limit at tool"):
        find_home(ROBOT, below, None, [0.0, 0.0])
    nowhere = replace(LIMITS, boxes=(Box(lower=np.full(3, 5.0), upper=np.full(3, 6.0), name="cell"),))
    with raises(LimitError, 5.06, limit="cell limit at link1"):
        find_home(ROBOT, nowhere, None)


def test_a_motion_without_a_way_home_names_the_limit_and_a_position_to_start_from():
    slot = Box(lower=np.array([-2.0, -2.0, -0.5]), upper=np.array([2.0, 2.0, 0.5]), frames=("tool",), name="slot")
    stretched = replace(LIMITS, boxes=(slot,), position=np.array([[-3.1, 3.1], [-0.05, 0.05]]))  # neither above nor below
    motion = replace(series(1e-3), q0=np.array([0.1, 0.0]))
    assert plan_drive(ROBOT, motion, limits=stretched, home=[0.3, 0.0]).report.holds
    with raises(LimitError, "way", limit="slot limit at 'tool'", remedy={"home": pytest.approx([0.1, 0.0], abs=1e-2)}):
        plan_drive(ROBOT, motion, limits=stretched, home=[2.9, 0.0])


def test_a_straight_move_keeps_velocity_acceleration_and_jerk():
    limits = slow_limits(replace(LIMITS, jerk=np.array([1.0, 5.0])))
    move = plan_move(ROBOT, np.array([0.0, 0.0]), np.array([0.8, -0.6]), limits=limits)
    t = np.linspace(0.0, move.duration, 20001)
    motion = move.sample(t)
    peaks = [np.abs(values).max(axis=0) for values in (motion.dq, motion.ddq, np.diff(motion.ddq, axis=0) / t[1])]
    shares = [peak / limit for peak, limit in zip(peaks, (limits.velocity, limits.acceleration, limits.jerk), strict=True)]
    assert max(share.max() for share in shares) == pytest.approx(1.0, abs=1e-3)


def test_a_move_is_as_slow_as_its_torque_needs_and_no_slower():
    start, end = np.array([-1.5, 0.5]), np.array([1.0, -0.5])
    free = plan_move(ROBOT, start, end, limits=LIMITS)
    halfway = replace(LIMITS, effort=(torque_peaks(free) + torque_peaks(free.stretch(1e3))) / 2.0)
    slower = plan_move(ROBOT, start, end, limits=halfway)
    assert 1.1 * free.duration < slower.duration < 3.0 * free.duration
    assert 0.8 < (torque_peaks(slower) / halfway.effort).max() < 1.0


def torque_peaks(way: Trajectory) -> np.ndarray:
    motion = way.sample(np.linspace(0.0, way.duration, 2001))
    return np.abs(inverse_dynamics(ROBOT, ROBOT.parameters, *motion)).max(axis=0)


def test_a_joint_that_turns_without_end_starts_within_a_turn():
    endless = replace(LIMITS, position=np.array([[-np.inf, np.inf], [-3.0, 7.0]]))
    np.testing.assert_array_equal(position_range(endless), [[-np.pi, -3.0], [np.pi, 2.0 * np.pi]])


def test_a_motion_that_home_is_cut_off_from_starts_where_it_gets_under_way():
    """Nothing leads from the middle of the ranges to the other side of a slot that only a part of the motion is in."""
    slot = Box(lower=np.array([-2.0, -2.0, -0.5]), upper=np.array([2.0, 2.0, 0.5]), frames=("tool",), name="slot")
    narrow = replace(LIMITS, boxes=(slot,), position=np.array([[-3.1, 3.1], [-0.05, 0.05]]))
    motion = replace(series(1e-3), q0=np.array([3.0, 0.0]))
    drive = plan_drive(ROBOT, motion, limits=narrow)
    assert (drive.home.source, drive.report.holds) == (HomeSource.MOTION, True)
    np.testing.assert_allclose(drive.home.q, [3.0, 0.0], atol=0.01)
    assert drive.trajectory.duration < motion.duration + 4.0


def test_what_can_not_be_repeated_is_refused():
    with raises(ValueRangeError, 2, "end", "start", name="repeats"):
        plan_drive(ROBOT, series(duration=4.0), limits=LIMITS, repeats=2)
    with raises(ValueRangeError, 0, name="repeats"):
        plan_drive(ROBOT, series(), limits=LIMITS, repeats=0)
    once = plan_drive(ROBOT, series(duration=4.0), limits=LIMITS).trajectory
    assert (once.repeats, once.period) == (1, 4.0)
