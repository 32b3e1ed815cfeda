"""What a constraint contributes to a problem: convex blocks, equalities, and what is not convex."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from dynident.core.arrays import Array
from dynident.feasibility.constraints.lmi import Block, Equality, Side
from dynident.regression.equations.columns import Columns
from dynident.robots.robot import Robot


@dataclass(frozen=True, kw_only=True, eq=False)
class Nonconvex:
    """A condition violation(x) <= 0 that is no matrix inequality.

    violation : x -> float     Positive where violated, in `unit`.
    convex_at : x -> Block     A convex condition that implies this one and is tight at a point where this one holds
                               (convex-concave procedure); None when there is none, as for a user's own function.
    smooth : bool              Whether finite differences of it make sense.
    parts : x -> (k,)          The single conditions whose largest violation it is, where there are several.
    side : Side                What it says of one mass, centre of mass or barycentric inertia, if that is all it says.
    """

    name: str
    violation: Callable[[Array], float]
    convex_at: Callable[[Array], Block] | None = None
    unit: str = ""
    smooth: bool = True
    parts: Callable[[Array], Array] | None = None
    side: Side | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Terms:
    """Everything that a set of constraints asks of the variables.

    dont_care : parameters and their columns which the objective must not contain: their values are chosen, not fitted.
    """

    blocks: tuple[Block, ...] = ()
    equalities: tuple[Equality, ...] = ()
    nonconvex: tuple[Nonconvex, ...] = ()
    dont_care: tuple[tuple[str, int], ...] = ()

    @property
    def count(self) -> int:
        """How many conditions there are."""
        return len(self.blocks) + len(self.equalities) + len(self.nonconvex)

    @staticmethod
    def joined(parts: Iterable[Terms]) -> Terms:
        parts = tuple(parts)
        return Terms(
            blocks=tuple(block for part in parts for block in part.blocks),
            equalities=tuple(equality for part in parts for equality in part.equalities),
            nonconvex=tuple(item for part in parts for item in part.nonconvex),
            dont_care=tuple(item for part in parts for item in part.dont_care),
        )


@runtime_checkable
class Constraint(Protocol):
    """A condition on link and friction parameters, as data."""

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        """What the condition is, in the standard columns of a robot; names that don't exist are an error."""
        ...


@dataclass(frozen=True)
class Violation:
    """A condition that doesn't hold: by how much, and the sentence that says so."""

    name: str
    amount: float
    unit: str

    def __str__(self) -> str:
        return f"{self.name} is violated by {self.amount:.3g}{' ' + self.unit if self.unit else ''}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Tolerances:
    """How far a condition may be missed and still count as met: what a solver's rounding leaves."""

    inequality: float = 1e-9
    equality: float = 1e-9


def violations(terms: Terms, x: Array, tolerances: Tolerances | None = None) -> tuple[Violation, ...]:
    """Every condition that x breaks, the largest first; recomputed from the constraints, whatever a solver said."""
    allowed = tolerances or Tolerances()
    broken: list[Violation] = []
    for block in terms.blocks:
        margin = block.margin(x)
        if margin < -allowed.inequality:
            broken.append(Violation(block.name, -margin, block.unit))
    for equality in terms.equalities:
        error = abs(equality.error(x))
        if error > allowed.equality * (1.0 + abs(equality.value)):
            broken.append(Violation(equality.name, error, equality.unit))
    for item in terms.nonconvex:
        amount = item.violation(x)
        if not amount <= allowed.inequality:
            broken.append(Violation(item.name, float(amount) if np.isfinite(amount) else float("inf"), item.unit))
    return tuple(sorted(broken, key=lambda violation: -violation.amount))


@dataclass(frozen=True, eq=False)
class FeasibleSet:
    """Constraints that must all hold; `a & b` holds those of both."""

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
