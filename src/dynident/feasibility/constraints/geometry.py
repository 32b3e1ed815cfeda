"""Bounds on centres of mass from the shapes that a URDF draws: a link's mass lies inside the box around its geometry.

Only primitives are used (box, cylinder, sphere), of the collision geometry or, where that has meshes, of the visual one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import read_text
from dynident.core.xml import parse_xml
from dynident.errors import FileError, InputError
from dynident.feasibility.constraints.convex import Bounds
from dynident.feasibility.constraints.terms import FeasibleSet
from dynident.robots.formats.urdf_xml import read_numbers, read_origin
from dynident.robots.robot import Link, Robot


@dataclass(frozen=True, kw_only=True, eq=False)
class GeometryBounds:
    """What the geometry says: bounds on centres of mass, the boxes (2, 3) [m] by link number from 0, and what is missing."""

    constraints: FeasibleSet
    boxes: dict[int, Array]
    notes: tuple[str, ...]


def geometry_bounds(robot: Robot) -> GeometryBounds:
    """Centres of mass inside the bounding boxes of their links, in the parameter frames, from the URDF that the robot was read from."""
    file = Path(robot.source)
    if file.suffix.lower() not in (".urdf", ".xml"):
        raise InputError(f"bounds from geometry need a robot that was read from a URDF file, and this one was read from {robot.source}")
    elements = {link.get("name", ""): link for link in parse_xml(file, read_text(file)).findall("link")}
    if not elements:
        raise FileError(file, "has no <link>; bounds from geometry need the URDF of the robot")
    bounds: list[Bounds] = []
    boxes: dict[int, Array] = {}
    missing: list[str] = []
    for i, link in enumerate(robot.links):
        box = _link_box(file, link, elements)
        if box is None:
            missing.append(link.name)
            continue
        boxes[i] = box
        bounds += [Bounds(f"c{i + 1}{axis}", float(low), float(high)) for axis, low, high in zip("xyz", *box, strict=True)]
    notes = (f"no bounds from geometry for {', '.join(missing)}: meshes, or no shapes at all",) if missing else ()
    return GeometryBounds(constraints=FeasibleSet(tuple(bounds)), boxes=boxes, notes=notes)


def _link_box(file: Path, link: Link, elements: dict[str, Element]) -> Array | None:
    """(2, 3) box around all source links of a body; None where one that may have mass has no primitives only."""
    corners: list[Array] = []
    for piece in link.pieces:
        element = elements.get(piece.name)
        own = None if element is None else _primitives(file, element)
        if own is None:
            return None
        for pose, half in own:
            placed = piece.placement @ pose
            extent = half(placed[:3, :3])
            corners += [placed[:3, 3] - extent, placed[:3, 3] + extent]
        has_mass = piece.parameters is not None and bool(np.any(piece.parameters))
        if not own and has_mass:
            return None
    return np.array([np.min(corners, axis=0), np.max(corners, axis=0)]) if corners else None


def _primitives(file: Path, link: Element) -> list[tuple[Array, _Shape]] | None:
    """Pose and shape of each primitive; empty for a link without geometry, None for one with meshes only."""
    drawn = False
    for kind in ("collision", "visual"):
        shapes = list(_shapes(file, link, kind))
        if shapes and all(shape is not None for _, shape in shapes):
            return [(pose, shape) for pose, shape in shapes if shape is not None]
        drawn = drawn or bool(shapes)
    return None if drawn else []


def _shapes(file: Path, link: Element, kind: str) -> Iterator[tuple[Array, _Shape | None]]:
    for element in link.findall(kind):
        geometry = element.find("geometry")
        yield read_origin(file, f"link {link.get('name')!r}", element), None if geometry is None else _shape(file, geometry)


@dataclass(frozen=True, eq=False)
class _Shape:
    """A box of half sides `half`, grown by a ball of radius `round` across its z axis (a cylinder) or all around (a sphere)."""

    half: Array
    radius: float = 0.0

    def __call__(self, R: Array) -> Array:
        """(3,) how far the shape reaches along each axis when it is turned by R."""
        reach = np.abs(R) @ self.half
        across = np.sqrt(np.maximum(1.0 - R[:, 2] ** 2, 0.0)) if self.half.any() else np.ones(3)
        return reach + self.radius * across


def _shape(file: Path, geometry: Element) -> _Shape | None:
    box, cylinder, sphere = (geometry.find(name) for name in ("box", "cylinder", "sphere"))
    if box is not None:
        return _Shape(read_numbers(file, "geometry", box, required=("size",), length=3)["size"] / 2.0)
    if cylinder is not None:
        found = read_numbers(file, "geometry", cylinder, required=("length", "radius"))
        return _Shape(np.array([0.0, 0.0, float(found["length"][0]) / 2.0]), float(found["radius"][0]))
    if sphere is not None:
        return _Shape(np.zeros(3), float(read_numbers(file, "geometry", sphere, required=("radius",))["radius"][0]))
    return None
