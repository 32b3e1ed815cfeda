"""How a log is to be read: column map, units, joint order, signs and gears, from a small YAML beside the data or from arguments."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import read_yaml
from dynident.data.dataset import EffortKind
from dynident.data.reading.columns import Patterns, canonical
from dynident.data.reading.units import UNITS, factor
from dynident.errors import FileError, UnknownNameError

Unit = str | tuple[str, ...]
_KEYS = ("columns", "units", "joints", "signs", "gear_ratios", "motor_to_joint", "offsets", "effort_kind", "rate", "skip", "files")


@dataclass(frozen=True, kw_only=True, eq=False)
class Recipe:
    """Everything that can be said about how to read a log.

    columns : dict            Our name -> the file's columns: a name, a wildcard, a range first:last, or a list of these.
    units : dict              Our name -> unit, or a unit per joint.
    joints : tuple of str     Names of the joints, or their order when the file has names.
    signs : (n,) or None      +1 or -1 per joint, for positions, velocities, accelerations and signed efforts.
    gears : (n, n) or None    R with motor = R · joint; torque = Rᵀ · motor torque.
    offsets : (n,) or None    Added to q last [rad | m].
    effort_kind, rate, skip   What the effort is; sampling rate [Hz] of a log without stamps; samples to drop at the start.
    files : tuple or dict     Files to read one after another, or a file per quantity.
    """

    columns: Mapping[str, Patterns] = field(default_factory=dict[str, Patterns])
    units: Mapping[str, Unit] = field(default_factory=dict[str, Unit])
    joints: tuple[str, ...] = ()
    signs: Array | None = None
    gears: Array | None = None
    offsets: Array | None = None
    effort_kind: EffortKind | None = None
    rate: float | None = None
    skip: int = 0
    files: tuple[str, ...] | Mapping[str, str] = ()

    def override(self, **given: Any) -> Recipe:
        """The same with what was given explicitly; maps are merged key by key."""
        changes = {name: value for name, value in given.items() if value is not None}
        for name in ("columns", "units"):
            if name in changes:
                changes[name] = {**getattr(self, name), **changes[name]}
        return replace(self, **changes)


def checked_columns(columns: Mapping[str, Patterns] | None) -> dict[str, Patterns] | None:
    """A column map with our own names as keys."""
    if columns is None:
        return None
    for name in columns:
        canonical(name)
    return dict(columns)


def checked_units(units: Mapping[str, str | Sequence[str]] | None) -> dict[str, Unit] | None:
    """Units by our own names, each known."""
    if units is None:
        return None
    known: dict[str, Unit] = {}
    for key, unit in units.items():
        name = canonical(key)[0]
        if name not in UNITS:
            raise UnknownNameError("quantity with a unit", key, UNITS)
        for each in [unit] if isinstance(unit, str) else unit:
            factor(name, each)
        known[name] = unit if isinstance(unit, str) else tuple(unit)
    return known


def read_recipe(path: Path) -> Recipe:
    """The recipe in a YAML file; FileError names the place and what is allowed."""
    values = read_yaml(path)
    for key in values:
        if key not in _KEYS:
            raise FileError(path, f"unknown key {key!r}; allowed: {', '.join(_KEYS)}")
    if "gear_ratios" in values and "motor_to_joint" in values:
        raise FileError(path, "gear_ratios and motor_to_joint say the same thing twice; keep one")
    reading = _Reading(path, values)
    try:
        return Recipe(
            columns=checked_columns(reading.mapping("columns")) or {},
            units=checked_units(reading.mapping("units")) or {},
            joints=tuple(reading.texts("joints")),
            signs=reading.signs(),
            gears=reading.gears(),
            offsets=reading.vector("offsets"),
            effort_kind=None if (kind := reading.text("effort_kind")) is None else EffortKind(kind),
            rate=reading.positive("rate"),
            skip=reading.count("skip"),
            files=reading.files(),
        )
    except UnknownNameError as error:
        raise FileError(path, str(error)) from None


class _Reading:
    """The YAML's values, read with their type."""

    def __init__(self, path: Path, values: dict[str, Any]) -> None:
        self.path = path
        self.values = values

    def mapping(self, key: str) -> dict[str, Any] | None:
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise FileError(self.path, "a mapping such as {q: pos_*} was expected", place=key)
        entries = cast("dict[Any, Any]", value)
        for name, entry in entries.items():
            texts = cast("list[Any]", entry) if isinstance(entry, list) else [entry]
            if not isinstance(name, str) or not texts or not all(isinstance(text, str) for text in texts):
                raise FileError(self.path, "a text or a list of texts was expected", place=f"{key}.{name}")
        return entries

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        if value is not None and not isinstance(value, str):
            raise FileError(self.path, f"a text was expected, not {value!r}", place=key)
        return value

    def texts(self, key: str) -> list[str]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[Any]", value)):
            raise FileError(self.path, "a list of texts was expected", place=key)
        return cast("list[str]", value)

    def vector(self, key: str) -> Array | None:
        value = self.values.get(key)
        return None if value is None else np.array(self._row(value, key))

    def signs(self) -> Array | None:
        signs = self.vector("signs")
        if signs is not None and not np.all(np.abs(signs) == 1.0):
            raise FileError(self.path, "each sign must be 1 or -1", place="signs")
        return signs

    def gears(self) -> Array | None:
        """(n, n) R with motor = R · joint, from ratios, from that matrix, or from its inverse."""
        for key in ("gear_ratios", "motor_to_joint"):
            value = self.values.get(key)
            if value is None:
                continue
            rows = cast("list[Any]", value) if isinstance(value, list) else []
            if key == "gear_ratios" and rows and not isinstance(rows[0], list):
                matrix = np.diag(self._row(rows, key))
            else:
                lists = [self._row(row, f"{key}[{i}]") for i, row in enumerate(rows)]
                if not lists or any(len(row) != len(lists) for row in lists):
                    raise FileError(self.path, "a square matrix, a list of n lists of n numbers, was expected", place=key)
                matrix = np.array(lists)
            if abs(np.linalg.det(matrix)) < 1e-300 or np.linalg.cond(matrix) > 1e12:
                raise FileError(self.path, "can't be inverted; every motor must move its joint", place=key)
            return matrix if key == "gear_ratios" else np.linalg.inv(matrix)
        return None

    def positive(self, key: str) -> float | None:
        value = self.values.get(key)
        if value is None:
            return None
        number = self._number(value, key)
        if number <= 0:
            raise FileError(self.path, f"is {number:g}; it must be above 0", place=key)
        return number

    def count(self, key: str) -> int:
        value = self.values.get(key, 0)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise FileError(self.path, f"is {value!r}; a number of samples, 0 or more, was expected", place=key)
        return value

    def files(self) -> tuple[str, ...] | dict[str, str]:
        if not isinstance(self.values.get("files"), dict):
            return tuple(self.texts("files"))
        entries = self.mapping("files") or {}
        for name, file in entries.items():
            if not isinstance(file, str):
                raise FileError(self.path, "one file per quantity was expected", place=f"files.{name}")
        return {canonical(name)[0]: file for name, file in entries.items()}

    def _row(self, value: object, place: str) -> list[float]:
        if not isinstance(value, list) or not value:
            raise FileError(self.path, "a list of numbers was expected", place=place)
        return [self._number(item, f"{place}[{i}]") for i, item in enumerate(cast("list[Any]", value))]

    def _number(self, value: object, place: str) -> float:
        """A finite number; also "pi/2", and 1e-3, which YAML 1.1 reads as text."""
        number = math.nan
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            number = float(value)
        elif isinstance(value, str):
            number = _parse(value)
        if not math.isfinite(number):
            raise FileError(self.path, f'a finite number was expected, such as 0.25 or "pi/2", not {value!r}', place=place)
        return number


def _parse(text: str) -> float:
    """0.5, 1e-3, pi, -pi/2, 2*pi/3; NaN for anything else."""
    number = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
    found = re.fullmatch(rf"([+-]?)\s*(?:({number})|(?:({number})\s*\*\s*)?pi(?:\s*/\s*({number}))?)", text.strip())
    if not found:
        return math.nan
    sign = -1.0 if found[1] == "-" else 1.0
    if found[2]:
        return sign * float(found[2])
    divisor = float(found[4] or 1)
    return sign * float(found[3] or 1) * math.pi / divisor if divisor else math.nan
