"""Limits: from the robot, from a file, and checked along a trajectory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.errors import FileError, ShapeError, UnknownNameError, ValueRangeError
from dynident.motions import Box, LimitError, SinusoidTrajectory, check_trajectory, read_limits, robot_limits
from dynident.motions.limits.limits import require_usable
from dynident.robots import link_poses
from tests.facts import raises

PLANAR = load_robot("planar_2r")


def swing(amplitude=(0.5, 0.5), start=(0.0, 0.0)) -> SinusoidTrajectory:
    return SinusoidTrajectory(joints=PLANAR.joint_names, amplitude=amplitude, period=[2.0, 3.0], start=start, duration=6.0)


def test_the_defaults_leave_a_margin():
    panda = load_robot("panda")
    limits = robot_limits(panda)
    np.testing.assert_allclose(limits.position, panda.position_limits + [[0.02, -0.02]] * 7)
    np.testing.assert_allclose(limits.velocity, 0.9 * panda.velocity_limits)
    np.testing.assert_allclose(limits.acceleration, 0.9 * panda.acceleration_limits)
    np.testing.assert_allclose(limits.effort, 0.9 * panda.effort_limits)


def test_infinite_limits_stay_infinite():
    assert np.all(np.isinf(robot_limits(load_robot("kuka_lwr4")).acceleration))


def test_each_limit_is_reported_where_it_is_closest():
    limits = robot_limits(PLANAR, torque_factor=1.2)
    report = check_trajectory(swing(), PLANAR, limits, rate=1000.0)
    assert report.holds
    found = {margin.name: margin for margin in report.margins}
    assert set(found) == {"position", "velocity", "acceleration", "effort", "floor"}
    assert (found["acceleration"].where, found["acceleration"].time) == ("joint1", pytest.approx(0.0))
    assert found["acceleration"].margin == pytest.approx(limits.acceleration[0] - 0.5 * np.pi)
    assert found["position"].where == "joint2"
    assert found["position"].margin == pytest.approx(limits.position[1, 1] - 0.5 * 3.0 / np.pi, abs=1e-5)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"position": [[-0.1, 0.2], [-3, 3]]}, "position"),
        ({"velocity": [0.4, 3.0]}, "velocity"),
        ({"acceleration": [10.0, 1.0]}, "acceleration"),
        ({"effort": [100.0, 1e-3]}, "effort"),
        ({"floor": 0.0}, "floor"),
        ({"boxes": (Box(lower=[-np.inf, -np.inf, -0.1], upper=[np.inf, np.inf, 0.1], frames=("tool",), name="corridor"),)}, "corridor"),
    ],
)
def test_a_broken_limit_is_named(change, name):
    report = check_trajectory(swing(), PLANAR, replace(robot_limits(PLANAR, torque_factor=1.2), **change), rate=100.0)
    assert [margin.name for margin in report.broken] == [name]
    assert "BROKEN" in str(report)


def test_margins_of_the_tool_in_a_box_are_what_its_clearance_leaves():
    box = Box(lower=[-2.0, -np.inf, -2.0], upper=[2.0, np.inf, 0.3], frames=("tool",), name="room")
    trajectory = swing()
    report = check_trajectory(trajectory, PLANAR, replace(robot_limits(PLANAR), boxes=(box,)), rate=100.0)
    (margin,) = [m for m in report.margins if m.name == "room"]
    tool = (link_poses(PLANAR, trajectory.sample(np.arange(60001) / 10000).q)[:, -1] @ PLANAR.tool)[:, :3, 3]
    least = np.minimum(tool[:, [0, 2]] + 2.0, [2.0, 0.3] - tool[:, [0, 2]]).min()
    assert 1.021 * (least - 0.02) <= margin.margin <= least - 0.02 + 1e-6
    assert margin.distance == pytest.approx(margin.margin + 0.02)
    assert margin.where == "tool"


@pytest.mark.parametrize(
    ("change", "start", "limit", "facts"),
    [
        ({"position": [[1.0, 1.0], [-3, 3]]}, None, "position limit of joint 'joint1'", (1, "room")),
        ({"velocity": [0.0, 1.0]}, None, "velocity limit of joint 'joint1'", (0,)),
        ({"acceleration": [1.0, 0.0]}, None, "acceleration limit of joint 'joint2'", (0,)),
        ({"floor": 0.1}, None, "floor", (0.1, 0)),
        ({}, [9.0, 0.0], "position limit of joint 'joint1'", ("start", 9)),
    ],
)
def test_impossible_limits_are_named(change, start, limit, facts):
    with raises(LimitError, *facts, limit=limit):
        require_usable(PLANAR, replace(robot_limits(PLANAR), **change), start)


def test_a_missing_velocity_limit_is_asked_for():
    pendulum = load_robot("pendulum_1r")
    pendulum = replace(pendulum, joints=tuple(replace(joint, velocity=np.inf) for joint in pendulum.joints))
    with raises(ValueRangeError, name="velocity limit of joint 'joint1'"):
        require_usable(pendulum, robot_limits(pendulum))


def test_limits_of_another_robot_are_refused():
    with raises(ShapeError, "(7,)", "panda", name="limits", shape=(2,)):
        require_usable(load_robot("panda"), robot_limits(PLANAR))


def test_a_limits_file(tmp_path):
    file = tmp_path / "limits.yaml"
    file.write_text(
        "position_margin: 0.1\nposition: {joint2: [-1, 1]}\nvelocity: 1.5\nacceleration: [3, 4]\neffort_scale: 0.5\nfloor: -0.2\n"
        "clearance: 0.01\nboxes:\n- {frames: [tool], lower: [null, -1, 0], name: cell}\n"
    )
    limits = read_limits(file, PLANAR)
    np.testing.assert_allclose(limits.position, [[-np.pi + 0.1, np.pi - 0.1], [-0.9, 0.9]])
    np.testing.assert_allclose(limits.velocity, 1.5)
    np.testing.assert_allclose(limits.acceleration, [3, 4])
    np.testing.assert_allclose(limits.effort, 0.5 * PLANAR.effort_limits)
    assert (limits.floor, limits.clearance) == (-0.2, 0.01)
    (box,) = limits.boxes
    np.testing.assert_array_equal(box.lower, [-np.inf, -1, 0])
    assert np.all(np.isinf(box.upper))


def test_links_may_touch_and_go_anywhere_when_the_file_says_so(tmp_path):
    file = tmp_path / "limits.yaml"
    file.write_text("clearance: null\nfloor: null")
    limits = read_limits(file, PLANAR)
    assert (limits.clearance, limits.floor) == (None, -np.inf)
    assert (robot_limits(PLANAR).clearance, robot_limits(PLANAR).floor) == (0.02, PLANAR.floor)
    assert robot_limits(PLANAR, floor=None).floor == -np.inf
    assert robot_limits(PLANAR, floor=-0.3).floor == -0.3


@pytest.mark.parametrize(
    ("text", "place", "facts"),
    [
        ("speed: 1", "", ("speed", "position", "velocity")),
        ("velocity: fast", "velocity", ("fast", "number")),
        ("velocity: [1]", "velocity", (1, 2)),
        ("velocity: {elbow: 1}", "", ("elbow", "joint1", "joint2")),
        ("position: {joint1: 3}", "position.joint1", ("list", 3)),
        ("position: [[-1, 1]]", "position", (1, "pairs", 2)),
        ("boxes: {lower: 1}", "boxes", ("list", "lower")),
        ("boxes: [{frames: [nose]}]", "", ("nose", "link1", "link2", "tool")),
        ("boxes: [{lower: [1, 2]}]", "boxes[0].lower", (2, 3)),
        ("boxes: [{color: red}]", "boxes[0]", ("color", "lower", "upper")),
        ("velocity_scale: -1", "", ("velocity_scale", -1.0)),
    ],
)
def test_a_wrong_limits_file_is_explained(tmp_path, text, place, facts):
    file = tmp_path / "limits.yaml"
    file.write_text(text)
    with raises(FileError, *facts, place=place):
        read_limits(file, PLANAR)


def test_unknown_frames_are_refused():
    with raises(UnknownNameError, kind="frame", name="nose"):
        robot_limits(PLANAR, boxes=(Box(lower=np.zeros(3), upper=np.ones(3), frames=("nose",)),))
