"""From a file's own column names to time, q, dq, ddq, effort, or q, M, g, c: by a map, else by what the names say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.core.arrays import Array, IntArray, all_finite
from dynident.data.formats.columns_on_disk import LONG_INTEGER
from dynident.data.formats.registry import Table
from dynident.data.reading.quantities import DESCRIPTIONS, EFFORT_ROLES, MAPPED, Meaning, canonical, meaning, natural_order
from dynident.data.reading.reading import Patterns
from dynident.data.reading.stacks import choose_with, numeric, orient, stack
from dynident.errors import FileError, Remedy


@dataclass(frozen=True, kw_only=True, eq=False)
class Content:
    """What a file holds, in the file's units: arrays by our names, and what the names said about joints and effort.

    arrays : dict             Any of time (N,), q, dq, ddq, effort, temperature, g, c, mask (N, n), M (N, n, n); temperature maybe (N, 1).
    joint_names : tuple       Empty when the file names none.
    effort_role : str         "torque", "current", "magnitude" or "current_magnitude"; empty when the name of the effort says nothing.
    starts : tuple of int     First sample of each segment.
    period : (N,) or None     Marks of the repetitions of a motion.
    gears : (n, n) or None    Of the drives, in a file that holds the joints' positions and efforts all the same.
    """

    arrays: dict[str, NDArray[Any]]
    joint_names: tuple[str, ...]
    effort_role: str
    starts: tuple[int, ...]
    gears: Array | None = None
    period: IntArray | None = None


def understand(file: Path, table: Table, columns: Mapping[str, Patterns], *, effort_role: str = "") -> Content:
    """Find every quantity in the table; FileError lists the names there are when q is not among them."""
    table = {name: values for name, values in table.items() if (values.ndim > 0 and values.size > 0) or name in DESCRIPTIONS}
    names_of, role = _map_columns(file, table, columns)
    described = {name for name in table if name in DESCRIPTIONS}
    taken = described | {name for names in names_of.values() for name in names}
    ignored = _ignored_roles(file, columns)
    by_role = _by_role({name: item for name in table if name not in taken and (item := meaning(name)) and item.role not in ignored})
    if "effort" not in names_of:
        role = _choose_effort(file, by_role, effort_role)
        if role:
            by_role["effort"] = by_role.pop(role)
    columns_of = {name: _in_order(file, name, by_role[name]) for name in MAPPED if name in by_role and name not in names_of}
    if "q" not in names_of and "q" not in columns_of:
        raise _missing(file, "q", table)
    if "temperature" in columns_of and len(columns_of["temperature"]) not in (1, len(columns_of.get("q", names_of.get("q", ())))):
        del columns_of["temperature"]  # of something else than the joints, and nobody asked for it
    arrays = {name: stack(file, table, name, names) for name, names in names_of.items()}
    arrays |= {name: stack(file, table, name, list(columns_)) for name, columns_ in columns_of.items()}
    joints = _same_joints(file, columns_of)
    orient(arrays)
    return Content(
        arrays=arrays,
        joint_names=_texts(table, "joint_names") or joints,
        effort_role=next(iter(_texts(table, "effort_kind")), role) if "effort" in arrays else "",
        starts=_starts(file, table, len(arrays["q"])),
        gears=np.asarray(numeric(file, "gears", table["gears"]), dtype=float) if "gears" in table else None,
        period=_period(table, len(arrays["q"])),
    )


def _map_columns(file: Path, table: Table, columns: Mapping[str, Patterns]) -> tuple[dict[str, list[str]], str]:
    """The columns that the map gives to each quantity, and the effort's role if it is clear."""
    names_of: dict[str, list[str]] = {}
    role = ""
    for key, patterns in columns.items():
        name, role_of_key = canonical(key)
        if not patterns:
            continue
        if name in names_of:
            raise FileError(file, f"the map gives {name} twice; keep one of the keys", place=f"columns.{key}")
        names_of[name] = choose(file, table, name, patterns)
        if name == "effort":
            role = role_of_key or effort_role_of(names_of[name])
    return names_of, role


def _ignored_roles(file: Path, columns: Mapping[str, Patterns]) -> set[str]:
    """The roles that the map gives no column, so that they are left alone whatever their names say."""
    ignored: set[str] = set()
    for name, role_of_key in (canonical(key) for key, patterns in columns.items() if not patterns):
        if name == "q":
            raise FileError(file, "q can't be ignored; positions are what everything else belongs to", place="columns.q")
        ignored |= {role_of_key} if role_of_key else set(EFFORT_ROLES) if name == "effort" else {name}
    return ignored


def effort_role_of(names: Sequence[str]) -> str:
    """What the names of effort columns say they are; empty when nothing, or not one thing."""
    roles = {item.role for name in names if (item := meaning(name)) and item.role in EFFORT_ROLES}
    return roles.pop() if len(roles) == 1 else ""


def choose(file: Path, table: Table, name: str, patterns: Patterns) -> list[str]:
    """The columns that patterns give to a quantity; each must match some."""
    chosen: list[str] = []
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        matches = match(table, pattern)
        if not matches:
            remedy = Remedy("correct the map ({columns})", columns={name: "..."})
            raise FileError(file, f"no column matches {pattern!r}, given for {name}; found: {list_names(table)}", remedy=remedy)
        chosen += matches
    return list(dict.fromkeys(chosen))


