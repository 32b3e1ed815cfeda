"""Bounds on centres of mass from the shapes of a description: a link's mass lies inside the box around its geometry.

Only primitives are used (box, cylinder, capsule, sphere, ellipsoid): those of the collision geometry, or of the visual one where that has
meshes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.errors import InputError
from dynident.links.constraints.convex import Bounds
from dynident.links.constraints.terms import FeasibleSet
from dynident.robots.robot import Link, LinkShape, Robot, ShapeKind, ShapeRole, Source

_ROLES = (ShapeRole.COLLISION, ShapeRole.VISUAL)
_PRIMITIVES = (ShapeKind.BOX, ShapeKind.CYLINDER, ShapeKind.CAPSULE, ShapeKind.ELLIPSOID)


@dataclass(frozen=True, kw_only=True, eq=False)
class GeometryBounds:
    """What the geometry says: bounds on centres of mass, the boxes (2, 3) [m] by link number from 0, and what is missing."""

    constraints: FeasibleSet
    boxes: dict[int, Array]
    notes: tuple[str, ...]


def geometry_bounds(robot: Robot) -> GeometryBounds:
    """Centres of mass inside the bounding boxes of their links, in the parameter frames, from the shapes of the robot's description."""
    pieces = [piece for link in robot.links for piece in link.pieces]
    if not any(_of_role(piece, role) for piece in pieces for role in _ROLES):
        raise InputError(f"bounds from geometry need a description with shapes, such as a URDF, and that of {robot.name} has none")
    bounds: list[Bounds] = []
    boxes: dict[int, Array] = {}
    missing: list[str] = []
    for i, link in enumerate(robot.links):
        box = _link_box(link)
        if box is None:
            missing.append(link.name)
            continue
        boxes[i] = box
        bounds += [Bounds(f"c{i + 1}{axis}", float(low), float(high)) for axis, low, high in zip("xyz", *box, strict=True)]
    notes = (f"no bounds from geometry for {', '.join(missing)}: meshes, or no shapes at all",) if missing else ()
    return GeometryBounds(constraints=FeasibleSet(tuple(bounds)), boxes=boxes, notes=notes)


def _link_box(link: Link) -> Array | None:
    """(2, 3) box around all source links of a body; None where one that may have mass has no primitives only."""
    corners: list[Array] = []
    for piece in link.pieces:
        primitives = _primitives(piece)
        has_mass = piece.parameters is not None and bool(np.any(piece.parameters))
        if primitives is None or (not primitives and has_mass):
            return None
        for shape in primitives:
            pose = piece.placement @ shape.pose
            extent = _reach(shape, pose[:3, :3])
            corners += [pose[:3, 3] - extent, pose[:3, 3] + extent]
    return np.array([np.min(corners, axis=0), np.max(corners, axis=0)]) if corners else None


def _primitives(piece: Source) -> list[LinkShape] | None:
    """The primitives of a source link; empty for one without shapes, None for one whose shapes are not all primitives."""
    for role in _ROLES:
        shapes = _of_role(piece, role)
        faulty = [shape.text for shape in shapes if shape.kind is ShapeKind.FAULTY]
        if faulty:
            raise InputError(faulty[0])
        if shapes and all(shape.kind in _PRIMITIVES for shape in shapes):
            return shapes
    return None if any(_of_role(piece, role) for role in _ROLES) else []


def _of_role(piece: Source, role: ShapeRole) -> list[LinkShape]:
    return [shape for shape in piece.shapes if shape.role is role]


def _reach(shape: LinkShape, R: Array) -> Array:
    """(3,) how far a primitive reaches along each axis when it is turned by R."""
    if shape.kind is ShapeKind.BOX:
        return np.abs(R) @ (np.array(shape.size) / 2.0)
    if shape.kind is ShapeKind.ELLIPSOID:
        return np.sqrt(R**2 @ np.array(shape.size) ** 2)
    radius, length = shape.size
    round = np.ones(3) if shape.kind is ShapeKind.CAPSULE else np.sqrt(np.maximum(1.0 - R[:, 2] ** 2, 0.0))
    return np.abs(R[:, 2]) * (length / 2.0) + radius * round
