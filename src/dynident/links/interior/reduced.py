"""A retrieval problem without its equalities, in the robot's own units: x = units (origin + basis y), where y is free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import singular_vectors
from dynident.links.constraints.lmi import Block, batches
from dynident.links.constraints.terms import Nonconvex
from dynident.links.interior.newton import Cone, Interior

if TYPE_CHECKING:
    from dynident.links.problem import RetrievalProblem

#: Conditions that leave no interior (a box of zero width) are eased by this much, half of what a certificate allows.
RELIEF = 5e-10


@dataclass(frozen=True, kw_only=True, eq=False)
class Reduced:
    """origin : (p,); basis : (p, d) orthonormal; units : see `RetrievalProblem`; relief : how far every matrix inequality is eased."""

    problem: RetrievalProblem
    origin: Array
    basis: Array
    relief: float = 0.0

    @staticmethod
    def of(problem: RetrievalProblem, *, relief: float = 0.0) -> Reduced:
        p, (_, equalities) = problem.variables, problem.counted
        if not equalities:
            return Reduced(problem=problem, origin=np.zeros(p), basis=np.eye(p), relief=relief)
        E = np.zeros((len(equalities), p))
        for line, equality in enumerate(equalities):
            E[line, equality.indices] = equality.coefficients / np.linalg.norm(equality.coefficients)
        e = np.array([equality.value / np.linalg.norm(equality.coefficients) for equality in equalities])
        left, values, right = singular_vectors(E, full=True)
        rank = int(np.sum(values > 1e-10 * values[0]))
        origin = right[:rank].T @ ((left[:, :rank].T @ e) / values[:rank])
        return Reduced(problem=problem, origin=origin, basis=right[rank:].T, relief=relief)

    def x(self, y: Array) -> Array:
        return self.units * (self.origin + self.basis @ y)

    def y(self, x: Array) -> Array:
        """The nearest point that satisfies the equalities."""
        return self.basis.T @ (x / self.units - self.origin)

    @property
    def units(self) -> Array:
        return self.problem.units

    @cached_property
    def bounded(self) -> tuple[Nonconvex, ...]:
        """What is not convex but has convex conditions that imply it."""
        return tuple(item for item in self.problem.terms.nonconvex if item.convex_at is not None)

    @cached_property
    def functions(self) -> tuple[Nonconvex, ...]:
        """What is nothing but a function."""
        return tuple(item for item in self.problem.terms.nonconvex if item.convex_at is None)

    def cones(self, blocks: Sequence[Block]) -> tuple[Cone, ...]:
        """The inequalities in y."""
        counted = [block.counted(self.units) for block in blocks]
        return tuple(Cone.of(batch, self.origin, self.basis, self.relief) for batch in batches(counted, self.problem.variables))

    def moving(self, y: Array) -> tuple[Cone, ...]:
        """The convex-concave conditions at y."""
        x = self.x(y)
        return self.cones([item.convex_at(x) for item in self.bounded if item.convex_at is not None])

    def interior(self, rows: tuple[Array, Array] | None = None) -> Interior:
        """The barrier problem for the squares ‖A x - b‖² of the problem, or of other rows."""
        problem, prior, bodies = self.problem, self.problem.prior, None
        knows = prior is not None and prior.fixed
        if rows is None and prior is not None and knows and prior.wishart:
            S = prior.bodies(problem.variables).tensor * self.units
            bodies = Cone(constant=S @ self.origin, tensor=S @ self.basis)
        A, b = rows or ((problem.goal.A, problem.goal.b) if knows else problem.rows)
        d = int(self.basis.shape[1])
        return Interior(
            A=(A * self.units) @ self.basis,
            b=b - A @ (self.units * self.origin),
            cones=self.cones(self.problem.terms.blocks),
            anchor=np.zeros(d),
            spread=np.ones(d),
            moving=self.moving if self.bounded else None,
            bodies=bodies,
            nu=0.0 if bodies is None or prior is None else prior.weight,
        )
