"""From a reading to its meaning and back: `Reading` is what people write, `Transform` what can be applied and composed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.core.kinds import plain
from dynident.data.checks import default_names
from dynident.data.dataset import Dataset, EffortKind
from dynident.data.reading.quantities import UNITS, factor
from dynident.data.reading.reading import BY_RECORDING, OTHERS, Reading, RecordingOptions, Unit, key_of
from dynident.data.reading.transform import MOTION, LeftOut, Shift, Timing, Transform, no_shift
from dynident.data.signals.derivatives import JITTER, low_pass
from dynident.data.signals.sampling import is_uniform, resample
from dynident.errors import InputError, ValueRangeError

#: Units that people use where several have the same factor, those first; and factors that differ by less than this share are the same.
_USUAL = ("deg", "deg/s", "deg/s^2", "mNm", "ms")
_SAME = 1e-9


def transform_of(reading: Reading, columns: int | Sequence[str]) -> Transform:
    """What a reading means for a log of so many columns, or of columns with these names.

    q = s (R⁻¹ motor) + offset and torque = s (Rᵀ gain · motor effort), with signs s and gears R; then the order of the joints.
    """
    names = default_names(columns) if isinstance(columns, int) else tuple(columns)
    n = len(names)
    eye = np.eye(n)
    R = eye if reading.gears is None else of_length("gear_ratios", reading.gears, n)
    signs = np.ones(n) if reading.signs is None else of_length("signs", reading.signs, n)
    effort_signs = signs if reading.effort_signs is None else for_each("effort_signs", reading.effort_signs, n)
    gains = np.ones(n) if reading.effort_gains is None else for_each("effort_gains", reading.effort_gains, n)
    joint_side = signs[:, None] * (eye if reading.gears is None else np.linalg.inv(R))
    efforts = np.empty((n, n))
    efforts[:, _places(names, reading.effort_joints)] = effort_signs[:, None] * R.T * (gains * unit_factors("effort", reading, n))
    transform = Transform(
        maps={name: joint_side * unit_factors(name, reading, n) for name in MOTION} | {"effort": efforts},
        offset=np.zeros(n) if reading.offsets is None else of_length("offsets", reading.offsets, n),
        order=tuple(range(n)),
        drive=R * signs,
        gears=None if reading.gears is None else R * signs,
        unsigned=reading.effort_kind is not None and EffortKind(reading.effort_kind).unsigned,
        torque=reading.effort_gains is not None,
        ignored=frozenset(name for name, patterns in reading.patterns.items() if name in ("dq", "ddq") and not patterns),
        timing={name: _timing(reading.options_of(name), n) for name in _recordings(reading)},
    )
    return transform.then(Transform.reorder(_places(names, reading.joints))) if reorders(reading.joints, n) else transform


def skip_samples(reading: Reading, data: Dataset) -> Dataset:
    """The log without the first samples of each recording."""
    if not reading.skip:
        return data
    parts: list[Dataset] = []
    for _, part in data.by_recording():
        if part.samples < reading.skip + 2:
            raise ValueRangeError("skip", f"is {reading.skip}, but there are {part.samples} samples; at least 2 must remain")
        starts = (0, *(start - reading.skip for start in part.starts if start > reading.skip))
        parts.append(part.take(slice(reading.skip, None), starts=starts))
    return Dataset.concatenate(parts)


def filter_signals(reading: Reading, data: Dataset) -> Dataset:
    """The log behind the low-passes that a reading asks for."""
    if not reading.low_pass:
        return data
    even = data if is_uniform(data, tolerance=JITTER) else resample(data)
    return low_pass(even, {name: np.asarray(cutoff) for name, cutoff in reading.low_pass.items()})


def reorders(joints: Sequence[str], n: int) -> bool:
    """Whether joints names all n columns by their numbers, joint1 to jointN, in another order; whatever the file calls them."""
    return tuple(joints) != default_names(n) and sorted(joints) == sorted(default_names(n))


def unit_factors(name: str, reading: Reading, n: int) -> Array:
    """(n,) factors to SI of a quantity's columns."""
    units = reading.units_of(name)
    if len(units) not in (0, 1, n):
        raise ValueRangeError(f"units of {name}", f"are {len(units)}, but the data has {n} columns; give one, or one per joint")
    return np.ones(n) * ([factor(name, unit) for unit in units] or 1.0)


def for_each(name: str, values: ArrayLike, n: int) -> Array:
    """(n,) values of n joints; one is for all."""
    given = np.asarray(values, dtype=float)
    return np.repeat(given, n) if len(given) == 1 else of_length(name, given, n)


def of_length(name: str, values: ArrayLike, n: int) -> Array:
    """(n, ...) values of n joints."""
    given = np.asarray(values, dtype=float)
    if len(given) != n:
        raise ValueRangeError(name, f"is for {len(given)} joints, but the data has {n} columns")
    return given


