# pyright: basic
"""Meshes that descriptions name: how they are read, and what contains them.

They are read by coal, which comes with Pinocchio, in a process of its own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray, all_finite
from dynident.core.isolation import ReaderApart
from dynident.core.native_output import catch_native_errors
from dynident.errors import FileError, InputError
from dynident.robots.geometry.forms import Hull, primitive_hull
from dynident.robots.geometry.surfaces import box_corners
from dynident.robots.link_shapes import LinkShape, ShapeKind

#: Meshes with more triangles are drawn coarser.
_MOST_TRIANGLES = 6000
#: Corners of a mesh's hull that are kept, and the distance [m] from them at which the others need not be.
_MOST_CORNERS, _CLOSE = 64, 1e-3
#: No robot is larger [m].
_FARTHEST = 1e6
#: What a mesh may take to be read: so long [s], longer by its size over this [B/s], and so much memory [bytes]. 1 MB takes 0.1 s.
_LEAST_TIME, _BYTES_PER_SECOND, _LEAST_MEMORY = 5.0, 5e5, 700 << 20


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles. vertices : (k, 3) corners [m]; triangles : (t, 3) indices of corners."""

    vertices: Array = field(repr=False)
    triangles: IntArray = field(repr=False)

    def surface(self) -> tuple[Array, IntArray]:
        return coarser(self.vertices, self.triangles)

    def hull(self) -> Hull:
        return thin_hull(self.vertices)


#: A shape that can be used: drawn by its `surface()`, kept apart from others by its `hull()`.
Form: TypeAlias = Hull | Mesh


class ShapeReader:
    """Reads the shapes of a robot's links. A damaged mesh can crash, hang or fill the memory of its library, so a child process reads."""

    def __init__(self) -> None:
        self._read = ReaderApart(_read_mesh, least_time=_LEAST_TIME, bytes_per_second=_BYTES_PER_SECOND, least_memory=_LEAST_MEMORY)

    def read(self, shape: LinkShape) -> Form | str:
        """The shape, or a sentence that says why there is none; InputError for one whose numbers are wrong."""
        match shape.kind:
            case ShapeKind.MESH:
                return self._load(shape)
            case ShapeKind.FAULTY:
                raise InputError(shape.text)
            case ShapeKind.UNKNOWN:
                return shape.text
            case _:
                return primitive_hull(shape)

    def _load(self, shape: LinkShape) -> Mesh | str:
        file = Path(shape.text)
        if not (os.path.isabs(file) and os.path.isfile(file)):
            return f"mesh {shape.text!r} was not found"
        if self._read.late:
            return f"mesh {file.name!r} was not read, because one before it took too long"
        try:
            loaded = self._read(file, np.array(shape.size))
        except FileError as error:
            return f"mesh {file.name!r} can't be read ({error.message.partition('; ')[0]})"
        if isinstance(loaded, str):
            return f"mesh {file.name!r} {loaded}"
        problem = find_problem(*loaded)
        return f"mesh {file.name!r} {problem}" if problem else Mesh(*loaded)


def _read_mesh(file: Path, scale: Array) -> tuple[Array, IntArray] | str:
    """In the child: corners and triangles, or what is wrong."""
    coal: Any = import_module("coal")
    try:
        with catch_native_errors([]):
            loaded = coal.MeshLoader().load(str(file), scale)
    except (RuntimeError, ValueError) as error:
        problem = " ".join(str(error).rpartition("message:")[2].replace(str(file), file.name).split())
        return f"can't be read ({problem.partition('. ')[0].rstrip('.')})"
    corners = (loaded.tri_indices(t) for t in range(loaded.num_tris))
    triangles = np.array([[corner[k] for k in range(3)] for corner in corners], dtype=np.int64).reshape(-1, 3)
    return np.array(loaded.vertices(), dtype=float), triangles


