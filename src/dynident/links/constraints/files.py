"""Constraints as files: bounds in CSV, every built-in constraint in YAML, and the user's own functions in Python.

The form of the YAML is described in docs/reference/constraint-files.md; every key is checked.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np

from dynident.core.fields import Fields, read_fields
from dynident.core.files import errors_in_file, read_text, split_csv
from dynident.core.kinds import parse_number
from dynident.errors import FileError, Remedy
from dynident.links.constraints import convex
from dynident.links.constraints.either import Either
from dynident.links.constraints.regions import ComInCylinder, ComInEllipsoid, ComInHull
from dynident.links.constraints.terms import Constraint, FeasibleSet
from dynident.regression.equations.base import BaseParameters

_CSV_COLUMNS = ("Coeff name", "Lower bound", "Upper bound")
_SUFFIXES = (".csv", ".yaml", ".yml", ".py")
_PLANES = ("xy", "xz", "yz")
#: No region is thinner [m].
_THINNEST = 1e-9
_SHAPES = ("box", "sphere", "ellipsoid", "cylinder", "hull")


def read_constraints(path: str | Path, *, base: BaseParameters | None = None, run_python: bool = False) -> FeasibleSet:
    """The constraints in a .csv (bounds), .yaml or .yml file, or in a .py file, which is *run* if `run_python` allows it.

    base : whose parameters they are about; names that it doesn't have are then complained about with the file's name.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in _SUFFIXES:
        raise FileError(file, f"unknown suffix {suffix!r}; known: {', '.join(_SUFFIXES)}")
    if suffix == ".py":
        if not run_python:
            remedy = Remedy("read it, and allow it with {run_python}", run_python=True)
            raise FileError(file, "is a Python program, which can do all that you can", remedy=remedy)
        conditions = _from_python(file)
    else:
        conditions = _from_csv(file) if suffix == ".csv" else _from_yaml(file)
    constraints = FeasibleSet(tuple(conditions))
    if base is not None:
        with errors_in_file(file):
            constraints.terms(base.robot, base.columns)
    return constraints


def _from_csv(file: Path) -> list[Constraint]:
    """Lines `name,low,high` below the line `Coeff name,Lower bound,Upper bound`."""
    lines = [(number, row) for number, row in enumerate(split_csv(file, read_text(file)), start=1) if any(map(str.strip, row))]
    header = tuple(cell.strip() for cell in lines[0][1]) if lines else ()
    if header != _CSV_COLUMNS:
        raise FileError(file, f"its first line must be {','.join(_CSV_COLUMNS)!r}, not {','.join(header)!r}", place="line 1")
    bounds: dict[str, Constraint] = {}
    for number, row in lines[1:]:
        place, cells = f"line {number}", [cell.strip() for cell in row]
        limits = [limit for cell in cells[1:] if (limit := parse_number(cell)) is not None]
        if len(cells) != 3 or not cells[0] or len(limits) != 2:
            raise FileError(file, f"a name, a lower and an upper bound were expected, not {','.join(row)!r}", place=place)
        if cells[0] in bounds:
            raise FileError(file, f"{cells[0]} is bounded twice; keep one line", place=place)
        if limits[0] > limits[1]:
            raise FileError(file, f"the lower bound {limits[0]:g} of {cells[0]} exceeds the upper bound {limits[1]:g}", place=place)
        bounds[cells[0]] = convex.Bounds(cells[0], *limits)
    return list(bounds.values())


def _from_python(file: Path) -> list[Constraint]:
    read_text(file)  # one that can't be read has its usual sentence
    name = f"constraints_of_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise FileError(file, "can't be imported as a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # worker processes find its functions by this name
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a user's program may raise anything
        raise FileError(file, f"ended with {type(error).__name__}: {error}; mend it, or run it by itself to see where") from error
    if not hasattr(module, "constraints"):
        raise FileError(file, "defines no `constraints`; set it to a constraint, a FeasibleSet or a list of constraints")
    content = module.constraints
    items: list[Any] = list(cast("list[Any]", content)) if isinstance(content, list | tuple) else [content]
    for i, item in enumerate(items):
        if isinstance(item, type) or not isinstance(item, Constraint):
            kind = item.__name__ if isinstance(item, type) else type(item).__name__
            place, allowed = f"constraints[{i}]", "a constraint, such as Bounds('m1', 0, 10) or UserConstraint(f), was expected"
            raise FileError(file, f"is {kind}; {allowed}", place=place)
    return items


