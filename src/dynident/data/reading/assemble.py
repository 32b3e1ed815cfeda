"""From what a file holds and how it is to be read, to a Dataset or ControllerSamples in SI units on the joint side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.large_arrays import largest_sizes, thin_rows
from dynident.data.checks import default_names
from dynident.data.controller_samples import ControllerSamples
from dynident.data.dataset import Dataset, EffortKind
from dynident.data.provenance import SPREAD, Provenance
from dynident.data.reading.columns import Content
from dynident.data.reading.meaning import filter_signals, reorders, skip_samples, unit_factors
from dynident.data.reading.quantities import celsius_zero, is_current
from dynident.data.reading.reading import Reading, RecordingOptions
from dynident.data.reading.stamps import seconds_of
from dynident.data.signals.sampling import check_left_out, within
from dynident.errors import FileError, Remedy, ShapeError, UnknownNameError, ValueRangeError

#: No joint has a position, velocity, acceleration or effort beyond this, in any unit that a recorder uses.
_LARGEST = 1e9
#: Where a controller was asked for its model, no joint was farther from zero [rad | m].
_FARTHEST = 500.0
#: Medians of |torque| beyond these are taken for a wrong unit [N·m | N].
_LARGEST_TORQUE, _SMALLEST_TORQUE = 1e5, 1e-6
#: Medians of temperatures beyond these are taken for a wrong unit [°C].
_COLDEST, _HOTTEST = -80.0, 250.0


def assemble(file: Path, content: Content, recipe: Reading, files: Mapping[str, str]) -> Dataset | ControllerSamples:
    """The data of one file; every error names it. files : {name: SHA-256} of all that was read."""
    try:
        if "effort" not in content.arrays and ("M" in content.arrays or "g" in content.arrays):
            return _controller(file, content, recipe, files)
        return _log(file, content, recipe, files)
    except (ShapeError, ValueRangeError, UnknownNameError) as error:
        raise FileError(file, error.message, remedy=error.remedy) from error


def _log(file: Path, content: Content, recipe: Reading, files: Mapping[str, str]) -> Dataset:
    _check_units(file, content, recipe)
    kind = _effort_kind(file, content, recipe)
    names, order = joint_order(file, content.joint_names, recipe.joints, np.shape(content.arrays["q"])[-1])
    transform = replace(recipe, sampling_rate=None).transform(names)
    time = _time(file, content, recipe)
    recorded = Dataset(
        time=time,
        **_bridge(content, time, recipe.options_of()),
        temperature=_temperature(content, recipe),
        period=content.period,
        gears=None if recipe.gears is not None else content.gears,
        joint_names=names,
        effort_kind=kind,
        starts=content.starts,
        source=file.name,
    )
    dataset = transform.apply_maps(recorded)
    provenance = Provenance.of((dataset.q, dataset.effort), files=files, selection=recipe.selection)
    dataset = replace(dataset, provenance=provenance.after(SPREAD) if SPREAD in dataset.provenance.steps else provenance)
    _check_magnitudes(dataset)
    if dataset.effort_kind in (EffortKind.TORQUE, EffortKind.MAGNITUDE):
        _check_size(dataset)
    dataset = filter_signals(recipe, transform.apply_timing(skip_samples(recipe, dataset)))
    check_left_out(dataset, recipe.options_of().without)
    return dataset.select(order) if order else dataset


def _bridge(content: Content, time: Array, options: RecordingOptions) -> dict[str, Any]:
    """Signals with straight lines in place of what is not finite in the intervals that are left out, and a mask that leaves these out.

    The mask keeps them out of use where efforts are shifted in time too, before the intervals are left out of the shifted log.
    """
    signals: dict[str, Any] = {name: content.arrays.get(name) for name in ("q", "dq", "ddq", "effort", "mask")}
    stamps = time * (options.clock or 1.0)
    inside = np.zeros(len(stamps), dtype=bool)
    for interval in options.without:
        inside |= within(stamps, interval)
    for name in ("q", "dq", "ddq", "effort"):
        values = signals[name]
        if values is None or np.ndim(values) != 2 or not inside.any() or np.isfinite(values[inside]).all():
            continue
        gaps = inside[:, None] & ~np.isfinite(values)
        signals[name] = bridged = np.array(values, dtype=float)
        for column, gap in zip(bridged.T, gaps.T, strict=True):
            if gap.any() and not gap.all():
                column[gap] = np.interp(np.flatnonzero(gap), np.flatnonzero(~gap), column[~gap])
        mask = np.ones(gaps.shape, dtype=bool) if signals["mask"] is None else np.asarray(signals["mask"], dtype=bool)
        signals["mask"] = mask & ~gaps.any(axis=1, keepdims=True)
    return signals


def _controller(file: Path, content: Content, recipe: Reading, files: Mapping[str, str]) -> ControllerSamples:
    of_logs = (recipe.gears, recipe.signs, recipe.offsets, recipe.effort_gains, recipe.effort_signs, recipe.delay)
    if any(given is not None for given in of_logs) or recipe.without or recipe.low_pass:
        only = "intervals to leave out, low-passes, delays, effort gains, signs, gear ratios and offsets apply to logs only"
        raise FileError(file, f"holds M or g, a model in joint coordinates; {only}")
    names, order = joint_order(file, content.joint_names, recipe.joints, content.arrays["q"].shape[1])
    arrays: dict[str, Any] = {}
    for name in ("q", "M", "g", "dq", "c"):
        if name in content.arrays:
            array = np.asarray(content.arrays[name], dtype=float)[recipe.skip :]
            arrays[name] = array * unit_factors(name, recipe, array.shape[-1])
    if "dq" in arrays and "c" not in arrays:
        del arrays["dq"]  # measured at standstill: it says nothing about M and g
    provenance = Provenance.of((arrays["q"], arrays.get("M"), arrays.get("g")), files=files, selection=recipe.selection)
    samples = ControllerSamples(**arrays, joint_names=names, source=file.name, provenance=provenance)
    for name in samples.present:
        if (largest := float(np.abs(getattr(samples, name)).max())) > (_FARTHEST if name == "q" else _LARGEST):
            raise ValueRangeError(name, f"reaches {largest:.4g}, as that of no robot does; repair or drop those samples")
    if samples.M is not None:
        _check_diagonal(samples.M, samples.joint_names)
    if reorders(recipe.joints, samples.n):
        return replace(samples.select(recipe.transform(samples.n).order), joint_names=names, provenance=samples.provenance)
    return samples.select(order) if order else samples


def joint_order(file: Path, named: Sequence[str], joints: Sequence[str], n: int) -> tuple[tuple[str, ...], list[str]]:
    """Names of the columns, and those to select, in this order (empty: all of them).

    `joints` selects when it names the file's joints (joint1, joint2, ... when it names none), else it gives them names. All of them in
    another order by number, joint1 to jointN, is of the reading's transform: then the names are those of the places.
    """
    names = tuple(named) or default_names(n)
    if not joints or len(names) != n or tuple(joints) == names or reorders(joints, n):
        return names, []
    known = [name for name in joints if name in names]
    if len(known) == len(joints):
        return names, list(joints)
    if known or named:
        missing = ", ".join(name for name in joints if name not in names)
        raise FileError(file, f"joints asks for {missing}, but the file has {', '.join(names)}")
    if len(joints) != n:
        raise FileError(file, f"joints gives {len(joints)} names, but q has {n} columns (joints)")
    return tuple(joints), []


def _time(file: Path, content: Content, recipe: Reading) -> Array:
    rate = recipe.options_of().sampling_rate
    if rate is not None:
        return np.arange(len(content.arrays["q"])) / rate
    if "time" not in content.arrays:
        template = "name it with {columns}, or give the sampling rate [Hz], such as {sampling_rate}"
        remedy = Remedy(template, columns={"time": "..."}, sampling_rate=1000.0)
        raise FileError(file, "has no time column", remedy=remedy)
    return seconds_of(file, content.arrays["time"], next(iter(recipe.units_of("time")), None))


def _temperature(content: Content, recipe: Reading) -> Array | None:
    """(N, n), or (N, 1) for all joints [°C]."""
    raw = content.arrays.get("temperature")
    if raw is None:
        return None
    zeros = np.array([celsius_zero(unit) for unit in recipe.units_of("temperature")] or [0.0])
    values = np.asarray(raw, dtype=float) * unit_factors("temperature", recipe, raw.shape[-1]) - zeros
    measured = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        typical = float(np.median(measured)) if len(measured) else np.nan
    if not _COLDEST < typical < _HOTTEST:
        unread = {"temperature": ""}
        remedy = Remedy("give its unit, such as {units}, or leave it out with {columns}", units={"temperature": "K"}, columns=unread)
        raise ValueRangeError("temperature", f"has a median of {typical:.4g} °C, which no joint has", remedy=remedy)
    return values


def _check_units(file: Path, content: Content, recipe: Reading) -> None:
    """Positions in degrees with velocities in an unknown unit would be half converted: ask."""
    if set(recipe.units_of("q")) <= {"rad", "m"}:
        return
    for name, example in (("dq", "deg/s"), ("ddq", "deg/s^2")):
        if name in content.arrays and name not in recipe.units:
            remedy = Remedy("say it, such as {units}", units={name: example})
            raise FileError(file, f"q is in {recipe.units['q']}, but the unit of {name} is not given", remedy=remedy)


def _effort_kind(file: Path, content: Content, recipe: Reading) -> EffortKind | None:
    """Asked for, else what the unit says, else what the name says."""
    if "effort" not in content.arrays:
        return None
    each = {is_current(unit) for unit in recipe.units_of("effort")}
    by_unit = (EffortKind.CURRENT if each == {True} else EffortKind.TORQUE) if each else None
    named = None if content.effort_role == "" else EffortKind(content.effort_role)
    kind = EffortKind(recipe.effort_kind) if recipe.effort_kind else named or by_unit
    if kind is EffortKind.MAGNITUDE and EffortKind.CURRENT in (named, by_unit):
        kind = EffortKind.CURRENT_MAGNITUDE
    if kind is None and recipe.effort_gains is not None:
        return EffortKind.TORQUE
    if kind is None:
        remedy = Remedy(f"give it, such as {{effort_kind}}; known: {', '.join(EffortKind)}", effort_kind=EffortKind.TORQUE.value)
        raise FileError(file, "the columns of effort don't say what they are", remedy=remedy)
    if recipe.effort_gains is not None and len(each) < 2:
        return kind
    if len(each) > 1 or (by_unit is not None and kind.is_current != by_unit.is_current):
        raise FileError(file, f"effort of kind {kind.value!r} can't have the unit {recipe.units['effort']}; correct the unit or the kind")
    return kind


def _check_diagonal(M: Array, joints: Sequence[str]) -> None:
    """Noise can make a small element negative now and then; one that mostly is belongs to no inertia matrix."""
    typical = np.median(np.diagonal(M, axis1=1, axis2=2), axis=0)
    least = int(np.argmin(typical))
    if typical[least] < 0.0:
        where = f"{typical[least]:.3g} for joint {joints[least]!r}"
        raise ValueRangeError("M", f"has the negative diagonal element {where}, as no inertia matrix has; check its columns")


def _check_magnitudes(dataset: Dataset) -> None:
    """Numbers that no recorder means, such as the largest that a float can hold where nothing was measured."""
    for name in ("q", "dq", "ddq", "effort"):
        values: Array | None = getattr(dataset, name)
        if values is None or float(largest_sizes(values).max()) <= _LARGEST:
            continue
        wrong = np.argwhere(np.abs(values) > _LARGEST)
        i, j = (int(index) for index in wrong[0])
        where = f"at sample {i} ({dataset.time[i]:.6g} s), joint {dataset.joint_names[j]!r}"
        raise ValueRangeError(name, f"is {values[i, j]:.4g} {where} ({len(wrong)} such values); repair or drop those samples")


def _check_size(dataset: Dataset) -> None:
    """Torques no robot has are a wrong unit, or no torques."""
    effort = dataset.require("effort")
    typical = float(np.median(np.abs(thin_rows(effort))))
    if typical > _LARGEST_TORQUE:
        remedy = Remedy("give its unit, such as {units}", units={"effort": "mNm"})
        raise ValueRangeError("effort", f"has a median magnitude of {typical:.3g} N·m or N, which no robot has", remedy=remedy)
    largest = float(largest_sizes(effort).max())
    if largest < _SMALLEST_TORQUE:
        remedy = Remedy("check the columns, and the unit (such as {units})", units={"effort": "kNm"})
        raise ValueRangeError("effort", f"never exceeds {largest:.3g} N·m or N", remedy=remedy)
