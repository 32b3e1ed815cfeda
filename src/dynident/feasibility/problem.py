"""The retrieval problem, which can be looked at, saved, or given to any solver: an objective, constraints, a prior."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dynident.core.arrays import Array
from dynident.errors import InputError
from dynident.feasibility.constraints.convex import Known
from dynident.feasibility.constraints.lmi import Batch, batches
from dynident.feasibility.constraints.terms import Constraint, FeasibleSet, Terms, Violation, violations
from dynident.feasibility.objective import NominalPrior, Objective
from dynident.feasibility.solvers.conic import ConicProgram, ConicSolution, residual_scale
from dynident.regression.base import BaseParameters


@dataclass(frozen=True, kw_only=True, eq=False)
class RetrievalProblem:
    """minimise φ(x) + prior(x) over the standard columns x, subject to the terms of the constraints."""

    base: BaseParameters
    objective: Objective
    terms: Terms
    prior: NominalPrior | None = None

    @property
    def variables(self) -> int:
        return len(self.base.columns)

    @cached_property
    def rows(self) -> tuple[Array, Array]:
        """A and b of objective and prior together: what a solver minimises is ‖A x - b‖²."""
        if self.prior is None:
            return self.objective.A, self.objective.b
        A, b = self.prior.rows(self.variables)
        return np.concatenate([self.objective.A, A]), np.concatenate([self.objective.b, b])

    @cached_property
    def relaxed(self) -> ConicSolution:
        """The convex part of the problem, solved once whoever asks: for the bound, for the prior's cost, by the sdp solver."""
        A, b = self.rows
        return ConicProgram(A, b, self.terms.blocks, self.terms.equalities, scale=residual_scale(b)).solve()

    @cached_property
    def batches(self) -> tuple[Batch, ...]:
        return batches(self.terms.blocks, self.variables)

    def merit(self, x: Array) -> float:
        """φ plus prior, what a solver minimises."""
        A, b = self.rows
        return float(np.sum((A @ x - b) ** 2)) + self.objective.constant

    def violations(self, x: Array) -> tuple[Violation, ...]:
        return violations(self.terms, x)

    def convex(self) -> RetrievalProblem:
        """The relaxation without what is not convex; its optimum is a lower bound."""
        return replace(self, terms=Terms(blocks=self.terms.blocks, equalities=self.terms.equalities))


def build_retrieval(
    base: BaseParameters, objective: Objective, constraints: Constraint | FeasibleSet, *, prior: NominalPrior | None = None
) -> RetrievalProblem:
    """Put a retrieval problem together; solve it with `retrieve`. What the identification took as known is known here too."""
    known = [Known(name, value).terms(base.robot, base.columns) for name, value in base.known.items()]
    terms = Terms.joined([constraints.terms(base.robot, base.columns), *known])
    for name, column in terms.dont_care:
        if np.any(objective.A[:, column] != 0.0):
            affected = base.expressions[int(np.flatnonzero(base.grouping[:, column])[0])]
            raise InputError(f"{name} is no don't-care parameter: it is part of the coefficient {affected}; bound it, or declare it known")
    return RetrievalProblem(base=base, objective=objective, terms=terms, prior=prior)
