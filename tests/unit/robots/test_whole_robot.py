"""A robot is whole: the same arm is the same robot however its description is read, and needs its file no more."""

from __future__ import annotations

import io
import os
import struct
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.core.records import encode, read_record, write_record
from dynident.errors import ValueRangeError
from dynident.links.constraints.geometry import geometry_bounds
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.torque import described_friction
from dynident.robots import Robot, load
from dynident.robots.link_shapes import LinkShape, ShapeKind
from dynident.robots.shapes import robot_shapes
from dynident.robots.solids import Origin, robot_solids
from tests.facts import raises

LINK = """<link name="{name}"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
<collision><origin xyz="0 0 0.2"/><geometry><box size="0.2 0.2 0.4"/></geometry></collision>
<collision><geometry><mesh filename="package://arm/meshes/cube.stl" scale="0.1 0.1 0.2"/></geometry></collision></link>"""
JOINT = """<joint name="j{k}" type="revolute"><parent link="l{k}"/><child link="l{next}"/><origin xyz="0 0 0.4"/><axis xyz="{axis}"/>
<limit lower="-2" upper="2.5" effort="80" velocity="2"/><dynamics damping="2" friction="1.5"/></joint>"""
SRDF = """<robot name="arm"><disable_collisions link1="l3" link2="l0" reason="Never"/>
<disable_collisions link1="l0" link2="l2" reason="Default"/></robot>"""
AXES = ("0 0 1", "0 1 0", "1 0 0")


