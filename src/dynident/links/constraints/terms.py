"""What a constraint contributes to a problem: convex blocks, equalities, and what is not convex.

Constraints name parameters m3, c3x, mc3x, J3xx, I3xx (barycentric), fv3; here is where these stand in the columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Annotated, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from dynident.core.arrays import Array
from dynident.core.documents import NULLABLE
from dynident.core.kinds import NOT_STORED
from dynident.errors import UnknownNameError
from dynident.links.constraints.lmi import Block, Equality, Margins, Side, counted
from dynident.regression.equations.columns import Columns
from dynident.robots.parameters import INERTIA_NAMES, ParameterEntry
from dynident.robots.robot import Robot

Kind = Literal["mass", "com", "barycentric", "linear"]
#: How far a condition may be missed and still count as met, which a solver's rounding leaves, as a share of how large its terms are on
#: such a robot; an equality by this times 1 + |value|.
MET_WITHIN = 1e-9
_AXES = ("x", "y", "z")
_DERIVED = re.compile(r"(?P<kind>c|I)(?P<link>\d+)(?P<element>[xyz]{1,2})")


@dataclass(frozen=True, kw_only=True, eq=False)
class Nonconvex:
    """A condition violation(x) <= 0 that is no matrix inequality.

    Attributes
    ----------
    name : str
        What it demands, for a reader.
    violation : x -> float
        Positive where violated, in `unit`.
    convex_at : x -> Block
        A convex condition that implies this one and is tight at a point where this one holds (convex-concave procedure); None
        when there is none, as for a user's own function.
    unit : str
        Of the violation.
    smooth : bool
        Whether finite differences of it make sense.
    parts : x -> (k,) array
        The single conditions whose largest violation it is, where there are several.
    side : Side
        What it says of one mass, centre of mass or barycentric inertia, if that is all it says.
    column : int
        A variable of the same kind as the violation; None where it is of no kind.
    """

    name: str
    violation: Callable[[Array], float]
    convex_at: Callable[[Array], Block] | None = None
    unit: str = ""
    smooth: bool = True
    parts: Callable[[Array], Array] | None = None
    side: Side | None = None
    column: int | None = None

    def size(self, units: Array) -> float:
        """How large a violation can plausibly be where parameters are as large as `units` (p,); 1 for a user's own function."""
        return 1.0 if self.column is None else float(units[self.column])


@dataclass(frozen=True, kw_only=True, eq=False)
class Alternatives:
    """A rule of which at least one branch must hold. branches : the name of each and what it asks."""

    name: str
    branches: tuple[tuple[str, Terms], ...]
    unit: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Terms:
    """Everything that a set of constraints asks of the variables.

    Attributes
    ----------
    blocks : tuple of Block
        Linear matrix inequalities.
    equalities : tuple of Equality
        Linear equations.
    nonconvex : tuple of Nonconvex
        All other conditions.
    dont_care
        Parameters and their columns which the objective must not contain: their values are chosen, not fitted.
    alternatives
        Rules with branches, which solvers get after one of each has been chosen.
    """

    blocks: tuple[Block, ...] = ()
    equalities: tuple[Equality, ...] = ()
    nonconvex: tuple[Nonconvex, ...] = field(default=(), metadata=NOT_STORED)
    dont_care: tuple[tuple[str, int], ...] = ()
    alternatives: tuple[Alternatives, ...] = field(default=(), metadata=NOT_STORED)

    @property
    def count(self) -> int:
        """How many conditions there are."""
        return len(self.blocks) + len(self.equalities) + len(self.nonconvex) + len(self.alternatives)

    @staticmethod
    def joined(parts: Iterable[Terms]) -> Terms:
        parts = tuple(parts)
        return Terms(
            blocks=tuple(block for part in parts for block in part.blocks),
            equalities=tuple(equality for part in parts for equality in part.equalities),
            nonconvex=tuple(item for part in parts for item in part.nonconvex),
            dont_care=tuple(item for part in parts for item in part.dont_care),
            alternatives=tuple(item for part in parts for item in part.alternatives),
        )


@runtime_checkable
class Constraint(Protocol):
    """A condition on link and friction parameters, as data."""

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        """What the condition is, in the standard columns of a robot; names that don't exist are an error."""
        ...


@dataclass(frozen=True)
class Violation:
    """A condition that doesn't hold: by how much, and the sentence that says so.

    Attributes
    ----------
    name : str
        Of the condition.
    amount : float
        By how much it does not hold [unit].
    unit : str
        Of the amount.
    """

    name: str
    amount: Annotated[float, NULLABLE]
    unit: str

    def __str__(self) -> str:
        return f"{self.name} is violated by {self.amount:.3g}{' ' + self.unit if self.unit else ''}"


