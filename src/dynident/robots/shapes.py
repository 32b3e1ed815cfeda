# pyright: basic
"""What a robot looks like: triangles of its links, from its description's geometry, or capsules where there is none.

A URDF's visual shapes are used, else its collision shapes; an MJCF's geoms. Meshes are read by coal, which comes with Pinocchio. A link
without any shape that can be read is drawn as a capsule from its joint to the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote
from xml.etree.ElementTree import Element

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.files import read_text
from dynident.core.xml import parse_xml
from dynident.errors import import_optional
from dynident.robots.formats.urdf_xml import read_numbers, read_origin
from dynident.robots.kinematics import arm_reach, joint_points
from dynident.robots.packages import package_folders
from dynident.robots.robot import Robot

#: Half the thickness of a link that nothing describes, as a share of the arm's reach, and at least [m].
THICKNESS, LEAST_THICKNESS = 0.04, 0.01
#: Meshes with more triangles are drawn coarser.
_MOST_TRIANGLES = 6000
_SPOKES, _RINGS = 20, 6


class Shape(NamedTuple):
    """Triangles of one body, -1 for the base, in its parameter frame. drawn : whether the description has them; else a capsule."""

    body: int
    vertices: Array  #: (k, 3) [m]
    triangles: IntArray  #: (t, 3)
    drawn: bool


def robot_shapes(robot: Robot) -> tuple[tuple[Shape, ...], tuple[str, ...]]:
    """The shapes of the base and of every link, and notes about what could not be read."""
    source = Path(robot.source)
    found: list[Shape] = []
    notes: list[str] = []
    if source.suffix.lower() in (".urdf", ".xml") and source.is_file():
        root = parse_xml(source, read_text(source))
        read = list(_urdf_shapes(robot, source, root) if root.tag == "robot" else _mjcf_shapes(robot, source))
        found += [item for item in read if isinstance(item, Shape)]
        problems = [item for item in read if isinstance(item, str)]
        if problems:
            more = f", and so on for {len(problems) - 1} more" if len(problems) > 1 else ""
            notes.append(problems[0] + more)
    bare = [i for i in range(robot.n) if not any(shape.body == i for shape in found)]
    if not any(shape.body < 0 for shape in found):
        found += [Shape(-1, *mesh, False) for mesh in base_capsules(robot)]
    found += [Shape(body, *mesh, False) for body in bare for mesh in link_capsules(robot, body)]
    if bare and len(bare) < robot.n:
        notes.append(f"capsules stand for {', '.join(robot.links[i].name for i in bare)}, of which no shape was found")
    elif bare:
        notes.append("the description has no shapes that can be read, so capsules between the joints stand for the links")
    return tuple(found), tuple(dict.fromkeys(notes))


def thickness(robot: Robot) -> float:
    """Half the thickness of a link that nothing describes [m]."""
    return max(THICKNESS * arm_reach(robot), LEAST_THICKNESS)


def base_capsules(robot: Robot) -> Iterator[tuple[Array, IntArray]]:
    """A capsule from the base's origin to each joint on it."""
    for joint in robot.joints:
        if joint.parent < 0:
            yield capsule(np.zeros(3), joint.placement[:3, 3], thickness(robot))


def link_capsules(robot: Robot, body: int) -> Iterator[tuple[Array, IntArray]]:
    """A capsule from a link's joint to each of the next, in its parameter frame."""
    radius = thickness(robot)
    start, ends = joint_points(robot, body)
    for end in ends or [start]:
        yield capsule(start, end, radius)


def _urdf_shapes(robot: Robot, source: Path, root: Element) -> Iterator[Shape | str]:
    elements = {link.get("name", ""): link for link in root.findall("link")}
    pieces = [(-1, piece) for piece in robot.base_pieces] + [(i, piece) for i, link in enumerate(robot.links) for piece in link.pieces]
    for body, piece in pieces:
        link = elements.get(piece.name)
        for element in [] if link is None else link.findall("visual") or link.findall("collision"):
            geometry = element.find("geometry")
            mesh = None if geometry is None else _urdf_geometry(source, geometry)
            if isinstance(mesh, str):
                yield mesh
            elif mesh is not None:
                pose = piece.placement @ read_origin(source, f"link {piece.name!r}", element)
                yield Shape(body, mesh[0] @ pose[:3, :3].T + pose[:3, 3], mesh[1], True)


