"""How a log is to be read: column map, units, joint order, signs and gears, from a small YAML beside the data or from arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_positive
from dynident.core.fields import Fields
from dynident.core.files import errors_in_file, read_yaml
from dynident.data.dataset import EffortKind
from dynident.data.reading.columns import Patterns, canonical
from dynident.data.reading.quantities import UNITS, factor
from dynident.errors import FileError, Remedy, UnknownNameError, ValueRangeError

Unit = str | tuple[str, ...]
_MOTORS = ("signs", "gear_ratios", "motor_to_joint", "offsets")
_EFFORT = ("effort_kind", "effort_gains", "effort_signs", "effort_joints", "delay")
_KEYS = ("columns", "units", "joints", *_MOTORS, *_EFFORT, "rate", "skip", "without", "low_pass", "files", "segment", "reader_options")
_ABOUT = ("preset", "about", "source")

#: Signals that can have a low-pass of their own.
FILTERED = ("q", "dq", "ddq", "effort")
#: Rates that a log may have [Hz], and gains that an effort may be multiplied by.
_SLOWEST, _FASTEST, _LARGEST_GAIN = 1e-3, 1e7, 1e9


@dataclass(frozen=True, kw_only=True, eq=False)
class Recipe:
    """Everything that can be said about how to read a log.

    columns : dict            Our name -> the file's columns: a name, a wildcard, a range first:last, or a list of these;
                              nothing where a quantity is to be ignored.
    units : dict              Our name -> unit, or a unit per joint.
    joints : tuple of str     Names of the joints, or their order when the file has names.
    effort_joints : tuple     Order of the effort's columns where it is another than that of the positions.
    signs : (n,) or None      +1 or -1 per joint, for positions, velocities, accelerations, and signed efforts without signs of their own.
    effort_gains : (n,) or (1,)   Torque per unit of recorded effort, of the motor where there are gears; may be negative.
    effort_signs : (n,) or (1,)   +1 or -1 for efforts, in place of `signs`.
    gears : (n, n) or None    R with motor = R · joint; torque = Rᵀ · motor torque.
    offsets : (n,) or None    Added to q last [rad | m].
    delay : (n,) or (1,)      How much later than the positions the efforts were stamped [s].
    effort_kind, skip         What the effort is; samples to drop at the start.
    rate : float or None      Sampling rate [Hz]: of a log without stamps, or in place of stamps that are wrong.
    without : pairs           Intervals (from, to) of the log's clock [s] that are not used.
    low_pass : dict           Our name -> cutoff [Hz] of a low-pass of that signal alone, (n,) or (1,), after all else.
    files : tuple or dict     Files to read one after another, or a file per quantity.
    segment : str             Column whose changes start a new segment.
    reader_options : dict     Options that the reader of the format has of its own.
    preset : str              Name or file of a preset that says what this doesn't.
    preset_columns : dict     Columns of the preset; those that a file lacks are left out.
    """

    columns: Mapping[str, Patterns] = field(default_factory=dict[str, Patterns])
    units: Mapping[str, Unit] = field(default_factory=dict[str, Unit])
    joints: tuple[str, ...] = ()
    effort_joints: tuple[str, ...] = ()
    signs: Array | None = None
    gears: Array | None = None
    offsets: Array | None = None
    effort_kind: EffortKind | None = None
    effort_gains: Array | None = None
    effort_signs: Array | None = None
    delay: Array | None = None
    rate: float | None = None
    skip: int = 0
    without: tuple[tuple[float, float], ...] = ()
    low_pass: Mapping[str, Array] = field(default_factory=dict[str, Array])
    files: tuple[str, ...] | Mapping[str, str] = ()
    segment: str = ""
    reader_options: Mapping[str, object] = field(default_factory=dict[str, object])
    preset: str = ""
    preset_columns: Mapping[str, Patterns] = field(default_factory=dict[str, Patterns])

    @property
    def selection(self) -> str:
        """The reader's options as one text, in one order."""
        return ", ".join(f"{name}={value}" for name, value in sorted(self.reader_options.items()))

    def override(self, **given: Any) -> Recipe:
        """The same with what was given explicitly; maps are merged key by key."""
        changes = {name: value for name, value in given.items() if value is not None}
        for name in ("columns", "units", "low_pass", "reader_options"):
            if name in changes:
                changes[name] = {**getattr(self, name), **changes[name]}
        return replace(self, **changes)

    def fill(self, preset: Recipe) -> Recipe:
        """The same, and what it doesn't say as a preset says it."""
        own = vars(self)
        rest = {name: value for name, value in vars(preset).items() if not isinstance(own[name], np.ndarray) and not own[name]}
        maps: dict[str, Any] = {name: {**getattr(preset, name), **own[name]} for name in ("units", "low_pass", "reader_options")}
        return replace(self, **rest | maps | {"columns": self.columns, "files": self.files, "preset_columns": preset.columns})


