"""What to change in how a log is read, or in how the robot is mounted: as data that can be applied, typed, and written to a YAML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.data import Dataset, EffortKind, mask_times, shift_effort
from dynident.data.reading.quantities import factor
from dynident.robots.robot import Robot

_MOTION = ("q", "dq", "ddq")


@dataclass(frozen=True, kw_only=True, eq=False)
class Correction:
    """A change of a log of n columns (joints), done in this order, and of the direction of gravity.

    Attributes
    ----------
    unsigned : bool
        The efforts are magnitudes.
    units
        {quantity: unit} What the numbers are that were taken for SI.
    effort_gains : (n,) array
        Torque per unit of recorded effort.
    counts : (n,) array
        Recorded positions per radian or metre, of motors or encoders.
    signs, effort_signs : (n,) array
        ±1 for the motion, and for the efforts.
    offsets : (n,) array
        Added to the positions [rad | m].
    rate : float
        Sampling rate [Hz] in place of the stamps.
    clock : float
        What the stamps are multiplied by, that rate over the recorded one.
    ignored : names
        Of dq and ddq, those to be computed from q instead.
    delay : (n,) array
        How much later than the positions the efforts were stamped [s].
    without : intervals
        Not to be used [s].
    effort_order : (n,)
        Column of each effort, where it is not that of its position; done first.
    order : (n,)
        Column of each joint.
    gravity : (3,) array
        In the base frame [m/s²].
    """

    unsigned: bool = False
    units: Mapping[str, str] = field(default_factory=dict[str, str])
    effort_gains: Array | None = None
    counts: Array | None = None
    signs: Array | None = None
    effort_signs: Array | None = None
    offsets: Array | None = None
    rate: float | None = None
    clock: float = 1.0
    ignored: tuple[str, ...] = ()
    delay: Array | None = None
    without: tuple[tuple[float, float], ...] = ()
    effort_order: tuple[int, ...] | None = None
    order: tuple[int, ...] | None = None
    gravity: Array | None = None

    def apply(self, robot: Robot, data: Dataset) -> tuple[Robot, Dataset]:
        """The robot and the log with all of it."""
        arrays: dict[str, Any] = {}
        for name in (*_MOTION, "effort"):
            values: Array | None = getattr(data, name)
            if values is not None:
                arrays[name] = None if name in self.ignored else self._values(name, values)
        time = data.time * self.clock if self.rate is None else np.arange(data.samples) / self.rate
        if self.unsigned and data.effort_kind is not None:
            arrays["effort_kind"] = data.effort_kind.without_sign
        changed = data.after("corrected", **arrays, time=time)
        if self.delay is not None and changed.effort is not None:
            changed = shift_effort(changed, self.delay)
        if self.without:
            changed = mask_times(changed, self.without)
        if self.order is not None:
            names = data.joint_names
            changed = replace(changed.select(list(self.order)), joint_names=names)
        return robot if self.gravity is None else robot.with_gravity(self.gravity), changed

    def _values(self, name: str, values: Array) -> Array:
        if name == "effort" and self.effort_order is not None:
            values = values[:, list(self.effort_order)]
        if name in self.units:
            values = values * factor(name, self.units[name])
        gains = (self.effort_gains, self.effort_signs) if name == "effort" else (_inverse(self.counts), self.signs)
        for gain in gains:
            if gain is not None:
                values = values * gain
        return values + self.offsets if name == "q" and self.offsets is not None else values

    def then(self, other: Correction) -> Correction:
        """Both, this first; the other's columns are those that this one has put in order."""
        other = other._in_columns(self.order)
        factors = factor("q", other.units["q"]) if "q" in other.units else 1.0
        moved = _times(_times(self.offsets, other.signs), _times(_inverse(other.counts), factors))
        return Correction(
            unsigned=self.unsigned or other.unsigned,
            units={**self.units, **other.units},
            effort_gains=_times(self.effort_gains, other.effort_gains),
            counts=_times(self.counts, other.counts),
            signs=_times(self.signs, other.signs),
            effort_signs=_times(self.effort_signs, other.effort_signs),
            offsets=_plus(moved if self.offsets is not None else None, other.offsets),
            rate=other.rate or self.rate,
            clock=self.clock * other.clock,
            ignored=tuple(dict.fromkeys((*self.ignored, *other.ignored))),
            delay=_plus(None if self.delay is None else self.delay * other.clock, other.delay),
            without=(*((a * other.clock, b * other.clock) for a, b in self.without), *other.without),
            effort_order=_compose(self.effort_order, other.effort_order),
            order=_compose(self.order, other.order),
            gravity=self.gravity if other.gravity is None else other.gravity,
        )

    def _in_columns(self, order: Sequence[int] | None) -> Correction:
        """The same for columns that stand in another order: what is of joint j is of column order[j]."""
        if order is None:
            return self
        changes: dict[str, Any] = {}
        if self.effort_order is not None:
            places = np.empty(len(order), dtype=int)
            places[list(order)] = np.asarray(order)[list(self.effort_order)]
            changes["effort_order"] = tuple(places.tolist())
        for name in ("effort_gains", "counts", "signs", "effort_signs", "offsets", "delay"):
            values: Array | None = getattr(self, name)
            if values is not None:
                changes[name] = np.empty_like(values)
                changes[name][list(order)] = values
        return replace(self, **changes)

    def in_file(self, kept: Sequence[int], columns: int) -> Correction:
        """The same for a file of so many columns, of which the log's are those that are `kept`, in this order."""
        if list(kept) == list(range(columns)):
            return self
        neutral = {"effort_gains": 1.0, "counts": 1.0, "signs": 1.0, "effort_signs": 1.0, "offsets": 0.0, "delay": 0.0}
        changes: dict[str, Any] = {}
        for name, value in neutral.items():
            values: Array | None = getattr(self, name)
            if values is not None:
                changes[name] = np.full(columns, value)
                changes[name][list(kept)] = values
        if self.order is not None:
            changes["order"] = tuple(kept[k] for k in self.order)
        if self.effort_order is not None:
            places = list(range(columns))
            for j, k in enumerate(self.effort_order):
                places[kept[j]] = kept[k]
            changes["effort_order"] = tuple(places)
        return replace(self, **changes)

    @property
    def nothing(self) -> bool:
        """Whether it changes nothing."""
        return self.clock == 1.0 and not (self.arguments or self.recipe)

    @property
    def arguments(self) -> dict[str, Any]:
        """What of it can be said by arguments of `load_dataset` (gravity: of `load_robot`), as options of a command are too."""
        found: dict[str, Any] = {}
        if self.gravity is not None:
            found["gravity"] = _rounded(self.gravity, 5)
        if self.ignored:
            found["columns"] = dict.fromkeys(self.ignored, "none")
        if self.unsigned:
            found["effort_kind"] = EffortKind.MAGNITUDE.value
        if self.units:
            found["units"] = dict(self.units)
        if self.effort_gains is not None and self.counts is None:
            found["effort_gains"] = _shortest(self.effort_gains)
        if self.effort_signs is not None and self.signs is None:
            found["effort_signs"] = _shortest(self.effort_signs)
        if self.offsets is not None:
            found["offsets"] = _rounded(self.offsets, 4)
        if self.delay is not None:
            found["delay"] = _shortest(self.delay)
        if self.rate is not None:
            found["rate"] = float(f"{self.rate:.6g}")
        if self.without:
            found["without"] = [[float(f"{a:.4f}"), float(f"{b:.4f}")] for a, b in self.without]
        return found

    @property
    def recipe(self) -> dict[str, Any]:
        """The lines of a YAML beside the data: everything but gravity, which is the robot's."""
        found: dict[str, Any] = {name: value for name, value in self.arguments.items() if name != "gravity"}
        if self.signs is not None:
            found["signs"] = _integers(self.signs)
            efforts = np.ones_like(self.signs) if self.effort_signs is None else self.effort_signs
            if np.any(efforts != self.signs):
                found["effort_signs"] = _integers(efforts)
        if self.counts is not None:
            # what divides positions also multiplies efforts there, as gears do
            gains = (1.0 if self.effort_gains is None else self.effort_gains) / self.counts
            found |= {"gear_ratios": _rounded(self.counts, 8), "effort_gains": _rounded(gains, 8)}
        if self.effort_order is not None:
            found["effort_joints"] = [f"joint{column + 1}" for column in self.effort_order]
        if self.order is not None:
            found["joints"] = [f"joint{column + 1}" for column in self.order]
        return found


