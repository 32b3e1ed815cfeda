"""What a robot's links take up of space, as convex solids: what must not touch when it moves.

A solid is the convex hull of a few points with everything within a radius of it: a ball (one point), a capsule (two), or a hull. It never
is smaller than what it stands for. In this order: the capsules of a DH file, the collision shapes of a URDF, SDF or MJCF, its shapes for
the eye where a link has no others, and capsules from joint to joint, with a thickness that is stated, for a link of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array, check_array, set_frozen
from dynident.errors import ValueRangeError
from dynident.robots.body import Source
from dynident.robots.geometry.forms import Hull, join_capsules
from dynident.robots.geometry.meshes import Form, ShapeReader
from dynident.robots.kinematics import arm_reach, joint_points
from dynident.robots.link_shapes import LinkShape, ShapeRole
from dynident.robots.robot import Robot

#: Half the thickness of a link that nothing describes, as a share of the arm's reach, and at least [m].
THICKNESS, LEAST_THICKNESS = 0.04, 0.01


class Origin(StrEnum):
    """Where a solid comes from."""

    DESCRIBED = "capsules of the description"
    COLLISION = "collision shapes of the description"
    VISUAL = "visual shapes of the description"
    KINEMATIC = "capsules between the joints"


@dataclass(frozen=True, kw_only=True, eq=False)
class Solid:
    """All points within `radius` of the convex hull of `points`.

    Attributes
    ----------
    body : int
        Index of the body that it is a part of; -1 is the base.
    points : (k, 3) array
        Corners in the body's parameter frame (the base frame for the base) [m].
    radius : float
        [m]; 0 where the hull itself is the solid.
    name : str
        Name of the link of the description.
    origin : Origin
        Which part of the description it comes from.
    """

    body: int
    points: Array
    radius: float
    name: str
    origin: Origin = Origin.DESCRIBED

    def __post_init__(self) -> None:
        set_frozen(self, "points", check_array(f"points of a solid of {self.name!r}", self.points, (None, 3), "(points, 3)"))
        if not len(self.points) or not 0.0 <= self.radius < np.inf:
            raise ValueRangeError(f"solid of {self.name!r}", "needs at least one point and a radius that is not negative")


@dataclass(frozen=True, kw_only=True, eq=False)
class Solids:
    """The solids of a robot.

    Attributes
    ----------
    solids : tuple of Solid
        All of them.
    ignored : frozenset
        Pairs of names (in alphabetical order) that need not be kept apart, as the description says.
    notes : tuple of str
        What was not found, and what stands for it.
    problem : str
        Why shapes of the description were not read, so that capsules stand for what it describes; empty where all were.
    """

    solids: tuple[Solid, ...]
    ignored: frozenset[tuple[str, str]] = frozenset()
    notes: tuple[str, ...] = ()
    problem: str = ""

    @property
    def source(self) -> str:
        """Where they come from: "collision shapes of the description and capsules between the joints, radius 0.05 m"."""
        return " and ".join(self._words(origin) for origin in Origin if any(solid.origin is origin for solid in self.solids))

    def _words(self, origin: Origin) -> str:
        radii = [solid.radius for solid in self.solids if solid.origin is Origin.KINEMATIC]
        return f"{origin}, radius {max(radii):.3g} m" if origin is Origin.KINEMATIC else origin.value


@lru_cache(maxsize=16)
def robot_solids(robot: Robot) -> Solids:
    """What the base and the links of a robot take up of space.

    Parameters
    ----------
    robot : Robot
        The robot.

    Returns
    -------
    Solids
        Of the shapes of the description, and of capsules around the links where it has none.
    """
    ignored = frozenset((min(pair), max(pair)) for pair in robot.apart)
    described = tuple(described_solids(robot))
    if described:
        return Solids(solids=described, ignored=ignored)
    reader = ShapeReader()
    pieces = [_read_piece(reader, body, piece) for body, piece in body_pieces(robot)]
    problems = [problem for piece in pieces for problem in piece.problems]
    solids = [
        Solid(body=piece.body, points=points, radius=radius, name=piece.name, origin=piece.origin)
        for piece in pieces
        for points, radius in piece.hulls
    ]
    guessed = f"capsules between the joints with a radius of {thickness(robot):.3g} m"
    if not solids:
        capsules = tuple(solid for body in range(-1, robot.n) for solid in body_capsules(robot, body))
        note = f"no shapes of the links were found, so {guessed} stand for them"
        return Solids(solids=capsules, ignored=ignored, notes=(*problems[:1], note), problem="".join(problems[:1]))
    # for bodies whose shapes are lost, and for moving ones that have none and some length
    lost = {piece.body for piece in pieces if piece.lost}
    bare = lost | set(range(robot.n)) - {solid.body for solid in solids}
    capsules = [solid for body in sorted(bare) for solid in body_capsules(robot, body) if len(solid.points) > 1 or body in lost]
    notes = list(first_problem(problems))
    by_eye = [piece.name for piece in pieces if piece.origin is Origin.VISUAL and piece.problems]
    if by_eye:
        notes.append(f"visual shapes stand for the collision shapes of {', '.join(by_eye)}")
    names = dict.fromkeys([*(piece.name for piece in pieces if piece.lost), *(solid.name for solid in capsules)])
    if names:
        radius = thickness(robot)
        notes.append(
            f"capsules between the joints with a radius of {radius:.3g} m stand for {', '.join(names)}, of which no shape was found"
        )
    missing = [problem for piece in pieces if piece.lost for problem in piece.problems]
    whole = (*solids, *capsules)
    return Solids(solids=whole, ignored=ignored, notes=(*notes, *robot.shape_notes), problem="".join(first_problem(missing)))


def thickness(robot: Robot) -> float:
    """Half the thickness of a link that nothing describes [m]."""
    return max(THICKNESS * arm_reach(robot), LEAST_THICKNESS)


def body_capsules(robot: Robot, body: int) -> Iterator[Solid]:
    """A capsule from a link's joint to each of the next, or from the base's origin (body -1) to each joint on it."""
    if body < 0:
        name = robot.base_sources[0] if robot.base_pieces else "base"
        start, ends = np.zeros(3), [joint.placement[:3, 3] for joint in robot.joints if joint.parent < 0]
    else:
        name = robot.links[body].name
        start, ends = joint_points(robot, body)
    for end in ends or [start]:
        points = np.array([start] if np.array_equal(start, end) else [start, end])
        yield Solid(body=body, points=points, radius=thickness(robot), name=name, origin=Origin.KINEMATIC)


def body_pieces(robot: Robot) -> Iterator[tuple[int, Source]]:
    """Every link of the description with the body that it is a part of, the base's (-1) first."""
    yield from ((-1, piece) for piece in robot.base_pieces)
    yield from ((body, piece) for body, link in enumerate(robot.links) for piece in link.pieces)