def check_columns(columns: Mapping[str, Patterns | None] | None) -> dict[str, Patterns] | None:
    """A column map with our own names as keys; a quantity to be ignored (None, none or nothing) has no columns."""
    if columns is None:
        return None
    for name in columns:
        canonical(name)
    return {name: () if patterns in (None, "none", ["none"], ("none",)) else patterns or () for name, patterns in columns.items()}


def check_units(units: Mapping[str, str | Sequence[str]] | None) -> dict[str, Unit] | None:
    """Units by our own names, each known."""
    if units is None:
        return None
    known: dict[str, Unit] = {}
    for key, unit in units.items():
        name = canonical(key, Remedy("a unit belongs to one of them, as in {units}", units={"q": "deg"}))[0]
        if name not in UNITS:
            raise UnknownNameError("quantity with a unit", key, UNITS)
        for each in [unit] if isinstance(unit, str) else unit:
            factor(name, each)
        known[name] = unit if isinstance(unit, str) else tuple(unit)
    return known


def check_effort_gains(gains: ArrayLike | None) -> Array | None:
    """Torque per unit of effort, one or one per joint; zero would leave nothing of a joint."""
    if gains is None:
        return None
    found = np.atleast_1d(np.asarray(gains, dtype=float))
    if found.ndim != 1 or not np.all((np.abs(found) < _LARGEST_GAIN) & (found != 0.0)):
        allowed = f"finite numbers other than 0 and below {_LARGEST_GAIN:g} were expected, one or one per joint"
        raise ValueRangeError("effort_gains", f"are {found.tolist()}; {allowed}")
    return found


def check_gears(gears: ArrayLike | None) -> Array | None:
    """(n, n) R with motor = R · joint, of a ratio per joint or of the matrix itself."""
    if gears is None:
        return None
    found = np.asarray(gears, dtype=float)
    matrix = np.diag(found) if found.ndim == 1 else found
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.all(np.isfinite(matrix)):
        raise ValueRangeError("gears", f"have shape {found.shape}; a ratio per joint or a square matrix of finite numbers was expected")
    if _is_singular(matrix):
        raise ValueRangeError("gears", _STUCK)
    return matrix


_STUCK = "can't be inverted; every motor must move its joint"


def _is_singular(matrix: Array) -> bool:
    return bool(abs(np.linalg.det(matrix)) < 1e-300 or np.linalg.cond(matrix) > 1e12)


def check_offsets(offsets: ArrayLike | None) -> Array | None:
    """(n,) added to the positions [rad | m]."""
    if offsets is None:
        return None
    found = np.atleast_1d(np.asarray(offsets, dtype=float))
    if found.ndim != 1 or not np.all(np.isfinite(found)):
        raise ValueRangeError("offsets", f"are {found.tolist()}; a finite number per joint was expected")
    return found


def check_effort_signs(signs: ArrayLike | None) -> Array | None:
    """+1 or -1, one or one per joint."""
    if signs is None:
        return None
    found = np.atleast_1d(np.asarray(signs, dtype=float))
    if found.ndim != 1 or not np.all(np.abs(found) == 1.0):
        raise ValueRangeError("effort_signs", f"are {found.tolist()}; each sign must be 1 or -1")
    return found


def check_delay(delay: ArrayLike | None) -> Array | None:
    """Seconds, one or one per joint."""
    if delay is None:
        return None
    found = np.atleast_1d(np.asarray(delay, dtype=float))
    if found.ndim != 1 or not np.all(np.isfinite(found)):
        raise ValueRangeError("delay", f"is {found.tolist()}; finite numbers [s] were expected, one or one per joint")
    return found


def check_rate(rate: float | None) -> float | None:
    if rate is not None and not _SLOWEST <= check_positive("rate", rate, "Hz") <= _FASTEST:
        raise ValueRangeError("rate", f"is {rate:g} Hz, as no recorder has it; {_SLOWEST:g} to {_FASTEST:g} Hz was expected")
    return rate


def check_without(intervals: Sequence[Sequence[float]] | None) -> tuple[tuple[float, float], ...] | None:
    """Pairs (from, to) [s], the first below the second."""
    if intervals is None:
        return None
    for pair in intervals:
        if len(pair) != 2 or not pair[0] < pair[1]:
            raise ValueRangeError("without", f"has {list(pair)}; pairs (from, to) [s] with from < to were expected, such as (12.5, 13.1)")
    return tuple((float(start), float(stop)) for start, stop in intervals)


def check_low_pass(cutoffs: Mapping[str, ArrayLike] | None) -> dict[str, Array] | None:
    """Cutoffs [Hz] by our own names, one or one per joint."""
    if cutoffs is None:
        return None
    found: dict[str, Array] = {}
    for key, frequencies in cutoffs.items():
        if key not in FILTERED:
            raise UnknownNameError("signal with a low-pass", key, FILTERED)
        values = np.atleast_1d(np.asarray(frequencies, dtype=float))
        if values.ndim != 1 or not np.all(np.isfinite(values) & (values > 0.0)):
            raise ValueRangeError(
                "low_pass", f"of {key} is {values.tolist()}; positive frequencies [Hz] were expected, one or one per joint"
            )
        found[key] = values
    return found