def cube() -> bytes:
    """A binary STL."""
    corners = np.array(list(product((0, 1), repeat=3)), dtype=np.float32)
    faces = [(0, 1, 2), (1, 3, 2), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 3, 6), (3, 7, 6)]
    records = (struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0) for face in faces)
    return bytes(80) + struct.pack("<I", len(faces)) + b"".join(records)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A ROS package with the arm as URDF, as xacro, and as a URDF with a macro."""
    folder = tmp_path / "arm"
    for name in ("urdf", "meshes"):
        (folder / name).mkdir(parents=True)
    (folder / "meshes" / "cube.stl").write_bytes(cube())
    links = [LINK.format(name=f"l{k}") for k in range(4)]
    joints = [JOINT.format(k=k, next=k + 1, axis=axis) for k, axis in enumerate(AXES)]
    (folder / "urdf" / "arm.urdf").write_text(f'<robot name="arm">{"".join(links + joints)}</robot>')
    macro = f'<xacro:macro name="one" params="name">{LINK.format(name="${name}")}</xacro:macro>'
    calls = "".join(f'<xacro:one name="l{k}"/>' for k in range(4))
    text = f'<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">{macro}{calls}{"".join(joints)}</robot>'
    (folder / "urdf" / "arm.urdf.xacro").write_text(text)
    (folder / "urdf" / "arm.xacro").write_text(text)
    (folder / "urdf" / "arm.srdf").write_text(SRDF)
    return folder


def content(robot: Robot) -> str:
    return encode({"robot": replace(robot, source="")}, {}).digest


def collisions(robot: Robot) -> tuple[object, ...]:
    model, reason = CollisionModel.of_robot(robot)
    assert model is not None
    return model.names, model.source, reason


def test_an_arm_is_the_same_robot_however_it_is_read(package: Path, monkeypatch) -> None:
    pytest.importorskip("xacro")
    urdf = package / "urdf" / "arm.urdf"
    robot = load_robot(urdf)
    others = [load_robot(package / "urdf" / name) for name in ("arm.xacro", "arm.urdf.xacro")]
    monkeypatch.chdir(package / "urdf")
    others.append(load_robot("arm.urdf"))
    load._standard_input.cache_clear()
    monkeypatch.setattr("sys.stdin", io.StringIO(urdf.read_text()))
    others.append(load_robot("-"))
    load._standard_input.cache_clear()
    monkeypatch.chdir(package.parent)
    others.append(load_robot(Path("arm", "urdf", "arm.urdf")))
    (package / "urdf" / "macro.urdf").write_text((package / "urdf" / "arm.xacro").read_text())
    (package / "urdf" / "arm.srdf").rename(package / "urdf" / "any.srdf")
    others.append(load_robot(package / "urdf" / "macro.urdf"))
    assert robot.apart == (("l0", "l3"),)
    solids, names = robot_solids(robot), collisions(robot)
    assert {solid.origin for solid in solids.solids} == {Origin.COLLISION}
    assert len(solids.solids) == 8
    for other in others:
        same = replace(other, shape_notes=tuple(note.replace("any.srdf", "arm.srdf") for note in other.shape_notes))
        assert content(same) == content(robot)
        assert collisions(other) == names
        np.testing.assert_array_equal(described_friction(other), [[1.5, 2.0]] * 3)


def test_a_package_is_known_by_its_manifest_where_its_folder_has_another_name(package: Path) -> None:
    file = package / "urdf" / "arm.urdf"
    file.write_text(file.read_text().replace("package://arm/", "package://arm_description/"))
    assert "cube.stl" in robot_solids(load_robot(file)).notes[0]
    (package / "package.xml").write_text("<package><name>arm_description</name></package>")
    assert robot_solids(load_robot(file)).notes == load_robot(file).shape_notes


def test_a_robot_needs_its_file_no_more(package: Path, monkeypatch) -> None:
    monkeypatch.chdir(package / "urdf")
    robot = load_robot("arm.urdf")
    monkeypatch.chdir("/")
    (package / "urdf" / "arm.urdf").unlink()
    assert len(robot_solids(robot).solids) == 8
    assert not [shape for shape in robot_shapes(robot)[0] if not shape.drawn]
    (package / "meshes" / "cube.stl").unlink()
    notes = robot_solids(replace(robot)).notes
    assert "cube.stl" in notes[0]


def test_a_robot_without_need_of_shapes_reads_no_meshes(package: Path, monkeypatch) -> None:
    monkeypatch.setattr("dynident.robots.geometry.meshes._read_mesh", lambda file, scale: os.abort())
    assert load_robot(package / "urdf" / "arm.urdf").n == 3


def test_shapes_friction_and_pairs_come_back_from_files(package: Path, tmp_path: Path) -> None:
    robot = load_robot(package / "urdf" / "arm.urdf")
    write_record(tmp_path / "robot.record", robot)
    assert content(read_record(tmp_path / "robot.record", Robot, remedy="")) == content(robot)


def test_the_package_of_a_mesh_can_be_given(package: Path, tmp_path: Path) -> None:
    file = tmp_path / "elsewhere" / "arm.urdf"
    file.parent.mkdir()
    file.write_text((package / "urdf" / "arm.urdf").read_text().replace("package://arm", "package://models"))
    assert robot_solids(load_robot(file)).notes
    assert not robot_solids(load_robot(file, packages={"models": package})).notes


MJCF = """<mujoco><compiler meshdir="meshes"/><asset><mesh name="m" file="cube.stl" scale="0.1 0.2 0.3"/>
<mesh name="turned" file="cube.stl" refpos="0.5 0 0" scale="0.1 0.1 0.1"/><mesh name="inside" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
<worldbody><body name="a" pos="0 0 1"><joint name="j" frictionloss="1.5" damping="2"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="m" pos="0 0 0.5" euler="90 0 0"/>
<geom type="mesh" mesh="turned"/><geom type="mesh" mesh="inside"/><geom type="box" mesh="m"/></body></worldbody></mujoco>"""


def test_meshes_of_an_mjcf_are_where_mujoco_has_them(package: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    file = package / "arm.xml"
    file.write_text(MJCF)
    robot = load_robot(file)
    assert robot.joints[0].friction == (1.5, 2.0)
    assert [shape.kind for shape in robot.links[0].pieces[0].shapes] == [ShapeKind.MESH, ShapeKind.HULL, ShapeKind.HULL, ShapeKind.BOX]
    model = mujoco.MjModel.from_xml_path(str(file))
    solids = robot_solids(robot)
    assert solids.notes == ()
    for g in range(3):
        m = model.geom_dataid[g]
        vertices = model.mesh_vert[model.mesh_vertadr[m] :][: model.mesh_vertnum[m]]
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, model.geom_quat[g])
        expected = vertices @ R.reshape(3, 3).T + model.geom_pos[g]
        for bound in (np.min, np.max):
            np.testing.assert_allclose(bound(solids.solids[g].points, axis=0), bound(expected, axis=0), atol=1e-6)
    half = robot.links[0].pieces[0].shapes[3].size
    np.testing.assert_allclose(half, 2.0 * model.geom_size[3])


def test_bounds_from_geometry_need_no_file(package: Path) -> None:
    text = (package / "urdf" / "arm.urdf").read_text()
    file = package / "urdf" / "boxes.urdf"
    file.write_text(text.replace('<mesh filename="package://arm/meshes/cube.stl" scale="0.1 0.1 0.2"/>', '<sphere radius="0.1"/>'))
    robot = load_robot(file)
    file.unlink()
    np.testing.assert_allclose(geometry_bounds(robot).boxes[0], [[-0.1, -0.1, -0.1], [0.1, 0.1, 0.4]])


def test_a_shape_is_checked() -> None:
    with raises(ValueRangeError, "size", 1, name="size of a box of a link"):
        LinkShape(kind=ShapeKind.BOX, size=(1.0,))
