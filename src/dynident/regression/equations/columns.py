"""The columns of an identification problem, in one order: links' parameters, then friction joint by joint, then extras."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from dynident.core.arrays import BoolArray, IntArray
from dynident.errors import UnknownNameError, ValueRangeError
from dynident.friction.model import FrictionModel
from dynident.parameters import PARAMETERS_PER_LINK, ParameterEntry, parameter_entries
from dynident.robots.robot import Robot

_Scalar = TypeVar("_Scalar", bound=np.generic)


class FrictionColumn(NamedTuple):
    """A friction parameter of one joint."""

    name: str  #: with the joint's number: fv3
    unit: str
    joint: int  #: zero-based
    slot: int  #: 0 to k - 1, its place among the model's parameters
    parameter: str  #: fv
    nonnegative: bool  #: whether the model says that it can't be negative


class ExtraColumn(NamedTuple):
    """A column of the user's own."""

    name: str
    unit: str


Column: TypeAlias = ParameterEntry | FrictionColumn | ExtraColumn


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The p standard columns: what each one is, and how a vector over them falls into links, friction and extras.

    of_links : 10 n      m1, mc1x, ..., J1zz, m2, ...
    of_friction : k n    fv1, fc1, fo1, fv2, ...
    of_extra             The user's own.
    """

    of_links: tuple[ParameterEntry, ...]
    of_friction: tuple[FrictionColumn, ...] = ()
    of_extra: tuple[ExtraColumn, ...] = ()

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, index: int) -> Column:
        return self._all[index]

    @cached_property
    def _all(self) -> tuple[Column, ...]:
        return (*self.of_links, *self.of_friction, *self.of_extra)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self._all)

    @cached_property
    def units(self) -> tuple[str, ...]:
        return tuple(column.unit for column in self._all)

    @cached_property
    def is_link(self) -> BoolArray:
        """(p,) which columns belong to links."""
        return np.arange(len(self)) < len(self.of_links)

    @property
    def link_slice(self) -> slice:
        return slice(0, len(self.of_links))

    @property
    def friction_slice(self) -> slice:
        return slice(len(self.of_links), len(self) - len(self.of_extra))

    @property
    def extra_slice(self) -> slice:
        return slice(len(self) - len(self.of_extra), len(self))

    def links(self, x: NDArray[_Scalar]) -> NDArray[_Scalar]:
        """(n, 10) the links' part of x (p,), or (..., n, 10) of (..., p)."""
        return x[..., self.link_slice].reshape(*x.shape[:-1], -1, PARAMETERS_PER_LINK)

    def friction(self, x: NDArray[_Scalar]) -> NDArray[_Scalar]:
        """(n, k) the friction parameters in x (p,), or (..., n, k) of (..., p); k is 0 without friction."""
        return x[..., self.friction_slice].reshape(*x.shape[:-1], len(self.of_links) // PARAMETERS_PER_LINK, -1)

    def extra(self, x: NDArray[_Scalar]) -> dict[str, _Scalar]:
        """The values of the user's own columns in x (p,), by name."""
        return dict(zip((column.name for column in self.of_extra), x[self.extra_slice], strict=True))

    def of_link(self, link: int) -> range:
        """Places of a link's ten columns: mass, first moment, inertia."""
        return range(PARAMETERS_PER_LINK * link, PARAMETERS_PER_LINK * (link + 1))

    def of_joint(self, joint: int) -> range:
        """Places of a joint's k friction columns."""
        k = len(self.of_friction) * PARAMETERS_PER_LINK // len(self.of_links)
        first = len(self.of_links) + k * joint
        return range(first, first + k)

    def index(self, name: str) -> int:
        if name not in self.names:
            raise UnknownNameError("parameter", name, self.names)
        return self.names.index(name)


def problem_columns(robot: Robot, friction: FrictionModel | None, extra: Sequence[str] = ()) -> Columns:
    """The standard columns of a robot with a friction model and the user's own extra columns."""
    of_links, of_friction = parameter_entries(robot.n), list[FrictionColumn]()
    if friction is not None:
        for number, joint in enumerate(robot.joints):
            parameters = zip(friction.parameter_names, friction.units_of(joint.type), friction.nonnegative, strict=True)
            of_friction += [
                FrictionColumn(f"{name}{number + 1}", unit, number, slot, name, sign) for slot, (name, unit, sign) in enumerate(parameters)
            ]
    taken = {column.name for column in (*of_links, *of_friction)}
    for name in extra:
        if name in taken:
            raise ValueRangeError("extra", f"has a column {name!r}, and the model has a parameter of that name already; give it another")
        taken.add(name)
    return Columns(of_links=of_links, of_friction=tuple(of_friction), of_extra=tuple(ExtraColumn(name, "") for name in extra))


def moved_columns(robot: Robot, columns: Columns, joint: int) -> IntArray:
    """The columns that can be non-zero in a joint's row: its own friction, the links that it moves, and every extra column."""
    moved = [k for i in range(robot.n) if joint in robot.ancestors(i) for k in columns.of_link(i)]
    extra = range(columns.extra_slice.start, columns.extra_slice.stop)
    return np.array([*moved, *columns.of_joint(joint), *extra], dtype=np.int64)
