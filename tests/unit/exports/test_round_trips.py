"""A description that is converted to other formats and back moves with the same torques, and keeps what all of them can hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from dynident import Robot, check_robot, library_names, load_robot
from dynident.dynamics import inverse_dynamics
from dynident.exports import convert
from dynident.exports.proof import DisagreementError
from dynident.robots.geometry.forms import join_capsules, primitive_hull
from dynident.robots.kinematics import link_poses
from dynident.robots.robot import JointType, LinkShape, ShapeKind, ShapeRole
from tests.facts import about, raises

ROBOTS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
URDFS = (
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_gripper.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "so_arm_description/urdf/so101.urdf",
    "z1_description/urdf/z1.urdf",
    "tiago_description/robots/tiago.urdf",
    "baxter_description/urdf/baxter.urdf",
    "alex_description/urdf/alex_psyonic_hands.urdf",  # links that no body can be are parts of bodies that are in order
    "double_pendulum_description/urdf/double_pendulum.urdf",
)
#: Limits that MJCF has no place for.
LOST_IN_MJCF = ("velocity", "acceleration", "jerk", "home")


def through(robot: Robot, folder: Path, *suffixes: str) -> Robot:
    """The robot as it is read after conversions to these formats, one after the other."""
    for i, suffix in enumerate(suffixes):
        file = folder / f"copy{i}{suffix}"
        file.write_text(convert(robot, file)[0])
        robot = load_robot(file)
    return robot


def check_same(ours: Robot, theirs: Robot, *, lost: tuple[str, ...] = ("acceleration", "jerk", "home")) -> None:
    """Torques, tool and joints are the same. lost : limits that a format on the way has no place for."""
    assert sorted(ours.joint_names) == sorted(theirs.joint_names)
    places = [theirs.joint_index(name) for name in ours.joint_names]
    rng = np.random.default_rng(0)
    q, dq, ddq = rng.uniform(-1.0, 1.0, (3, 40, ours.n))
    expected = inverse_dynamics(ours, _parameters(ours), q, dq, ddq)
    found = inverse_dynamics(theirs, _parameters(theirs), *(values[:, np.argsort(places)] for values in (q, dq, ddq)))[:, places]
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())
    if ours.joint_names == theirs.joint_names:
        tools = [link_poses(robot, q)[:, -1] @ robot.tool for robot in (ours, theirs)]
        np.testing.assert_allclose(tools[1], tools[0], rtol=0.0, atol=1e-10)
    np.testing.assert_array_equal(theirs.gravity, ours.gravity)
    for joint, i in zip(ours.joints, places, strict=True):
        other = theirs.joints[i]
        assert (joint.type is JointType.PRISMATIC) == (other.type is JointType.PRISMATIC)
        assert np.maximum(other.friction or (0.0, 0.0), 0.0).tolist() == np.maximum(joint.friction or (0.0, 0.0), 0.0).tolist()
        limits = {"position", "velocity", "acceleration", "effort", "jerk", "home"}.difference(lost)
        assert {name: getattr(other, name) for name in limits} == {name: getattr(joint, name) for name in limits}


def _parameters(robot: Robot) -> np.ndarray:
    return np.array([np.zeros(10) if link.parameters is None else link.parameters for link in robot.links])


def check_same_shapes(ours: Robot, theirs: Robot, *kinds: ShapeKind) -> None:
    expected, found = shapes_in_bodies(ours, *kinds), shapes_in_bodies(theirs, *kinds)
    assert {key: len(hulls) for key, hulls in found.items()} == {key: len(hulls) for key, hulls in expected.items()}
    for key, hulls in expected.items():
        for hull, other in zip(hulls, found[key], strict=True):
            np.testing.assert_allclose(other, hull, rtol=0.0, atol=1e-7)


def shapes_in_bodies(robot: Robot, *kinds: ShapeKind) -> dict[tuple[str, str], list[list[float]]]:
    """The radius, the middle and the extent along the axes of shapes, in the joint frames, by joint (none for the base) and by role."""
    bodies = [("", np.eye(4), robot.base_pieces)]
    bodies += [(joint.name, link.placement, link.pieces) for joint, link in zip(robot.joints, robot.links, strict=True)]
    found: dict[tuple[str, str], list[list[float]]] = {}
    for name, pose, pieces in bodies:
        for piece in pieces:
            for shape in join_capsules(piece.shapes):
                role = "visual" if shape.role is ShapeRole.VISUAL else "collision"
                if shape.kind in kinds:
                    hull = primitive_hull(shape).placed(pose @ piece.placement @ shape.pose)
                    ends = (hull.points.mean(axis=0), np.ptp(hull.points, axis=0), np.abs(hull.points).sum(axis=0))
                    found.setdefault((name, role), []).append(np.round([hull.radius, *np.concatenate(ends)], 8).tolist())
    return {key: sorted(values) for key, values in found.items()}


def masses(robot: Robot) -> dict[str, float]:
    """Of every link of the description with an inertia."""
    pieces = [*robot.base_pieces, *(piece for link in robot.links for piece in link.pieces)]
    return {piece.name: float(piece.parameters[0]) for piece in pieces if piece.parameters is not None and np.any(piece.parameters)}


@pytest.mark.parametrize("file", URDFS, ids=lambda file: Path(file).stem)
def test_a_urdf_comes_back_from_mjcf(tmp_path: Path, file: str) -> None:
    robot = load_robot(ROBOTS / file)
    back = through(robot, tmp_path, ".xml", ".urdf")
    empty = any(joint.position[0] == joint.position[1] for joint in robot.joints), any(joint.effort == 0.0 for joint in robot.joints)
    refused = [name for name, lost in zip(("position", "effort"), empty, strict=True) if lost]
    assert len(about(convert(robot, "copy.xml")[1], "MuJoCo", "limits")) == len(refused)
    check_same(robot, back, lost=(*LOST_IN_MJCF, *refused))
    check_same_shapes(robot, back, ShapeKind.BOX, ShapeKind.CYLINDER, ShapeKind.CAPSULE)


@pytest.mark.parametrize("file", URDFS, ids=lambda file: Path(file).stem)
def test_a_urdf_that_is_written_anew_keeps_its_links(tmp_path: Path, file: str) -> None:
    robot = load_robot(ROBOTS / file)
    again = through(robot, tmp_path, ".urdf")
    check_same(robot, again)
    assert again.link_names == robot.link_names
    assert masses(again) == pytest.approx(masses(robot), rel=1e-12)
    assert {piece.name for link in robot.links for piece in link.pieces} <= {piece.name for link in again.links for piece in link.pieces}
    meshes = [sorted(_meshes(item)) for item in (robot, again)]
    assert meshes[0] == meshes[1]


def _meshes(robot: Robot) -> list[tuple[str, str, str, tuple[float, ...]]]:
    pieces = [*robot.base_pieces, *(piece for link in robot.links for piece in link.pieces)]
    return [
        (piece.name, shape.role.value, shape.text, shape.size) for piece in pieces for shape in piece.shapes if shape.kind is ShapeKind.MESH
    ]


@pytest.mark.parametrize("name", library_names())
@pytest.mark.parametrize("path", [(".urdf",), (".xml",), (".xml", ".urdf"), (".urdf", ".yaml"), (".xml", ".yaml", ".urdf")])
def test_library_robots_keep_their_torques(tmp_path: Path, name: str, path: tuple[str, ...]) -> None:
    robot = load_robot(name)
    if ".xml" in path and not check_robot(robot).passed:
        with raises(DisagreementError, "MuJoCo"):
            through(robot, tmp_path, *path)
        return
    robot = replace(robot, joints=tuple(replace(joint, friction=(0.5, 0.25), effort=40.0) for joint in robot.joints))
    check_same(robot, through(robot, tmp_path, *path), lost=LOST_IN_MJCF if ".xml" in path else ("acceleration", "jerk", "home"))


SDF = """<sdf version="1.9"><world name="w"><gravity>0 0.5 -9.81</gravity><model name="arm">
  <link name="base">
    <inertial><mass>4</mass><inertia><ixx>.1</ixx><ixy>0</ixy><ixz>0</ixz><iyy>.1</iyy><iyz>0</iyz><izz>.1</izz></inertia></inertial>
    <collision name="c"><pose>0 0 .1 0 0 0</pose><geometry><box><size>.2 .3 .2</size></box></geometry></collision>
  </link>
  <link name="upper"><pose>0 0 .3 0 0 .2</pose>
    <inertial><pose>0 .02 .2 .1 0 0</pose><mass>3</mass><inertia>
      <ixx>.05</ixx><ixy>.001</ixy><ixz>0</ixz><iyy>.06</iyy><iyz>0</iyz><izz>.03</izz></inertia></inertial>
    <visual name="v"><geometry><ellipsoid><radii>.1 .2 .3</radii></ellipsoid></geometry></visual>
    <collision name="c"><pose>0 .05 .1 .3 0 0</pose>
      <geometry><capsule><radius>.05</radius><length>.3</length></capsule></geometry></collision>
  </link>
  <link name="fore"><pose>0 .1 .7 0 .1 .2</pose>
    <inertial><mass>2</mass><inertia>
      <ixx>.02</ixx><ixy>0</ixy><ixz>0</ixz><iyy>.02</iyy><iyz>.001</iyz><izz>.01</izz></inertia></inertial>
    <collision name="c"><geometry><cylinder><radius>.04</radius><length>.2</length></cylinder></geometry></collision>
  </link>
  <link name="camera"><pose relative_to="fore">.1 0 .05 0 1 0</pose>
    <inertial><mass>.2</mass><inertia><ixx>1e-4</ixx><ixy>0</ixy><ixz>0</ixz><iyy>1e-4</iyy><iyz>0</iyz><izz>1e-4</izz></inertia></inertial>
    <collision name="c"><geometry><sphere><radius>.03</radius></sphere></geometry></collision>
  </link>
  <joint name="shoulder" type="continuous"><parent>base</parent><child>upper</child>
    <axis><xyz>0 0 1</xyz><limit><effort>80</effort></limit><dynamics><friction>.7</friction><damping>.3</damping></dynamics></axis></joint>
  <joint name="elbow" type="revolute"><parent>upper</parent><child>fore</child>
    <axis><xyz>0 1 0</xyz><limit><lower>-1e16</lower><upper>2</upper><velocity>3</velocity></limit></axis></joint>
  <joint name="a_mount" type="fixed"><parent>fore</parent><child>camera</child></joint>
