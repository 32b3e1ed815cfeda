"""What a description says its links look like: read where its file still is, link by link, as shapes to look at or to collide with."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import read_text
from dynident.core.xml import parse_xml
from dynident.errors import FileError
from dynident.robots.geometry.forms import Cylinder, Form, Rod
from dynident.robots.robot import Robot

#: Points nearer to each other than this are one [m].
_SAME = 1e-6
Role: TypeAlias = Literal["collision", "visual"]


class ShapePart(NamedTuple):
    """A form and where it is. pose : (4, 4) of its frame in the link's own frame."""

    form: Form
    pose: Array


class Geometry(Protocol):
    """The shapes of one file."""

    @property
    def ignored(self) -> frozenset[tuple[str, str]]:
        """Pairs of links, each in alphabetical order, that may touch as the file's robot is made."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user must know about `ignored`."""
        ...

    def parts(self, link: str, role: Role) -> list[ShapePart | str]:
        """The shapes of a link; a sentence in place of one that can't be read."""
        ...


#: Nothing that a robot is made of is longer [m], and no mesh is in units that are larger.
_LARGEST = 1e6


def check_lengths(source: Path, link: str, tag: str, lengths: list[float]) -> list[float]:
    """The lengths of a shape, or the scale of a mesh; FileError for one that is negative, or that no robot has."""
    if min(lengths) < 0.0:
        raise FileError(source, f"a <{tag}> has a length of {min(lengths):g}; it must not be negative", place=f"link {link!r}")
    if max(lengths) > _LARGEST:
        problem = f"a <{tag}> has a length or scale of {max(lengths):g}; at most {_LARGEST:g} was expected"
        raise FileError(source, problem, place=f"link {link!r}", remedy="correct that number")
    return lengths


def join_capsules(parts: list[ShapePart]) -> list[ShapePart]:
    """The parts with every cylinder that has a ball of its radius at both ends, as many files write a capsule, made that capsule."""
    joined = list(parts)
    for part in parts:
        rod = part.form
        if not isinstance(rod, Cylinder):
            continue
        ends = [part.pose @ np.array([0.0, 0.0, side * 0.5 * rod.length, 1.0]) for side in (-1.0, 1.0)]
        balls = [next((other for other in joined if _is_ball(other, rod.radius, end[:3])), None) for end in ends]
        if balls[0] is not None and balls[1] is not None and balls[0] is not balls[1]:
            replaced = {id(part), *map(id, balls)}
            joined = [other for other in joined if id(other) not in replaced] + [ShapePart(Rod(rod.radius, rod.length), part.pose)]
    return joined


def _is_ball(part: ShapePart, radius: float, centre: Array) -> bool:
    form = part.form
    return isinstance(form, Rod) and form == Rod(radius) and bool(np.linalg.norm(part.pose[:3, 3] - centre) < _SAME)


def read_geometry(robot: Robot) -> Geometry | str:
    """The shapes in the robot's file, or why there are none: a sentence, empty where none are to be expected."""
    source = Path(robot.source)
    suffix = source.suffix.lower()
    if suffix == ".xacro":
        return "shapes are read from the URDF that a xacro file stands for, not from the xacro file; convert it first"
    if suffix not in (".urdf", ".xml", ".sdf", ".world"):
        return ""
    if not source.is_file():
        return f"shapes were not read, for {source.name} is not there any more"
    root = parse_xml(source, read_text(source))
    if root.tag == "robot":
        from dynident.robots.geometry.urdf import UrdfGeometry

        return UrdfGeometry(source, root)
    if root.tag == "sdf":
        from dynident.robots.geometry.sdf import SdfGeometry

        return SdfGeometry(source, root)
    from dynident.robots.geometry.mjcf import read_mjcf_geometry

    return read_mjcf_geometry(source, root)
