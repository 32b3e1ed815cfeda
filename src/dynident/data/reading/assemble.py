"""From what a file holds and how it is to be read, to a Dataset or ControllerSamples in SI units on the joint side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynident.core.arrays import Array
from dynident.core.large_arrays import largest_sizes, map_rows, thin_rows
from dynident.data.checks import default_names
from dynident.data.controller_samples import ControllerSamples
from dynident.data.dataset import Dataset, EffortKind
from dynident.data.provenance import Provenance
from dynident.data.reading.columns import Content
from dynident.data.reading.quantities import celsius_zero, factor, is_current
from dynident.data.reading.reading import Reading, Unit
from dynident.data.reading.stamps import seconds_of
from dynident.data.signals.clocks import shift_effort
from dynident.data.signals.derivatives import JITTER, low_pass
from dynident.data.signals.sampling import is_uniform, mask_times, resample
from dynident.errors import FileError, Remedy, ShapeError, UnknownNameError, ValueRangeError

#: No joint has a position, velocity, acceleration or effort beyond this, in any unit that a recorder uses.
_LARGEST = 1e9
#: Where a controller was asked for its model, no joint was farther from zero [rad | m].
_FARTHEST = 500.0
#: Medians of |torque| beyond these are taken for a wrong unit [N·m | N].
_LARGEST_TORQUE, _SMALLEST_TORQUE = 1e5, 1e-6
#: Medians of temperatures beyond these are taken for a wrong unit [°C].
_COLDEST, _HOTTEST = -80.0, 250.0
_CURRENTS = (EffortKind.CURRENT, EffortKind.CURRENT_MAGNITUDE)


def assemble(file: Path, content: Content, recipe: Reading, files: Mapping[str, str]) -> Dataset | ControllerSamples:
    """The data of one file; every error names it. files : {name: SHA-256} of all that was read."""
    try:
        if "effort" not in content.arrays and ("M" in content.arrays or "g" in content.arrays):
            return _controller(file, content, recipe, files)
        return _log(file, content, recipe, files)
    except (ShapeError, ValueRangeError, UnknownNameError) as error:
        raise FileError(file, error.message, remedy=error.remedy) from error


def _log(file: Path, content: Content, recipe: Reading, files: Mapping[str, str]) -> Dataset:
    q = content.arrays["q"]
    _check_units(file, content, recipe)
    kind = _effort_kind(file, content, recipe)
    if kind is not None and recipe.effort_gains is not None:
        kind = EffortKind.MAGNITUDE if kind.unsigned else EffortKind.TORQUE
    signed = kind is None or not kind.unsigned
    arrays: dict[str, Any] = {name: _joint_side(name, content, recipe) for name in ("q", "dq", "ddq")}
    arrays["effort"] = _joint_side("effort", content, recipe, signed=signed)
    arrays["temperature"] = _temperature(content, recipe)
    arrays["time"] = _time(file, content, recipe)
    arrays["mask"] = content.arrays.get("mask")
    arrays["period"] = content.period
    names, order = joint_order(file, content.joint_names, recipe.joints, q.shape[1])
    arrays["provenance"] = Provenance.of((arrays["q"], arrays["effort"]), files=files, selection=recipe.selection)
    arrays["gears"] = content.gears if recipe.gears is None else _signed_gears(recipe.gears, recipe.signs)
    dataset = Dataset(**arrays, joint_names=names, effort_kind=kind, starts=content.starts, source=file.name)
    _check_magnitudes(dataset)
    if kind in (EffortKind.TORQUE, EffortKind.MAGNITUDE):
        _check_size(dataset)
    if recipe.skip:
        if dataset.samples < recipe.skip + 2:
            raise ValueRangeError("skip", f"is {recipe.skip}, but there are {dataset.samples} samples; at least 2 must remain")
        starts = (0, *(start - recipe.skip for start in dataset.starts if start > recipe.skip))
        dataset = dataset.take(slice(recipe.skip, None), starts=starts)
    if recipe.delay is not None and dataset.effort is not None:
        dataset = shift_effort(dataset, _for_each("delay", recipe.delay, dataset.n))
    if recipe.without:
        dataset = mask_times(dataset, recipe.without)
    if recipe.low_pass:
        even = dataset if is_uniform(dataset, tolerance=JITTER) else resample(dataset)
        dataset = low_pass(even, {name: np.asarray(cutoff) for name, cutoff in recipe.low_pass.items()})
    if not order:
        return dataset
    chosen = dataset.select(order)
    # columns that have only the numbers we gave them are numbered again: what was asked for is their order
    return replace(chosen, joint_names=names) if not content.joint_names and chosen.n == dataset.n else chosen


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
            arrays[name] = array * _scale(name, recipe.units.get(name), array.shape[-1])
    if "dq" in arrays and "c" not in arrays:
        del arrays["dq"]  # measured at standstill: it says nothing about M and g
    provenance = Provenance.of((arrays["q"], arrays.get("M"), arrays.get("g")), files=files, selection=recipe.selection)
    samples = ControllerSamples(**arrays, joint_names=names, source=file.name, provenance=provenance)
    for name in samples.present:
        if (largest := float(np.abs(getattr(samples, name)).max())) > (_FARTHEST if name == "q" else _LARGEST):
            raise ValueRangeError(name, f"reaches {largest:.4g}, as that of no robot does; repair or drop those samples")
    if samples.M is not None:
        _check_diagonal(samples.M, samples.joint_names)
    return samples.select(order) if order else samples


def joint_order(file: Path, own: Sequence[str], wanted: Sequence[str], n: int) -> tuple[tuple[str, ...], list[str]]:
    """Names of the columns, and the order to put them in (empty: as they are).

    `wanted` is an order when it names the file's joints (joint1, joint2, ... when it names none), else it gives them names.
    """
    names = tuple(own) or default_names(n)
    if not wanted or len(names) != n or tuple(wanted) == names:
        return names, []
    known = [name for name in wanted if name in names]
    if len(known) == len(wanted):
        return names, list(wanted)
    if known or own:
        missing = ", ".join(name for name in wanted if name not in names)
        raise FileError(file, f"joints asks for {missing}, but the file has {', '.join(names)}")
    if len(wanted) != n:
        raise FileError(file, f"joints gives {len(wanted)} names, but q has {n} columns (joints)")
    return tuple(wanted), []


def _time(file: Path, content: Content, recipe: Reading) -> Array:
    if recipe.rate is not None:
        return np.arange(len(content.arrays["q"])) / recipe.rate
    if "time" not in content.arrays:
        remedy = Remedy("name it with {columns}, or give the sampling rate [Hz], such as {rate}", columns={"time": "..."}, rate=1000.0)
        raise FileError(file, "has no time column", remedy=remedy)
    unit = recipe.units.get("time")
    return seconds_of(file, content.arrays["time"], unit if unit is None or isinstance(unit, str) else unit[0])


def _joint_side(name: str, content: Content, recipe: Reading, *, signed: bool = True) -> Array | None:
    """(N, n) in SI on the joint side: q = s (R⁻¹ motor) + offset, torque = s (Rᵀ gain · motor effort)."""
    if name not in content.arrays:
        return None
    raw: NDArray[Any] = content.arrays[name]
    if raw.ndim != 2:
        raise ShapeError(name, raw.shape, "(samples, joints)")
    n = raw.shape[1]
    steps: list[Callable[[Array], Array]] = []
    if name == "effort" and recipe.effort_joints:
        columns = _effort_columns(content.joint_names or default_names(n), recipe.effort_joints)
        steps.append(lambda x: x[:, columns])
    if name in recipe.units:
        scale = _scale(name, recipe.units[name], n)
        steps.append(lambda x: x * scale)
    if recipe.effort_gains is not None and name == "effort":
        gains = _for_each("effort_gains", recipe.effort_gains, n)
        steps.append(lambda x: x * (gains if signed else np.abs(gains)))
    if recipe.gears is not None:
        R = _of_length("gear_ratios", recipe.gears, n)
        if not signed:
            if np.any(R - np.diag(np.diag(R))):
                raise ValueRangeError(
                    "motor_to_joint", "couples joints, which needs the signs of the torques; effort kind 'magnitude' has none"
                )
            R = np.abs(R)
        transmission = R if name == "effort" else np.asarray(np.linalg.inv(R).T, dtype=float)
        steps.append(lambda x: x @ transmission)
    if name == "effort" and recipe.effort_signs is not None and signed:
        effort_signs = _for_each("effort_signs", recipe.effort_signs, n)
        steps.append(lambda x: x * effort_signs)
    elif recipe.signs is not None and signed:
        signs = _of_length("signs", recipe.signs, n)
        steps.append(lambda x: x * signs)
    if recipe.offsets is not None and name == "q":
        offsets = _of_length("offsets", recipe.offsets, n)
        steps.append(lambda x: x + offsets)
    if not steps and raw.dtype == np.float64:
        return raw
    return map_rows(lambda rows: reduce(lambda x, step: step(x), steps, np.asarray(rows, dtype=float)), raw)


def _effort_columns(names: Sequence[str], order: Sequence[str]) -> list[int]:
    """The column of each joint's effort: order[j] is the joint whose column holds the effort of joint j."""
    if sorted(order) != sorted(names):
        raise ValueRangeError("effort_joints", f"are {', '.join(order)}; each of {', '.join(names)} was expected once")
    return [list(names).index(name) for name in order]


