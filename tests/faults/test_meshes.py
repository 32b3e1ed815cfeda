"""Meshes of a stranger's description: one that crashes, hangs or fools the library that reads it is a note, and the robot is shown."""

from __future__ import annotations

import os
import random
import struct
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.robots.geometry import meshes
from dynident.robots.geometry.meshes import Mesh, ShapeReader
from dynident.robots.link_shapes import LinkShape
from dynident.robots.shapes import robot_shapes
from dynident.robots.solids import robot_solids
from tests.commands import INSTALLED

PLY = """ply
format ascii 1.0
element vertex 3
property float x
property float y
property float z
element face 1
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 {last}
3 {face}
"""
OBJ = "mtllib {library}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
LINK = '<link name="{name}">' + INERTIAL + '<{role}><geometry><mesh filename="{file}" scale="{scale}"/></geometry></{role}></link>'


def arm(folder: Path, file: str, *, scale: str = "1 1 1", role: str = "visual") -> Path:
    links = LINK.format(name="base", role=role, file=file, scale=scale) + LINK.format(name="tip", role=role, file="good.ply", scale="1 1 1")
    limit = '<limit lower="-1" upper="1" effort="9" velocity="2"/>'
    joint = f'<joint name="j" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>{limit}</joint>'
    (folder / "good.ply").write_text(PLY.format(last=0, face="0 1 2"))
    (folder / "arm.urdf").write_text(f'<robot name="arm">{links}{joint}</robot>')
    return folder / "arm.urdf"


def mesh(file: Path) -> LinkShape:
    return LinkShape(kind="mesh", size=(1.0, 1.0, 1.0), text=str(file))


BAD = {
    "face.ply": PLY.format(last=0, face="-1 1 2"),
    "beyond.ply": PLY.format(last=0, face="0 1 2000000000"),
    "nan.ply": PLY.format(last="nan", face="0 1 2"),
    "many.ply": PLY.format(last=0, face="0 1 2").replace("vertex 3", "vertex 2000000000"),
    "faces.ply": PLY.format(last=0, face="0 1 2").replace("face 1", "face 2000000000"),
    "far.ply": PLY.format(last="1e30", face="0 1 2"),
    "pipe.obj": OBJ.format(library="pipe"),
    "device.obj": OBJ.format(library="/dev/zero"),
    "count.stl": bytes(80) + struct.pack("<I", 2**32 - 1) + bytes(50),
    "empty.dae": "<COLLADA/>",
}


#: `excite` has the same reader and takes longer: a mesh that is refused, one that crashes the library, one that never ends.
OF_EXCITE = ("far.ply", "face.ply", "pipe.obj")


