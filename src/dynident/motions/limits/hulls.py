# pyright: basic
"""Solids with more than two corners: capsules that hold them, for a first look, and exact distances by coal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dynident.core.arrays import Array
from dynident.robots.solids import Solid

#: A hull is flat when its least extent is below this share of its largest; coal needs a volume.
_FLAT = 1e-6


class HullContact(NamedTuple):
    """Signed distance [m], and the nearest points and the direction from the first to the second, each (3,), in the base frame."""

    distance: float
    first: Array
    second: Array
    normal: Array


def enclosing_capsule(solid: Solid) -> tuple[Array, float]:
    """Ends (2, 3) [m] and radius of a small capsule that holds a solid; exact for a ball and a capsule."""
    points = solid.points
    if len(points) <= 2:
        return np.array([points[0], points[-1]]), solid.radius
    middle = points.mean(axis=0)
    principal = np.linalg.svd(points - middle, full_matrices=False)[2]
    capsules = [_along(points, axis / np.linalg.norm(axis)) for axis in (*principal, *np.eye(3))]
    ends, radius = min(capsules, key=lambda capsule: _volume(*capsule))
    return ends, radius + solid.radius


def _along(points: Array, axis: Array) -> tuple[Array, float]:
    """The smallest capsule along an axis through nearly the smallest circle about the points."""
    flat = points - np.outer(points @ axis, axis)
    centre = flat.mean(axis=0)
    for k in range(1, 200):  # Badoiu and Clarkson (SODA 2003): steps towards the farthest point tend to the smallest circle
        farthest = flat[np.argmax(((flat - centre) ** 2).sum(axis=1))]
        centre = centre + (farthest - centre) / (k + 1)
    away = np.linalg.norm(flat - centre, axis=1)
    radius = float(away.max())
    cap, height = np.sqrt(np.maximum(radius**2 - away**2, 0.0)), points @ axis
    low, high = float((height + cap).min()), float((height - cap).max())
    if low > high:
        low = high = 0.5 * (low + high)
        radius = float(np.linalg.norm(points - centre - low * axis, axis=1).max())
    return np.array([centre + low * axis, centre + high * axis]), radius


def _volume(ends: Array, radius: float) -> float:
    return np.pi * radius**2 * (float(np.linalg.norm(ends[1] - ends[0])) + 4.0 / 3.0 * radius)


class HullEngine:
    """Distances between solids of any shape."""

    def __init__(self, solids: Sequence[Solid]) -> None:
        import coal  # pyright: ignore[reportMissingImports]

        self._coal: Any = coal
        self._shapes = [self._shape(solid) for solid in solids]
        self._request, self._result = coal.DistanceRequest(), coal.DistanceResult()

    def contact(self, first: int, second: int, pose_first: Array, pose_second: Array) -> HullContact:
        """Between two solids at poses (3, 4) of their bodies."""
        (a, in_a), (b, in_b) = self._shapes[first], self._shapes[second]
        coal, result = self._coal, self._result
        result.clear()
        place = [coal.Transform3s(pose[:, :3], pose[:, 3]) for pose in (pose_first, pose_second)]
        distance = coal.distance(a, place[0] * in_a, b, place[1] * in_b, self._request, result)
        points = (np.array(part) for part in (result.getNearestPoint1(), result.getNearestPoint2(), result.normal))  # they change in place
        return HullContact(float(distance), *points)

    def _shape(self, solid: Solid) -> tuple[Any, Any]:
        """A solid as coal has it, and its pose in its body."""
        coal, points = self._coal, solid.points
        extents = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
        if len(points) < 4 or extents[-1] <= _FLAT * extents[0]:
            ends, radius = enclosing_capsule(solid)
            length = float(np.linalg.norm(ends[1] - ends[0]))
            pose = coal.Transform3s(_rotation_to(ends[1] - ends[0]), ends.mean(axis=0))
            return (coal.Sphere(radius) if length < 1e-9 else coal.Capsule(radius, length)), pose
        corners = coal.StdVec_Vec3s()
        corners.extend(points)
        hull = coal.Convex.convexHull(corners, True, "Qt")
        hull.setSweptSphereRadius(solid.radius)
        return hull, coal.Transform3s()


def _rotation_to(direction: Array) -> Array:
    """(3, 3) a rotation that takes z to a direction."""
    length = float(np.linalg.norm(direction))
    if length < 1e-12:
        return np.eye(3)
    z = direction / length
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
