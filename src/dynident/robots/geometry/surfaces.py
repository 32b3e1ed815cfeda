"""Corners of a box, and triangles of a capsule and of whatever a profile sweeps when it turns."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array, IntArray

_SPOKES, _RINGS = 20, 6


def box_corners(low: Array, high: Array) -> Array:
    """(8, 3) corners of a box between two of them (3,)."""
    return low + np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]) * (high - low)


def capsule(start: Array, end: Array, radius: float, *, spokes: int = _SPOKES, rings: int = _RINGS) -> tuple[Array, IntArray]:
    """A capsule between two points; a ball where they are one."""
    angle = np.linspace(0.0, 0.5 * np.pi, rings)
    length = float(np.linalg.norm(end - start))
    r = radius * np.concatenate([np.sin(angle), np.cos(angle)])
    z = radius * np.concatenate([-np.cos(angle), np.sin(angle)]) + np.repeat([0.0, length], rings)
    vertices, triangles = turned_surface(r, z, spokes)
    return vertices @ frame_along(end - start).T + start, triangles


def turned_surface(r: Array, z: Array, spokes: int = _SPOKES) -> tuple[Array, IntArray]:
    """Points (k, 3) and triangles (t, 3) of the surface that a profile (r, z) sweeps about z."""
    around = np.linspace(0.0, 2.0 * np.pi, spokes, endpoint=False)
    points = [[radius * np.cos(phi), radius * np.sin(phi), height] for radius, height in zip(r, z, strict=True) for phi in around]
    triangles: list[tuple[int, int, int]] = []
    for ring in range(len(r) - 1):
        for spoke in range(spokes):
            a, b = ring * spokes + spoke, ring * spokes + (spoke + 1) % spokes
            triangles += [(a, b, a + spokes), (b, b + spokes, a + spokes)]
    return np.array(points), np.array(triangles, dtype=np.int64)


def frame_along(direction: Array) -> Array:
    """(3, 3) rotation whose z axis is the direction."""
    length = float(np.linalg.norm(direction))
    if length < 1e-12:
        return np.eye(3)
    z = direction / length
    x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
