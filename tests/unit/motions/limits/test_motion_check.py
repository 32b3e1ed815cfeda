"""Samples of a motion against limits: what holds, and each thing that can be wrong with a file by its own sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.core.documents import to_json
from dynident.data import Dataset
from dynident.errors import DynidentError, InputError
from dynident.motions import QuinticTrajectory, check_motion, robot_limits, trajectory_dataset
from dynident.motions.documents import MotionCheckDocument
from dynident.motions.limits.motion_check import full_limits
from tests.facts import about, carries, raises

ROBOT = load_robot("planar_2r")
LIMITS = replace(full_limits(ROBOT), velocity=np.array([1.0, 2.0]), acceleration=np.array([4.0, 4.0]), effort=np.full(2, np.inf))
#: One joint 0.4 rad in a second: 0.75 rad/s, 2.31 rad/s² at most.
MOVE = QuinticTrajectory(joints=ROBOT.joint_names, start=[0.1, 0.2], end=[0.5, 0.1], duration=1.0)
SAMPLES = trajectory_dataset(MOVE, 100.0)
MARGINS = ("position", "velocity", "acceleration", "rest at the start", "rest at the end", "step between samples", "velocities given")


def by_name(check):
    return {margin.name: margin for margin in check.report.margins}


def positions_only(samples: Dataset) -> Dataset:
    return replace(samples, dq=None, ddq=None)


def test_a_motion_that_holds():
    check = check_motion(ROBOT, SAMPLES, LIMITS)
    assert check.holds
    assert set(MARGINS) <= set(by_name(check))
    assert by_name(check)["velocity"].share == pytest.approx(0.75, rel=1e-5)
    assert by_name(check)["acceleration"].share == pytest.approx(0.4 * 10.0 / np.sqrt(3.0) / 4.0, rel=1e-4)
    assert by_name(check)["step between samples"].share == pytest.approx(0.75, rel=2e-3)
    assert carries(check.sentence, "keeps", "planar_2r")
    check.require(unchecked=True)
    assert carries(str(check), "Limits", "1000 Hz")


def test_links_that_could_not_be_kept_apart():
    check = replace(check_motion(ROBOT, SAMPLES, LIMITS), unchecked="nobody knows how large the links are")
    with raises(DynidentError, "nobody", remedy={"unchecked": True}):
        check.require()
    check.require(unchecked=True)


def test_of_positions_alone_derivatives_are_found():
    check = check_motion(ROBOT, positions_only(SAMPLES), LIMITS)
    assert check.holds
    assert by_name(check)["velocity"].share == pytest.approx(0.75, rel=1e-5)
    assert by_name(check)["acceleration"].share == pytest.approx(0.4 * 10.0 / np.sqrt(3.0) / 4.0, rel=1e-2)
    assert not [margin for margin in by_name(check).values() if margin.name == "velocities given"]
    assert "spline" in str(check)


def test_a_motion_designed_up_to_its_limits_holds():
    peak = replace(LIMITS, velocity=np.array([0.75, 0.1875]), acceleration=0.4 * np.array([1.0, 0.25]) * 10.0 / np.sqrt(3.0))
    assert check_motion(ROBOT, SAMPLES, peak).holds
    assert check_motion(ROBOT, positions_only(SAMPLES), peak).holds
    assert not check_motion(ROBOT, SAMPLES, replace(peak, velocity=peak.velocity * 0.99)).holds


@pytest.mark.parametrize("only_positions", [False, True])
def test_what_is_broken_is_named_with_the_place(only_positions):
    samples = positions_only(SAMPLES) if only_positions else SAMPLES
    slow = check_motion(ROBOT, samples, replace(LIMITS, velocity=np.array([0.5, 2.0])))
    assert carries(slow.sentence, "joint1", "150.0%", "velocity", "0.500 s")
    with raises(DynidentError, "joint1", "150.0%"):
        slow.require()
    narrow = check_motion(ROBOT, samples, replace(LIMITS, position=np.array([[-1.0, 0.45], [-1.0, 1.0]])))
    assert narrow.report.broken[0].name == "position"


def test_a_peak_between_two_samples_is_seen():
    t = np.array([0.0, 0.5, 1.0])
    hermite = Dataset(time=t, q=np.zeros((3, 2)), dq=np.array([[0.0, 0.0], [0.9, 0.0], [0.0, 0.0]]))
    limits = replace(LIMITS, position=np.array([[-0.05, 0.05], [-1.0, 1.0]]), acceleration=np.full(2, np.inf))
    broken = {margin.name: margin for margin in check_motion(ROBOT, hermite, limits).report.broken}
    # u² (u - 1) h v has its extreme 4/27 h v at u = 2/3
    assert broken["position"].share * 0.05 == pytest.approx(4.0 / 27.0 * 0.5 * 0.9, rel=1e-4)
    assert broken["position"].time == pytest.approx(1.0 / 3.0, abs=1e-3)


def test_ends_in_motion():
    moving = SAMPLES.take(slice(30, None), starts=(0,))
    check = check_motion(ROBOT, moving, LIMITS)
    speed = abs(SAMPLES.dq[30, 0])
    assert carries(check.sentence, "starts", f"{speed:.3g} rad/s", "joint1")
    assert carries(check_motion(ROBOT, SAMPLES.take(slice(0, 70), starts=(0,)), LIMITS).sentence, "ends")
    assert carries(check_motion(ROBOT, positions_only(moving), LIMITS).sentence, "starts")


def test_a_jump_between_two_samples():
    q = np.array(SAMPLES.q)
    q[50:, 1] += 0.5
    check = check_motion(ROBOT, replace(positions_only(SAMPLES), q=q), LIMITS)
    step = by_name(check)["step between samples"]
    assert not step.holds
    assert (step.where, step.time) == ("joint2", pytest.approx(0.49))
    loose = replace(LIMITS, acceleration=np.full(2, np.inf), velocity=np.full(2, 30.0))
    assert "velocity" in check_motion(ROBOT, replace(positions_only(SAMPLES), q=q), loose).sentence
    (only,) = [m for m in check_motion(ROBOT, replace(SAMPLES, q=q), LIMITS).report.broken if m.name == "step between samples"]
    assert only.share == pytest.approx((0.5 + abs(SAMPLES.q[50, 1] - SAMPLES.q[49, 1]) * -1) / 0.02, rel=0.01)


def test_velocities_in_another_unit():
    check = check_motion(ROBOT, replace(SAMPLES, dq=np.degrees(SAMPLES.dq) / 57.0 * 0.5, ddq=None), LIMITS)
    assert check.report.broken[-1].name == "velocities given"


def test_a_clock_that_is_not_regular_and_an_end_with_acceleration_are_noted():
    time = np.array(SAMPLES.time)
    time[50:] += 0.005
    assert about(check_motion(ROBOT, replace(SAMPLES, time=time), LIMITS).notes, "10 to 15 ms")
    t = np.linspace(0.0, 1.0, 101)[:, None] * np.ones(2)
    ramp = Dataset(time=t[:, 0], q=0.1 * t**2, dq=0.2 * t, ddq=0.2 + 0.0 * t)
    assert about(check_motion(ROBOT, ramp, LIMITS).notes, "starts", "acceleration", 0.2)


def test_what_is_no_motion_of_this_robot():
    with raises(InputError, 3, "planar_2r", 2):
        check_motion(ROBOT, Dataset(time=[0.0, 1.0], q=np.zeros((2, 3))), LIMITS)
    with raises(InputError, "segments", 2):
        check_motion(ROBOT, replace(SAMPLES, starts=(0, 10)), LIMITS)


def test_as_json():
    document = to_json(MotionCheckDocument.of(check_motion(ROBOT, SAMPLES, LIMITS)))
    assert (document["schema"], document["holds"], document["rate"]) == ("dynident/excite-check/1", True, pytest.approx(100.0))
    assert {row["limit"] for row in document["limits"]} >= set(MARGINS)


def test_by_default_the_limits_are_all_that_the_robot_may():
    np.testing.assert_array_equal(full_limits(ROBOT).position, ROBOT.position_limits)
    assert np.all(full_limits(ROBOT).velocity > robot_limits(ROBOT).velocity)
    assert check_motion(ROBOT, SAMPLES).report.margins[0].share < 1.0