def _temperature(content: Content, recipe: Reading) -> Array | None:
    """(N, n), or (N, 1) for all joints [°C]."""
    raw = content.arrays.get("temperature")
    if raw is None:
        return None
    unit = recipe.units.get("temperature", "degC")
    each = [unit] if isinstance(unit, str) else list(unit)
    values = np.asarray(raw, dtype=float) * _scale("temperature", unit, raw.shape[-1]) - np.array([celsius_zero(one) for one in each])
    measured = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        typical = float(np.median(measured)) if len(measured) else np.nan
    if not _COLDEST < typical < _HOTTEST:
        unread = {"temperature": ""}
        remedy = Remedy("give its unit, such as {units}, or leave it out with {columns}", units={"temperature": "K"}, columns=unread)
        raise ValueRangeError("temperature", f"has a median of {typical:.4g} °C, which no joint has", remedy=remedy)
    return values


def _signed_gears(gears: ArrayLike, signs: ArrayLike | None) -> Array:
    return np.asarray(gears, dtype=float) * (1.0 if signs is None else np.asarray(signs, dtype=float))


def _for_each(name: str, values: ArrayLike, n: int) -> Array:
    given = np.asarray(values, dtype=float)
    return np.repeat(given, n) if len(given) == 1 else _of_length(name, given, n)


