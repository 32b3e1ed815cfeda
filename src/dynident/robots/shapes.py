"""What a robot looks like: triangles of its links, from its description's geometry, or capsules where there is none.

A URDF's or SDF's visual shapes are used, else its collision shapes; an MJCF's geoms; the capsules of a DH file. A link without any shape
that can be read is drawn as a capsule from its joint to the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dynident.core.arrays import Array, IntArray
from dynident.robots.geometry.forms import Hull
from dynident.robots.geometry.meshes import ShapeReader
from dynident.robots.link_shapes import ShapeRole
from dynident.robots.robot import Robot
from dynident.robots.solids import Solid, body_capsules, body_pieces, first_problem, read_role


class BodyTriangles(NamedTuple):
    """Triangles of one body, -1 for the base, in its parameter frame. drawn : whether the description has them; else a capsule."""

    body: int
    vertices: Array  #: (k, 3) [m]
    triangles: IntArray  #: (t, 3)
    drawn: bool


def robot_shapes(robot: Robot) -> tuple[tuple[BodyTriangles, ...], tuple[str, ...]]:
    """The shapes of the base and of every link, and notes about what could not be read."""
    read = list(_loaded_shapes(robot))
    shapes = [item for item in read if isinstance(item, BodyTriangles)]
    problems = [item for item in read if isinstance(item, str)]
    notes = list(first_problem(problems))
    bare = [body for body in range(-1, robot.n) if not any(shape.body == body for shape in shapes)]
    shapes += [solid_shape(solid, drawn=False) for body in bare for solid in body_capsules(robot, body)]
    links = [robot.links[body].name for body in bare if body >= 0]
    if links and len(links) < robot.n:
        notes.append(f"capsules stand for {', '.join(links)}, of which no shape was found")
    elif links:
        notes.append("the description has no shapes that can be read, so capsules between the joints stand for the links")
    return tuple(shapes), tuple(dict.fromkeys(notes))


def solid_shape(solid: Solid, *, drawn: bool = True) -> BodyTriangles:
    """A solid as triangles."""
    return BodyTriangles(solid.body, *Hull(solid.points, solid.radius).surface(), drawn)


def _loaded_shapes(robot: Robot) -> Iterator[BodyTriangles | str]:
    reader = ShapeReader()
    for body, piece in body_pieces(robot):
        visual = list(read_role(reader, piece.shapes, ShapeRole.VISUAL))
        for shape, form in visual or read_role(reader, piece.shapes, ShapeRole.COLLISION):
            if isinstance(form, str):
                yield form
                continue
            points, triangles = form.surface()
            pose = piece.placement @ shape.pose
            yield BodyTriangles(body, points @ pose[:3, :3].T + pose[:3, 3], triangles, True)
