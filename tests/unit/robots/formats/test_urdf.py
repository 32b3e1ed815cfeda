"""URDF against Pinocchio, and the files that people get wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from dynident.errors import FileError, UnsupportedRobotError
from dynident.robots import JointType, Robot, load_robot
from dynident.robots.kinematics import link_poses
from dynident.robots.parameters import from_com, from_pinocchio
from tests.facts import carries, raises

EXAMPLES = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"

INERTIAL = (
    '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><mass value="2"/>'
    '<inertia ixx="0.4" ixy="0.01" ixz="0.02" iyy="0.5" iyz="0.03" izz="0.6"/></inertial>'
)
LIMIT = '<limit lower="-1" upper="2" effort="3" velocity="4"/>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def links(*names: str) -> str:
    return "".join(f'<link name="{name}">{INERTIAL}</link>' for name in names)


#: every joint type, a skew axis, rigid parts on a moving link and on the base, and a link without inertia
MIXED = f"""<?xml version="1.0"?>
<robot name="mixed">
  <!-- a comment may say <!DOCTYPE without harm -->
  <link name="bare"/>
  {links("root", "stand", "one", "two", "three", "plate", "camera")}
  {joint("to_stand", "fixed", "root", "stand", '<origin xyz="0 0 1" rpy="0 0 0.5"/>')}
  {joint("turn", "continuous", "stand", "one", '<origin xyz="0.1 0 0" rpy="0.3 0 0"/><axis xyz="1 2 -2"/>')}
  {joint("slide", "prismatic", "one", "two", '<origin xyz="0 0.2 0" rpy="0 1.2 0"/><axis xyz="0 0 -3"/>' + LIMIT)}
  {joint("bend", "revolute", "two", "three", '<origin xyz="0 0 0.3"/>' + LIMIT)}
  {joint("to_plate", "fixed", "three", "plate", '<origin xyz="0.2 0 0.1" rpy="1 0 0"/>')}
  {joint("to_camera", "fixed", "plate", "camera", '<origin xyz="0 0 0.1" rpy="0 1 0"/>')}
  {joint("to_bare", "revolute", "camera", "bare", LIMIT)}
</robot>
"""


def write(folder: Path, text: str, name: str = "robot.urdf") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def pinocchio_position(model: pin.Model, names: tuple[str, ...], q: np.ndarray) -> np.ndarray:
    """Pinocchio's configuration, where a continuous joint is (cos, sin)."""
    position = pin.neutral(model)
    for name, value in zip(names, q, strict=True):
        joint = model.joints[model.getJointId(name)]
        position[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]
    return position


def assert_matches(robot: Robot, model: pin.Model) -> None:
    """Same joints, link frames, inertias and limits as a Pinocchio model."""
    assert robot.joint_names == tuple(model.names)[1:]
    data = model.createData()
    rng = np.random.default_rng(0)
    for _ in range(3):
        q = rng.uniform(-1.5, 1.5, robot.n)
        pin.forwardKinematics(model, data, pinocchio_position(model, robot.joint_names, q))
        expected = np.array([data.oMi[model.getJointId(name)].homogeneous for name in robot.joint_names])
        np.testing.assert_allclose(link_poses(robot, q), expected, atol=1e-13)
    for i, link in enumerate(robot.links, start=1):
        parameters = np.zeros(10) if link.parameters is None else link.parameters
        np.testing.assert_allclose(parameters, from_pinocchio(model.inertias[i].toDynamicParameters()), atol=1e-12)
    np.testing.assert_array_equal(robot.velocity_limits, model.upperVelocityLimit)
    np.testing.assert_array_equal(robot.effort_limits, model.upperEffortLimit)


