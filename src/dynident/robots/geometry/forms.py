"""Shapes as rounded convex hulls that contain them, by which they are drawn and kept apart.

A rounded hull is a few points and a radius: everything within the radius of the convex hull of the points. A ball and a capsule are exact
(one point, two points), a box has its corners, and what is round otherwise gets a polyhedron around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.robots.geometry.surfaces import box_corners, capsule, turned_surface
from dynident.robots.link_shapes import LinkShape, ShapeKind

#: Sides of the prism around a cylinder: it is at most 2 % wider.
_SIDES = 16
#: Points nearer to each other than this are one [m].
_SAME = 1e-6


class Hull(NamedTuple):
    """All points within `radius` [m] of the convex hull of `points` (k, 3)."""

    points: Array
    radius: float

    def placed(self, pose: Array) -> Hull:
        """The same at another place. pose : (4, 4) of its frame."""
        return Hull(self.points @ pose[:3, :3].T + pose[:3, 3], self.radius)

    def hull(self) -> Hull:
        """Itself, as the form that it is."""
        return self

    def surface(self) -> tuple[Array, IntArray]:
        """(k, 3) points and (t, 3) triangles to draw it by, which look outwards."""
        if len(self.points) <= 2:
            return capsule(self.points[0], self.points[-1], self.radius)
        from scipy.spatial import ConvexHull

        around = np.unique(capsule(np.zeros(3), np.zeros(3), self.radius, spokes=6, rings=2)[0], axis=0)
        points = (self.points[:, None] + around).reshape(-1, 3) if self.radius else self.points
        hull = ConvexHull(points, qhull_options="QJ")
        triangles = hull.simplices.astype(np.int64)
        a, b, c = (points[triangles[:, k]] for k in range(3))
        inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
        return points, np.where(inwards[:, None], triangles[:, ::-1], triangles)


def primitive_hull(shape: LinkShape) -> Hull:
    """A rounded hull that contains a shape which its numbers alone describe: any but a mesh."""
    size = shape.size
    match shape.kind:
        case ShapeKind.BOX:
            half = 0.5 * np.array(size)
            return Hull(box_corners(-half, half), 0.0)
        case ShapeKind.CAPSULE:
            radius, length = size
            half = np.array([0.0, 0.0, 0.5 * length])
            return Hull(np.array([-half, half] if length else [half]), radius)
        case ShapeKind.CYLINDER:
            radius, length = size
            outer = radius / np.cos(np.pi / _SIDES)  # corners of a polygon whose sides touch the circle
            return Hull(turned_surface(np.full(2, outer), 0.5 * length * np.array([-1.0, 1.0]), _SIDES)[0], 0.0)
        case ShapeKind.ELLIPSOID:  # a polyhedron around the unit ball (rings whose edges and faces stay outside it), stretched
            step = np.pi / _SIDES
            angle = (np.arange(_SIDES // 2) + 0.5) * 2.0 * step - 0.5 * np.pi
            outer = 1.0 / np.cos(step) ** 2
            points, _ = turned_surface(outer * np.cos(angle), outer * np.sin(angle), _SIDES)
            return Hull(points * np.array(size), 0.0)
        case _:
            return Hull(shape.points, size[0])


def join_capsules(shapes: Sequence[LinkShape]) -> list[LinkShape]:
    """The shapes with every cylinder that has a ball of its radius at both ends, as many files write a capsule, made that capsule."""
    joined = list(shapes)
    for shape in shapes:
        if shape.kind is not ShapeKind.CYLINDER:
            continue
        radius, length = shape.size
        ends = [shape.pose @ np.array([0.0, 0.0, side * 0.5 * length, 1.0]) for side in (-1.0, 1.0)]
        balls = [next((other for other in joined if _is_ball(other, radius, end[:3])), None) for end in ends]
        if balls[0] is not None and balls[1] is not None and balls[0] is not balls[1]:
            replaced = {id(shape), *map(id, balls)}
            capsule = LinkShape(kind=ShapeKind.CAPSULE, role=shape.role, pose=shape.pose, size=shape.size)
            joined = [other for other in joined if id(other) not in replaced] + [capsule]
    return joined


def _is_ball(shape: LinkShape, radius: float, centre: Array) -> bool:
    is_ball = shape.kind is ShapeKind.CAPSULE and shape.size == (radius, 0.0)
    return is_ball and bool(np.linalg.norm(shape.pose[:3, 3] - centre) < _SAME)
