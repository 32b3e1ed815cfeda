"""Locking joints and choosing a chain: what moves, what is lumped, what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynident.errors import FileError, UnknownNameError, UnsupportedRobotError, ValueRangeError
from dynident.robots import Joint, Link, Robot, load_robot
from dynident.robots.formats.build import build_robot
from dynident.robots.formats.dh_convert import to_dh
from dynident.robots.formats.source_tree import SourceLink, SourceTree
from dynident.robots.kinematics import link_poses, pose_from_xyz_rpy, translation
from dynident.robots.parameters import change_of_frame, from_com
from tests.facts import about, carries, raises

INERTIAL = '<inertial><mass value="1"/><origin xyz="0.1 0 0"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    limit = '<limit lower="-3" upper="3" effort="1" velocity="1"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><axis xyz="0 1 0"/>{limit}{inside}</joint>'
    )


NAMES = ("floor", "torso", "head", "shoulder", "elbow", "wrist", "hand", "thumb", "finger", "lamp")
#: floor -lift- torso (-nod- head) -j1- shoulder -j2- elbow -j3- wrist =mount= hand (-grip- thumb, -mimic- finger); shoulder -swing- lamp
TEXT = (
    '<robot name="body">'
    + "".join(f'<link name="{name}">{INERTIAL}</link>' for name in NAMES)
    + joint("lift", "prismatic", "floor", "torso")
    + joint("nod", "revolute", "torso", "head")
    + joint("j1", "revolute", "torso", "shoulder")
    + joint("j2", "revolute", "shoulder", "elbow")
    + joint("j3", "revolute", "elbow", "wrist")
    + joint("mount", "fixed", "wrist", "hand")
    + joint("grip", "prismatic", "hand", "thumb")
    + joint("grip_too", "prismatic", "hand", "finger", '<mimic joint="grip" multiplier="1"/>')
    + joint("swing", "revolute", "shoulder", "lamp")
    + "</robot>"
)
LOCK = {"grip*": 0.02, "swing": 0.3}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "body.urdf"
    path.write_text(TEXT)
    return path


def total(robot: Robot, q: np.ndarray) -> np.ndarray:
    """(10,) parameters of everything that moves, in the base frame: what locking must not change."""
    poses = link_poses(robot, q)
    return sum((change_of_frame(pose) @ link.parameters for pose, link in zip(poses, robot.links, strict=True)), np.zeros(10))


def test_a_locked_joint_keeps_its_body_where_it_is(file: Path) -> None:
    free = load_robot(file, lock={"grip_too": 0.02})
    locked = load_robot(file, lock=LOCK)
    q = np.random.default_rng(0).uniform(-1, 1, locked.n)
    position = dict(zip(locked.joint_names, q, strict=True)) | {"grip": 0.02, "swing": 0.3}
    np.testing.assert_allclose(total(locked, q), total(free, np.array([position[name] for name in free.joint_names])), atol=1e-12)
    assert locked.joint_names == ("lift", "j1", "j2", "j3", "nod")
    assert locked.links[1].sources == ("shoulder", "lamp")
    assert locked.links[3].sources == ("wrist", "hand", "thumb", "finger")


def test_a_lock_pattern_that_matches_nothing_lists_the_joints(file: Path) -> None:
    with pytest.raises(UnknownNameError) as caught:
        load_robot(file, lock={"gripper*": 0})
    assert caught.value.name == "gripper*"
    assert set(caught.value.known) == {"lift", "nod", "j1", "j2", "j3", "grip", "grip_too", "swing"}
    assert str(file) in str(caught.value)


def test_lock_positions_are_finite_and_said_once(file: Path) -> None:
    with raises(ValueRangeError, name="lock.grip"):
        load_robot(file, lock={"grip": float("nan")})
    with raises(ValueRangeError, 0.0, 0.1, name="lock position of joint 'grip'"):
        load_robot(file, lock={"grip*": 0.0, "grip": 0.1})
    assert load_robot(file, lock={"grip*": 0.0, "grip": 0.0}).n == 6


def test_locking_everything_leaves_nothing(file: Path) -> None:
    with raises(UnsupportedRobotError, "moves"):
        load_robot(file, lock={"*": 0.0})


def test_a_gripper_is_locked_by_itself_with_a_note(file: Path) -> None:
    robot = load_robot(file)
    assert robot.joint_names == ("lift", "j1", "j2", "j3", "swing", "nod")
    assert carries(robot.notes[0], "gripper", "grip", 0, "grip_too at 0")
    np.testing.assert_array_equal(robot.parameters, load_robot(file, lock={"grip*": 0.0}).parameters)


def test_a_follower_of_a_locked_joint_goes_where_it_leads(file: Path) -> None:
    file.write_text(TEXT.replace('multiplier="1"', 'multiplier="-2" offset="0.1"'))
    robot = load_robot(file, lock={"grip": 0.3})
    assert "grip_too at -0.5" in robot.notes[0]
    np.testing.assert_array_equal(robot.parameters, load_robot(file, lock={"grip": 0.3, "grip_too": -0.5}).parameters)


def test_a_gripper_goes_to_the_limit_nearest_to_zero(file: Path) -> None:
    file.write_text(
        TEXT.replace(
            '<limit lower="-3" upper="3" effort="1" velocity="1"/><mimic', '<limit lower="0.4" upper="3" effort="1" velocity="1"/><mimic'
        )
    )
    assert carries(load_robot(file).notes[0], "grip", 0, "grip_too at 0.4")


def test_the_joints_before_a_tip_are_never_locked_by_themselves(file: Path) -> None:
    with raises(UnsupportedRobotError, "grip_too", "grip", remedy={"lock": {"grip_too": 0.0}}):
        load_robot(file, base="wrist", tip="finger", lock={"grip": 0.0})
    assert "grip" in load_robot(file, lock={"grip_too": 0.0}).joint_names


def test_a_wrist_that_follows_is_part_of_the_chain_and_not_a_gripper(file: Path) -> None:
    file.write_text(TEXT.replace('child link="wrist"/>', 'child link="wrist"/><mimic joint="j2"/>'))
    with raises(UnsupportedRobotError, "j3", "j2", remedy={"lock": {"j3": 0.0}}):
        load_robot(file)


def test_fingers_are_known_by_their_names_where_nothing_couples_them(file: Path) -> None:
    file.write_text(TEXT.replace('<mimic joint="grip" multiplier="1"/>', ""))
    assert load_robot(file).joint_names == ("lift", "j1", "j2", "j3", "swing", "nod")
    assert "grip" in load_robot(file, lock={"grip_too": 0.1}).joint_names  # one alone is the end of a chain


LOOP = joint("rod", "revolute", "thumb", "tie") + joint("shut", "fixed", "finger", "tie") + '<link name="tie"/>'


def test_a_loop_in_a_gripper_is_locked_and_in_an_arm_refused(file: Path) -> None:
    file.write_text(TEXT.replace("</robot>", LOOP + "</robot>"))
    assert carries(load_robot(file).notes[0], "grip", 0, "rod", 0, "grip_too at 0")
    file.write_text(
        TEXT.replace(
            "</robot>",
            joint("shut", "fixed", "shoulder", "lamp2") + joint("x", "revolute", "elbow", "lamp2") + '<link name="lamp2"/></robot>',
        )
    )
    with raises(UnsupportedRobotError, "x", "lamp2", "shut", remedy={"lock": {"j2": 0.0}}):
        load_robot(file)
    assert load_robot(file, lock={"j2": 0.0}).joint_names == ("lift", "j1", "j3", "swing", "nod")
    assert load_robot(file, base="elbow").joint_names == ("j3",)


def test_an_object_that_floats_beside_the_arm_is_left_out(file: Path) -> None:
    file.write_text(TEXT.replace("</robot>", joint("fly", "floating", "floor", "ball") + '<link name="ball"/></robot>'))
    robot = load_robot(file)
    assert robot.n == 6
    assert about(robot.notes, "floats", "ball")


def test_a_robot_that_floats_is_refused_unless_its_base_is_chosen(file: Path) -> None:
    file.write_text(TEXT.replace("</robot>", joint("fly", "floating", "world", "floor") + '<link name="world"/></robot>'))
    with raises(UnsupportedRobotError, "fly", "floating", remedy={"base": "floor", "lock": {"fly": 0.0}}):
        load_robot(file)
    assert load_robot(file, base="floor").n == load_robot(file, lock={"fly": 0.0}).n == 6


def test_a_chain_from_base_to_tip(file: Path) -> None:
    robot = load_robot(file, base="torso", tip="hand", lock=LOCK)
    assert robot.joint_names == ("j1", "j2", "j3")
    assert robot.base_sources == ("torso",)
    assert robot.links[2].sources == ("wrist", "hand", "thumb", "finger")
    np.testing.assert_allclose(robot.tool, pose_from_xyz_rpy([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]), atol=1e-14)


def test_the_chain_is_the_whole_robot_seen_from_its_base(file: Path) -> None:
    whole = load_robot(file, lock=LOCK | {"lift": 0.5, "nod": 0.0})
    chain = load_robot(file, base="torso", tip="hand", lock=LOCK | {"lift": 0.5})
    q = np.array([0.3, -0.8, 1.1])
    torso = pose_from_xyz_rpy([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]) @ pose_from_xyz_rpy([0, 0.5, 0], [0, 0, 0])
    np.testing.assert_allclose(torso @ link_poses(chain, q), link_poses(whole, q), atol=1e-13)
    assert chain.parameters is not None
    np.testing.assert_allclose(chain.parameters, whole.parameters, atol=1e-14)
    # the file's gravity points down in the root's frame, whatever link the chain starts at
    np.testing.assert_allclose(torso[:3, :3] @ chain.gravity, whole.gravity, atol=1e-13)


def test_what_lies_before_the_base_is_left_out_with_a_note(file: Path) -> None:
    robot = load_robot(file, base="shoulder", lock=LOCK)
    assert robot.joint_names == ("j2", "j3")
    left_out, turned = robot.notes
    assert set(left_out.split(": ")[1].split(", ")) == {"lift", "nod", "j1"}
    assert carries(turned, "gravity", "floor", "shoulder")


def test_gravity_that_is_given_is_in_the_base_frame_as_it_is(file: Path) -> None:
    robot = load_robot(file, base="shoulder", lock=LOCK, gravity=[1, 2, 3])
    assert robot.gravity.tolist() == [1, 2, 3]
    assert not any("gravity" in note for note in robot.notes)


def test_branches_that_move_on_the_base_are_left_out(file: Path) -> None:
    robot = load_robot(file, base="torso", tip="head")  # the arm, its gripper's mimic joint included, doesn't load the neck
    assert robot.joint_names == ("nod",)
    assert robot.base_sources == ("torso",)
    assert carries(robot.notes[0], "torso", "j1, j2, j3", "grip_too", "swing", "lift")


def test_joints_that_hang_off_the_chain_are_named_with_the_remedy(file: Path) -> None:
    with pytest.raises(UnsupportedRobotError) as caught:
        load_robot(file, base="torso", tip="wrist", lock={"grip_too": 0.0})
    message = str(caught.value)
    assert carries(message, "joints", "grip", "swing", "torso", "wrist")
    assert carries(message, "lock={'grip': 0.0, 'swing': 0.0}")


def test_many_joints_off_the_chain_give_a_short_remedy(file: Path) -> None:
    with raises(UnsupportedRobotError, "j1", "j2", "j3"):
        load_robot(file, tip="head", lock={"grip_too": 0.0})


def test_a_tip_that_is_not_below_the_base(file: Path) -> None:
    with raises(UnsupportedRobotError, "head", "shoulder", "floor > torso > head"):
        load_robot(file, base="shoulder", tip="head")


@pytest.mark.parametrize("option", ["base", "tip"])
def test_a_link_that_does_not_exist(file: Path, option: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        load_robot(file, **{option: "leg"})
    assert (caught.value.kind, caught.value.name) == ("link", "leg")
    assert set(caught.value.known) == set(NAMES)


def test_bad_gravity_is_refused(file: Path) -> None:
    with raises(ValueRangeError, "[0, 1]", 3, name="gravity"):
        load_robot(file, lock=LOCK, gravity=[0, 1])


def test_dh_and_library_robots_can_be_locked_too() -> None:
    whole = load_robot("kuka_lwr4")
    robot = load_robot("kuka_lwr4", lock={"joint[13]": 0.4, "joint7": -0.2})
    assert robot.joint_names == ("joint2", "joint4", "joint5", "joint6")
    assert robot.base_sources == ("base", "link1")
    assert robot.frame_names == tuple(f"standard DH frame {i}" for i in (2, 4, 5, 6))
    q = np.array([0.1, 0.2, 0.3, 0.4])
    full = link_poses(whole, np.array([0.4, 0.1, 0.4, 0.2, 0.3, 0.4, -0.2]))
    np.testing.assert_allclose(link_poses(robot, q), full[[1, 3, 4, 5]], atol=1e-14)
    np.testing.assert_allclose(link_poses(robot, q)[-1] @ robot.tool, full[6] @ whole.tool, atol=1e-14)
    assert robot.links[3].sources == ("link6", "link7")
    expected = whole.links[5].parameters + change_of_frame(np.linalg.inv(full[5]) @ full[6]) @ whole.links[6].parameters
    np.testing.assert_allclose(robot.links[3].parameters, expected, atol=1e-14)


def test_a_number_that_is_not_finite_names_the_file(tmp_path: Path) -> None:
    source = str(tmp_path / "x.urdf")
    placement = np.full((4, 4), np.nan)
    tree = SourceTree(
        name="x",
        source=source,
        links=(SourceLink(name="a", parent=-1), SourceLink(name="b", parent=0, joint=Joint(name="j"), placement=placement)),
    )
    with raises(FileError, "j", "NaN") as caught:
        build_robot(tree)
    assert caught.value.file == source


def sum_of_pieces(link: Link) -> np.ndarray:
    return sum((change_of_frame(piece.placement) @ piece.parameters for piece in link.pieces if piece.parameters is not None), np.zeros(10))


@pytest.mark.parametrize("options", [{"lock": LOCK}, {"lock": LOCK, "base": "torso", "tip": "hand"}, {"lock": LOCK | {"j2": 0.7}}])
def test_the_pieces_of_a_body_add_up_to_it(file: Path, options: dict) -> None:
    robot = load_robot(file, **options)
    assert any(len(link.pieces) > 2 for link in robot.links)
    for link in robot.links:
        np.testing.assert_allclose(sum_of_pieces(link), link.parameters, atol=1e-12)


def test_pieces_are_the_links_of_the_file_where_they_are(file: Path) -> None:
    written = from_com(1.0, [0.1, 0, 0], np.eye(3))
    whole = load_robot(file, lock={"grip_too": 0.02})
    robot = load_robot(file, lock=LOCK)
    for piece in (piece for link in robot.links for piece in link.pieces):
        np.testing.assert_allclose(piece.parameters, written, atol=1e-15)
    q = np.random.default_rng(0).uniform(-1, 1, robot.n)
    position = dict(zip(robot.joint_names, q, strict=True)) | {"grip": 0.02, "swing": 0.3}
    poses = dict(zip(robot.link_names, link_poses(robot, q), strict=True))
    expected = link_poses(whole, [position[name] for name in whole.joint_names])
    expected = dict(zip(whole.link_names, expected, strict=True))
    found = {piece.name: poses[link.name] @ piece.placement for link in robot.links for piece in link.pieces}
    for name in ("shoulder", "lamp", "wrist", "thumb"):
        np.testing.assert_allclose(found[name], expected[name], atol=1e-13)


def test_pieces_of_the_base_are_kept_in_its_frame(file: Path) -> None:
    robot = load_robot(file, lock=LOCK | {"lift": 0.4, "nod": 0.1})
    assert robot.base_sources == ("floor", "torso", "head")
    torso = pose_from_xyz_rpy([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]) @ translation([0, 0.4, 0])
    np.testing.assert_array_equal(robot.base_pieces[0].placement, np.eye(4))
    np.testing.assert_allclose(robot.base_pieces[1].placement, torso, atol=1e-14)
    assert all(piece.parameters is not None for piece in robot.base_pieces)


def test_locked_links_of_a_dh_file_are_pieces() -> None:
    whole, robot = load_robot("panda"), load_robot("panda", lock={"panda_joint7": 0.5, "panda_joint1": 0.2})
    link = robot.links[-1]
    assert link.sources == ("link6", "link7")
    np.testing.assert_array_equal(link.pieces[1].parameters, whole.links[6].parameters)
    np.testing.assert_allclose(sum_of_pieces(link), link.parameters, atol=1e-14)
    assert [piece.name for piece in robot.base_pieces] == ["base", "link1"]
    np.testing.assert_array_equal(robot.base_pieces[1].parameters, whole.links[0].parameters)


def test_pieces_move_into_dh_frames_with_their_link(file: Path) -> None:
    robot = load_robot(file, lock=LOCK, base="torso", tip="hand")
    converted = to_dh(robot)
    q = np.random.default_rng(0).uniform(-1, 1, robot.n)
    for before, after, pose, pose_dh in zip(robot.links, converted.links, link_poses(robot, q), link_poses(converted, q), strict=True):
        np.testing.assert_allclose(sum_of_pieces(after), after.parameters, atol=1e-12)
        for old, new in zip(before.pieces, after.pieces, strict=True):
            np.testing.assert_allclose(pose_dh @ new.placement, pose @ old.placement, atol=1e-12)
            np.testing.assert_array_equal(new.parameters, old.parameters)