def test_every_joint_type(tmp_path: Path) -> None:
    file = write(tmp_path, MIXED)
    robot = load_robot(file)
    assert_matches(robot, pin.buildModelFromUrdf(str(file)))
    assert robot.name == "mixed"
    assert [joint.type for joint in robot.joints] == [JointType.CONTINUOUS, JointType.PRISMATIC, JointType.REVOLUTE, JointType.REVOLUTE]
    np.testing.assert_allclose(robot.joints[0].axis, np.array([1, 2, -2]) / 3)
    np.testing.assert_allclose(robot.joints[1].axis, [0, 0, -1])
    np.testing.assert_allclose(robot.joints[2].axis, [1, 0, 0])  # URDF's default
    assert robot.position_limits.tolist() == [[-np.inf, np.inf], [-1, 2], [-1, 2], [-1, 2]]
    assert robot.velocity_limits.tolist() == [np.inf, 4, 4, 4]


def test_what_is_rigid_is_lumped_and_recorded(tmp_path: Path) -> None:
    robot = load_robot(write(tmp_path, MIXED))
    assert robot.base_sources == ("root", "stand")
    assert [link.sources for link in robot.links] == [("one",), ("two",), ("three", "plate", "camera"), ("bare",)]
    assert robot.frame_names[1] == "joint frame slide"
    masses = [link.parameters[0] for link in robot.links[:3] if link.parameters is not None]
    assert masses == pytest.approx([2, 2, 6])
    assert robot.links[3].parameters is None
    assert robot.parameters is None


def test_lumped_links_and_the_base_keep_their_own_inertial(tmp_path: Path) -> None:
    robot = load_robot(write(tmp_path, MIXED))
    written = robot.links[0].parameters
    assert written is not None
    for piece in (*robot.links[2].pieces, *robot.base_pieces):
        np.testing.assert_array_equal(piece.parameters, written, err_msg=piece.name)
    assert robot.links[3].pieces[0].parameters is None


def test_an_inertial_is_turned_into_the_link_frame(tmp_path: Path) -> None:
    robot = load_robot(write(tmp_path, MIXED))
    R = pin.rpy.rpyToMatrix(0.1, 0.2, 0.3)
    I_c = np.array([[0.4, 0.01, 0.02], [0.01, 0.5, 0.03], [0.02, 0.03, 0.6]])
    np.testing.assert_allclose(robot.links[0].parameters, from_com(2.0, [0.1, 0.2, 0.3], R @ I_c @ R.T), atol=1e-14)


def test_an_xml_suffix_is_read_by_its_root_element(tmp_path: Path) -> None:
    assert load_robot(write(tmp_path, MIXED, "robot.xml")).joint_names == load_robot(write(tmp_path, MIXED)).joint_names
    with raises(FileError, "<scene>", "<robot>", "URDF", "<mujoco>", "MJCF"):
        load_robot(write(tmp_path, "<scene/>", "scene.xml"))


def test_a_mass_of_zero_is_kept(tmp_path: Path) -> None:
    robot = load_robot(write(tmp_path, MIXED.replace('<mass value="2"/>', '<mass value="0"/>')))
    assert robot.links[0].parameters is not None
    assert robot.links[0].parameters[0] == 0.0


