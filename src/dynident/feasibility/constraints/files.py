"""Constraints as files: bounds in CSV, every built-in constraint in YAML, and the user's own functions in Python."""

from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path
from typing import Any, cast

from dynident.core.fields import parse_number
from dynident.core.files import errors_in_file, read_text
from dynident.errors import FileError, Remedy
from dynident.feasibility.constraints.constraint_yaml import read_constraint_yaml
from dynident.feasibility.constraints.convex import Bounds
from dynident.feasibility.constraints.terms import Constraint, FeasibleSet
from dynident.regression.equations.base import BaseParameters

_CSV_COLUMNS = ("Coeff name", "Lower bound", "Upper bound")
_SUFFIXES = (".csv", ".yaml", ".yml", ".py")


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
            remedy = Remedy("give it with {run_python} if that is wanted", run_python=True)
            raise FileError(file, "is a Python file, which would be run", remedy=remedy)
        found = _from_python(file)
    else:
        found = _from_csv(file) if suffix == ".csv" else read_constraint_yaml(file)
    constraints = FeasibleSet(tuple(found))
    if base is not None:
        with errors_in_file(file):
            constraints.terms(base.robot, base.columns)
    return constraints


def _from_csv(file: Path) -> list[Constraint]:
    """Lines `name,low,high` below the line `Coeff name,Lower bound,Upper bound`."""
    lines = [(number, row) for number, row in enumerate(csv.reader(read_text(file).splitlines()), start=1) if any(map(str.strip, row))]
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
        bounds[cells[0]] = Bounds(cells[0], *limits)
    return list(bounds.values())


def _from_python(file: Path) -> list[Constraint]:
    read_text(file)  # one that can't be read has its usual sentence
    name = f"constraints_of_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None  # noqa: S101 (the suffix is .py)
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # worker processes find its functions by this name
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a user's program may raise anything
        raise FileError(file, f"ended with {type(error).__name__}: {error}; mend it, or run it by itself to see where") from error
    if not hasattr(module, "constraints"):
        raise FileError(file, "defines no `constraints`; set it to a constraint, a FeasibleSet or a list of constraints")
    found = module.constraints
    items: list[Any] = list(cast("list[Any]", found)) if isinstance(found, list | tuple) else [found]
    for i, item in enumerate(items):
        if isinstance(item, type) or not isinstance(item, Constraint):
            kind = item.__name__ if isinstance(item, type) else type(item).__name__
            place, allowed = f"constraints[{i}]", "a constraint, such as Bounds('m1', 0, 10) or UserConstraint(f), was expected"
            raise FileError(file, f"is {kind}; {allowed}", place=place)
    return items
