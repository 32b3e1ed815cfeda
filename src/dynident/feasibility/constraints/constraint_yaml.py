"""The built-in constraints in YAML. The form is described in docs/reference/constraint-files.md; every key is checked."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np

from dynident.core.fields import Fields, read_fields
from dynident.errors import FileError
from dynident.feasibility.constraints import convex
from dynident.feasibility.constraints.regions import ComInCylinder, ComInEllipsoid, ComInHull
from dynident.feasibility.constraints.terms import Constraint

_PLANES = ("xy", "xz", "yz")
_SHAPES = ("box", "sphere", "ellipsoid", "cylinder", "hull")


def read_constraint_yaml(file: Path) -> list[Constraint]:
    """The constraints in a YAML file, in the order of its keys; FileError names the file, the place and what is allowed."""
    top = read_fields(file)
    top.only((), tuple(_SECTIONS))
    constraints: list[Constraint] = []
    for key in top.values:
        constraints += _SECTIONS[key](top, key)
    return constraints


def _consistency(top: Fields, key: str) -> list[Constraint]:
    section = top.section(key)
    section.only((), ("margin", "links"))
    links = tuple(_link(section, item, f"links[{i}]") for i, item in enumerate(section.items("links"))) if section.has("links") else None
    return [convex.PhysicalConsistency(margin=section.number("margin", 0.0), links=links)]


def _total_mass(top: Fields, key: str) -> list[Constraint]:
    return [convex.TotalMass(*_limits(top, key))]


def _bounds(top: Fields, key: str) -> list[Constraint]:
    section = top.section(key)
    return [convex.Bounds(str(name), *_limits(section, name)) for name in section.values]


def _limits(section: Fields, name: str) -> tuple[float, float]:
    """[low, high]"""
    low, high = section.numbers(name, 2, infinite=True)
    if low > high:
        raise section.error(name, f"the lower bound {low:g} exceeds the upper bound {high:g}")
    return float(low), float(high)


def _values(kind: Callable[[str, float], Constraint]) -> Callable[[Fields, str], list[Constraint]]:
    def read(top: Fields, key: str) -> list[Constraint]:
        section = top.section(key)
        return [kind(str(name), section.number(name)) for name in section.values]

    return read


def _equal(top: Fields, key: str) -> list[Constraint]:
    found: list[Constraint] = []
    for i, pair in enumerate(top.items(key)):
        names = [name for name in cast("list[Any]", pair) if isinstance(name, str)] if isinstance(pair, list) else []
        if len(names) != 2 or len(cast("list[Any]", pair)) != 2:
            raise FileError(top.file, "two parameter names were expected, such as [m2, m4]", place=f"{key}[{i}]")
        found.append(convex.Equal(*names))
    return found


def _ratio(top: Fields, key: str) -> list[Constraint]:
    found: list[Constraint] = []
    for item in top.sections(key):
        item.only(("of", "to"), ("low", "high"))
        found.append(convex.Ratio(item.text("of"), item.text("to"), item.number("low", 0.0), item.number("high", math.inf, infinite=True)))
    return found


def _symmetric(top: Fields, key: str) -> list[Constraint]:
    found: list[Constraint] = []
    for item in top.sections(key):
        item.only(("link", "plane"))
        found.append(convex.Symmetric(_link(item, item.values["link"], "link"), item.choice("plane", _PLANES)))
    return found


def _com(top: Fields, key: str) -> list[Constraint]:
    found: list[Constraint] = []
    for item in top.sections(key):
        item.only(("link",), _SHAPES)
        link, shapes = _link(item, item.values["link"], "link"), [shape for shape in _SHAPES if item.has(shape)]
        if len(shapes) != 1:
            raise FileError(item.file, f"needs one shape, out of {', '.join(_SHAPES)}", place=item.place)
        found.append(_hull(item, link, shapes[0]) if shapes[0] in ("hull", "box") else _round(item.section(shapes[0]), link, shapes[0]))
    return found


def _hull(item: Fields, link: int | str, shape: str) -> Constraint:
    """Points that span a volume, or the two opposite corners of a box."""
    points = np.array(item.rows(shape, 3))
    if shape == "box" and len(points) == 2:
        low, high = points
        points = np.array([np.where([i, j, k], high, low) for i in (0, 1) for j in (0, 1) for k in (0, 1)], dtype=float)
    if len(points) < 4 or np.linalg.matrix_rank(points - points[0]) < 3:
        raise item.error(shape, "two opposite corners were expected" if shape == "box" else "its points must span a volume")
    return ComInHull(link, points)


def _round(section: Fields, link: int | str, shape: str) -> Constraint:
    if shape == "cylinder":
        section.only(("start", "end", "radius"))
        start, end = section.numbers("start", 3), section.numbers("end", 3)
        if np.array_equal(start, end):
            raise section.error("end", "is the same point as the start")
        return ComInCylinder(link, start, end, section.positive("radius"))
    if shape == "sphere":
        section.only(("centre", "radius"))
        return ComInEllipsoid.sphere(link, section.numbers("centre", 3), section.positive("radius"))
    section.only(("centre", "semi_axes"))
    semi_axes = section.numbers("semi_axes", 3)
    if np.any(semi_axes <= 0.0):
        raise section.error("semi_axes", "must be positive")
    return ComInEllipsoid(link, section.numbers("centre", 3), np.diag(1.0 / semi_axes))


def _friction(top: Fields, key: str) -> list[Constraint]:
    top.choice(key, ("nonnegative",))
    return [convex.FrictionNonnegative()]


#: A new kind of constraint is its class and one line here.
_SECTIONS: dict[str, Callable[[Fields, str], list[Constraint]]] = {
    "consistency": _consistency,
    "total_mass": _total_mass,
    "bounds": _bounds,
    "known": _values(convex.Known),
    "equal": _equal,
    "ratio": _ratio,
    "symmetric": _symmetric,
    "com": _com,
    "friction": _friction,
    "dont_care": _values(convex.DontCare),
}


def _link(item: Fields, value: object, key: str) -> int | str:
    if isinstance(value, int | str) and not isinstance(value, bool):
        return value
    raise item.error(key, "a link's name or its number from 1 was expected")