def _places(names: Sequence[str], order: Sequence[str]) -> list[int]:
    """The column of each joint in this order, of columns by name or by number."""
    if not order:
        return list(range(len(names)))
    known = next((known for known in (tuple(names), default_names(len(names))) if sorted(known) == sorted(order)), None)
    if known is None:
        raise ValueRangeError("effort_joints", f"are {', '.join(order)}; each of {', '.join(names)} was expected once")
    return [known.index(name) for name in order]


def _recordings(reading: Reading) -> list[str]:
    named = [file for by_file in reading.options_by_file().values() for file in by_file]
    return list(dict.fromkeys([OTHERS, *named])) if named or any(value not in (None, ()) for value in reading.options_of()) else []


def _timing(options: RecordingOptions, n: int) -> Timing:
    delay = np.zeros(n) if options.delay is None else for_each("delay", options.delay, n)
    shift = Shift(delay, tuple(LeftOut(start, stop) for start, stop in options.without))
    if options.sampling_rate is not None:
        return Timing(recorded=no_shift(n), counted=shift.scale(options.sampling_rate), period=1.0 / options.sampling_rate)
    clock = options.clock or 1.0
    return Timing(recorded=shift.scale(1.0 / clock), period=clock)


# ------------------------------------------------------------------------------------------------- from a meaning to options


def combine(first: Reading, two: Transform, data: Dataset) -> Reading:
    """One reading that means both, for a log `data` that was read with the first and has the columns of its file."""
    n = two.n
    one = transform_of(first, n)
    both = replace(one, timing={}).then(replace(two, timing={}))
    options = _map_options(both, first, [name for name in MOTION if getattr(data, name) is not None])
    if not reorders(first.joints, n) and first.joints:
        if len(first.joints) != n:
            raise InputError("a reading that chooses some joints of a file cannot be combined with another; read all of them")
        options["joints"] = tuple(first.joints[two.order.index(column)] for column in range(n))
    parts = {data.recording_names[number]: part for number, part in data.by_recording()}
    timings: dict[str, dict[str, Any]] = {}
    for name in dict.fromkeys((*one.timing, *two.timing)):
        before, later, part = one.timing_of(name), two.timing_of(name), parts.get(name, data)
        shift = Shift(before.delay, before.left_out)  # on the clock that the log has now
        timing = Timing(recorded=shift).reorder(two.order, two.effort).then(later).settle(part.time, part.provenance.pieces[0].start)
        rate = later.rate if before.rate is None or later.rate is not None else before.rate / later.clock
        timings[name] = _timing_options(timing, both.order) | {"sampling_rate": rate}
        clock = before.clock * later.clock
        timings[name]["clock"] = None if rate is not None or clock == 1.0 else clock
    cutoffs = {name: np.atleast_1d(cutoff) for name, cutoff in first.low_pass.items()}
    options["low_pass"] = {name: tuple((each[list(two.order)] if len(each) > 1 else each).tolist()) for name, each in cutoffs.items()}
    for name in BY_RECORDING:
        values = {recording: timing[name] for recording, timing in timings.items()}
        default = values.get(OTHERS, getattr(first, name))
        options[name] = default if all(value == default for value in values.values()) else _by_recording(values, data.recording_names)
    return replace(first, **options)


def _by_recording(values: Mapping[str, Any], recordings: Sequence[str]) -> dict[str, Any]:
    """The values that are given, by recording. Each recording is named where one has none, so that it does not get that of the others."""
    if None in values.values():
        values = {recording: values[key_of(recording, values)] for recording in recordings}
    return {recording: value for recording, value in values.items() if value not in (None, ())}


def _timing_options(timing: Timing, order: Sequence[int]) -> dict[str, Any]:
    """Delay and intervals as options; what is left out of one joint is left out of all."""
    delay = timing.delay[np.argsort(order)]
    spans: list[tuple[float, float]] = []
    for start, stop, _ in sorted(timing.left_out, key=lambda interval: interval[:2]):
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(stop, spans[-1][1]))
        else:
            spans.append((start, stop))
    return {"delay": _shortest(delay) if np.any(delay) else None, "without": tuple(spans)}


