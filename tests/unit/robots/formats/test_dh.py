"""DH files: both conventions against their formulas, inertias in either frame, and every mistake named."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
import yaml

from dynident.errors import FileError
from dynident.robots import JointType, load_robot
from dynident.robots.kinematics import link_poses
from dynident.robots.parameters import change_of_frame, from_com
from tests.facts import carries, raises

ROWS = """
  - {name: j1, type: revolute, a: 0.1, alpha: pi/2, d: 0.3, theta: 0.2, position: [-1, 2], velocity: 3, acceleration: 4, effort: 5}
  - {name: j2, type: prismatic, a: -0.2, alpha: -30 deg, d: 1e-1, theta: "pi/3"}
  - {name: j3, link: hand, type: continuous, a: 0, alpha: 0.4, d: 0, theta: 0}
"""


def described(convention: str) -> str:
    return f"convention: {convention}\njoints:{ROWS}"


def write(folder: Path, text: str, name: str = "robot.yaml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def rotation(axis: str, t: float) -> np.ndarray:
    c, s = np.cos(t), np.sin(t)
    T = np.eye(4)
    if axis == "x":
        T[1:3, 1:3] = [[c, -s], [s, c]]
    else:
        T[:2, :2] = [[c, -s], [s, c]]
    return T


def shift(x: float, z: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3], T[2, 3] = x, z
    return T


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_link_frames_follow_the_convention(tmp_path: Path, convention: str) -> None:
    robot = load_robot(write(tmp_path, described(convention)))
    q = np.array([0.7, 0.25, -1.1])
    a, alpha = [0.1, -0.2, 0.0], [np.pi / 2, -np.pi / 6, 0.4]
    theta, d = [0.2 + q[0], np.pi / 3, q[2]], [0.3, 0.1 + q[1], 0.0]
    expected = np.eye(4)
    for i, pose in enumerate(link_poses(robot, q)):
        about_x, about_z = rotation("x", alpha[i]) @ shift(a[i], 0), rotation("z", theta[i]) @ shift(0, d[i])
        expected = expected @ (about_z @ about_x if convention == "standard" else about_x @ about_z)
        np.testing.assert_allclose(pose, expected, atol=1e-14)
    assert robot.frame_names == tuple(f"{convention} DH frame {i}" for i in (1, 2, 3))


def test_names_types_and_limits(tmp_path: Path) -> None:
    robot = load_robot(write(tmp_path, described("standard"), "arm.yml"))
    assert robot.name == "arm"
    assert robot.joint_names == ("j1", "j2", "j3")
    assert robot.link_names == ("link1", "link2", "hand")
    assert [joint.type for joint in robot.joints] == [JointType.REVOLUTE, JointType.PRISMATIC, JointType.CONTINUOUS]
    assert robot.position_limits.tolist() == [[-1, 2], [-np.inf, np.inf], [-np.inf, np.inf]]
    assert (robot.velocity_limits[0], robot.acceleration_limits[0], robot.effort_limits[0]) == (3, 4, 5)
    assert np.isinf(robot.effort_limits[1:]).all()
    assert robot.gravity.tolist() == [0, 0, -9.80665]
    assert robot.parameters is None
    assert robot.parents.tolist() == [-1, 0, 1]


def test_base_tool_gravity_and_notes(tmp_path: Path) -> None:
    extra = "name: x\nbase: {xyz: [1, 0, 0], rpy: [0, 0, pi/2]}\ntool: {xyz: [0, 0, 0.5]}\ngravity: [0, -9.81, 0]\nnotes: one note\n"
    robot = load_robot(write(tmp_path, extra + described("standard")))
    np.testing.assert_allclose(robot.joints[0].placement, [[0, -1, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], atol=1e-15)
    assert robot.tool[:3, 3].tolist() == [0, 0, 0.5]
    assert robot.gravity.tolist() == [0, -9.81, 0]
    assert (robot.name, robot.notes) == ("x", ("one note",))


def test_a_rounded_right_angle_is_noted_as_of_any_description(tmp_path: Path) -> None:
    arm = "convention: standard\njoints:\n- {name: waist, type: revolute, a: 0, alpha: ANGLE, d: 0.3, theta: 0}\n"
    rounded, exact = (load_robot(write(tmp_path, arm.replace("ANGLE", angle))) for angle in ("1.5708", "pi/2"))
    assert [carries(note, "waist", "0.001") for note in rounded.notes] == [True]
    assert exact.notes == ()


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_the_tool_can_be_a_dh_row(tmp_path: Path, convention: str) -> None:
    robot = load_robot(write(tmp_path, "tool: {a: 0.2, alpha: 0.5, d: 0.1}\n" + described(convention)))
    about_x, about_z = rotation("x", 0.5) @ shift(0.2, 0), shift(0, 0.1)
    np.testing.assert_allclose(robot.tool, about_z @ about_x if convention == "standard" else about_x @ about_z, atol=1e-15)


INERTIAS = """
inertias:
  frame: {frame}
  about: {about}
  links:
    - {{name: hand, mass: 2, com: [0.1, 0.2, -0.3], inertia: {{xx: 0.4, xy: 0.01, xz: 0.02, yy: 0.5, yz: 0.03, zz: 0.6}}}}
