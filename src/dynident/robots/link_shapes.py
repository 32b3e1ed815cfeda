"""The shapes that a description gives its links: what is drawn, and what must not collide. They are read with the links, meshes later.

A mesh is a path until somebody asks for shapes, because it can be large and few steps need it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array, set_frozen
from dynident.core.records import Shape
from dynident.errors import ValueRangeError
from dynident.robots.pose import LARGEST_LENGTH, check_lengths, check_pose


class ShapeKind(StrEnum):
    """The kinds of shapes."""

    BOX = "box"
    CAPSULE = "capsule"
    CYLINDER = "cylinder"
    ELLIPSOID = "ellipsoid"
    HULL = "hull"
    MESH = "mesh"
    UNKNOWN = "unknown"
    FAULTY = "faulty"


#: How many numbers the size of each kind has.
_SIZES = {
    ShapeKind.BOX: 3,
    ShapeKind.CAPSULE: 2,
    ShapeKind.CYLINDER: 2,
    ShapeKind.ELLIPSOID: 3,
    ShapeKind.HULL: 1,
    ShapeKind.MESH: 3,
    ShapeKind.UNKNOWN: 0,
    ShapeKind.FAULTY: 0,
}


class ShapeRole(StrEnum):
    """What a shape is for."""

    COLLISION = "collision"
    VISUAL = "visual"
    BOTH = "both"


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkShape:
    """One shape of a link.

    Attributes
    ----------
    kind : ShapeKind
        What it is. A shape that is unknown stands for one that dynident cannot read, a faulty one for wrong numbers in the description.
    role : ShapeRole
        Whether it collides, is drawn, or both.
    pose : (4, 4) array
        Pose of the shape's frame in the link's own frame.
    size : tuple of float
        Box: sides [m]. Capsule and cylinder, along z: radius and length between the centres of the ends [m]. Ellipsoid: half axes [m].
        Hull: radius [m]. Mesh: scale along its axes.
    points : (k, 3) array
        Of a hull, which is all points within its radius of the convex hull of these [m]; none for other kinds.
    text : str
        Mesh: absolute path of its file, or its name in the description where there is no such file. Unknown and faulty: the reason.
    """

    kind: ShapeKind
    role: ShapeRole = ShapeRole.BOTH
    pose: Annotated[Array, Shape("4 4")] = field(default_factory=lambda: np.eye(4))
    size: tuple[float, ...] = ()
    points: Annotated[Array, Shape("* 3")] = field(default_factory=lambda: np.zeros((0, 3)))
    text: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", ShapeKind(self.kind))
        object.__setattr__(self, "role", ShapeRole(self.role))
        name = f"{self.kind} of a link"
        set_frozen(self, "pose", check_pose(self.pose, f"pose of a {name}"))
        points = check_array(f"points of a {name}", self.points if len(self.points) else np.zeros((0, 3)), (None, 3), "(points, 3)")
        set_frozen(self, "points", check_lengths(f"points of a {name}", points) if len(points) else points)
        object.__setattr__(self, "size", tuple(map(float, self.size)))
        if len(self.size) != _SIZES[self.kind] or (self.kind is ShapeKind.HULL) != bool(len(self.points)):
            raise ValueRangeError(f"size of a {name}", f"has {len(self.size)} numbers and {len(self.points)} points")
        lengths = map(abs, self.size) if self.kind is ShapeKind.MESH else self.size
        if not all(0.0 <= length <= LARGEST_LENGTH for length in lengths):
            problem = f"is {', '.join(f'{length:g}' for length in self.size)}; at least 0 and at most {LARGEST_LENGTH:g} was expected"
            raise ValueRangeError(f"size of a {name}", problem)


def capsule_between(start: ArrayLike, end: ArrayLike, radius: float) -> LinkShape:
    """All points within `radius` [m] of the line between two points (3,) in the link's own frame [m]; a ball where they are one."""
    points = np.array([start] if np.array_equal(start, end) else [start, end], dtype=float)
    if not 0.0 < radius < np.inf:
        raise ValueRangeError("radius of a capsule", f"is {radius:g}; a positive length [m] was expected")
    return LinkShape(kind=ShapeKind.HULL, points=points, size=(radius,))