@pytest.mark.parametrize(
    "path",
    [
        "ur_description/urdf/ur5_robot.urdf",
        "ur_description/urdf/ur10_robot.urdf",
        "kinova_description/robots/kinova.urdf",
        "allegro_hand_description/urdf/allegro_right_hand.urdf",  # branches
        "tiago_description/robots/tiago_no_hand.urdf",  # a prismatic torso, continuous wheels
        "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    ],
)
def test_public_robots_match_pinocchio(path: str) -> None:
    file = EXAMPLES / path
    assert_matches(load_robot(file), pin.buildModelFromUrdf(str(file)))


def test_locked_joints_match_pinocchios_reduced_model() -> None:
    file = EXAMPLES / "panda_description/urdf/panda.urdf"
    robot = load_robot(file, lock={"panda_finger_joint*": 0.02})
    model = pin.buildModelFromUrdf(str(file))
    q = pin.neutral(model)
    fingers = [model.getJointId(f"panda_finger_joint{i}") for i in (1, 2)]
    q[[model.joints[j].idx_q for j in fingers]] = 0.02
    assert_matches(robot, pin.buildReducedModel(model, fingers, q))
    assert robot.links[6].sources[-2:] == ("panda_rightfinger", "panda_hand_tcp")


def test_locking_in_the_middle_of_a_branched_robot_matches_pinocchio() -> None:
    file = EXAMPLES / "baxter_description/urdf/baxter.urdf"
    lock = {"*gripper*": 0.01, "left_e1": 0.7, "right_s0": -0.4}
    model = pin.buildModelFromUrdf(str(file))
    locked = {j: 0.01 for j, name in enumerate(model.names) if "gripper" in name}
    locked |= {model.getJointId("left_e1"): 0.7, model.getJointId("right_s0"): -0.4}
    q = pin.neutral(model)
    for j, value in locked.items():
        q[model.joints[j].idx_q] = value
    reduced = pin.buildReducedModel(model, list(locked), q)
    robot = load_robot(file, lock=lock)
    assert_matches(robot, reduced)
    assert robot.parents.tolist() == [model_parent - 1 for model_parent in reduced.parents[1:]]


TWO = links("a", "b")
BEND = joint("bend", "revolute", "a", "b", LIMIT)


def robot_text(inside: str) -> str:
    return f'<robot name="r">{inside}</robot>'


@pytest.mark.parametrize(
    ("text", "place", "facts"),
    [
        ("", "", ("empty",)),
        ("joint angles", "line 1", ("XML",)),
        ("<robot>\n<link>\n</robot>", "line 3", ("XML", "mismatched")),
        ('<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]>\n<robot name="&a;"/>', "line 1", ("DOCTYPE", "ENTITY")),
        ('<?xml version="1.0"?>\n<!--\n-->\n<!DOCTYPE robot>\n<robot/>', "line 4", ("DOCTYPE", "ENTITY")),
        ("<mujoco/>", "", ("<mujoco>", "<robot>")),
        (robot_text(""), "", ("no", "<link>")),
        (robot_text(links("a")), "", ("no", "<joint>")),
        (robot_text("<link/>"), "", ("<link>", "name")),
        (robot_text(TWO + joint("bend", "hinge", "a", "b")), "joint 'bend'", ("hinge", "revolute", "continuous")),
        (
            robot_text(TWO + joint("bend", "revolute", "a", "c", LIMIT)),
            "joint 'bend'",
            ("<child>", "c"),
        ),
        (robot_text(TWO + '<joint name="bend" type="fixed"><child link="b"/></joint>'), "joint 'bend'", ("<parent>", "None")),
        (robot_text(TWO + BEND + links("c", "d")), "", ("a, c, d", "tree")),
        (robot_text(TWO + BEND + joint("back", "fixed", "b", "a")), "", ("a, b", "loop")),
        (
            robot_text(links("a", "b", "c", "d") + BEND + joint("x", "fixed", "c", "d") + joint("y", "fixed", "d", "c")),
            "",
            ("c, d", "loop"),
        ),
        (robot_text(links("a", "b", "b") + BEND), "", ("b", "twice")),
        (robot_text(links("a", "b", "c") + BEND + joint("bend", "fixed", "b", "c")), "", ("bend", "twice")),
        (robot_text(TWO + BEND.replace('effort="3"', 'effort="nan"')), "joint 'bend'", ("effort='nan'",)),
        (robot_text(TWO + BEND.replace('effort="3"', 'effort="-3"')), "", ("effort", "bend", -3.0)),
        (
            robot_text(TWO + joint("bend", "revolute", "a", "b", '<axis xyz="0 1"/>' + LIMIT)),
            "joint 'bend'",
            (3, "finite"),
        ),
        (robot_text(TWO + joint("bend", "revolute", "a", "b", '<axis xyz="0 0 0"/>' + LIMIT)), "", ("axis", "bend", "zero")),
        (robot_text(TWO + joint("bend", "revolute", "a", "b", '<origin rpy="x 0 0"/>' + LIMIT)), "joint 'bend'", ("rpy='x 0 0'",)),
        (robot_text(TWO + BEND).replace('value="2"', 'value="heavy"'), "link 'a'", ("value='heavy'", "<mass>")),
        (robot_text(TWO + BEND).replace('iyz="0.03"', ""), "link 'a'", ("<inertia>", "iyz")),
        (robot_text(TWO + BEND).replace('<mass value="2"/>', ""), "link 'a'", ("<inertial>", "<mass>")),
        (robot_text(TWO + BEND).replace('xyz="0.1 0.2 0.3"', 'xyz="0.1 nan 0.3"'), "link 'a'", ("xyz='0.1 nan 0.3'",)),
    ],
)
def test_every_mistake_is_one_sentence_with_its_place(tmp_path: Path, text: str, place: str, facts: tuple[str | float, ...]) -> None:
    file = write(tmp_path, text)
    with pytest.raises(FileError) as caught:
        load_robot(file)
    assert carries(str(caught.value), *facts)
    assert (caught.value.file, caught.value.place) == (str(file), place)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_a_base_that_moves_freely_is_refused(tmp_path: Path, kind: str) -> None:
    file = write(tmp_path, robot_text(TWO + joint("free", kind, "a", "b")))
    with raises(UnsupportedRobotError, "joint 'free'", kind, remedy={"base": "b", "lock": {"free": 0.0}}) as caught:
        load_robot(file)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "position", "velocity", "effort"),
    [
        (joint("bend", "revolute", "a", "b"), (-np.inf, np.inf), np.inf, np.inf),
        (BEND.replace('effort="3"', ""), (-1.0, 2.0), 4.0, np.inf),
        (BEND.replace('velocity="4"', ""), (-1.0, 2.0), np.inf, 3.0),
    ],
)
def test_a_missing_limit_is_none_and_a_note(tmp_path: Path, text: str, position: tuple, velocity: float, effort: float) -> None:
    robot = load_robot(write(tmp_path, robot_text(TWO + text)))
    bend = robot.joints[0]
    assert (bend.position, bend.velocity, bend.effort) == (position, velocity, effort)
    assert carries(robot.notes[0], "bend", "<limit>", "unlimited")