def _of_length(name: str, values: ArrayLike, n: int) -> Array:
    given = np.asarray(values, dtype=float)
    if len(given) != n:
        raise ValueRangeError(name, f"is for {len(given)} joints, but the data has {n} columns")
    return given


def _scale(name: str, unit: Unit | None, n: int) -> Array | float:
    if unit is None:
        return 1.0
    if isinstance(unit, str):
        return factor(name, unit)
    if len(unit) != n:
        raise ValueRangeError(f"units of {name}", f"are {len(unit)}, but the data has {n} columns; give one, or one per joint")
    return np.array([factor(name, each) for each in unit])


def _check_units(file: Path, content: Content, recipe: Reading) -> None:
    """Positions in degrees with velocities in an unknown unit would be half converted: ask."""
    unit = recipe.units.get("q")
    if unit is None or set([unit] if isinstance(unit, str) else unit) <= {"rad", "m"}:
        return
    for name, example in (("dq", "deg/s"), ("ddq", "deg/s^2")):
        if name in content.arrays and name not in recipe.units:
            remedy = Remedy("say it, such as {units}", units={name: example})
            raise FileError(file, f"q is in {unit}, but the unit of {name} is not given", remedy=remedy)


def _effort_kind(file: Path, content: Content, recipe: Reading) -> EffortKind | None:
    """Asked for, else what the unit says, else what the name says."""
    if "effort" not in content.arrays:
        return None
    unit = recipe.units.get("effort", "")
    each = {is_current(one) for one in ([unit] if isinstance(unit, str) else unit)} if unit else set[bool]()
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
    if len(each) > 1 or (by_unit is not None and (kind in _CURRENTS) != (by_unit in _CURRENTS)):
        raise FileError(file, f"effort of kind {kind.value!r} can't have the unit {unit}; correct the unit or the kind")
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