def _urdf_geometry(source: Path, geometry: Element) -> tuple[Array, IntArray] | str | None:
    def number(element: Element, *names: str) -> list[float]:
        found = read_numbers(source, "geometry", element, required=names)
        return [float(found[name][0]) for name in names]

    box, ball, round_bar, mesh = (geometry.find(tag) for tag in ("box", "sphere", "cylinder", "mesh"))
    if box is not None:
        return cuboid(read_numbers(source, "geometry", box, required=("size",), length=3)["size"])
    if ball is not None:
        return capsule(np.zeros(3), np.zeros(3), number(ball, "radius")[0])
    if round_bar is not None:
        radius, length = number(round_bar, "radius", "length")
        return cylinder(radius, length)
    if mesh is None:
        return None
    file = _find_mesh(source, mesh.get("filename", ""))
    scale = read_numbers(source, "geometry", mesh, optional=("scale",), length=3).get("scale", np.ones(3))
    return f"mesh {mesh.get('filename')!r} was not found" if file is None else _load_mesh(file, scale)


def _find_mesh(source: Path, name: str) -> Path | None:
    """A mesh's file: beside the description, or in a package around it or on ROS's paths."""
    plain = unquote(name.removeprefix("file://"))
    if not plain.startswith("package://"):
        file = source.parent / plain
        return file if file.is_file() else None
    inside = plain.removeprefix("package://")
    package, _, rest = inside.partition("/")
    folders = package_folders(source)
    candidates = [folder / inside for folder in folders] + [folder / rest for folder in folders if folder.name == package]
    return next((file for file in candidates if file.is_file()), None)


def _load_mesh(file: Path, scale: Array) -> tuple[Array, IntArray] | str:
    coal: Any = import_module("coal")
    try:
        mesh = coal.MeshLoader().load(str(file), scale)
    except (RuntimeError, ValueError) as error:
        return f"mesh {file.name!r} can't be read ({' '.join(str(error).split())})"
    vertices = np.array(mesh.vertices(), dtype=float)
    triangles = np.array([[mesh.tri_indices(t)[k] for k in range(3)] for t in range(mesh.num_tris)], dtype=np.int64).reshape(-1, 3)
    return _coarser(vertices, triangles)


def _coarser(vertices: Array, triangles: IntArray) -> tuple[Array, IntArray]:
    """Fewer triangles: corners that fall into one cell of a grid become one."""
    cells = 160
    while len(triangles) > _MOST_TRIANGLES and cells > 4:
        size = max(float(np.ptp(vertices, axis=0).max()), 1e-9) / cells
        _, first, group = np.unique(np.round(vertices / size).astype(np.int64), axis=0, return_index=True, return_inverse=True)
        merged = group.ravel()[triangles]
        flat = (merged[:, 0] == merged[:, 1]) | (merged[:, 1] == merged[:, 2]) | (merged[:, 0] == merged[:, 2])
        if np.sum(~flat) <= _MOST_TRIANGLES:
            return vertices[first], np.unique(merged[~flat], axis=0)
        cells = int(0.7 * cells)
    return vertices, triangles


