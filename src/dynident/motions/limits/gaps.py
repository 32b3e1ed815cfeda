"""Distances that a robot has to keep: between two of its solids, and of a solid from a plane; along many positions, with derivatives.

Pinocchio and coal compute them (`gap_engine`). How much a distance can change while the joints move follows from the reach of each joint
(`Gaps.lipschitz`), and this is what proves a motion between its samples.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray, freeze
from dynident.robots.kinematics import joint_points, link_poses
from dynident.robots.robot import JointType, Robot
from dynident.robots.solids import Solid

if TYPE_CHECKING:
    from dynident.motions.limits.gap_engine import GapEngine


class Near(NamedTuple):
    """Gaps that are small: (k,) positions and gaps, (k,) margins [m], (k, n) their derivatives by the joint positions."""

    rows: IntArray
    gaps: IntArray
    margins: Array
    gradients: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class SolidModel:
    """A robot's solids, and how far they are from its joints' axes."""

    robot: Robot
    solids: tuple[Solid, ...]

    @cached_property
    def moved_by(self) -> BoolArray:
        """(S, n) whether a joint moves a solid."""
        out = np.zeros((len(self.solids), self.robot.n), dtype=np.bool_)
        for i, solid in enumerate(self.solids):
            out[i, list(self.robot.ancestors(solid.body))] = True
        return freeze(out)

    def path(self, first: int, second: int) -> tuple[int, ...]:
        """The joints between two bodies, in order from the first to the second."""
        up, down = self.robot.ancestors(first)[::-1], self.robot.ancestors(second)
        return (*(j for j in up if j not in down), *(j for j in down if j not in up))

    def reaches(self, strokes: Array) -> Array:
        """Least upper bounds that lengths alone give of a point's speed per unit of a joint's, wherever the robot stands.

        A turning joint moves a point of a solid by its distance from the axis. The way from the axis to the point leads over the origins of
        the joints between them, whose distances are constant: the distance is at most that of the first of these from the axis, the sum of
        those from one to the next, and that of the point from the last. Seen from the other side, a joint moves the solids before it as
        much as it moves those behind it.

        Parameters
        ----------
        strokes : (n,)
            How far sliding joints go from zero at most [m].

        Returns
        -------
        (n, S) array
            Of each joint and solid [m/rad | 1].
        """
        robot = self.robot
        poses = link_poses(robot, np.zeros(robot.n))
        origins = np.array([pose[:3, :3] @ joint_points(robot, j)[0] + pose[:3, 3] for j, pose in enumerate(poses)])
        before = [pose[:3, :3] @ robot.links[j].placement[:3, :3].T for j, pose in enumerate(poses)]
        axes = np.array([R @ joint.axis for R, joint in zip(before, robot.joints, strict=True)])
        out = np.ones((robot.n, len(self.solids)))
        for s, solid in enumerate(self.solids):
            points = solid.points if solid.body < 0 else solid.points @ poses[solid.body, :3, :3].T + poses[solid.body, :3, 3]
            for j, joint in enumerate(robot.joints):
                if joint.type is not JointType.PRISMATIC:
                    side = j if self.moved_by[s, j] else joint.parent
                    between = self.path(side, solid.body)
                    stops = [*origins[list(between)], points]
                    first = np.linalg.norm(np.cross(axes[j], stops[0] - origins[j]), axis=-1).max()
                    ways = [np.linalg.norm(b - a, axis=-1).max() for a, b in pairwise(stops)]
                    out[j, s] = first + sum(ways) + sum(strokes[k] for k in between) + solid.radius
        return out


@dataclass(frozen=True, kw_only=True, eq=False)
class Gaps:
    """K distances and what they have to be at least.

    first, second : (K,)     Solids; a second of -1 is a plane.
    planes : (K, 4)          Normal and offset of the planes: the solid is where normal · x > offset.
    wanted : (K,)            Least distance [m]. margin = distance - wanted.
    limits, places : (K,)    What a report calls the limit ("floor"), and where it is ("link2", "link1 and link5").
    """

    model: SolidModel
    first: IntArray
    second: IntArray
    planes: Array
    wanted: Array
    limits: tuple[str, ...]
    places: tuple[str, ...]
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        for name in ("first", "second", "planes", "wanted"):
            object.__setattr__(self, name, freeze(getattr(self, name)))
        object.__setattr__(self, "names", tuple(dict.fromkeys(self.limits)))

    def __len__(self) -> int:
        return len(self.limits)

    def __getstate__(self) -> dict[str, Any]:
        """Pinocchio's and coal's objects don't travel between processes; they are made again where they arrive."""
        return {key: value for key, value in self.__dict__.items() if key != "_of_thread"}

    def select(self, chosen: BoolArray) -> Gaps:
        """Some of the gaps, chosen (K,)."""
        kept = np.flatnonzero(chosen)
        return Gaps(
            model=self.model,
            first=self.first[kept],
            second=self.second[kept],
            planes=self.planes[kept],
            wanted=self.wanted[kept],
            limits=tuple(self.limits[k] for k in kept),
            places=tuple(self.places[k] for k in kept),
        )

    @cached_property
    def group(self) -> IntArray:
        """(K,) which of `names` each gap belongs to."""
        return np.array([self.names.index(limit) for limit in self.limits], dtype=np.int64)

    def margins(self, q: Array) -> Array:
        """(N, K) margins at positions q (N, n) [m]."""
        return self._engine.distances(q) - self.wanted

    def rows_below(self, q: Array, margins: Array | float) -> IntArray:
        """Rows of q (N, n) at which some margin may be below `margins` (K,): all where one is, and few others."""
        return self._engine.rows_below(q, self.wanted + margins)

    def near(self, q: Array, enough: float) -> Near:
        """All gaps whose margin is below `enough`, with derivatives.

        ∂distance/∂q = nᵀ (v₂ - v₁): the speeds of the nearest points along the direction from the first to the second.
        """
        near = self._engine.contacts(q, self.wanted + enough)
        a, b = self.first[near.gaps], self.second[near.gaps]
        back = _speeds(near.screws, near.points[:, 0], near.normals)
        away = _speeds(near.screws, near.points[:, 1], near.normals)
        moved = self.model.moved_by
        gradients = np.where(moved[b] & (b >= 0)[:, None], away, 0.0) - np.where(moved[a], back, 0.0)
        return Near(near.rows, near.gaps, near.distances - self.wanted[near.gaps], gradients)

    def lipschitz(self, strokes: Array) -> Array:
        """How fast distances change at most with the joints' positions: |Δdistance| ≤ L |Δq|, wherever the robot stands.

        The distance of two solids changes no faster than their points move, seen from any link between them: joints on one side of that
        link move one solid, those on the other side the other, each by its reach. Every such link gives a bound; the one that is least at
        the joints' velocity limits is taken. A joint that stands on the base changes a height over a plane by the share of its motion that
        is not along the plane.

        Parameters
        ----------
        strokes : (n,)
            How far sliding joints go from zero at most [m].

        Returns
        -------
        (K, n) array
            L [m/rad | m/m].
        """
        slides = [joint.type is JointType.PRISMATIC for joint in self.model.robot.joints]
        return _lipschitz(self, tuple(np.where(slides, strokes, 0.0).tolist()))

    @property
    def _engine(self) -> GapEngine:
        from dynident.motions.limits.gap_engine import GapEngine  # imported here: it is slow to import

        engines = self._of_thread
        if not hasattr(engines, "engine"):
            engines.engine = GapEngine(self.model.robot, self.model.solids, self.first, self.second, self.planes)
        return engines.engine

    @cached_property
    def _of_thread(self) -> threading.local:
        return threading.local()


