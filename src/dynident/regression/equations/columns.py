"""The columns of an identification problem, in one order: links' parameters, then friction joint by joint, then extras.

Groupings of them are written as people do: terms by size of meaning, equal factors gathered, kinematic constants recognised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.dynamics.friction.model import FrictionModel, Symmetry
from dynident.errors import UnknownNameError, ValueRangeError
from dynident.robots.parameters import PARAMETERS_PER_LINK, ParameterEntry, parameter_entries
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
    symmetry: Symmetry  #: what happens to its torque when the motion is reversed
    shared: int | None = None  #: its number among the model's shared parameters, which act on several joints
    acts_on: tuple[int, ...] = ()  #: these; none for one that acts on its own


class ExtraColumn(NamedTuple):
    """A column of the user's own."""

    name: str
    unit: str


Column: TypeAlias = ParameterEntry | FrictionColumn | ExtraColumn


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The p standard columns: what each one is, and how a vector over them falls into links, friction and extras.

    of_links : 10 n      m1, mc1x, ..., J1zz, m2, ...
    of_friction          fv1, fc1, fo1, fv2, ...; k of each joint, or as many of the k as its own model has.
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
        """(n, k) the friction parameters in x (p,), or (..., n, k) of (..., p); zero where a joint's model has no such parameter.

        k is 0 without friction.
        """
        values = np.zeros((*x.shape[:-1], *self._friction_table), dtype=x.dtype)
        joints, slots = self._friction_places
        values[..., joints, slots] = x[..., self.friction_slice]
        return values

    def join(self, links: Array, friction: Array | None = None) -> Array:
        """(p,) of parameters of links (n, 10) and of friction (n, k), as `links` and `friction` take it apart; zero for extras."""
        x = np.zeros(len(self))
        x[self.link_slice] = links.ravel()
        if friction is not None:
            x[self.friction_slice] = friction[self._friction_places]
        return x

    @cached_property
    def _friction_places(self) -> tuple[IntArray, IntArray]:
        """Joint and slot of each friction column."""
        places = np.array([(column.joint, column.slot) for column in self.of_friction], dtype=np.int64).reshape(-1, 2)
        return places[:, 0], places[:, 1]

    @property
    def _friction_table(self) -> tuple[int, int]:
        """n and k; every parameter of a model is that of some joint."""
        return len(self.of_links) // PARAMETERS_PER_LINK, max((column.slot + 1 for column in self.of_friction), default=0)

    def extra(self, x: NDArray[_Scalar]) -> dict[str, _Scalar]:
        """The values of the user's own columns in x (p,), by name."""
        return dict(zip((column.name for column in self.of_extra), x[self.extra_slice], strict=True))

    def of_link(self, link: int) -> range:
        """Places of a link's ten columns: mass, first moment, inertia."""
        return range(PARAMETERS_PER_LINK * link, PARAMETERS_PER_LINK * (link + 1))

    def of_joint(self, joint: int) -> dict[int, int]:
        """Places of a joint's friction columns, by slot."""
        columns = enumerate(self.of_friction, start=self.friction_slice.start)
        return {column.slot: place for place, column in columns if column.joint == joint}

    def index(self, name: str) -> int:
        if name not in self.names:
            raise UnknownNameError("parameter", name, self.names)
        return self.names.index(name)


def problem_columns(robot: Robot, friction: FrictionModel | None, extra: Sequence[str] = ()) -> Columns:
    """The standard columns of a robot with a friction model and the user's own extra columns."""
    of_links, of_friction = parameter_entries(robot.n), list[FrictionColumn]()
    if friction is not None:
        if friction.joints not in (None, robot.n):
            raise ValueRangeError("friction", f"has models of {friction.joints} joints, and robot {robot.name!r} has {robot.n}")
        for number, joint in enumerate(robot.joints):
            model = friction.of_joint(number)
            known = zip(model.parameter_names, model.units_of(joint.type), model.nonnegative, model.symmetries, strict=True)
            for name, unit, sign, symmetry in known:
                record = FrictionColumn(f"{name}{number + 1}", unit, number, friction.parameter_names.index(name), name, sign, symmetry)
                common = [(k, acts_on) for k, (owner, shared, acts_on) in enumerate(friction.shared) if (owner, shared) == (number, name)]
                of_friction.append(record._replace(shared=common[0][0], acts_on=common[0][1]) if common else record)
    taken = {column.name for column in (*of_links, *of_friction)}
    for name in extra:
        if name in taken:
            raise ValueRangeError("extra", f"has a column {name!r}, and the model has a parameter of that name already; give it another")
        taken.add(name)
    return Columns(of_links=of_links, of_friction=tuple(of_friction), of_extra=tuple(ExtraColumn(name, "") for name in extra))