@pytest.mark.parametrize(("name", "verb"), [*((name, "view") for name in BAD), *((name, "excite") for name in OF_EXCITE)])
def test_a_bad_mesh_is_a_note(name: str, verb: str, tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    content = BAD[name]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    robot = arm(tmp_path, name, role="visual" if verb == "view" else "collision")
    words = ["--no-open", "-o", "page.html"] if verb == "view" else ["-o", "way.csv", "--static", "2", "--method", "random", "--unchecked"]
    began = time.monotonic()
    finished = subprocess.run(
        [INSTALLED, verb, robot, *words], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    assert time.monotonic() - began < 20.0


def test_a_crash_is_told_with_the_name_of_the_mesh_and_the_others_are_read(tmp_path):
    (tmp_path / "face.ply").write_text(BAD["face.ply"])
    shapes, notes = robot_shapes(load_robot(arm(tmp_path, "face.ply")))
    assert any("'face.ply' can't be read" in note or "'face.ply' has triangles" in note for note in notes)
    assert [shape.body for shape in shapes if shape.drawn] == [0]


def test_a_hang_ends_and_no_other_mesh_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(meshes, "_LEAST_TIME", 1.0)
    os.mkfifo(tmp_path / "pipe")
    for k in range(5):
        (tmp_path / f"{k}.obj").write_text(OBJ.format(library="pipe"))
    reader, began = ShapeReader(), time.monotonic()
    found = [reader.read(mesh(tmp_path / f"{k}.obj")) for k in range(5)]
    assert time.monotonic() - began < 4.0
    assert "within 1 s" in str(found[0])
    assert all("one before it took too long" in str(item) for item in found[1:])


def test_one_process_reads_all_meshes_and_ends_with_its_reader(tmp_path, monkeypatch):
    def tell(file: Path, scale: object) -> tuple[object, object]:
        return np.full((1, 3), float(os.getpid())) * 1e-9, np.zeros((0, 3), dtype=np.int64)

    monkeypatch.setattr(meshes, "_read_mesh", tell)
    (tmp_path / "a.stl").write_bytes(b"")
    reader = ShapeReader()
    found = [reader.read(mesh(tmp_path / "a.stl")) for _ in range(3)]
    processes = {round(1e9 * float(item.vertices[0, 0])) for item in found if isinstance(item, Mesh)}
    assert len(processes) == 1
    assert processes != {os.getpid()}
    del reader
    with pytest.raises(ProcessLookupError):
        os.kill(processes.pop(), 0)


@pytest.mark.parametrize(
    ("vertices", "triangles", "problem"),
    [
        (np.zeros((0, 3)), [[0, 1, 2]], "is empty"),
        ([[0.0, np.inf, 0.0]], [[0, 0, 0]], "no number"),
        ([[0.0, 1e9, 0.0]], [[0, 0, 0]], "check its scale"),
        (np.eye(3), [[0, 1, 3]], "does not have"),
        (np.eye(3), [[0, -1, 2]], "does not have"),
    ],
)
def test_what_comes_back_is_checked(vertices, triangles, problem, tmp_path, monkeypatch):
    answer = np.asarray(vertices, dtype=float), np.asarray(triangles, dtype=np.int64)
    monkeypatch.setattr(meshes, "_read_mesh", lambda file, scale: answer)
    (tmp_path / "a.stl").write_bytes(b"")
    assert problem in str(ShapeReader().read(mesh(tmp_path / "a.stl")))


def test_damaged_meshes(tmp_path):
    """One in twenty crashes the library."""
    rng = random.Random(0)
    good = {"a.ply": PLY.format(last=0, face="0 1 2").encode(), "a.obj": OBJ.format(library="none").encode(), "a.stl": _cube()}
    reader, outcomes = ShapeReader(), []
    for _ in range(60):
        name = rng.choice(sorted(good))
        content = bytearray(good[name])
        for _ in range(rng.randint(1, 4)):
            content[rng.randrange(len(content))] = rng.choice(b"-0129 \n\xff\x00.e")
        (tmp_path / name).write_bytes(content)
        outcomes.append(reader.read(mesh(tmp_path / name)))
    for found in outcomes:
        assert isinstance(found, str) or (np.isfinite(found.vertices).all() and found.triangles.max(initial=0) < len(found.vertices))


def _cube() -> bytes:
    """A binary STL."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=np.float32)
    faces = [(0, 1, 2), (1, 3, 2), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 3, 6), (3, 7, 6)]
    records = (struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0) for face in faces)
    return bytes(80) + struct.pack("<I", len(faces)) + b"".join(records)


def test_a_mesh_of_an_mjcf_that_crashes_its_reader_is_a_note(tmp_path, monkeypatch):
    pytest.importorskip("mujoco", reason='MJCF needs MuJoCo: pip install "dynident[sim]"')
    (tmp_path / "a.stl").write_bytes(_cube())
    (tmp_path / "arm.xml").write_text(
        '<mujoco><asset><mesh name="m" file="a.stl"/></asset><worldbody><body name="a"><joint axis="0 0 1"/>'
        '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
        encoding="utf-8",
    )
    robot = load_robot(tmp_path / "arm.xml")
    monkeypatch.setattr(meshes, "_read_mesh", lambda file, scale: os.abort())
    shapes, notes = robot_shapes(robot)
    assert "its reader ended with signal 6" in notes[0]
    assert [shape.drawn for shape in shapes] == [False] * len(shapes)
    monkeypatch.undo()
    assert not robot_solids(load_robot(tmp_path / "arm.xml")).notes