def read_recipe(path: Path) -> Recipe:
    """The recipe in a YAML file; FileError names the place and what is allowed."""
    fields = Fields(path, {key: value for key, value in read_yaml(path).items() if value is not None})
    fields.only((), (*_KEYS, *_ABOUT))
    if fields.has("gear_ratios") and fields.has("motor_to_joint"):
        raise FileError(path, "gear_ratios and motor_to_joint say the same thing twice; keep one")
    with errors_in_file(path):
        return Recipe(
            columns=check_columns(_column_map(fields)) or {},
            units=check_units(_patterns(fields.section("units"))) or {} if fields.has("units") else {},
            joints=fields.texts("joints", alone=False),
            effort_joints=fields.texts("effort_joints", alone=False),
            signs=_signs(fields),
            effort_gains=check_effort_gains(_per_joint(fields, "effort_gains")),
            effort_signs=check_effort_signs(_per_joint(fields, "effort_signs")),
            gears=_gears(fields),
            offsets=fields.numbers("offsets") if fields.has("offsets") else None,
            effort_kind=EffortKind(fields.text("effort_kind")) if fields.has("effort_kind") else None,
            delay=check_delay(_per_joint(fields, "delay")),
            rate=fields.positive("rate") if fields.has("rate") else None,
            skip=_skip(fields),
            without=check_without([row.tolist() for row in fields.rows("without", infinite=True)]) or () if fields.has("without") else (),
            low_pass=_low_pass(fields),
            files=_files(fields),
            segment=fields.text("segment"),
            preset=fields.text("preset"),
            reader_options=dict(fields.section("reader_options").values) if fields.has("reader_options") else {},
        )


def _column_map(fields: Fields) -> dict[str, Patterns | None] | None:
    """The section `columns`; null, none and [] say that a quantity is to be ignored."""
    if not fields.has("columns"):
        return None
    section = fields.section("columns")
    given = {name: value for name, value in section.values.items() if value not in (None, [])}
    return {**dict.fromkeys(map(str, section.values)), **_patterns(Fields(section.file, given, section.place))}


def _patterns(section: Fields) -> dict[str, str | tuple[str, ...]]:
    """A mapping of names to a text or a list of texts."""
    found = {str(name): section.text(name) if isinstance(value, str) else section.texts(name) for name, value in section.values.items()}
    for name, texts in found.items():
        if not texts:
            raise section.error(name, "a text or a list of texts was expected")
    return found


def _signs(fields: Fields) -> Array | None:
    if not fields.has("signs"):
        return None
    signs = fields.numbers("signs")
    if not np.all(np.abs(signs) == 1.0):
        raise fields.error("signs", "each sign must be 1 or -1")
    return signs


def _per_joint(fields: Fields, key: str) -> Array | None:
    """Numbers, or one for all joints."""
    if not fields.has(key):
        return None
    return fields.numbers(key) if isinstance(fields.values[key], list) else np.array([fields.number(key)])


def _low_pass(fields: Fields) -> dict[str, Array]:
    if not fields.has("low_pass"):
        return {}
    section = fields.section("low_pass")
    found = {str(name): values for name in section.values if (values := _per_joint(section, str(name))) is not None}
    return check_low_pass(found) or {}


def _gears(fields: Fields) -> Array | None:
    """(n, n) R with motor = R · joint, from ratios, from that matrix, or from its inverse."""
    key = next((key for key in ("gear_ratios", "motor_to_joint") if fields.has(key)), None)
    if key is None:
        return None
    if key == "gear_ratios" and not isinstance(next(iter(fields.items(key)), None), list):
        matrix = np.diag(fields.numbers(key))
    else:
        rows = fields.rows(key)
        if not rows or any(len(row) != len(rows) for row in rows):
            raise fields.error(key, "a square matrix, a list of n lists of n numbers, was expected")
        matrix = np.array(rows)
    if _is_singular(matrix):
        raise fields.error(key, _STUCK)
    return matrix if key == "gear_ratios" else np.asarray(np.linalg.inv(matrix), dtype=float)


def _skip(fields: Fields) -> int:
    value = fields.values.get("skip", 0)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise fields.error("skip", f"is {value!r}; a number of samples, 0 or more, was expected")
    return value


def _files(fields: Fields) -> tuple[str, ...] | dict[str, str]:
    if not isinstance(fields.values.get("files"), dict):
        return fields.texts("files", alone=False)
    section = fields.section("files")
    for name, file in section.values.items():
        if not isinstance(file, str):
            raise section.error(name, "one file per quantity was expected")
    return {canonical(str(name))[0]: section.text(name) for name in section.values}
