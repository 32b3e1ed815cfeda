"""Any serial robot as DH, in either convention: the same motion and the same inertias, so the same torques."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynident.dynamics import inverse_dynamics
from dynident.errors import UnknownNameError, UnsupportedRobotError, ValueRangeError
from dynident.robots import Joint, JointType, Link, Robot, library_names, load_robot
from dynident.robots.formats.dh_convert import to_dh
from dynident.robots.kinematics import link_poses, pose_from_xyz_rpy, rotation_x, translation
from dynident.robots.parameters import change_of_frame, from_com
from tests.facts import carries, raises

EXAMPLES = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
CONVENTIONS = ["modified", "standard"]


def assert_same(first: Robot, second: Robot, tolerance: float = 1e-10) -> None:
    """Every link's inertia in the base frame, the tool and the torques agree at random positions."""
    rng = np.random.default_rng(0)
    q, dq, ddq = rng.uniform(-2, 2, (3, 4, first.n))
    for position in q:
        a, b = link_poses(first, position), link_poses(second, position)
        np.testing.assert_allclose(b[-1] @ second.tool, a[-1] @ first.tool, atol=tolerance)
        for i in range(first.n):
            np.testing.assert_allclose(
                change_of_frame(b[i]) @ second.links[i].parameters, change_of_frame(a[i]) @ first.links[i].parameters, atol=tolerance
            )
    torque = inverse_dynamics(first, first.parameters, q, dq, ddq)
    np.testing.assert_allclose(inverse_dynamics(second, second.parameters, q, dq, ddq), torque, atol=100 * tolerance)


def through_yaml(robot: Robot, folder: Path, convention: str | None = None) -> Robot:
    file = folder / "robot.yaml"
    file.write_text(robot.to_dh_yaml(convention=convention), encoding="utf-8")
    return load_robot(file)


def random_robot(seed: int) -> Robot:
    """Joints of all types on axes that are skew, parallel, intersecting, coincident or opposite."""
    rng = np.random.default_rng(seed)
    joints: list[Joint] = []
    links: list[Link] = []
    for i in range(int(rng.integers(1, 7))):
        skew = pose_from_xyz_rpy(rng.normal(size=3), rng.uniform(-3, 3, 3))
        crossing = translation([0, 0, rng.normal()]) @ rotation_x(rng.uniform(0.3, 2.8)) @ translation([0, 0, rng.normal()])
        parallel = translation(rng.normal(size=3)) @ rotation_x(rng.choice([0.0, np.pi]))
        coincident = translation([0, 0, rng.normal()]) @ rotation_x(rng.choice([0.0, np.pi]))
        placement = [skew, crossing, parallel, coincident][int(rng.integers(4))]
        axis = np.array([[0, 0, 1.0], [0, 0, -1.0], rng.normal(size=3)][int(rng.integers(3))])
        kind = list(JointType)[int(rng.integers(3))]
        joints.append(Joint(name=f"j{i}", type=kind, parent=i - 1, placement=placement, axis=axis))
        A = rng.normal(size=(3, 3))
        parameters = from_com(rng.uniform(0.5, 3), rng.normal(size=3) / 3, A @ A.T)
        after = pose_from_xyz_rpy(rng.normal(size=3), rng.uniform(-3, 3, 3)) if rng.random() < 0.5 else np.eye(4)
        links.append(Link(name=f"l{i}", frame=f"f{i}", placement=after, parameters=parameters))
    tool = pose_from_xyz_rpy(rng.normal(size=3), rng.uniform(-3, 3, 3))
    return Robot(name="random", joints=tuple(joints), links=tuple(links), gravity=rng.normal(size=3), tool=tool)


@given(st.integers(0, 2**32 - 1), st.sampled_from(CONVENTIONS))
def test_a_converted_robot_moves_and_weighs_the_same(seed: int, convention: str) -> None:
    robot = random_robot(seed)
    converted = to_dh(robot, convention)
    assert_same(robot, converted, 1e-8)
    assert converted.frame_names == tuple(f"{convention} DH frame {i + 1}" for i in range(robot.n))
    other = to_dh(converted, "standard" if convention == "modified" else "modified")
    assert_same(robot, other, 1e-8)


@pytest.mark.parametrize("name", library_names())
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_library_robots_in_the_other_convention(name: str, convention: str, tmp_path: Path) -> None:
    robot = load_robot(name)
    assert_same(robot, through_yaml(robot, tmp_path, convention))