def match(table: Table, pattern: str) -> list[str]:
    """Columns by exact name, by range first:last in the file's order, or by wildcard in natural order."""
    order, (first, _, last) = list(table), pattern.partition(":")
    if pattern in table:
        return [pattern]
    if first in table and last in table:
        return order[order.index(first) : order.index(last) + 1]
    return natural_order(column for column in order if fnmatchcase(column, pattern) and column not in DESCRIPTIONS)


def _by_role(meanings: Mapping[str, Meaning]) -> dict[str, dict[str, Meaning]]:
    by_role: dict[str, dict[str, Meaning]] = {}
    for name, item in meanings.items():
        by_role.setdefault(item.role, {})[name] = item
    return by_role


def _choose_effort(file: Path, by_role: Mapping[str, Mapping[str, Meaning]], preferred: str) -> str:
    """The role that fills `effort`: the preferred one where several are there."""
    present = [role for role in EFFORT_ROLES if role in by_role]
    if len(present) > 1 and preferred not in present:
        names = ", ".join(repr(name) for role in present for name in by_role[role])
        remedy = Remedy("choose one, such as {effort_kind} or {columns}", effort_kind=present[0], columns={"effort": "..."})
        raise FileError(file, f"holds {' and '.join(present)} ({names})", remedy=remedy)
    return preferred if preferred in present else present[0] if present else ""


def _in_order(file: Path, name: str, meanings: Mapping[str, Meaning]) -> dict[str, Meaning]:
    """The columns of one quantity in joint order; refused when two whole arrays, or an array and columns, claim it."""
    whole = [column for column, item in meanings.items() if item.joint is None and item.element is None]
    if len(whole) > 1 or (whole and len(meanings) > 1):
        raise FileError(file, f"several columns can be {name}: {', '.join(map(repr, meanings))}", remedy=choose_with(name))
    joints = [item.joint for item in meanings.values()]
    if len({type(joint) for joint in joints}) > 1:
        listed = ", ".join(map(repr, meanings))
        raise FileError(file, f"columns of {name} both number and name their joints: {listed}", remedy=choose_with(name))
    if all(isinstance(joint, int) for joint in joints) or all(re.search(r"\d", str(joint)) for joint in joints):
        order = natural_order(str(joint) for joint in joints)
        return dict(sorted(meanings.items(), key=lambda entry: (order.index(str(entry[1].joint)), entry[0])))
    return dict(meanings)


def _same_joints(file: Path, meanings: Mapping[str, Mapping[str, Meaning]]) -> tuple[str, ...]:
    """The joints' own names, when the columns carry them; refused when quantities are of different joints."""
    joints = {name: [item.joint for item in columns.values() if item.joint is not None] for name, columns in meanings.items()}
    given = {name: listed for name, listed in joints.items() if listed}
    for name, listed in given.items():
        if name == "temperature" and len(listed) == 1:
            continue  # one thermometer for all
        if "q" in given and listed != given["q"]:
            both = f"q has {len(given['q'])} ({_join(given['q'])}), {name} has {len(listed)} ({_join(listed)})"
            raise FileError(file, f"columns are of different joints: {both}", remedy=choose_with(name))
        numbers = [joint for joint in listed if isinstance(joint, int)]
        if numbers and numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            raise FileError(file, f"{name} has columns of the joints {_join(listed)}, with a gap", remedy=choose_with(name))
    names = given.get("q", [])
    return tuple(str(joint) for joint in names) if names and all(isinstance(joint, str) for joint in names) else ()


def _starts(file: Path, table: Table, samples: int) -> tuple[int, ...]:
    if "starts" in table:
        starts = numeric(file, "starts", table["starts"]).reshape(-1)
        if not np.all(np.isfinite(starts)) or np.any(starts != np.floor(starts)):
            raise FileError(file, "starts are the samples at which segments begin, so that they are whole numbers", place="starts")
        return tuple(int(start) for start in starts)
    if "segment" in table:
        labels: Array = numeric(file, "segment", table["segment"]).reshape(-1)
        if len(labels) != samples:
            raise FileError(file, f"segment has {len(labels)} values, but q has {samples} samples")
        if not all_finite(np.asarray(labels, dtype=float)):
            raise FileError(file, "segment holds NaN or infinity; it numbers the segments, one number per sample", place="segment")
        return (0, *(int(i) + 1 for i in np.flatnonzero(np.diff(labels))))
    return (0,)


def _period(table: Table, samples: int) -> IntArray | None:
    """Marks of repetitions; a column of that name that holds anything else, such as a cycle time, is left alone."""
    values = np.asarray(table.get("period", np.zeros(0)))
    if values.shape != (samples,) or values.dtype.kind not in "iuf" or not np.all(np.abs(values) < LONG_INTEGER):
        return None
    whole = values.astype(np.int64)
    return whole if np.all(whole == values) and whole.min() >= 0 and whole.max() > 0 else None


def _texts(table: Table, name: str) -> tuple[str, ...]:
    return tuple(str(text) for text in np.atleast_1d(table[name])) if name in table else ()


def _missing(file: Path, name: str, table: Table) -> FileError:
    remedy = Remedy("name them with {columns} (wildcards allowed)", columns={name: "..."})
    return FileError(file, f"no column is known as {name}; found: {list_names(table)}", remedy=remedy)


def list_names(table: Table) -> str:
    names = list(table)
    return ", ".join(names[:40]) + (f", ... ({len(names)} in all)" if len(names) > 40 else "") if names else "none"


def _join(items: Sequence[object]) -> str:
    return ", ".join(map(str, items))