def _mjcf_shapes(robot: Robot, source: Path) -> Iterator[Shape | str]:
    mj = import_optional("mujoco", "showing an MJCF")
    try:
        model = mj.MjModel.from_xml_path(str(source))
    except ValueError as error:
        yield f"MuJoCo can't show the file: {' '.join(str(error).split())}"
        return
    placed = {piece.name: (-1, piece.placement) for piece in robot.base_pieces}
    placed |= {piece.name: (i, piece.placement) for i, link in enumerate(robot.links) for piece in link.pieces}
    shown = {int(b) for b in model.geom_bodyid[model.geom_contype == 0]}  # bodies that have shapes for the eye alone
    for g in range(model.ngeom):
        body = int(model.geom_bodyid[g])
        name = model.body(body).name or f"body{body}"
        if name not in placed or (body in shown and model.geom_contype[g] != 0):
            continue
        mesh = _mjcf_geom(mj, model, g)
        if mesh is None:
            continue
        R = np.zeros(9)
        mj.mju_quat2Mat(R, model.geom_quat[g])
        index, pose = placed[name]
        points = mesh[0] @ R.reshape(3, 3).T + model.geom_pos[g]
        yield Shape(index, points @ pose[:3, :3].T + pose[:3, 3], mesh[1], True)


def _mjcf_geom(mj: Any, model: Any, g: int) -> tuple[Array, IntArray] | None:
    kind, (a, b, c) = int(model.geom_type[g]), model.geom_size[g]
    half = np.array([0.0, 0.0, b])
    if kind == int(mj.mjtGeom.mjGEOM_BOX):
        return cuboid(2.0 * np.array([a, b, c]))
    if kind == int(mj.mjtGeom.mjGEOM_SPHERE):
        return capsule(np.zeros(3), np.zeros(3), a)
    if kind == int(mj.mjtGeom.mjGEOM_CAPSULE):
        return capsule(-half, half, a)
    if kind == int(mj.mjtGeom.mjGEOM_CYLINDER):
        return cylinder(a, 2.0 * b)
    if kind == int(mj.mjtGeom.mjGEOM_MESH):
        m = int(model.geom_dataid[g])
        vertices = model.mesh_vert[model.mesh_vertadr[m] :][: model.mesh_vertnum[m]]
        faces = model.mesh_face[model.mesh_faceadr[m] :][: model.mesh_facenum[m]]
        return _coarser(np.array(vertices, dtype=float), np.array(faces, dtype=np.int64))
    return None


def cuboid(size: Array) -> tuple[Array, IntArray]:
    """A box of this size (3,) about the origin."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return corners, np.array([triangle for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d))], dtype=np.int64)


def cylinder(radius: float, length: float) -> tuple[Array, IntArray]:
    """A cylinder along z about the origin."""
    return turned_surface(np.array([0.0, radius, radius, 0.0]), 0.5 * length * np.array([-1.0, -1.0, 1.0, 1.0]))


def capsule(start: Array, end: Array, radius: float) -> tuple[Array, IntArray]:
    """A capsule between two points; a ball where they are one."""
    angle = np.linspace(0.0, 0.5 * np.pi, _RINGS)
    length = float(np.linalg.norm(end - start))
    r = radius * np.concatenate([np.sin(angle), np.cos(angle)])
    z = radius * np.concatenate([-np.cos(angle), np.sin(angle)]) + np.repeat([0.0, length], _RINGS)
    vertices, triangles = turned_surface(r, z)
    return vertices @ _frame_along(end - start).T + start, triangles


def turned_surface(r: Array, z: Array, spokes: int = _SPOKES) -> tuple[Array, IntArray]:
    """Points (k, 3) and triangles (t, 3) of the surface that a profile (r, z) sweeps about z."""
    around = np.linspace(0.0, 2.0 * np.pi, spokes, endpoint=False)
    points = [[radius * np.cos(phi), radius * np.sin(phi), height] for radius, height in zip(r, z, strict=True) for phi in around]
    triangles: list[tuple[int, int, int]] = []
    for ring in range(len(r) - 1):
        for spoke in range(spokes):
            a, b = ring * spokes + spoke, ring * spokes + (spoke + 1) % spokes
            triangles += [(a, b, a + spokes), (b, b + spokes, a + spokes)]
    return np.array(points), np.array(triangles, dtype=np.int64)


def _frame_along(direction: Array) -> Array:
    """(3, 3) rotation whose z axis is the direction."""
    length = float(np.linalg.norm(direction))
    if length < 1e-12:
        return np.eye(3)
    z = direction / length
    x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