"""
I_GIVEN = np.array([[0.4, 0.01, 0.02], [0.01, 0.5, 0.03], [0.02, 0.03, 0.6]])


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("frame", ["link", "joint"])
@pytest.mark.parametrize("about", ["com", "origin"])
def test_inertias_are_read_in_the_frame_that_the_file_states(tmp_path: Path, convention: str, frame: str, about: str) -> None:
    text = described(convention).replace("alpha: 0.4, d: 0,", "alpha: 0.4, d: 0.7,") + INERTIAS.format(frame=frame, about=about)
    robot = load_robot(write(tmp_path, text))
    c = np.array([0.1, 0.2, -0.3])
    steiner = 2 * (c @ c * np.eye(3) - np.outer(c, c))
    given = from_com(2.0, c, I_GIVEN - (0 if about == "com" else steiner))
    # the joint frame moves with the joint; the standard link frame follows it by Rz Tz Tx Rx
    pose_link_in_joint = shift(0, 0.7) @ rotation("x", 0.4) if convention == "standard" else np.eye(4)
    expected = given if frame == "link" else change_of_frame(np.linalg.inv(pose_link_in_joint)) @ given
    np.testing.assert_allclose(robot.links[2].parameters, expected, atol=1e-14)
    assert robot.links[0].parameters is None
    assert robot.parameters is None


def broken(change) -> str:
    content = yaml.safe_load(described("modified") + INERTIAS.format(frame="link", about="com"))
    change(content)
    return yaml.safe_dump(content)


def set_at(*path_and_value):
    *path, key, value = path_and_value

    def change(content) -> None:
        for step in path:
            content = content[step]
        content[key] = value

    return change


def remove(*path_and_key):
    *path, key = path_and_key

    def change(content) -> None:
        for step in path:
            content = content[step]
        del content[key]

    return change


@pytest.mark.parametrize(
    ("change", "place", "facts"),
    [
        (remove("convention"), "", ("convention", "missing")),
        (set_at("convention", "craig"), "convention", ("craig", "standard", "modified")),
        (set_at("colour", "red"), "", ("colour", "convention", "joints")),
        (set_at("joints", []), "joints", ("empty", "joint")),
        (set_at("joints", 3), "joints", (3, "list")),
        (set_at("joints", 1, "words"), "joints[1]", ("words",)),
        (remove("joints", 2, "alpha"), "joints[2]", ("alpha", "missing", "theta")),
        (set_at("joints", 2, "alfa", 1), "joints[2]", ("alfa",)),
        (set_at("joints", 2, "alpha", "pi//2"), "joints[2].alpha", ("pi//2", "number")),
        (set_at("joints", 2, "alpha", float("nan")), "joints[2].alpha", ("nan", "finite")),
        (set_at("joints", 0, "type", "ball"), "joints[0].type", ("ball", "revolute", "prismatic")),
        (set_at("joints", 0, "position", [1]), "joints[0].position", (1, 2, "elements")),
        (set_at("joints", 0, "position", [2, 1]), "joints[0]", ("lower", "upper")),
        (set_at("joints", 0, "effort", -1), "joints[0]", ("effort", "negative")),
        (set_at("joints", 2, "position", [0, 1]), "joints[2].position", ("continuous",)),
        (set_at("joints", 1, "name", "j1"), "joints", ("j1", "twice")),
        (set_at("joints", 1, "link", "hand"), "joints", ("hand", "twice")),
        (set_at("gravity", [0, 0]), "gravity", (2, 3, "elements")),
        (set_at("base", {"xyz": [0, 0, 0], "a": 1}), "base", ("a", "xyz", "rpy")),
        (set_at("tool", {"xyz": [0, 0, 0], "a": 1}), "tool", ("xyz", "alpha", "theta")),
        (set_at("tool", {"x": 1}), "tool", ("x", "xyz", "rpy", "alpha")),
        (set_at("inertias", "frame", "com"), "inertias.frame", ("com", "link", "joint")),
        (remove("inertias", "about"), "inertias", ("about", "missing")),
        (set_at("inertias", "links", 0, "name", "foot"), "inertias.links[0].name", ("foot", "link1", "link2")),
        (remove("inertias", "links", 0, "mass"), "inertias.links[0]", ("mass", "missing")),
        (set_at("inertias", "links", 0, "com", [1, 2]), "inertias.links[0].com", (2, 3, "elements")),
        (remove("inertias", "links", 0, "inertia", "yz"), "inertias.links[0].inertia", ("yz", "missing")),
        (set_at("inertias", "links", 0, "inertia", "xx", float("inf")), "inertias.links[0].inertia.xx", ("inf",)),
    ],
)
def test_every_mistake_is_named_with_its_place(tmp_path: Path, change, place: str, facts: tuple[str | float, ...]) -> None:
    file = write(tmp_path, broken(change))
    with pytest.raises(FileError) as caught:
        load_robot(file)
    assert (caught.value.file, caught.value.place) == (str(file), place)
    assert carries(str(caught.value), *facts)
    assert "\n" not in str(caught.value)


def test_a_link_listed_twice(tmp_path: Path) -> None:
    def twice(content) -> None:
        content["inertias"]["links"].append(deepcopy(content["inertias"]["links"][0]))

    with raises(FileError, "hand", place="inertias.links[1].name"):
        load_robot(write(tmp_path, broken(twice)))


def test_tags_and_repeated_keys_are_refused(tmp_path: Path) -> None:
    with raises(FileError, "YAML", "tag", place="line 1"):
        load_robot(write(tmp_path, "convention: !!python/object/apply:os.getcwd []\njoints: []\n"))
    with raises(FileError, "YAML", "convention", place="line 2"):
        load_robot(write(tmp_path, "convention: standard\nconvention: modified\njoints: []\n"))
    with raises(FileError, "empty", "mapping"):
        load_robot(write(tmp_path, ""))
