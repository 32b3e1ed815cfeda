"""What a robot's links take up of space, as convex solids: what must not touch when it moves.

A solid is the convex hull of a few points with everything within a radius of it: a ball (one point), a capsule (two), or a hull. It never
is smaller than what it stands for. In this order: the capsules of a DH file, the collision shapes of a URDF, SDF or MJCF, its shapes for
the eye where a link has no others, and capsules from joint to joint, with a thickness that is stated, for a link of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np

from dynident.core.arrays import Array, check_array, set_frozen
from dynident.errors import ValueRangeError
from dynident.robots.body import Source
from dynident.robots.geometry.description import Geometry, Role, ShapePart, join_capsules, read_geometry
from dynident.robots.kinematics import arm_reach, joint_points
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
        Why no shape of the description was read, where it has some; empty elsewhere.
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
    described = tuple(described_solids(robot))
    if described:
        return Solids(solids=described, ignored=frozenset((min(pair), max(pair)) for pair in robot.apart))
    geometry = read_geometry(robot)
    if isinstance(geometry, str):
        return _kinematic(robot, [geometry] if geometry else [], frozenset())
    found = _Found(robot, geometry)
    if not found.solids:
        return _kinematic(robot, found.problems, geometry.ignored)
    solids, notes = [*found.solids, *found.capsules()], (*found.notes(), *geometry.notes)
    return Solids(solids=tuple(solids), ignored=geometry.ignored, notes=notes)


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
        yield _capsule(body, start, end, thickness(robot), name, Origin.KINEMATIC)


def body_pieces(robot: Robot) -> Iterator[tuple[int, Source]]:
    """Every link of the description with the body that it is a part of, the base's (-1) first."""
    yield from ((-1, piece) for piece in robot.base_pieces)
    yield from ((body, piece) for body, link in enumerate(robot.links) for piece in link.pieces)


def described_solids(robot: Robot) -> Iterator[Solid]:
    """The capsules that the description itself states."""
    for body, piece in body_pieces(robot):
        R, p = piece.placement[:3, :3], piece.placement[:3, 3]
        for capsule in piece.capsules:
            yield _capsule(body, R @ capsule.start + p, R @ capsule.end + p, capsule.radius, piece.name, Origin.DESCRIBED)


def _capsule(body: int, start: Array, end: Array, radius: float, name: str, origin: Origin) -> Solid:
    points = [start] if np.array_equal(start, end) else [start, end]
    return Solid(body=body, points=np.array(points), radius=radius, name=name, origin=origin)


def _kinematic(robot: Robot, problems: list[str], ignored: frozenset[tuple[str, str]]) -> Solids:
    solids = tuple(solid for body in range(-1, robot.n) for solid in body_capsules(robot, body))
    note = f"no shapes of the links were found, so capsules between the joints with a radius of {thickness(robot):.3g} m stand for them"
    return Solids(solids=solids, ignored=ignored, notes=(*problems[:1], note), problem="".join(problems[:1]))


class _Found:
    """What a file has for every link, and which links have nothing."""

    def __init__(self, robot: Robot, geometry: Geometry) -> None:
        self.robot = robot
        self.solids: list[Solid] = []
        self.problems: list[str] = []
        self.lost: dict[str, int] = {}  # links whose shapes can't be read, with their body
        self.by_eye: list[str] = []  # links of which the visual shapes are used
        for body, piece in body_pieces(robot):
            self._add(geometry, body, piece)

    def _add(self, geometry: Geometry, body: int, piece: Source) -> None:
        """The collision shapes of a link, its visual ones where some of those can't be read, else what can, and it counts as lost."""
        parts, problems = _read(geometry, piece.name, "collision")
        origin = Origin.COLLISION
        if problems or not parts:
            visual, unread = _read(geometry, piece.name, "visual")
            if visual and not unread:
                parts, origin = visual, Origin.VISUAL
                self.by_eye += [piece.name] if problems else []
            elif problems or unread:
                parts, problems = [*parts, *visual], [*problems, *unread]
                self.lost[piece.name] = body
        self.problems += problems
        self.solids += [_solid(body, piece, part, origin) for part in parts]

    def capsules(self) -> Iterator[Solid]:
        """For bodies whose shapes are lost, and for moving ones that have none and some length."""
        bare = set(range(self.robot.n)) - {solid.body for solid in self.solids}
        for body in sorted(bare | set(self.lost.values())):
            yield from (s for s in body_capsules(self.robot, body) if len(s.points) > 1 or body in self.lost.values())

    def notes(self) -> Iterator[str]:
        yield from first_problem(self.problems)
        if self.by_eye:
            yield f"visual shapes stand for the collision shapes of {', '.join(self.by_eye)}"
        bare = dict.fromkeys([*self.lost, *(solid.name for solid in self.capsules())])
        if bare:
            radius = thickness(self.robot)
            yield f"capsules between the joints with a radius of {radius:.3g} m stand for {', '.join(bare)}, of which no shape was found"


def first_problem(problems: list[str]) -> Iterator[str]:
    """One sentence for all, where there are some."""
    if problems:
        more = f", and so on for {len(problems) - 1} more" if len(problems) > 1 else ""
        yield problems[0] + more


def _read(geometry: Geometry, link: str, role: Role) -> tuple[list[ShapePart], list[str]]:
    read = geometry.parts(link, role)
    return join_capsules([part for part in read if isinstance(part, ShapePart)]), [part for part in read if isinstance(part, str)]


def _solid(body: int, piece: Source, part: ShapePart, origin: Origin) -> Solid:
    points, radius = part.form.hull().placed(piece.placement @ part.pose)
    return Solid(body=body, points=points, radius=radius, name=piece.name, origin=origin)
