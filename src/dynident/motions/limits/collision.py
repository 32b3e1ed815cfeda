"""Which of a robot's solids could touch, and the distances that a motion within given limits has to keep.

Pairs on one body or on neighbouring bodies are left out, those that the description says need not be kept apart, and those that overlap at
almost every position, where the shapes and not the robot touch. Two solids that are always close keep half of the room that they have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.errors import InputError, Remedy
from dynident.motions.limits.gaps import Gaps, SolidModel, join_gaps
from dynident.motions.limits.limits import TOOL, Box, Limits
from dynident.robots.robot import Robot
from dynident.robots.solids import Origin, Solid, robot_solids

#: What a report calls the distances between links.
SELF_COLLISION = "self-collision"
#: Pairs that overlap at more than this share of random positions are left out.
ALWAYS = 0.95
_RANDOM_POSITIONS = 1000
#: Heights that differ by less than this over random positions are constant [m].
_CONSTANT = 1e-6

_Row = tuple[int, int, Array, float, str, str]


@dataclass(frozen=True, kw_only=True, eq=False)
class CollisionModel:
    """A robot's solids, the last of which is the point of its tool.

    pairs : tuple of (int, int)   Solids that have to be kept apart.
    room : (P,)                   Distance that each pair has at most in 95 % of random positions [m].
    source : str                  Where the solids come from.
    notes : tuple of str          What stands for what, and what is left out.
    """

    model: SolidModel
    pairs: tuple[tuple[int, int], ...]
    room: Array
    source: str
    notes: tuple[str, ...] = ()

    @staticmethod
    def of_robot(robot: Robot) -> tuple[CollisionModel | None, str]:
        """The robot's solids, or None and a sentence that says why there are none."""
        return _of_robot(robot)

    @property
    def robot(self) -> Robot:
        return self.model.robot

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the pairs."""
        return tuple(_pair_name(self.model, pair) for pair in self.pairs)

    def gaps(self, limits: Limits) -> Gaps:
        """All distances that the limits ask for: between links, from the floor, and from the sides of boxes."""
        return _gaps(self, limits)

    def likely_gaps(self, limits: Limits, enough: float) -> Gaps:
        """Those whose margin is below `enough` at some random position: what a search has to look after. The others seldom matter."""
        gaps = self.gaps(limits)
        return gaps.select(np.any(gaps.margins(random_positions(self.robot)) < enough, axis=0))


def unchecked_collisions(robot: Robot, limits: Limits) -> str:
    """A sentence on why collisions of a motion within the limits are not known; empty where they are checked."""
    _, reason = CollisionModel.of_robot(robot)
    if not reason and limits.clearance is None:
        return "collisions between links were not checked: the limits have no clearance"
    return reason


def require_checked(robot: Robot, limits: Limits, *, unchecked: bool) -> str:
    """As `unchecked_collisions`; an InputError where collisions can't be checked, unless that is what the caller wants."""
    _, reason = CollisionModel.of_robot(robot)
    if reason and not unchecked:
        raise InputError(
            reason, remedy=Remedy("describe the links with shapes, or take the motion without the check ({unchecked})", unchecked=True)
        )
    return unchecked_collisions(robot, limits)


def random_positions(robot: Robot) -> Array:
    """(N, n) the same positions for the same robot."""
    low, high = robot.drawn_range.T
    return np.random.default_rng(0).uniform(low, high, (_RANDOM_POSITIONS, robot.n))


@lru_cache(maxsize=16)
def _of_robot(robot: Robot) -> tuple[CollisionModel | None, str]:
    described = robot_solids(robot)
    # guessed capsules say nothing of the robot's links
    if described.problem or all(solid.origin is Origin.KINEMATIC for solid in described.solids):
        return None, f"collisions were not checked: {described.problem or 'the description has no shapes'}"
    tool = Solid(body=robot.n - 1, points=robot.tool[None, :3, 3], radius=0.0, name=TOOL)
    model = SolidModel(robot=robot, solids=(*described.solids, tool))
    pairs = [
        (a, b)
        for (a, first), (b, second) in combinations(enumerate(described.solids), 2)
        if not _neighbours(robot, first.body, second.body) and _ordered(first.name, second.name) not in described.ignored
    ]
    return _keep_separable(CollisionModel(model=model, pairs=tuple(pairs), room=np.empty(0), source=described.source), described.notes), ""


