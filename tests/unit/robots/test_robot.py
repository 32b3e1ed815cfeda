"""The Robot type: frozen, checked, and readable."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from dynident.errors import ShapeError, UnknownNameError, UnsupportedRobotError, ValueRangeError
from dynident.robots import STANDARD_GRAVITY, Joint, JointType, Link, Robot, Source, load_robot
from dynident.robots.kinematics import pose_from_xyz_rpy
from dynident.robots.parameters import change_of_frame, from_com
from tests.facts import raises


def chain(*parents: int, **changes) -> Robot:
    joints = tuple(Joint(name=f"j{i}", parent=parent) for i, parent in enumerate(parents))
    links = tuple(Link(name=f"l{i}", frame=f"f{i}") for i in range(len(parents)))
    return Robot(**{"name": "r", "joints": joints, "links": links} | changes)


def test_names_parents_and_ancestors_of_a_tree() -> None:
    robot = chain(-1, 0, 0, 2)
    assert robot.n == 4
    assert robot.joint_names == ("j0", "j1", "j2", "j3")
    assert robot.frame_names == ("f0", "f1", "f2", "f3")
    assert robot.parents.tolist() == [-1, 0, 0, 2]
    assert robot.ancestors(3) == (0, 2, 3)
    assert robot.ancestors(1) == (0, 1)
    assert robot.joint_index("j2") == 2
    assert robot.gravity.tolist() == list(STANDARD_GRAVITY)
    with raises(UnknownNameError, "j0", "j1", "j2", "j3", name="j9"):
        robot.joint_index("j9")


def test_nothing_can_be_changed_in_place() -> None:
    robot = load_robot("panda")
    assert robot.parameters is not None
    for array in (robot.gravity, robot.tool, robot.parameters, robot.parents, robot.position_limits, robot.joints[0].placement):
        with raises(ValueError, "read-only"):
            array[0] = 0
    with pytest.raises(FrozenInstanceError):
        robot.name = "other"  # type: ignore[misc]


def test_arrays_are_copied_from_the_caller() -> None:
    gravity = np.array([0.0, 0.0, -1.0])
    robot = chain(-1, gravity=gravity)
    gravity[2] = 5.0
    assert robot.gravity[2] == -1.0


def test_with_gravity_and_with_parameters_give_another_robot() -> None:
    robot = load_robot("planar_2r")
    assert robot.with_gravity([0, 0, 0]).gravity.tolist() == [0, 0, 0]
    assert robot.gravity[2] == -9.80665
    values = np.arange(20.0)
    np.testing.assert_array_equal(robot.with_parameters(values).parameters, values.reshape(2, 10))
    np.testing.assert_array_equal(robot.with_parameters(values.reshape(2, 10)).links[1].parameters, values[10:])
    with raises(ShapeError, 10, name="parameters", shape=(2, 9)):
        robot.with_parameters(np.zeros((2, 9)))
    with raises(ValueRangeError, "NaN", name="parameters of link 'link1'"):
        robot.with_parameters(np.full(20, np.nan))
    with raises(ShapeError, name="gravity", shape=(2,)):
        robot.with_gravity([0, 1])


def test_parameters_are_there_only_when_every_link_has_them() -> None:
    robot = load_robot("planar_2r")
    partial = replace(robot, links=(replace(robot.links[0], parameters=None, pieces=()), robot.links[1]))
    assert partial.parameters is None
    assert robot.parameters is not None


def test_axes_are_normalised_and_sources_default_to_the_link() -> None:
    assert Joint(name="j", axis=np.array([0, 3.0, 4.0])).axis.tolist() == [0, 0.6, 0.8]
    assert Link(name="a", frame="f").sources == ("a",)
    assert Joint(name="j", type="prismatic").type is JointType.PRISMATIC  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "name", "facts"),
    [
        ({"axis": np.zeros(3)}, "axis of joint 'j'", ("zero",)),
        ({"placement": 2 * np.eye(4)}, "placement of joint 'j'", ("pose",)),
        ({"placement": np.diag([1.0, 1, -1, 1])}, "placement of joint 'j'", ("pose",)),
        ({"placement": np.full((4, 4), np.nan)}, "placement of joint 'j'", ("NaN",)),
        ({"position": (1, -1)}, "position limits of joint 'j'", (1.0, -1.0)),
        ({"position": (np.nan, 1)}, "position limits of joint 'j'", ("nan", 1.0)),
        ({"velocity": -1}, "velocity limit of joint 'j'", (-1.0,)),
        ({"effort": np.nan}, "effort limit of joint 'j'", ("nan",)),
    ],
)
def test_a_joint_is_checked(options: dict[str, object], name: str, facts: tuple[str | float, ...]) -> None:
    with raises(ValueRangeError, *facts, name=name):
        Joint(name="j", **options)  # type: ignore[arg-type]


def test_a_robot_is_checked() -> None:
    with raises(UnsupportedRobotError, "r", "moving"):
        chain()
    with raises(ValueRangeError, 1, name="parent of joint 'j1'"):
        chain(-1, 1)
    with raises(ShapeError, 2, name="links", shape=(1,)):
        chain(-1, 0, links=(Link(name="a", frame="f"),))
    with raises(ValueRangeError, name="joint name 'a'"):
        chain(-1, 0, joints=(Joint(name="a"), Joint(name="a", parent=0)))
    with raises(ValueRangeError, name="link name 'a'"):
        chain(-1, 0, links=(Link(name="a", frame="f"), Link(name="a", frame="g")))


HAND = from_com(0.7, [0.0, 0.01, 0.05], np.diag([1e-3, 2e-3, 2.5e-3]))
CAMERA = from_com(0.2, [0.01, 0.0, 0.02], np.diag([1e-4, 1e-4, 1.5e-4]))
MOUNT = pose_from_xyz_rpy([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])


def lumped() -> Link:
    pieces = (
        Source(name="hand", parameters=HAND),
        Source(name="camera", placement=MOUNT, parameters=CAMERA),
        Source(name="tip", placement=MOUNT),
    )
    return Link(name="hand", frame="f", parameters=HAND + change_of_frame(MOUNT) @ CAMERA, pieces=pieces)


def test_a_link_alone_is_its_own_piece() -> None:
    (piece,) = Link(name="hand", frame="f", parameters=HAND).pieces
    assert piece.name == "hand"
    assert piece.placement.tolist() == np.eye(4).tolist()
    np.testing.assert_array_equal(piece.parameters, HAND)
    assert Link(name="a", frame="f").pieces[0].parameters is None


def test_pieces_must_add_up_to_the_link() -> None:
    link = lumped()
    assert link.sources == ("hand", "camera", "tip")
    with raises(ValueRangeError, 0.2, "with_parameters", name="parameters of link 'hand'"):
        replace(link, parameters=HAND)
    with raises(ValueRangeError, "None", name="parameters of link 'hand'"):
        replace(link, parameters=None)


def test_other_parameters_leave_only_the_sum_of_several_pieces_known() -> None:
    link = lumped().with_parameters(2 * HAND)
    np.testing.assert_array_equal(link.parameters, 2 * HAND)
    assert link.sources == ("hand", "camera", "tip")
    assert all(piece.parameters is None for piece in link.pieces)
    np.testing.assert_array_equal(link.pieces[1].placement, MOUNT)


def test_other_parameters_go_to_a_lone_piece_in_its_own_frame() -> None:
    moved = change_of_frame(MOUNT) @ CAMERA
    link = Link(name="camera", frame="f", parameters=moved, pieces=(Source(name="camera", placement=MOUNT, parameters=CAMERA),))
    changed = link.with_parameters(3 * moved)
    np.testing.assert_array_equal(changed.parameters, 3 * moved)
    np.testing.assert_allclose(changed.pieces[0].parameters, 3 * CAMERA, atol=1e-15)


def test_a_piece_is_checked_and_frozen() -> None:
    with raises(ShapeError, name="parameters of source link 'a'", shape=(9,)):
        Source(name="a", parameters=np.zeros(9))
    with raises(ValueRangeError, name="placement of source link 'a'"):
        Source(name="a", placement=2 * np.eye(4))
    with raises(ValueError, "read-only"):
        Source(name="a", parameters=HAND).parameters[0] = 1.0


@pytest.mark.parametrize(
    ("limits", "drawn"),
    [
        ((-1.0, 2.0), (-1.0, 2.0)),
        ((-6.0, 6.0), (-np.pi, np.pi)),
        ((-np.inf, np.inf), (-np.pi, np.pi)),
        ((3.5, 6.0), (3.5, 6.0)),  # beyond half a turn
        ((-np.inf, -4.0), (-4.0 - 2.0 * np.pi, -4.0)),
    ],
)
def test_positions_are_drawn_within_the_limits(limits: tuple[float, float], drawn: tuple[float, float]) -> None:
    robot = Robot(name="arm", joints=(Joint(name="a", position=limits),), links=(Link(name="b", frame="b"),))
    np.testing.assert_allclose(robot.drawn_range, [drawn])
