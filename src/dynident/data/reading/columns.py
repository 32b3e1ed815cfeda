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
    by_role = _by_role({name: found for name in table if name not in taken and (found := meaning(name)) and found.role not in ignored})
    if "effort" not in names_of:
        role = _choose_effort(file, by_role, effort_role)
        if role:
            by_role["effort"] = by_role.pop(role)
    found = {name: _in_order(file, name, by_role[name]) for name in MAPPED if name in by_role and name not in names_of}
    if "q" not in names_of and "q" not in found:
        raise _missing(file, "q", table)
    if "temperature" in found and len(found["temperature"]) not in (1, len(found.get("q", names_of.get("q", ())))):
        del found["temperature"]  # of something else than the joints, and nobody asked for it
    arrays = {name: stack(file, table, name, names) for name, names in names_of.items()}
    arrays |= {name: stack(file, table, name, list(columns_)) for name, columns_ in found.items()}
    own_names = _same_joints(file, found)
    orient(arrays)
    return Content(
        arrays=arrays,
        joint_names=_texts(table, "joint_names") or own_names,
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
        name, said = canonical(key)
        if not patterns:
            continue
        if name in names_of:
            raise FileError(file, f"the map gives {name} twice; keep one of the keys", place=f"columns.{key}")
        names_of[name] = choose(file, table, name, patterns)
        if name == "effort":
            role = said or effort_role_of(names_of[name])
    return names_of, role


def _ignored_roles(file: Path, columns: Mapping[str, Patterns]) -> set[str]:
    """The roles that the map gives no column, so that they are left alone whatever their names say."""
    ignored: set[str] = set()
    for name, said in (canonical(key) for key, patterns in columns.items() if not patterns):
        if name == "q":
            raise FileError(file, "q can't be ignored; positions are what everything else belongs to", place="columns.q")
        ignored |= {said} if said else set(EFFORT_ROLES) if name == "effort" else {name}
    return ignored


def effort_role_of(names: Sequence[str]) -> str:
    """What the names of effort columns say they are; empty when nothing, or not one thing."""
    roles = {found.role for name in names if (found := meaning(name)) and found.role in EFFORT_ROLES}
    return roles.pop() if len(roles) == 1 else ""


def choose(file: Path, table: Table, name: str, patterns: Patterns) -> list[str]:
    """Columns by exact name, by range first:last in the file's order, or by wildcard in natural order."""
    chosen: list[str] = []
    order = list(table)
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        first, _, last = pattern.partition(":")
        if pattern in table:
            matches = [pattern]
        elif first in table and last in table:
            matches = order[order.index(first) : order.index(last) + 1]
        else:
            matches = natural_order(column for column in order if fnmatchcase(column, pattern) and column not in DESCRIPTIONS)
        if not matches:
            remedy = Remedy("correct the map ({columns})", columns={name: "..."})
            raise FileError(file, f"no column matches {pattern!r}, given for {name}; found: {_list_names(table)}", remedy=remedy)
        chosen += matches
    return list(dict.fromkeys(chosen))


def _by_role(meanings: Mapping[str, Meaning]) -> dict[str, dict[str, Meaning]]:
    by_role: dict[str, dict[str, Meaning]] = {}
    for name, found in meanings.items():
        by_role.setdefault(found.role, {})[name] = found
    return by_role


def _choose_effort(file: Path, by_role: Mapping[str, Mapping[str, Meaning]], wanted: str) -> str:
    """The role that fills `effort`: the wanted one where several are there."""
    present = [role for role in EFFORT_ROLES if role in by_role]
    if len(present) > 1 and wanted not in present:
        names = ", ".join(repr(name) for role in present for name in by_role[role])
        remedy = Remedy("choose one, such as {effort_kind} or {columns}", effort_kind=present[0], columns={"effort": "..."})
        raise FileError(file, f"holds {' and '.join(present)} ({names})", remedy=remedy)
    return wanted if wanted in present else present[0] if present else ""


def _in_order(file: Path, name: str, found: Mapping[str, Meaning]) -> dict[str, Meaning]:
    """The columns of one quantity in joint order; refused when two whole arrays, or an array and columns, claim it."""
    whole = [column for column, said in found.items() if said.joint is None and said.element is None]
    if len(whole) > 1 or (whole and len(found) > 1):
        raise FileError(file, f"several columns can be {name}: {', '.join(map(repr, found))}", remedy=choose_with(name))
    joints = [said.joint for said in found.values()]
    if len({type(joint) for joint in joints}) > 1:
        listed = ", ".join(map(repr, found))
        raise FileError(file, f"columns of {name} both number and name their joints: {listed}", remedy=choose_with(name))
    if all(isinstance(joint, int) for joint in joints) or all(re.search(r"\d", str(joint)) for joint in joints):
        order = natural_order(str(joint) for joint in joints)
        return {column: said for _, column, said in sorted((order.index(str(said.joint)), column, said) for column, said in found.items())}
    return dict(found)


def _same_joints(file: Path, found: Mapping[str, Mapping[str, Meaning]]) -> tuple[str, ...]:
    """The joints' own names, when the columns carry them; refused when quantities are of different joints."""
    joints = {name: [said.joint for said in columns.values() if said.joint is not None] for name, columns in found.items()}
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
    own = given.get("q", [])
    return tuple(str(joint) for joint in own) if own and all(isinstance(joint, str) for joint in own) else ()


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
    return FileError(file, f"no column is known as {name}; found: {_list_names(table)}", remedy=remedy)


def _list_names(table: Table) -> str:
    names = list(table)
    return ", ".join(names[:40]) + (f", ... ({len(names)} in all)" if len(names) > 40 else "") if names else "none"


def _join(items: Sequence[object]) -> str:
    return ", ".join(map(str, items))