def _keep_separable(collision: CollisionModel, notes: tuple[str, ...]) -> CollisionModel:
    """Without the pairs that overlap at almost every random position."""
    model, pairs = collision.model, collision.pairs
    gaps = join_gaps(model, [(*pair, np.zeros(4), 0.0, SELF_COLLISION, "") for pair in pairs])
    distances = gaps.margins(random_positions(collision.robot))
    room = np.quantile(distances, ALWAYS, axis=0) if pairs else np.empty(0)
    kept = np.flatnonzero(room > 0.0)
    left_out = [_pair_name(model, pair) for pair, distance in zip(pairs, room, strict=True) if distance <= 0.0]
    if left_out:
        notes = (*notes, f"these links overlap at almost every position, so that their distance is not checked: {'; '.join(left_out)}")
    return CollisionModel(model=model, pairs=tuple(pairs[k] for k in kept), room=room[kept], source=collision.source, notes=notes)


def _neighbours(robot: Robot, a: int, b: int) -> bool:
    low, high = sorted((a, b))
    return low == high or robot.joints[high].parent == low


def _ordered(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a <= b else (b, a)


def _pair_name(model: SolidModel, pair: tuple[int, int]) -> str:
    return " and ".join(model.solids[solid].name for solid in pair)


@lru_cache(maxsize=64)
def _gaps(collision: CollisionModel, limits: Limits) -> Gaps:
    rows: list[_Row] = []
    if limits.clearance is not None:
        for pair, room in zip(collision.pairs, collision.room, strict=True):
            distance = min(limits.clearance, 0.5 * float(room))
            rows.append((*pair, np.zeros(4), distance, SELF_COLLISION, _pair_name(collision.model, pair)))
    for box in limits.boxes:
        rows += _box_rows(collision.model, box, limits.clearance or 0.0)
    if limits.floor > -np.inf:
        rows += _floor_rows(collision, limits.floor, limits.clearance or 0.0)
    return join_gaps(collision.model, rows)


def _box_rows(model: SolidModel, box: Box, clearance: float) -> Iterator[_Row]:
    """Every finite side of a box, for every solid of its frames."""
    names = (*model.robot.link_names, TOOL)
    bodies = {model.robot.n if name == TOOL else names.index(name) for name in box.frames or names}
    for i, solid in enumerate(model.solids):
        is_tool = i == len(model.solids) - 1
        if solid.body < 0 or (model.robot.n if is_tool else solid.body) not in bodies:
            continue
        for axis in range(3):
            for sign, side in ((1.0, box.lower[axis]), (-1.0, box.upper[axis])):
                if np.isfinite(side):
                    yield i, -1, np.append(sign * np.eye(3)[axis], sign * side), clearance, box.name, solid.name


def _floor_rows(collision: CollisionModel, floor: float, clearance: float) -> Iterator[_Row]:
    """The floor for every solid whose height changes; of one that is never high over it, half of the height that it can have is kept."""
    model, plane = collision.model, np.array([0.0, 0.0, 1.0, floor])
    moving = [i for i, solid in enumerate(model.solids) if solid.body >= 0]
    over = join_gaps(model, [(i, -1, plane, 0.0, "floor", "") for i in moving])
    heights = over.margins(random_positions(collision.robot))
    for i, least, room in zip(moving, _is_constant(heights), np.quantile(heights, ALWAYS, axis=0), strict=True):
        if not least:
            distance = min(clearance, 0.5 * float(room)) if room > 0.0 else clearance
            yield i, -1, plane, distance, "floor", model.solids[i].name


def _is_constant(heights: Array) -> BoolArray:
    return np.asarray(np.ptp(heights, axis=0) < _CONSTANT, dtype=np.bool_)