@pytest.mark.parametrize("convention", [None, *CONVENTIONS])
@pytest.mark.parametrize(
    ("path", "lock"),
    [
        ("panda_description/urdf/panda.urdf", {"panda_finger_joint*": 0.02}),
        ("ur_description/urdf/ur5_robot.urdf", {}),
        ("ur_description/urdf/ur10_robot.urdf", {}),
        ("kinova_description/robots/kinova.urdf", {}),
        ("talos_data/robots/talos_left_arm.urdf", {}),
        ("xarm_description/urdf/xarm7.urdf", {}),
    ],
)
def test_public_robots_as_dh(path: str, lock: dict[str, float], convention: str | None, tmp_path: Path) -> None:
    robot = load_robot(EXAMPLES / path, lock=lock)
    written = through_yaml(robot, tmp_path, convention)
    assert_same(robot, written)
    assert written.joint_names == robot.joint_names
    assert written.link_names == robot.link_names
    for limits in ("position_limits", "velocity_limits", "effort_limits"):
        np.testing.assert_array_equal(getattr(written, limits), getattr(robot, limits))


@pytest.mark.parametrize("name", library_names())
def test_a_dh_robot_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    robot = load_robot(name)
    back = through_yaml(robot, tmp_path)
    for before, after in zip(robot.joints, back.joints, strict=True):
        assert (after.name, after.type, after.parent, after.position) == (before.name, before.type, before.parent, before.position)
        assert (after.velocity, after.acceleration, after.effort) == (before.velocity, before.acceleration, before.effort)
        np.testing.assert_allclose(after.placement, before.placement, rtol=0, atol=1e-15)
        np.testing.assert_array_equal(after.axis, before.axis)
    for before, after in zip(robot.links, back.links, strict=True):
        assert (after.name, after.frame) == (before.name, before.frame)
        np.testing.assert_allclose(after.placement, before.placement, rtol=0, atol=1e-15)
        np.testing.assert_allclose(after.parameters, before.parameters, rtol=1e-13, atol=1e-17)
    np.testing.assert_array_equal(back.gravity, robot.gravity)
    np.testing.assert_allclose(back.tool, robot.tool, rtol=0, atol=1e-15)
    assert (back.name, back.notes) == (robot.name, robot.notes)


def test_the_panda_table_is_written_as_in_the_paper() -> None:
    text = load_robot("panda").to_dh_yaml()
    assert "convention: modified" in text
    assert [float(a) for a in re.findall(r"^  a: (\S+)", text, re.M)] == [0, 0, 0, 0.0825, -0.0825, 0, 0.088]
    assert re.findall(r"alpha: (\S+)", text) == ["0.0", "-pi/2", "pi/2", "pi/2", "-pi/2", "pi/2", "pi/2"]


def test_links_without_parameters_stay_without(tmp_path: Path) -> None:
    robot = load_robot("panda")
    bare = replace(robot, links=(robot.links[0], *(replace(link, parameters=None, pieces=()) for link in robot.links[1:])))
    back = through_yaml(bare, tmp_path, "standard")
    assert back.links[0].parameters is not None
    assert all(link.parameters is None for link in back.links[1:])


def test_a_link_without_mass_is_written(tmp_path: Path) -> None:
    robot = load_robot("planar_2r")
    parameters = np.array(robot.parameters)
    parameters[0] = [0, 0, 0, 0, 0.1, 0, 0, 0.2, 0, 0.3]
    np.testing.assert_array_equal(through_yaml(robot.with_parameters(parameters), tmp_path).parameters[0], parameters[0])
    parameters[0, 1] = 1.0
    with raises(ValueRangeError, name="mass of link 'link1'"):
        robot.with_parameters(parameters).to_dh_yaml()


def test_a_branched_robot_is_refused() -> None:
    robot = load_robot(EXAMPLES / "allegro_hand_description/urdf/allegro_right_hand.urdf")
    with raises(UnsupportedRobotError, "joint_12.0", "DH", "base", "tip"):
        robot.to_dh_yaml()


def test_an_unknown_convention_is_named() -> None:
    for call in (lambda: load_robot("panda").to_dh_yaml(convention="craig"), lambda: to_dh(load_robot("panda"), "craig")):
        with raises(UnknownNameError, "DH", name="craig"):
            call()


def test_axes_that_are_nearly_parallel_are_written_as_parallel_with_a_note() -> None:
    tilt = translation([0.5, 0, 0]) @ rotation_x(1e-7)
    robot = Robot(
        name="r",
        joints=(Joint(name="a"), Joint(name="b", parent=0, placement=tilt)),
        links=(Link(name="a", frame="a"), Link(name="b", frame="b")),
    )
    converted = to_dh(robot, "standard")
    assert carries(converted.notes[0], "axes", 1, 2, "1.0e-07 rad")
    np.testing.assert_allclose(converted.links[0].placement, translation([0.5, 0, 0]), atol=1e-15)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_table_that_both_conventions_fit_keeps_its_own(convention: str, tmp_path: Path) -> None:
    file = tmp_path / "one.yaml"
    file.write_text(f"convention: {convention}\njoints:\n  - {{name: j, type: revolute, a: 0, alpha: 0, d: 0, theta: 0}}\n")
    robot = load_robot(file)
    assert through_yaml(robot, tmp_path).frame_names == robot.frame_names == (f"{convention} DH frame 1",)
