"""The columns of an identification problem, in one order: links' parameters, then friction joint by joint, then extras."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import IntArray
from dynident.errors import UnknownNameError
from dynident.friction.model import FrictionModel
from dynident.parameters import PARAMETERS_PER_LINK, parameter_entries
from dynident.robots.robot import Robot


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Names and units of the p standard columns.

    rigid : int     How many belong to links (10 n), the first ones.
    friction : int  How many belong to friction, n times the k of the model, after them; fv1, fc1, fo1, fv2, ...
    nonnegative     Places of the friction parameters that can't be negative, as their model says.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    rigid: int
    friction: int
    nonnegative: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def index(self, name: str) -> int:
        if name not in self.names:
            raise UnknownNameError("parameter", name, self.names)
        return self.names.index(name)


def problem_columns(robot: Robot, friction: FrictionModel | None, extra: Sequence[str] = ()) -> Columns:
    """The standard columns of a robot with a friction model and the user's own extra columns."""
    entries = parameter_entries(robot.n)
    names, units = [entry.name for entry in entries], [entry.unit for entry in entries]
    nonnegative: list[int] = []
    if friction is not None:
        for number, joint in enumerate(robot.joints, start=1):
            nonnegative += [len(names) + k for k, flag in enumerate(friction.nonnegative) if flag]
            names += [f"{name}{number}" for name in friction.parameter_names]
            units += friction.units_of(joint.type)
    rigid, count = len(entries), len(names) - len(entries)
    names += extra
    units += [""] * len(extra)
    return Columns(names=tuple(names), units=tuple(units), rigid=rigid, friction=count, nonnegative=tuple(nonnegative))


def moved_columns(robot: Robot, columns: Columns, joint: int) -> IntArray:
    """The columns that can be non-zero in a joint's row: its own friction, the links that it moves, and every extra column."""
    per_joint = columns.friction // robot.n
    moved = [10 * i + slot for i in range(robot.n) if joint in robot.ancestors(i) for slot in range(PARAMETERS_PER_LINK)]
    own = range(columns.rigid + joint * per_joint, columns.rigid + (joint + 1) * per_joint)
    extra = range(columns.rigid + columns.friction, len(columns))
    return np.array([*moved, *own, *extra], dtype=np.int64)