def _map_options(transform: Transform, first: Reading, recorded: Sequence[str]) -> dict[str, Any]:
    """Units, gears, signs, gains, offsets and orders that mean the maps. recorded : quantities of the motion that the log has."""
    n, back = transform.n, np.argsort(transform.order)
    there = Transform.reorder([int(column) for column in back])
    t = transform.then(there)  # in the order of the file's columns
    R, signs = t.drive, np.ones(n)
    if np.count_nonzero(R) == n:
        signs, R = np.sign(np.diag(R)), np.abs(R)
    counts = {name: np.abs(_diagonal(R @ (signs[:, None] * t.maps[name]), name)) for name in MOTION}
    if transform.gears is None and _unit_names("q", counts["q"], first) is None:
        R = np.diag(1.0 / counts["q"])  # no unit has such a factor: gears do
        counts = {name: values / counts["q"] for name, values in counts.items()}
    geared = transform.gears is not None or np.any(np.diag(R) != 1.0)
    options: dict[str, Any] = {"gears": _rows(R) if geared else None, "gear_coupling": {}, "motor_to_joint": None}
    units: dict[str, Unit] = {name: unit for name, unit in first.units.items() if name not in (*MOTION, "effort")}
    for name in MOTION:
        unit = _unit_names(name, counts[name], first)
        if unit is None:
            raise InputError(f"the reading cannot be given as options: no unit has the factors {counts[name].tolist()} of {name}")
        if (name == "q" and unit) or (name in recorded and name not in transform.ignored and (unit or "q" in units)):
            units[name] = unit or f"rad/s{'^2' * (name == 'ddq')}"
    effort_signs, gains, columns = _split_efforts(t.effort, R, n)
    same = np.array_equal(effort_signs, signs)
    unit = None if transform.torque or np.any(gains < 0.0) else _unit_names("effort", np.abs(gains), first)
    if unit:
        units["effort"] = unit
    options |= {
        "units": units,
        "effort_gains": None if unit is not None else _shortest(gains),
        "signs": None if np.all(signs == 1.0) else tuple(signs.tolist()),
        "effort_signs": None if same or transform.unsigned else _shortest(effort_signs),
        "offsets": tuple(t.offset.tolist()) if np.any(t.offset) else None,
        "effort_joints": () if columns == list(range(n)) else tuple(default_names(n)[column] for column in columns),
        "joints": () if transform.order == tuple(range(n)) else tuple(default_names(n)[column] for column in transform.order),
        "columns": {**first.columns, **dict.fromkeys(transform.ignored, ("none",))},
        "effort_kind": EffortKind.MAGNITUDE.value if transform.unsigned else first.effort_kind,
    }
    return options


def _rows(matrix: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in matrix)


def _split_efforts(efforts: Array, R: Array, n: int) -> tuple[Array, Array, list[int]]:
    """Signs t (n,), gains f (n,) and the columns (n,) that the gains are for: efforts = t Rᵀ f, its columns put in that order."""
    used = efforts != 0.0
    shape = R.T != 0.0
    columns = [next((c for c in range(n) if np.array_equal(used[:, c], shape[:, k])), -1) for k in range(n)]
    if sorted(columns) != list(range(n)):
        raise InputError("the reading cannot be given as options: its efforts are not those of its gears")
    ratios = np.divide(efforts[:, columns], R.T, out=np.zeros((n, n)), where=shape)
    signs = np.sign(ratios.sum(axis=1))
    if not np.all(ratios * signs[:, None] >= 0.0):  # signs of the motors, which only gains can have
        signs = np.ones(n)
    ratios = ratios * signs[:, None]
    sums, counts = ratios.sum(axis=0), shape.sum(axis=0)
    gains = sums / counts
    if np.any(np.abs(np.where(shape, ratios - gains, 0.0)) > _SAME * np.abs(gains)):
        raise InputError("the reading cannot be given as options: joints that gears couple have gains of their own")
    return signs, gains, columns


def _diagonal(matrix: Array, name: str) -> Array:
    diagonal = np.diag(matrix)
    if np.any(np.abs(matrix - np.diag(diagonal)) > _SAME * np.abs(matrix).max()) or np.any(diagonal == 0.0):
        raise InputError(f"the reading cannot be given as options: {name} is not in the order of the other quantities, or not of the gears")
    return diagonal


def _unit_names(name: str, factors: Array, reading: Reading) -> Unit | None:
    """The unit, or one per joint, that has these factors, as the reading gives it where it does; empty for SI, None where there is none."""
    if np.allclose(factors, 1.0, rtol=_SAME, atol=0.0):
        return ""
    known = np.atleast_1d(reading.units.get(name, ())).tolist()
    order = sorted(UNITS[name], key=lambda unit: (unit not in known, unit not in _USUAL))
    units = [next((unit for unit in order if abs(factor(name, unit) / value - 1.0) < _SAME), "") for value in factors.tolist()]
    if not all(units):
        return None
    return units[0] if len(set(units)) == 1 else tuple(units)


def _shortest(values: Array) -> tuple[float, ...]:
    """One number where all joints have the same."""
    listed: list[float] = plain(values.tolist())
    return (listed[0],) if len(set(listed)) == 1 else tuple(listed)