def test_only_fixed_joints_leave_nothing_to_move(tmp_path: Path) -> None:
    with raises(UnsupportedRobotError, "moves"):
        load_robot(write(tmp_path, robot_text(TWO + joint("rigid", "fixed", "a", "b"))))


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            robot_text(TWO + BEND.replace("</joint>", '<dynamics damping="-0.1"/></joint>')),
            "the friction or damping of bend is negative, which simulators refuse",
        ),
        (f"<robot>{TWO}{BEND}</robot>", "the file gives the robot no name; it is called 'robot' after the file"),
        (
            robot_text(TWO + BEND.replace('lower="-1"', 'lower="3"')),
            "joint 'bend' has its lower limit above its upper; they are read as [2, 3]",
        ),
        (
            robot_text(TWO + BEND).replace('value="2"', 'value="2\n"'),
            "numbers in the inertials of a, b have blanks or line breaks beside them",
        ),
        ('\n\n<?xml version="1.0"?>' + robot_text(TWO + BEND), ""),
        (robot_text(TWO + BEND + "<gazebo><sensor:camera topic:name='a'/></gazebo>"), ""),
        (robot_text(TWO + BEND).replace("<robot", '<robot xmlns="http://www.ros.org"'), ""),
    ],
)
def test_what_other_parsers_stumble_over_is_read_with_a_note(tmp_path: Path, text: str, note: str) -> None:
    robot = load_robot(write(tmp_path, text))
    assert robot.joint_names == ("bend",)
    np.testing.assert_array_equal(robot.links[0].parameters, load_robot(write(tmp_path, robot_text(TWO + BEND))).links[0].parameters)
    assert (note in robot.notes[0]) if note else robot.notes == ()
