# pyright: basic
"""Distances of a robot's solids from each other and from planes by Pinocchio and coal: its joints, its shapes and the pairs to look at.

coal knows the distance of two capsules in closed form and that of convex hulls by the algorithm of Gilbert, Johnson and Keerthi (IEEE J.
Robotics Autom. 4(2), 1988). It gets corners and radii as numbers; meshes are read elsewhere (`robots.geometry.meshes`).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.robots.robot import JointType, Robot
from dynident.robots.solids import Solid

#: coal needs a volume: a flat hull gets this thickness on both sides, as a share of its largest extent; a thin rod becomes a capsule.
_THIN = 1e-4
#: More than what coal's distances of hulls are off by [m]: its tolerance is 1e-6, and hulls of a UR5 with 64 corners were off by 7.5e-7.
_ROUNDING = 1e-5


class NearPoints(NamedTuple):
    """Gaps that are small.

    rows, gaps : (k,)         Positions and gaps.
    distances : (k,)          Signed [m].
    points : (k, 2, 3)        Nearest points on the first and the second, in the base frame [m].
    normals : (k, 3)          Direction from the first to the second.
    screws : (k, n, 6)        Velocity per unit of each joint's: linear of the point at the base's origin, and angular.
    """

    rows: IntArray
    gaps: IntArray
    distances: Array
    points: Array
    normals: Array
    screws: Array


class GapEngine:
    """Distances of gaps (first[k], second[k]); a second of -1 is planes[k], the normal and the offset of a plane.

    It holds the state of one position at a time, so that each thread needs an engine of its own.
    """

    def __init__(self, robot: Robot, solids: Sequence[Solid], first: IntArray, second: IntArray, planes: Array) -> None:
        self._pin: Any = import_module("pinocchio")  # imported here: `import dynident` stays light
        self._model, self._geometry = _joints(self._pin, robot), self._pin.GeometryModel()
        for i, solid in enumerate(solids):
            parent = np.eye(4) if solid.body < 0 else robot.links[solid.body].placement
            self._add(f"solid {i}", solid.body + 1, parent, *_shape(solid))
        halfspace = import_module("coal").Halfspace
        index: dict[tuple[float, ...], int] = {}
        for a, b, plane in zip(first.tolist(), second.tolist(), planes, strict=True):
            other = b if b >= 0 else index.setdefault(tuple(plane.tolist()), len(solids) + len(index))
            if other == self._geometry.ngeoms:
                self._add(f"plane {other}", 0, np.eye(4), halfspace(plane[:3].copy(), float(plane[3])), np.eye(4))
            self._geometry.addCollisionPair(self._pin.CollisionPair(a, other))
        self._data, self._at = self._model.createData(), self._geometry.createData()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # coal 3.0 calls the switch old; Pinocchio 4.1 turns it on
            for request in (*self._at.distanceRequests, *self._at.collisionRequests):
                request.enable_cached_gjk_guess = False  # with it, a distance depends on those asked for before, by 1e-6 m
        self._results = list(self._at.distanceResults)
        self._security: Array | None = None

    def distances(self, q: Array) -> Array:
        """(N, K) signed distances at positions q (N, n) [m]."""
        out = np.empty((len(q), len(self._results)))
        for row, position in zip(out, q, strict=True):
            self._pin.computeDistances(self._model, self._data, self._geometry, self._at, position)
            row[:] = [result.min_distance for result in self._results]
        return out

    def rows_below(self, q: Array, distances: Array) -> IntArray:
        """Rows of q (N, n) at which some gap may be below its distance (K,): all where one is, and few others."""
        self._keep_apart(distances)
        check, state = self._pin.computeCollisions, (self._model, self._data, self._geometry, self._at)
        return np.flatnonzero([check(*state, position, True) for position in q])

    def contacts(self, q: Array, distances: Array) -> NearPoints:
        """Gaps that are below their distance (K,) at positions q (N, n)."""
        rows = self.rows_below(q, distances)
        return _join_contacts(self._model.nq, [self._contacts_at(row, q[row], distances) for row in rows.tolist()])

    def _contacts_at(self, row: int, position: Array, distances: Array) -> NearPoints:
        self._pin.computeDistances(self._model, self._data, self._geometry, self._at, position)
        at = np.array([result.min_distance for result in self._results])
        gaps = np.flatnonzero(at < distances)
        near = [self._results[gap] for gap in gaps.tolist()]
        places = np.array([(result.getNearestPoint1(), result.getNearestPoint2(), result.normal) for result in near]).reshape(-1, 3, 3)
        screws = self._pin.computeJointJacobians(self._model, self._data, position).T if near else np.empty((self._model.nq, 6))
        return NearPoints(np.full(len(gaps), row), gaps, at[gaps], places[:, :2], places[:, 2], np.repeat(screws[None], len(gaps), axis=0))

    def _keep_apart(self, distances: Array) -> None:
        if self._security is None or not np.array_equal(distances, self._security):
            for request, distance in zip(self._at.collisionRequests, distances.tolist(), strict=True):
                request.security_margin = max(distance, 0.0) + _ROUNDING  # coal checks no overlap deeper than a given one
            self._security = distances.copy()

    def _add(self, name: str, joint: int, pose_body: Array, shape: Any, pose_in_body: Array) -> None:
        placement = pose_body @ pose_in_body
        self._geometry.addGeometryObject(
            self._pin.GeometryObject(name, joint, 0, self._pin.SE3(placement[:3, :3], placement[:3, 3]), shape)
        )


def _join_contacts(n: int, parts: Sequence[NearPoints]) -> NearPoints:
    """All contacts of a robot with n joints in one."""
    none = np.zeros(0, dtype=np.int64)
    empty = NearPoints(none, none, np.zeros(0), np.zeros((0, 2, 3)), np.zeros((0, 3)), np.zeros((0, n, 6)))
    return NearPoints(*(np.concatenate(part) for part in zip(empty, *parts, strict=True)))


def _joints(pin: Any, robot: Robot) -> Any:
    """The robot's joints as Pinocchio has them; a body's frame there is that of its joint."""
    model = pin.Model()
    for i, joint in enumerate(robot.joints):
        pose = joint.placement if joint.parent < 0 else robot.links[joint.parent].placement @ joint.placement
        kind = pin.JointModelPrismaticUnaligned if joint.type is JointType.PRISMATIC else pin.JointModelRevoluteUnaligned
        model.addJoint(joint.parent + 1, kind(np.array(joint.axis)), pin.SE3(pose[:3, :3], pose[:3, 3]), f"joint {i}")
    return model


def _shape(solid: Solid) -> tuple[Any, Array]:
    """A solid as coal has it, and its pose (4, 4) in its body."""
    coal: Any = import_module("coal")
    points, pose = solid.points, np.eye(4)
    middle = points.mean(axis=0)
    _, extents, axes = np.linalg.svd(points - middle)
    extents = np.pad(extents, (0, 3 - len(extents)))
    if extents[1] <= _THIN * extents[0]:  # a point, or all nearly on a line
        along = (points - middle) @ axes[0]
        length, centre = float(np.ptp(along)), middle + 0.5 * (along.min() + along.max()) * axes[0]
        radius = solid.radius + float(np.linalg.norm(points - middle - np.outer(along, axes[0]), axis=1).max())
        pose[:3, :3], pose[:3, 3] = np.column_stack([axes[1], np.cross(axes[0], axes[1]), axes[0]]), centre
        return (coal.Capsule(radius, length) if length > 0.0 else coal.Sphere(radius)), pose
    if extents[2] <= _THIN * extents[0]:
        thick = _THIN * extents[0] * axes[2]
        points = np.concatenate([points - thick, points + thick])
    corners = coal.StdVec_Vec3s()
    corners.extend(points)
    hull = coal.Convex.convexHull(corners, True, "Qt")
    hull.setSweptSphereRadius(solid.radius)
    return hull, pose