def moved_columns(robot: Robot, columns: Columns, joint: int) -> IntArray:
    """The columns that can be non-zero in a joint's row: its friction, that of motors that turn it too, the links that it moves, extras."""
    first = columns.friction_slice.start
    friction = [first + k for k, column in enumerate(columns.of_friction) if joint == column.joint or joint in column.acts_on]
    moved = [k for i in range(robot.n) if joint in robot.ancestors(i) for k in columns.of_link(i)]
    extra = range(columns.extra_slice.start, columns.extra_slice.stop)
    return np.array([*moved, *friction, *extra], dtype=np.int64)


#: A factor this close (relative) to a product or sum of squares of kinematic constants is taken to be it.
RECOGNITION_TOLERANCE = 1e-9


def expression(row: Array, columns: Columns, robot: Robot, symbols: Mapping[int, tuple[int, str]] | None = None) -> str:
    """One row of a grouping matrix as text: inertias first, then first moments, then masses, then friction.

    symbols : sign and text of factors that are written with names, by column.
    """
    named = symbols or {}
    gathered: dict[tuple[int, str, float], list[str]] = {}
    order = sorted(np.flatnonzero(row).tolist(), key=lambda i: _rank(columns[i]))
    for i in order:
        factor = recognise(float(row[i]), robot)
        sign, text = named.get(i, (-1 if factor < 0.0 else 1, f"{abs(factor):.4g}"))
        # what has the same name is the same, what has the same first digits need not be
        gathered.setdefault((sign, text, 0.0 if i in named else round(factor, 12)), []).append(columns.names[i])
    alone = [(sign, name) for (sign, text, _), names in gathered.items() if text == "1" for name in names]
    others = [(sign, f"{text} {_sum(names)}") for (sign, text, _), names in gathered.items() if text != "1"]
    alone.sort(key=lambda piece: order.index(columns.names.index(piece[1])))
    text = "".join((" - " if sign < 0 else " + ") + piece for sign, piece in [*alone, *others])
    return text.removeprefix(" + ") if text.startswith(" + ") else "-" + text.removeprefix(" - ")


def _sum(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"({' + '.join(names)})"


def recognise(factor: float, robot: Robot) -> float:
    """The factor itself, or the kinematic constant, product or sum of squares that it is up to rounding."""
    if factor == round(factor):
        return factor
    candidates = _candidates(robot)
    nearest = candidates[np.argmin(np.abs(candidates - abs(factor)))]
    if abs(nearest - abs(factor)) <= RECOGNITION_TOLERANCE * max(nearest, 1e-3):
        return float(np.copysign(nearest, factor))
    return factor


@lru_cache(maxsize=64)
def _candidates(robot: Robot) -> Array:
    """1, 2, the lengths of the robot, twice them, products of two, twice those, and sums and differences of two squares."""
    placements = [joint.placement[:3, 3] for joint in robot.joints] + [link.placement[:3, 3] for link in robot.links]
    lengths = np.unique(np.round(np.abs(np.concatenate(placements)), 12))
    lengths = lengths[lengths > 0]
    values = [0.5, 1.0, 2.0, *lengths, *(2 * lengths)]
    for a, b in combinations_with_replacement(lengths, 2):
        values += [a * b, 2 * a * b, a * a + b * b, abs(a * a - b * b)]
    return np.unique(np.array(values))


def _rank(column: Column) -> int:
    """J before mc before m before the rest; within one kind the order of the links."""
    return ("J", "mc", "m").index(column.quantity) if isinstance(column, ParameterEntry) else 3