def find_problem(vertices: Array, triangles: IntArray) -> str:
    """What is wrong with a mesh; empty where nothing is."""
    if not len(vertices):
        return "is empty"
    if not all_finite(vertices):
        return "has a corner that is no number"
    if np.abs(vertices).max() > _FARTHEST:
        return f"has corners farther than {_FARTHEST:g} m away; check its scale"
    if triangles.size and not 0 <= triangles.min() <= triangles.max() < len(vertices):
        return "has triangles between corners that it does not have"
    return ""


def thin_hull(vertices: Array) -> Hull:
    """A rounded hull of a few of the vertices (k, 3) that contains them all.

    The vertex that is farthest outside is added until none is far; the radius is the distance of the farthest that is left.
    """
    from scipy.spatial import ConvexHull, QhullError

    try:
        corners = vertices[ConvexHull(vertices).vertices]
    except (QhullError, ValueError):  # flat, or too few
        return _box_around(vertices)
    directions = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)])
    kept = list(dict.fromkeys((corners @ directions.T).argmax(axis=0).tolist()))
    while True:
        try:
            hull = ConvexHull(corners[kept])
        except QhullError:
            return _box_around(vertices)
        heights = corners @ hull.equations[:, :3].T + hull.equations[:, 3]  # above every face: the largest is at most the distance
        outside = heights.max(axis=1)
        farthest = int(outside.argmax())
        if len(kept) >= _MOST_CORNERS or outside[farthest] <= _CLOSE or farthest in kept:
            break
        kept.append(farthest)
    left = outside > 0.0
    faces = heights[left].argmax(axis=1)
    inside = _stands_on(corners[left], corners[kept][hull.simplices[faces]], hull.equations[faces, :3])
    distances = [_distance(point, corners[kept]) for point in corners[left][~inside]]
    return Hull(corners[kept], max([*outside[left][inside].tolist(), *distances], default=0.0))


def _stands_on(points: Array, triangles: Array, normals: Array) -> BoolArray:
    """(k,) whether the foot of every point's perpendicular on the plane of its triangle (k, 3, 3) is inside the triangle."""
    edges = np.roll(triangles, -1, axis=1) - triangles
    sides = np.einsum("kei,ki->ke", np.cross(edges, points[:, None] - triangles), normals)
    return np.all(sides >= 0.0, axis=1) | np.all(sides <= 0.0, axis=1)


def _distance(point: Array, corners: Array) -> float:
    """From a point to a hull, or a little more: the distance of a point that is certainly in the hull, the nearest up to rounding."""
    from scipy.optimize import nnls

    size = float(np.ptp(corners, axis=0).max())
    weights, _ = nnls(np.vstack([(corners - point).T / size, 1e3 * np.ones(len(corners))]), np.array([0.0, 0.0, 0.0, 1e3]))
    return float(np.linalg.norm(weights @ corners / weights.sum() - point))


def _box_around(vertices: Array) -> Hull:
    return Hull(np.unique(box_corners(vertices.min(axis=0), vertices.max(axis=0)), axis=0), 0.0)


def coarser(vertices: Array, triangles: IntArray) -> tuple[Array, IntArray]:
    """Fewer triangles: corners that fall into one cell of a grid become one."""
    cells = 160
    while len(triangles) > _MOST_TRIANGLES and cells > 4:
        size = max(float(np.ptp(vertices, axis=0).max()), 1e-9) / cells
        _, first, group = np.unique(np.round(vertices / size).astype(np.int64), axis=0, return_index=True, return_inverse=True)
        merged = group.ravel()[triangles]
        flat = (merged[:, 0] == merged[:, 1]) | (merged[:, 1] == merged[:, 2]) | (merged[:, 0] == merged[:, 2])
        if np.sum(~flat) <= _MOST_TRIANGLES:
            return vertices[first], np.unique(merged[~flat], axis=0)
        cells = int(0.7 * cells)
    return vertices, triangles
