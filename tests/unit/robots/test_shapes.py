"""Shapes of links: primitives, meshes, coarser meshes, and capsules where there is nothing."""

from pathlib import Path

import numpy as np
import pytest

from dynident.robots import from_dh_table, load_robot
from dynident.robots.geometry.forms import primitive_hull
from dynident.robots.geometry.meshes import coarser
from dynident.robots.geometry.surfaces import capsule
from dynident.robots.link_shapes import LinkShape
from dynident.robots.shapes import robot_shapes
from dynident.robots.solids import robot_solids
from tests.facts import carries


def volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Of a closed surface whose faces look the same way, by the divergence theorem."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return abs(float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum())) / 6.0


def test_primitives_enclose_their_volumes() -> None:
    for kind, size, expected, share in (
        ("box", (1.0, 2.0, 3.0), 6.0, 1e-12),
        ("cylinder", (0.5, 2.0), np.pi * 0.25 * 2.0, 0.02),
        ("ellipsoid", (0.5, 1.0, 2.0), 4.0 / 3.0 * np.pi, 0.06),
    ):
        assert volume(*primitive_hull(LinkShape(kind=kind, size=size)).surface()) == pytest.approx(expected, rel=share)
    assert volume(*capsule(np.zeros(3), np.array([0.3, 0.4, 1.2]), 0.1)) == pytest.approx(np.pi * 0.01 * (1.3 + 0.4 / 3), rel=0.03)


def test_a_capsule_ends_beyond_its_points() -> None:
    start, end = np.array([1.0, 0.0, 0.0]), np.array([1.0, 2.0, 0.0])
    vertices, _ = capsule(start, end, 0.25)
    assert vertices[:, 1].min() == pytest.approx(-0.25)
    assert vertices[:, 1].max() == pytest.approx(2.25)


def test_a_fine_mesh_becomes_coarser_and_keeps_its_place() -> None:
    grid = np.linspace(0.0, 1.0, 120)
    x, y = (part.ravel() for part in np.meshgrid(grid, grid))
    points = np.column_stack([x, y, np.zeros_like(x)])
    corner = np.array([120 * i + j for i in range(119) for j in range(119)])
    triangles = np.concatenate(
        [np.column_stack([corner, corner + 1, corner + 120]), np.column_stack([corner + 1, corner + 121, corner + 120])]
    )
    fewer, faces = coarser(points, triangles)
    assert len(faces) <= 6000
    assert np.abs(fewer.min(axis=0) - points.min(axis=0)).max() < 0.05
    assert np.abs(fewer.max(axis=0) - points.max(axis=0)).max() < 0.05


def test_a_library_robot_is_drawn_with_its_own_capsules() -> None:
    shapes, notes = robot_shapes(load_robot("panda"))
    assert {shape.body for shape in shapes} == set(range(-1, 7))
    assert all(shape.drawn for shape in shapes)
    assert len(shapes) == len(robot_solids(load_robot("panda")).solids)
    assert notes == ()


def test_a_robot_without_shapes_is_drawn_as_capsules_with_a_note() -> None:
    shapes, notes = robot_shapes(from_dh_table([[0, 0.3, 0, 0], [0, 0, 0.4, 0]], "modified"))
    assert {shape.body for shape in shapes} == {-1, 0, 1}
    assert not any(shape.drawn for shape in shapes)
    assert carries(notes[0], "capsules")


URDF = """<robot name="r"><link name="a"><visual><origin xyz="0 0 0.5"/><geometry><box size="0.2 0.2 1"/></geometry></visual></link>
<link name="b"><collision><geometry><{shape}/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize("shape", ['sphere radius="0.3"', 'cylinder radius="0.3" length="0.6"', 'box size="0.6 0.6 0.6"'])
def test_a_urdfs_shapes_are_placed_on_their_bodies(tmp_path: Path, shape: str) -> None:
    file = tmp_path / "r.urdf"
    file.write_text(URDF.format(shape=shape))
    (base, link), notes = robot_shapes(load_robot(file))
    assert (base.body, link.body) == (-1, 0)
    assert base.vertices[:, 2].min() == 0.0
    assert np.abs(link.vertices).max() == pytest.approx(0.3, rel=0.02)
    assert notes == ()


def test_a_mesh_that_is_absent_is_a_capsule_and_a_note(tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    file.write_text(URDF.format(shape='mesh filename="package://p/absent.stl"'))
    shapes, notes = robot_shapes(load_robot(file))
    assert [shape.drawn for shape in shapes] == [True, False]
    assert notes == (
        "mesh 'package://p/absent.stl' was not found",
        "the description has no shapes that can be read, so capsules between the joints stand for the links",
    )


def test_a_mesh_in_a_package_around_the_file_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    (folder / "urdf").mkdir(parents=True)
    (folder / "tri.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n")
    file = folder / "urdf" / "r.urdf"
    file.write_text(URDF.format(shape='mesh filename="package://p/tri.obj" scale="2 1 1"'))
    shapes, notes = robot_shapes(load_robot(file))
    assert notes == ()
    assert shapes[1].vertices[:, 0].max() == 2.0


def test_an_mjcfs_geoms_are_placed_on_their_bodies(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    file = tmp_path / "r.xml"
    file.write_text(
        '<mujoco><worldbody><geom type="box" size="1 1 1"/><body name="a" pos="0 0 1"><joint name="j" pos="0 0 0.5"/>'
        '<geom type="capsule" size="0.1 0.4"/><geom type="sphere" size="0.2" pos="1 0 0"/></body></worldbody></mujoco>'
    )
    shapes, notes = robot_shapes(load_robot(file))
    assert notes == ()
    assert [shape.body for shape in shapes] == [-1, 0, 0]
    # the parameter frame is at the joint's anchor, half a metre above the body's own
    assert shapes[1].vertices[:, 2].min() == pytest.approx(-1.0)
    assert shapes[2].vertices[:, 0].max() == pytest.approx(1.2, rel=1e-3)
