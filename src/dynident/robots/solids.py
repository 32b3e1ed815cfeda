"""What a robot's links take up of space, as convex solids: what must not touch when it moves.

A solid is the convex hull of a few points with everything within a radius of it: a ball (one point), a capsule (two), or a hull. It never
is smaller than what it stands for. What the description itself states comes first; a link of which nothing is known gets capsules from its
joint to the next, with a thickness that is stated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, check_array, set_frozen
from dynident.errors import ValueRangeError
from dynident.robots.body import Source
from dynident.robots.kinematics import joint_points
from dynident.robots.robot import Robot
from dynident.robots.shapes import thickness


@dataclass(frozen=True, kw_only=True, eq=False)
class Solid:
    """All points within `radius` of the convex hull of `points`.

    body : int        Index of the body that it is a part of; -1 is the base.
    points : (k, 3)   Corners in the body's parameter frame (the base frame for the base) [m].
    radius : float    [m]; 0 where the hull itself is the solid.
    name : str        Name of the link of the description.
    """

    body: int
    points: Array
    radius: float
    name: str

    def __post_init__(self) -> None:
        set_frozen(self, "points", check_array(f"points of a solid of {self.name!r}", self.points, (None, 3), "(points, 3)"))
        if not len(self.points) or not 0.0 <= self.radius < np.inf:
            raise ValueRangeError(f"solid of {self.name!r}", "needs at least one point and a radius that is not negative")


@dataclass(frozen=True, kw_only=True, eq=False)
class Solids:
    """The solids of a robot.

    source : str           Where they come from, as the middle of a sentence.
    ignored : frozenset    Pairs of names (in alphabetical order) that need not be kept apart, as the description says.
    notes : tuple of str   What was not found, and what stands for it.
    """

    solids: tuple[Solid, ...]
    source: str
    ignored: frozenset[tuple[str, str]] = frozenset()
    notes: tuple[str, ...] = ()


def robot_solids(robot: Robot) -> Solids:
    """What the base and the links of a robot take up of space."""
    described = tuple(_described(robot))
    if described:
        return Solids(solids=described, source="capsules of the description")
    radius = thickness(robot)
    source = f"capsules between the joints, radius {radius:.3g} m"
    note = f"no shapes of the links were found, so capsules between the joints with a radius of {radius:.3g} m stand for them"
    return Solids(
        solids=(*base_capsules(robot), *(solid for i in range(robot.n) for solid in link_capsules(robot, i))), source=source, notes=(note,)
    )


def base_capsules(robot: Robot) -> Iterator[Solid]:
    """A capsule from the base's origin to each joint on it."""
    name = robot.base_sources[0] if robot.base_pieces else "base"
    for joint in robot.joints:
        if joint.parent < 0:
            yield _capsule(-1, np.zeros(3), joint.placement[:3, 3], thickness(robot), name)


def link_capsules(robot: Robot, body: int) -> Iterator[Solid]:
    """A capsule from a link's joint to each of the next, in its parameter frame."""
    start, ends = joint_points(robot, body)
    for end in ends or [start]:
        yield _capsule(body, start, end, thickness(robot), robot.links[body].name)


def body_pieces(robot: Robot) -> Iterator[tuple[int, Source]]:
    """Every link of the description with the body that it is a part of, the base's (-1) first."""
    yield from ((-1, piece) for piece in robot.base_pieces)
    yield from ((body, piece) for body, link in enumerate(robot.links) for piece in link.pieces)


def _described(robot: Robot) -> Iterator[Solid]:
    for body, piece in body_pieces(robot):
        R, p = piece.placement[:3, :3], piece.placement[:3, 3]
        for capsule in piece.capsules:
            yield _capsule(body, R @ capsule.start + p, R @ capsule.end + p, capsule.radius, piece.name)


def _capsule(body: int, start: Array, end: Array, radius: float, name: str) -> Solid:
    points = [start] if np.array_equal(start, end) else [start, end]
    return Solid(body=body, points=np.array(points), radius=radius, name=name)