def _from_yaml(file: Path) -> list[Constraint]:
    """The constraints in a YAML file, in the order of its keys; FileError names the file, the place and what is allowed."""
    top = read_fields(file)
    top.only((), tuple(_SECTIONS))
    return _read_sections(top)


def _read_sections(fields: Fields) -> list[Constraint]:
    return [constraint for key in fields.values if key in _SECTIONS for constraint in _SECTIONS[key](fields, key)]


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
    equalities: list[Constraint] = []
    for i, pair in enumerate(top.items(key)):
        names = [name for name in cast("list[Any]", pair) if isinstance(name, str)] if isinstance(pair, list) else []
        if len(names) != 2 or len(cast("list[Any]", pair)) != 2:
            raise FileError(top.file, "two parameter names were expected, such as [m2, m4]", place=f"{key}[{i}]")
        equalities.append(convex.Equal(*names))
    return equalities


def _ratio(top: Fields, key: str) -> list[Constraint]:
    ratios: list[Constraint] = []
    for item in top.sections(key):
        item.only(("of", "to"), ("low", "high"))
        ratios.append(convex.Ratio(item.text("of"), item.text("to"), item.number("low", 0.0), item.number("high", math.inf, infinite=True)))
    return ratios


def _symmetric(top: Fields, key: str) -> list[Constraint]:
    symmetries: list[Constraint] = []
    for item in top.sections(key):
        item.only(("link", "plane"))
        symmetries.append(convex.Symmetric(_link(item, item.values["link"], "link"), item.choice("plane", _PLANES)))
    return symmetries


def _com(top: Fields, key: str) -> list[Constraint]:
    centres: list[Constraint] = []
    for item in top.sections(key):
        item.only(("link",), _SHAPES)
        link, shapes = _link(item, item.values["link"], "link"), [shape for shape in _SHAPES if item.has(shape)]
        if len(shapes) != 1:
            raise FileError(item.file, f"needs one shape, out of {', '.join(_SHAPES)}", place=item.place)
        centres.append(_hull(item, link, shapes[0]) if shapes[0] in ("hull", "box") else _round(item.section(shapes[0]), link, shapes[0]))
    return centres


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
        return ComInCylinder(link, start, end, _length(section, "radius"))
    if shape == "sphere":
        section.only(("centre", "radius"))
        return ComInEllipsoid.sphere(link, section.numbers("centre", 3), _length(section, "radius"))
    section.only(("centre", "semi_axes"))
    semi_axes = section.numbers("semi_axes", 3)
    if np.any(semi_axes < _THINNEST):
        raise section.error("semi_axes", f"must be positive, and at least {_THINNEST:g} m")
    return ComInEllipsoid(link, section.numbers("centre", 3), np.diag(1.0 / semi_axes))


def _length(section: Fields, key: str) -> float:
    """A radius [m]."""
    value = section.positive(key)
    if value < _THINNEST:
        raise section.error(key, f"is {value:g} m; at least {_THINNEST:g} was expected")
    return value


def _friction(top: Fields, key: str) -> list[Constraint]:
    top.choice(key, ("nonnegative",))
    return [convex.FrictionNonnegative()]


def _either(top: Fields, key: str) -> list[Constraint]:
    """One rule as a list of branches, or several by name; a branch has the keys of a file, and a name if it is given one."""
    value, rules = top.values[key], dict[str, list[Fields]]()
    if isinstance(value, dict):
        section = top.section(key)
        rules = {str(name): section.sections(name) for name in section.values}
    else:
        rules[key] = top.sections(key)
    alternatives: list[Constraint] = []
    for rule, branches in rules.items():
        for branch in branches:
            branch.only((), ("name", *_SECTIONS))
        parts = [FeasibleSet(tuple(_read_sections(branch))) for branch in branches]
        alternatives.append(Either(parts, rule, [branch.text("name") for branch in branches]))
    return alternatives


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
    "either": _either,
}


def _link(item: Fields, value: object, key: str) -> int | str:
    if isinstance(value, int | str) and not isinstance(value, bool):
        return value
    raise item.error(key, "a link's name or its number from 1 was expected")