@lru_cache(maxsize=64)
def _lipschitz(gaps: Gaps, strokes: tuple[float, ...]) -> Array:
    model, robot = gaps.model, gaps.model.robot
    reaches = model.reaches(np.array(strokes))
    usual = np.where(np.isfinite(robot.velocity_limits), robot.velocity_limits, 1.0)
    bodies: list[int] = [solid.body for solid in model.solids]
    out = np.zeros((len(gaps), robot.n))
    for k in range(len(gaps)):
        a, b = int(gaps.first[k]), int(gaps.second[k])
        path = list(model.path(bodies[a], bodies[b] if b >= 0 else -1))
        if b < 0:
            out[k, path] = reaches[path, a] * _tilts(robot, gaps.planes[k, :3])[path]
        else:
            bounds = [np.append(reaches[path[:cut], a], reaches[path[cut:], b]) for cut in range(len(path) + 1)]
            out[k, path] = min(bounds, key=lambda bound: float(usual[path] @ bound))
    return freeze(out)


def _tilts(robot: Robot, normal: Array) -> Array:
    """(n,) how much of a joint's motion can be along a plane's normal: less than all is known only of joints on the base."""
    out = np.ones(robot.n)
    for j, joint in enumerate(robot.joints):
        if joint.parent < 0:
            along = abs(float(normal @ joint.placement[:3, :3] @ joint.axis))
            out[j] = along if joint.type is JointType.PRISMATIC else np.sqrt(max(1.0 - along**2, 0.0))
    return out


def _speeds(screws: Array, points: Array, normals: Array) -> Array:
    """(k, n) speeds of points (k, 3) along directions (k, 3) per unit of each joint's velocity, screws (k, n, 6): n · (v + ω × p)."""
    levers = np.cross(points, normals)
    return np.einsum("kji,ki->kj", screws[..., :3], normals) + np.einsum("kji,ki->kj", screws[..., 3:], levers)


def join_gaps(model: SolidModel, rows: Sequence[tuple[int, int, Array, float, str, str]]) -> Gaps:
    """Gaps from rows of (first, second, plane, wanted, limit, place)."""
    first, second, planes, distances, limits, places = zip(*rows, strict=True) if rows else ((),) * 6
    return Gaps(
        model=model,
        first=np.array(first, dtype=np.int64),
        second=np.array(second, dtype=np.int64),
        planes=np.array(planes, dtype=float).reshape(-1, 4),
        wanted=np.array(distances, dtype=float),
        limits=tuple(limits),
        places=tuple(places),
    )
