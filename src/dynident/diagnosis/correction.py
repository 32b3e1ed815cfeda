"""What to change in how a log is read, or in how the robot is mounted: a reading that can be applied, composed, and said as options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from dynident.core.arrays import Array
from dynident.core.options import changes
from dynident.data import Dataset, Reading
from dynident.data.reading.transform import Transform
from dynident.robots.robot import Robot

#: Digits of what is measured, and so of its options; others have those that they were given.
_GEARS = ("gears", "gear_ratios")
_DIGITS = {"effort_gains": 8, "offsets": 4, "delay": 4, "sampling_rate": 6, "clock": 6, "gravity": 5, **dict.fromkeys(_GEARS, 8)}
#: Options that one number gives for all joints.
_ONE_FOR_ALL = ("effort_gains", "effort_signs", "delay")


@dataclass(frozen=True, kw_only=True, eq=False)
class Correction:
    """A change of a log of n columns (joints), and of the direction of gravity.

    Attributes
    ----------
    transform : Transform
        What the log's columns mean, after the log was read as it is.
    gravity : (3,) array or None
        In the base frame [m/s²].
    options : Reading
        The same in the words of a user, where it was spelled.
    """

    transform: Transform
    gravity: Array | None = None
    options: Reading = field(default_factory=Reading)

    @staticmethod
    def of(columns: int, reading: Reading | None = None, *, gravity: Array | None = None) -> Correction:
        """That a log of so many columns is read like this, else as it is."""
        options = reading or Reading()
        return Correction(transform=options.transform(columns), gravity=gravity, options=options)

    def apply(self, robot: Robot, data: Dataset) -> tuple[Robot, Dataset]:
        """The robot and the log with all of it."""
        return robot if self.gravity is None else robot.with_gravity(self.gravity), self.transform.apply(data)

    def then(self, other: Correction) -> Correction:
        """Both, this first; the other's columns are those that this one has put in order."""
        gravity = self.gravity if other.gravity is None else other.gravity
        return Correction(transform=self.transform.then(other.transform), gravity=gravity)

    def spell(self, data: Dataset) -> Correction:
        """The same with its options, for the log that it is of."""
        return replace(self, options=Reading().then(self.transform, data))

    def in_file(self, data: Dataset, columns: Sequence[int], width: int) -> Correction:
        """The same for a file of so many columns, of which the log's are those given, in this order."""
        if list(columns) == list(range(width)):
            return self
        return Correction(transform=self.transform.embed(columns, width), gravity=self.gravity).spell(data)

    @property
    def nothing(self) -> bool:
        """Whether it changes nothing."""
        return self.gravity is None and self.transform.is_identity

    @property
    def recipe(self) -> dict[str, Any]:
        """The lines of a YAML beside the data: everything but gravity, which is the robot's."""
        return {name: _shorten(name, value) for name, value in changes(self.options, by_key=True, every=True).items()}

    @property
    def arguments(self) -> dict[str, Any]:
        """Its arguments of `load_dataset`, and gravity as that of `load_robot`; options of a command have their names too."""
        gravity = {} if self.gravity is None else {"gravity": _shorten("gravity", self.gravity.tolist())}
        return gravity | {name: _shorten(name, value) for name, value in changes(self.options, every=True).items()}

    @property
    def rounded(self) -> Reading:
        """The options with the digits that are shown."""
        return replace(self.options, **{name: value for name, value in self.arguments.items() if name != "gravity"})


def flip(n: int, joints: Sequence[int]) -> Array:
    """(n,) -1 for these joints, 1 for the others."""
    signs = np.ones(n)
    signs[list(joints)] = -1.0
    return signs


def _shorten(name: str, value: Any) -> Any:
    """An option's value with the digits that mean something; one number where all joints have the same, ratios where no gears couple."""
    if isinstance(value, Mapping):
        return {key: _shorten(name, item) for key, item in cast("Mapping[str, Any]", value).items()}
    if not isinstance(value, list):
        return _round(name, value)
    items = cast("list[Any]", value)
    if isinstance(items[0], list):  # intervals, or a matrix
        rows = [[_round(name, each) for each in cast("list[Any]", row)] for row in items]
        diagonal = name in _GEARS and np.count_nonzero(rows) == len(rows)
        return np.diag(rows).tolist() if diagonal else rows
    rounded = [_round(name, item) for item in items]
    return rounded[0] if len(rounded) == 1 or (name in _ONE_FOR_ALL and len(set(rounded)) == 1) else rounded


def _round(name: str, value: Any) -> Any:
    if not isinstance(value, float):
        return value
    rounded = round(value, 4) if name == "without" else float(f"{value:.{_DIGITS[name]}g}") + 0.0 if name in _DIGITS else value
    return int(rounded) if abs(rounded) == 1.0 else rounded
