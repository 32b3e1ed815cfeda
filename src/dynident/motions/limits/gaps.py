"""Distances that a robot has to keep: between two of its solids, and of a solid from a plane; along many positions, with derivatives.

Every solid is held by a capsule, and the compiled kernels look at those. Balls and capsules are exact then; of a solid with more corners it
is a lower bound, and only where that is not enough are its corners looked at.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray, freeze
from dynident.motions.limits.gap_reference import point_speeds
from dynident.motions.limits.hulls import HullEngine, enclosing_capsule
from dynident.robots.kinematics import joint_constants
from dynident.robots.robot import Robot
from dynident.robots.solids import Solid


class Placement(NamedTuple):
    """A robot at N positions.

    poses : (N, n + 1, 3, 4)    Of the links' parameter frames in the base frame; the last is the base itself.
    screws : (N, n, 6)          Velocity per unit of each joint's: angular, and linear of the point at the base's origin.
    segments : (N, S, 2, 3)     Ends of the capsules that hold the solids [m].
    """

    poses: Array
    screws: Array
    segments: Array


class Near(NamedTuple):
    """Gaps that are small: (k,) positions and gaps, (k,) margins [m], (k, n) their derivatives by the joint positions."""

    rows: IntArray
    gaps: IntArray
    margins: Array
    gradients: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class SolidModel:
    """A robot's solids, and the capsules that hold them."""

    robot: Robot
    solids: tuple[Solid, ...]

    @cached_property
    def bodies(self) -> IntArray:
        """(S,) body of each solid, -1 for the base."""
        return freeze(np.array([solid.body for solid in self.solids], dtype=np.int64))

    @cached_property
    def capsules(self) -> tuple[Array, Array]:
        """(S, 2, 3) ends in the bodies' frames and (S,) radii [m]."""
        enclosing = [enclosing_capsule(solid) for solid in self.solids]
        return freeze(np.array([ends for ends, _ in enclosing])), freeze(np.array([radius for _, radius in enclosing], dtype=float))

    @cached_property
    def corners(self) -> tuple[Array, IntArray, Array]:
        """Corners of all solids one after another (k, 3) [m], where those of each start (S + 1,), and the solids' own radii (S,) [m]."""
        starts = np.cumsum([0, *(len(solid.points) for solid in self.solids)])
        points = np.concatenate([solid.points for solid in self.solids])
        return freeze(points), freeze(starts), freeze(np.array([solid.radius for solid in self.solids], dtype=float))

    @cached_property
    def is_hull(self) -> BoolArray:
        """(S,) whether its capsule is only a first look."""
        return np.array([len(solid.points) > 2 for solid in self.solids], dtype=np.bool_)

    @cached_property
    def moved_by(self) -> BoolArray:
        """(S, n) whether a joint moves a solid."""
        out = np.zeros((len(self.solids), self.robot.n), dtype=np.bool_)
        for i, solid in enumerate(self.solids):
            out[i, list(self.robot.ancestors(solid.body))] = True
        return freeze(out)

    @cached_property
    def engine(self) -> HullEngine:
        return HullEngine(self.solids)

    def place(self, q: Array) -> Placement:
        """The solids at joint positions q (N, n)."""
        N, n, S = *q.shape, len(self.solids)
        at = Placement(np.empty((N, n + 1, 3, 4)), np.empty((N, n, 6)), np.empty((N, S, 2, 3)))
        _kernels().place(self.robot.parents, joint_constants(self.robot), freeze(q), self.bodies, self.capsules[0], *at)
        return at

    def __getstate__(self) -> dict[str, Any]:
        """coal's objects don't travel between processes; they are made again where they arrive."""
        return {key: value for key, value in self.__dict__.items() if key != "engine"}


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

    @cached_property
    def is_hull(self) -> BoolArray:
        """(K,) whether a solid with corners takes part, so that capsules only give a lower bound."""
        hull = self.model.is_hull
        return np.asarray(hull[self.first] | (hull[self.second] & (self.second >= 0)), dtype=np.bool_)

    @cached_property
    def _paths(self) -> IntArray:
        """(K, n) the joints between two solids, in order from the first to the second; those that move it for a plane; -1 beyond."""
        robot = self.model.robot
        out = np.full((len(self), robot.n), -1, dtype=np.int64)
        for k in range(len(self)):
            a, b = int(self.first[k]), int(self.second[k])
            up = robot.ancestors(self.model.solids[a].body)[::-1]
            down = robot.ancestors(self.model.solids[b].body) if b >= 0 else ()
            joints = [j for j in up if j not in down] + [j for j in down if j not in up]
            out[k, : len(joints)] = joints
        return freeze(out)

    @cached_property
    def _tilts(self) -> Array:
        """(K, n) by how much a joint that stands on the base can change the height over a plane, as a share of its lever.

        Turning about an axis that is at right angles to the plane changes no height. Of joints on moving links that is not known.
        """
        out = np.ones((len(self), self.model.robot.n))
        for j, joint in enumerate(self.model.robot.joints):
            if joint.parent < 0:
                axis = joint.placement[:3, :3] @ joint.axis
                along = np.abs(self.planes[:, :3] @ axis)
                share = along if joint.type == "prismatic" else np.sqrt(np.maximum(1.0 - along**2, 0.0))
                out[:, j] = np.where(self.second < 0, share, 1.0)
        return freeze(out)

    def margins(self, q: Array, enough: float = np.inf) -> Array:
        """(N, K) margins at positions q (N, n) [m]: exact where they are below `enough`, elsewhere perhaps lower bounds."""
        return self.margins_at(self.model.place(q), enough)

    def margins_at(self, at: Placement, enough: float = np.inf) -> Array:
        out = self._capsules_at(at, enough)
        if self.is_hull.any():
            rows, gaps = np.nonzero((out < enough) & self.is_hull)
            out[rows, gaps] = self.exact(at, rows, gaps)
        return out

    def _capsules_at(self, at: Placement, enough: float) -> Array:
        """(N, K) margins of the capsules: exact where they are below `enough`, elsewhere perhaps lower bounds."""
        out = np.empty((len(at.poses), len(self)))
        shape = self.first, self.second, self.planes
        _kernels().gap_distances(at.segments, self.model.capsules[1], *shape, freeze(self.wanted + enough), out)
        return out - self.wanted

    def capsule_margins(self, at: Placement, rows: IntArray, gaps: IntArray) -> Array:
        """(k,) margins of some gaps [m]: lower bounds for solids with corners."""
        out = np.empty(len(rows))
        shape = self.first, self.second, self.planes
        _kernels().some_distances(at.segments, self.model.capsules[1], *shape, freeze(rows), freeze(gaps), out)
        return out - self.wanted[gaps]

    def exact(self, at: Placement, rows: IntArray, gaps: IntArray) -> Array:
        """(k,) margins of some gaps with solids that have corners [m]."""
        return self._contacts(at, rows, gaps)[0]

    def near(self, q: Array, enough: float) -> Near:
        """All gaps whose margin is below `enough`, with derivatives."""
        at = self.model.place(q)
        first_look = self._capsules_at(at, enough)
        rows, gaps = np.nonzero(first_look < enough)
        margins, corners = first_look[rows, gaps], np.flatnonzero(self.is_hull[gaps])
        points = np.zeros((3, len(rows), 3))
        if len(corners):
            margins[corners], *contacts = self._contacts(at, rows[corners], gaps[corners])
            points[:, corners] = contacts
        near = margins < enough
        rows, gaps = rows[near], gaps[near]
        return Near(rows, gaps, margins[near], self._gradients(at, rows, gaps, points[:, near]))

    def travel(self, at: Placement, half: Array, rows: IntArray, gaps: IntArray) -> Array:
        """(k,) how much a gap can change at most while every joint moves by up to half (N, n) from where the robot is placed [m].

        Joints are moved one after another, so that each turns what lies beyond it as a rigid body: a point moves by at most |Δq| times its
        distance from the axis, as it was. Seen from a link between both solids, the joints on one side move one of them, those on the
        other side the other; the best such link counts.
        """
        out = np.empty(len(rows))
        shape = self.first, self.second, self._paths, self._tilts
        _kernels().gap_travel(at.segments, at.screws, self.model.capsules[1], *shape, freeze(half), freeze(rows), freeze(gaps), out)
        return out

    def _gradients(self, at: Placement, rows: IntArray, gaps: IntArray, points: Array) -> Array:
        """(k, n) ∂distance/∂q = nᵀ (v₂ - v₁): the speeds of the nearest points along the line between them.

        points : (3, k, 3) nearest points and direction where there are corners.
        """
        out, moved = np.empty((len(rows), self.model.robot.n)), self.model.moved_by
        shape = self.first, self.second, self.planes, moved
        _kernels().gap_gradients(at.segments, at.screws, *shape, freeze(rows), freeze(gaps), out)
        corners = np.flatnonzero(self.is_hull[gaps])
        if len(corners):
            (own, other, normal), screws = points[:, corners], at.screws[rows[corners]]
            a, b = self.first[gaps[corners]], self.second[gaps[corners]]
            away = point_speeds(screws, other, normal, moved[b] & (b >= 0)[:, None])
            out[corners] = away - point_speeds(screws, own, normal, moved[a])
        return out

    def _contacts(self, at: Placement, rows: IntArray, gaps: IntArray) -> tuple[Array, Array, Array, Array]:
        """Margins (k,), nearest points (k, 3) and the direction from one to the other (k, 3) of gaps, by their solids' corners."""
        k = len(rows)
        margins, own, other = np.full(k, np.nan), np.zeros((k, 3)), np.zeros((k, 3))
        if _kernel_name() != "reference":
            hull_kernels: Any = import_module("dynident.motions.limits.hull_kernels")  # compiled: imported where it is needed
            shape = *self.model.corners, self.model.bodies, self.first, self.second, self.planes
            hull_kernels.hull_distances(at.poses, *shape, freeze(rows), freeze(gaps), margins, own, other)
            margins -= self.wanted[gaps]
        apart = other - own
        length = np.linalg.norm(apart, axis=1, keepdims=True)
        normal = np.where((self.second[gaps] < 0)[:, None], -self.planes[gaps, :3], apart / np.where(length > 0.0, length, 1.0))
        for i in np.flatnonzero(np.isnan(margins)).tolist():  # hulls overlap
            margins[i], own[i], other[i], normal[i] = self._contact(at, int(rows[i]), int(gaps[i]))
        return margins, own, other, normal

    def _contact(self, at: Placement, row: int, gap: int) -> tuple[float, Array, Array, Array]:
        a, b = int(self.first[gap]), int(self.second[gap])
        pose, solid, wanted = at.poses[row, self.model.bodies[a]], self.model.solids[a], float(self.wanted[gap])
        if b >= 0:
            contact = self.model.engine.contact(a, b, pose, at.poses[row, self.model.bodies[b]])
            return contact.distance - wanted, contact.first, contact.second, contact.normal
        normal, offset = self.planes[gap, :3], float(self.planes[gap, 3])
        lowest = int((solid.points @ (pose[:, :3].T @ normal)).argmin())
        point = pose[:, :3] @ solid.points[lowest] + pose[:, 3]
        return float(normal @ point) - offset - solid.radius - wanted, point, point, -normal


def join_gaps(model: SolidModel, rows: Sequence[tuple[int, int, Array, float, str, str]]) -> Gaps:
    """Gaps from rows of (first, second, plane, wanted, limit, place)."""
    first, second, planes, wanted, limits, places = zip(*rows, strict=True) if rows else ((),) * 6
    return Gaps(
        model=model,
        first=np.array(first, dtype=np.int64),
        second=np.array(second, dtype=np.int64),
        planes=np.array(planes, dtype=float).reshape(-1, 4),
        wanted=np.array(wanted, dtype=float),
        limits=tuple(limits),
        places=tuple(places),
    )


def _kernel_name() -> str:
    return os.environ.get("DYNIDENT_KERNELS", "numba")


def _kernels() -> ModuleType:
    if _kernel_name() == "reference":
        from dynident.motions.limits import gap_reference as backend
    else:
        from dynident.motions.limits import gap_kernels as backend
    return backend
