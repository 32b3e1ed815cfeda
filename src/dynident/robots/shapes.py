"""What a robot looks like: triangles of its links, from its description's geometry, or capsules where there is none.

A URDF's or SDF's visual shapes are used, else its collision shapes; an MJCF's geoms; the capsules of a DH file. A link without any shape
that can be read is drawn as a capsule from its joint to the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dynident.core.arrays import Array, IntArray
from dynident.robots.geometry.description import ShapePart, read_geometry
from dynident.robots.geometry.forms import Hull
from dynident.robots.robot import Robot
from dynident.robots.solids import Solid, body_capsules, body_pieces, described_solids, first_problem


class Shape(NamedTuple):
    """Triangles of one body, -1 for the base, in its parameter frame. drawn : whether the description has them; else a capsule."""

    body: int
    vertices: Array  #: (k, 3) [m]
    triangles: IntArray  #: (t, 3)
    drawn: bool


def robot_shapes(robot: Robot) -> tuple[tuple[Shape, ...], tuple[str, ...]]:
    """The shapes of the base and of every link, and notes about what could not be read."""
    read = [solid_shape(solid) for solid in described_solids(robot)] or list(_file_shapes(robot))
    found = [item for item in read if isinstance(item, Shape)]
    problems = [item for item in read if isinstance(item, str)]
    notes = list(first_problem(problems))
    bare = [body for body in range(-1, robot.n) if not any(shape.body == body for shape in found)]
    found += [solid_shape(solid, drawn=False) for body in bare for solid in body_capsules(robot, body)]
    links = [robot.links[body].name for body in bare if body >= 0]
    if links and len(links) < robot.n:
        notes.append(f"capsules stand for {', '.join(links)}, of which no shape was found")
    elif links:
        notes.append("the description has no shapes that can be read, so capsules between the joints stand for the links")
    return tuple(found), tuple(dict.fromkeys(notes))


def solid_shape(solid: Solid, *, drawn: bool = True) -> Shape:
    """A solid as triangles."""
    return Shape(solid.body, *Hull(solid.points, solid.radius).surface(), drawn)


def _file_shapes(robot: Robot) -> Iterator[Shape | str]:
    geometry = read_geometry(robot)
    if isinstance(geometry, str):
        yield from [geometry] if geometry else []
        return
    for body, piece in body_pieces(robot):
        for part in geometry.parts(piece.name, "visual") or geometry.parts(piece.name, "collision"):
            yield _shape(body, piece.placement, part) if isinstance(part, ShapePart) else part


def _shape(body: int, placement: Array, part: ShapePart) -> Shape:
    points, triangles = part.form.surface()
    pose = placement @ part.pose
    return Shape(body, points @ pose[:3, :3].T + pose[:3, 3], triangles, True)