def flip(n: int, joints: Sequence[int]) -> Array:
    """(n,) -1 for these joints, 1 for the others."""
    signs = np.ones(n)
    signs[list(joints)] = -1.0
    return signs


def _inverse(values: Array | None) -> Array | None:
    return None if values is None else 1.0 / values


def _times(values: Array | None, others: Array | float | None) -> Any:
    if values is None or others is None:
        return others if values is None else values
    return values * others


def _plus(values: Array | None, others: Array | None) -> Array | None:
    if values is None or others is None:
        return others if values is None else values
    return values + others


def _compose(first: Sequence[int] | None, second: Sequence[int] | None) -> tuple[int, ...] | None:
    if first is None or second is None:
        found = second if first is None else first
        return None if found is None else tuple(found)
    return tuple(first[k] for k in second)


def _rounded(values: Array, digits: int) -> list[float]:
    return [float(f"{value:.{digits}g}") + 0.0 for value in values]


def _integers(values: Array) -> list[int]:
    return [round(value) for value in values.tolist()]


def _shortest(values: Array) -> Any:
    """One number where all joints have the same."""
    whole: Callable[[Array], list[Any]] = _integers if np.all(np.abs(values) == 1.0) else lambda x: _rounded(x, 4)
    said = whole(values)
    return said[0] if len(set(said)) == 1 else said


def used_rows(data: Dataset) -> BoolArray:
    """(N, n) where a log is to be used."""
    return np.ones(data.q.shape, dtype=bool) if data.mask is None else data.mask
