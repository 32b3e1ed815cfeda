"""The forms that descriptions know, each as triangles for the eye and as a rounded convex hull that contains it.

A rounded hull is a few points and a radius: everything within the radius of the convex hull of the points. A ball and a capsule are exact
(one point, two points), a box has its corners, and what is round otherwise gets a polyhedron around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.robots.geometry.surfaces import capsule, cuboid, cylinder, turned_surface

#: Sides of the prism around a cylinder: it is at most 2 % wider.
_SIDES = 16


class Hull(NamedTuple):
    """All points within `radius` [m] of the convex hull of `points` (k, 3)."""

    points: Array
    radius: float

    def placed(self, pose: Array) -> Hull:
        """The same at another place. pose : (4, 4) of its frame."""
        return Hull(self.points @ pose[:3, :3].T + pose[:3, 3], self.radius)

    def surface(self) -> tuple[Array, IntArray]:
        """(k, 3) points and (t, 3) triangles to draw it by."""
        if len(self.points) <= 2:
            return capsule(self.points[0], self.points[-1], self.radius)
        from scipy.spatial import ConvexHull

        around = np.unique(capsule(np.zeros(3), np.zeros(3), self.radius, spokes=6, rings=2)[0], axis=0)
        points = (self.points[:, None] + around).reshape(-1, 3) if self.radius else self.points
        return points, ConvexHull(points, qhull_options="QJ").simplices.astype(np.int64)


class Form(Protocol):
    """A body in its own frame."""

    def surface(self) -> tuple[Array, IntArray]:
        """(k, 3) points and (t, 3) triangles to draw it by."""
        ...

    def hull(self) -> Hull:
        """A rounded hull that contains it."""
        ...


@dataclass(frozen=True)
class BoxForm:
    """A box about the origin. size : (x, y, z) [m]."""

    size: tuple[float, float, float]

    def surface(self) -> tuple[Array, IntArray]:
        return cuboid(np.array(self.size))

    def hull(self) -> Hull:
        return Hull(self.surface()[0], 0.0)


@dataclass(frozen=True)
class Rod:
    """A capsule along z about the origin. length : between the centres of its ends [m]; a ball where it is 0."""

    radius: float
    length: float = 0.0

    def surface(self) -> tuple[Array, IntArray]:
        return capsule(*self._ends(), self.radius)

    def hull(self) -> Hull:
        return Hull(np.array(self._ends() if self.length else [np.zeros(3)]), self.radius)

    def _ends(self) -> tuple[Array, Array]:
        half = np.array([0.0, 0.0, 0.5 * self.length])
        return -half, half


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along z about the origin [m]."""

    radius: float
    length: float

    def surface(self) -> tuple[Array, IntArray]:
        return cylinder(self.radius, self.length)

    def hull(self) -> Hull:
        outer = self.radius / np.cos(np.pi / _SIDES)  # corners of a polygon whose sides touch the circle
        return Hull(turned_surface(np.full(2, outer), 0.5 * self.length * np.array([-1.0, 1.0]), _SIDES)[0], 0.0)


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid about the origin. axes : half its width along x, y and z [m]."""

    axes: tuple[float, float, float]

    def surface(self) -> tuple[Array, IntArray]:
        points, triangles = capsule(np.zeros(3), np.zeros(3), 1.0)
        return points * np.array(self.axes), triangles

    def hull(self) -> Hull:
        """A polyhedron around the unit ball (rings whose edges and faces stay outside it), stretched."""
        step = np.pi / _SIDES
        angle = (np.arange(_SIDES // 2) + 0.5) * 2.0 * step - 0.5 * np.pi
        outer = 1.0 / np.cos(step) ** 2
        points, _ = turned_surface(outer * np.cos(angle), outer * np.sin(angle), _SIDES)
        return Hull(points * np.array(self.axes), 0.0)