def violations(terms: Terms, x: Array, units: Array | None = None, margins: Margins | None = None) -> tuple[Violation, ...]:
    """Every condition that x (p,) breaks, the largest first; recomputed from the constraints, whatever a solver said.

    Parameters
    ----------
    terms
        What the constraints ask of x.
    x : (p,) array_like
        Standard columns.
    units : (p,) array
        How large the parameters are, 1 by default; what a solver's rounding leaves is a share of that.
    margins
        Of the blocks as they are counted in these units, where somebody has them.

    Returns
    -------
    tuple of Violation
        The largest first; empty where all hold.
    """
    broken: list[Violation] = []
    units = np.ones(len(x)) if units is None else units
    y = x / units
    margins = Margins(counted(terms.blocks, (), units)[0], len(x)) if margins is None else margins
    for number in np.flatnonzero(~(margins(y) >= -MET_WITHIN)):
        block = terms.blocks[number]
        broken.append(Violation(block.name, -block.margin(x), block.unit))
    for equality in terms.equalities:
        scaled = equality.counted(units)
        if abs(scaled.error(y)) > MET_WITHIN * (1.0 + abs(scaled.value)):
            broken.append(Violation(equality.name, abs(equality.error(x)), equality.unit))
    for item in terms.nonconvex:
        amount = item.violation(x)
        if not amount <= MET_WITHIN * item.size(units):
            broken.append(Violation(item.name, float(amount) if np.isfinite(amount) else float("inf"), item.unit))
    for rule in terms.alternatives:
        each = [(violations(branch, x, units), label) for label, branch in rule.branches]
        if all(breaches for breaches, _ in each):
            nearest, label = min(each, key=lambda item: item[0][0].amount)
            broken.append(Violation(f"{rule.name} (nearest branch: {label})", nearest[0].amount, nearest[0].unit))
    return tuple(sorted(broken, key=lambda violation: -violation.amount))


@dataclass(frozen=True, eq=False)
class FeasibleSet:
    """Constraints that must all hold; `a & b` holds those of both.

    Attributes
    ----------
    constraints : tuple of Constraint
        All of them.
    """

    constraints: tuple[Constraint, ...] = field(default=())

    def __and__(self, other: Constraint | FeasibleSet) -> FeasibleSet:
        more = other.constraints if isinstance(other, FeasibleSet) else (other,)
        return FeasibleSet(self.constraints + more)

    @property
    def flattened(self) -> tuple[Constraint, ...]:
        """The constraints, those of sets within the set included."""
        return tuple(
            item
            for constraint in self.constraints
            for item in (constraint.flattened if isinstance(constraint, FeasibleSet) else (constraint,))
        )

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        return Terms.joined(constraint.terms(robot, columns) for constraint in self.constraints)


class Named(NamedTuple):
    """A parameter: what kind it is, its link (from 0, -1 for friction), its element of c or I, and its column (of mc or J for c and I)."""

    kind: Kind
    link: int
    element: int
    column: int

    @property
    def unit(self) -> str:
        return {"mass": "kg", "com": "m", "barycentric": "kg·m²", "linear": ""}[self.kind]


def parse_parameter(name: str, robot: Robot, columns: Columns) -> Named:
    """The parameter of that name; UnknownNameError with what is understood otherwise."""
    if name in columns.names:
        column = columns.index(name)
        entry = columns[column]
        if not isinstance(entry, ParameterEntry):
            return Named("linear", -1, 0, column)
        return Named("mass" if entry.quantity == "m" else "linear", entry.link, 0, column)
    match = _DERIVED.fullmatch(name)
    if match is not None and 1 <= int(match["link"]) <= robot.n:
        link, element = int(match["link"]) - 1, match["element"]
        places = columns.of_link(link)
        if match["kind"] == "c" and element in _AXES:
            return Named("com", link, _AXES.index(element), places[1:4][_AXES.index(element)])
        if match["kind"] == "I" and element in INERTIA_NAMES:
            return Named("barycentric", link, INERTIA_NAMES.index(element), places[4:][INERTIA_NAMES.index(element)])
    known = [f"m1..m{robot.n}", "c1x", "mc1x", "J1xx", "I1xx (about the centre of mass)", *columns.names[columns.link_slice.stop :]]
    raise UnknownNameError("parameter", name, known)


def link_index(link: int | str, robot: Robot) -> int:
    """A link by its name or its number from 1."""
    if isinstance(link, int) and 1 <= link <= robot.n:
        return link - 1
    if isinstance(link, str) and link in robot.link_names:
        return robot.link_names.index(link)
    raise UnknownNameError("link", str(link), [*robot.link_names, f"or a number from 1 to {robot.n}"])