def described_solids(robot: Robot) -> Iterator[Solid]:
    """The capsules of a DH file, which both collide and are drawn."""
    for body, piece in body_pieces(robot):
        R, p = piece.placement[:3, :3], piece.placement[:3, 3]
        for shape in piece.shapes:
            if shape.role is ShapeRole.BOTH and len(shape.points):
                points = np.array([R @ point + p for point in shape.points])
                yield Solid(body=body, points=points, radius=shape.size[0], name=piece.name, origin=Origin.DESCRIBED)


class _PieceShapes(NamedTuple):
    """What of a link's shapes is used. problems : why some can't be read; lost : whether what is used is less than the link."""

    body: int
    name: str
    origin: Origin
    hulls: list[Hull]
    problems: list[str]
    lost: bool = False


def _read_piece(reader: ShapeReader, body: int, piece: Source) -> _PieceShapes:
    """The collision shapes of a link, its visual ones where some of those can't be read, else what can."""
    hulls, problems = _hulls(reader, piece, ShapeRole.COLLISION)
    if hulls and not problems:
        return _PieceShapes(body, piece.name, Origin.COLLISION, hulls, problems)
    visual, unread = _hulls(reader, piece, ShapeRole.VISUAL)
    if visual and not unread:
        return _PieceShapes(body, piece.name, Origin.VISUAL, visual, problems)
    problems += unread
    return _PieceShapes(body, piece.name, Origin.COLLISION, [*hulls, *visual], problems, lost=bool(problems))


def first_problem(problems: list[str]) -> Iterator[str]:
    """One sentence for all, where there are some."""
    if problems:
        more = f", and so on for {len(problems) - 1} more" if len(problems) > 1 else ""
        yield problems[0] + more


def read_role(reader: ShapeReader, shapes: Sequence[LinkShape], role: ShapeRole) -> Iterator[tuple[LinkShape, Form | str]]:
    """The shapes for one role, and each as it is to be used, or a sentence that says why it cannot be."""
    yield from ((shape, reader.read(shape)) for shape in shapes if shape.role in (role, ShapeRole.BOTH))


def _hulls(reader: ShapeReader, piece: Source, role: ShapeRole) -> tuple[list[Hull], list[str]]:
    """The hulls of a link's shapes in the frame of its body, and why there is none of some."""
    read = list(read_role(reader, join_capsules(piece.shapes), role))
    problems = [form for _, form in read if isinstance(form, str)]
    return [form.hull().placed(piece.placement @ shape.pose) for shape, form in read if not isinstance(form, str)], problems