</model></world></sdf>"""


@pytest.mark.parametrize("path", [(".urdf",), (".xml",), (".xml", ".urdf"), (".urdf", ".xml"), (".yaml", ".urdf")])
def test_an_sdf_keeps_all_that_the_others_can_hold(tmp_path: Path, path: tuple[str, ...]) -> None:
    file = tmp_path / "arm.sdf"
    file.write_text(SDF)
    robot = load_robot(file)
    copy = through(robot, tmp_path, *path)
    check_same(robot, copy, lost=LOST_IN_MJCF if ".xml" in path else ())
    assert copy.joints[0].effort == 80.0
    assert copy.joints[0].friction == (0.7, 0.3)
    assert copy.joints[1].position == (-np.inf, 2.0)
    if ".yaml" in path:
        return
    assert masses(copy) == pytest.approx(masses(robot))
    ellipsoids = [] if ".urdf" in path else [ShapeKind.ELLIPSOID]
    check_same_shapes(robot, copy, ShapeKind.BOX, ShapeKind.CYLINDER, ShapeKind.CAPSULE, *ellipsoids)


def test_what_is_said_of_the_shapes_is_what_is_lost(tmp_path: Path) -> None:
    (tmp_path / "arm.sdf").write_text(SDF)
    robot = load_robot(tmp_path / "arm.sdf")
    assert [("upper" in note, "fore" in note) for note in convert(robot, "arm.urdf")[1] if "shapes" in note] == [(True, False)]
    assert not any("shapes" in note for note in convert(robot, "arm.xml")[1])


def test_a_mesh_is_kept_where_the_format_reads_it(tmp_path: Path) -> None:
    corners = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]])
    faces = ((1, 3, 2), (1, 2, 4), (2, 3, 4), (1, 4, 3))
    good = tmp_path / "a part.obj"
    good.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join(f"f {a} {b} {c}\n" for a, b, c in faces))
    (tmp_path / "damaged.stl").write_bytes(b"solid nothing")
    robot = load_robot("planar_2r")
    meshes = [
        LinkShape(kind=ShapeKind.MESH, role=role, size=(1.0, 2.0, 1.0), text=str(tmp_path / name))
        for name, role in (("a part.obj", ShapeRole.COLLISION), ("damaged.stl", ShapeRole.VISUAL))
    ]
    first = robot.links[0]
    links = (replace(first, pieces=(replace(first.pieces[0], shapes=tuple(meshes)),)), *robot.links[1:])
    robot = replace(robot, links=links)
    text, notes = convert(robot, "arm.xml")
    assert [first.name in note for note in notes if "shapes" in note] == [True]
    (tmp_path / "arm.xml").write_text(text)
    assert [mesh[1:] for mesh in _meshes(load_robot(tmp_path / "arm.xml"))] == [("collision", str(good), (1.0, 2.0, 1.0))]
    assert [mesh[1:3] for mesh in _meshes(through(robot, tmp_path, ".urdf"))] == [(shape.role.value, shape.text) for shape in meshes]


def test_conversions_back_and_forth_come_to_rest(tmp_path: Path) -> None:
    robot = load_robot(ROBOTS / "so_arm_description/urdf/so101.urdf")
    once = through(robot, tmp_path, ".urdf")
    file = tmp_path / "twice.urdf"
    assert [link.sources for link in once.links] == [link.sources for link in through(once, tmp_path, ".urdf").links]
    assert convert(once, file)[0].count("<link") == convert(through(once, tmp_path, ".urdf"), file)[0].count("<link")


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (9.80665, 0.0, 0.0), (0.0, 0.0, 0.0)])
def test_gravity_is_kept_to_the_last_digit(tmp_path: Path, gravity: tuple[float, float, float]) -> None:
    """A URDF has it in its element for MuJoCo, which reads it there."""
    mujoco = pytest.importorskip("mujoco")
    robot = load_robot("planar_2r").with_gravity(gravity)
    assert through(robot, tmp_path, ".urdf", ".xml", ".urdf").gravity.tolist() == list(gravity)
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "copy0.urdf")).opt.gravity.tolist() == list(gravity)
    assert "<mujoco>" not in convert(load_robot("planar_2r"), "arm.urdf")[0]


@pytest.mark.parametrize(
    "inertial", ["", '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>']
)
def test_links_of_no_mass_between_joints_become_joints_of_one_body(tmp_path: Path, inertial: str) -> None:
    """A spherical wrist, which MuJoCo takes as three joints of one body."""
    tensor = '<inertia ixx=".02" ixy="0" ixz=".001" iyy=".02" iyz="0" izz=".01"/>'
    body = f'<inertial><origin xyz="0.01 0.02 0.1"/><mass value="2"/>{tensor}</inertial>'
    links = "".join(f'<link name="l{i}">{"" if i == 0 else inertial if i in (2, 3) else body}</link>' for i in range(5))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i - 1}"/><child link="l{i}"/><axis xyz="{axis}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><dynamics damping="0.{i}"/><limit effort="{i}" velocity="1"/></joint>'
        for i, (axis, xyz, rpy) in enumerate(
            (("0 0 1", "0 0 .2", "0 0 0"), ("0 1 0", ".1 0 .3", ".2 0 0"), ("1 0 0", "0 0 0", "0 .3 .1"), ("0 .6 .8", "0 0 0", "0 0 .5")), 1
        )
    )
    (tmp_path / "wrist.urdf").write_text(f'<robot name="wrist">{links}{joints}</robot>')
    robot = load_robot(tmp_path / "wrist.urdf")
    text = convert(robot, "wrist.xml")[0]
    assert text.count("<body") == 3  # the base and two that move
    back = through(robot, tmp_path, ".xml", ".urdf", ".xml", ".urdf")
    check_same(robot, back, lost=LOST_IN_MJCF)
    assert back.link_names[-1] == "l4"
