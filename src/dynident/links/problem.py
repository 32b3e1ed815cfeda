"""The retrieval problem, which can be looked at, saved, or given to any solver: an objective, constraints, a prior.

The prior's weight is settled when the prior joins the problem, so that what is looked at is what is solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from dynident.core.arrays import Array
from dynident.core.kinds import NOT_STORED
from dynident.core.results import Result
from dynident.errors import InputError
from dynident.links.constraints.convex import Known
from dynident.links.constraints.lmi import Batch, Block, Equality, Margins, batches, counted
from dynident.links.constraints.terms import Constraint, FeasibleSet, Terms, Violation, violations
from dynident.links.objective import ROUNDING, Objective
from dynident.links.posterior import REACH, Mode, Posterior, find_mode
from dynident.links.prior import NominalPrior
from dynident.links.solvers.certificates import contradict, lower_bound
from dynident.links.solvers.conic import ConicSolution, ConicStatus, residual_scale, solve_counted, typical_size
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.sizes import unit_powers, unit_sizes
from dynident.regression.estimate import Residuals
from dynident.regression.problem import Problem
from dynident.robots.kinematics import length_unit

#: A prior may cost at most this share of the best objective, or of the noise: its weight is lowered until it does.
PRIOR_SHARE = 1e-3
_DECADES = 12


@dataclass(frozen=True, kw_only=True, eq=False)
class Floor:
    """What no answer can beat: the lower bound on φ, and the best φ of the convex relaxation (inf where it was not solved)."""

    bound: float
    best: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RetrievalProblem(Result):
    """minimise φ(x) + prior(x) over the standard columns x, subject to the terms of the constraints.

    Attributes
    ----------
    base : BaseParameters
        The coefficients and their columns.
    objective : Objective
        What is minimised.
    terms : Terms
        What the constraints demand.
    prior : NominalPrior or None
        What counts beside the objective; None for nothing.
    data, fitted
        The data behind the objective, and what the coefficients leave of them: links are judged by both.
    ranges_by : Objective or None
        What "fits as well as the noise allows" means for ranges; the objective itself by default.
    notes : tuple of str
        What was decided while the problem was built, such as the weight of its prior and its cost in φ.
    doubts : tuple of str
        What speaks against whatever links are found, such as an estimate that is doubted.
    prior_note : str
        The one of these that is about a prior which only breaks ties.
    """

    base: BaseParameters
    objective: Objective
    terms: Terms
    prior: NominalPrior | None = None
    data: Problem | None = field(default=None, metadata=NOT_STORED)
    fitted: Residuals | None = field(default=None, metadata=NOT_STORED)
    ranges_by: Objective | None = field(default=None, metadata=NOT_STORED)
    notes: tuple[str, ...] = ()
    prior_note: str = ""
    doubts: tuple[str, ...] = ()

    @property
    def variables(self) -> int:
        return len(self.base.columns)

    @cached_property
    def unit(self) -> float:
        """The power of ten that the parameters are about as large as (kg, kg·m, kg·m²), lengths in `length_unit` of the robot."""
        return mass_unit(self.base, self.objective, self.terms.equalities)

    @cached_property
    def units(self) -> Array:
        """(p,) what the parameters are counted in, in which robots of any size are alike: `unit` times powers of the robot's length."""
        return parameter_units(self.base, self.objective, self.terms.equalities)

    @cached_property
    def counted(self) -> tuple[tuple[Block, ...], tuple[Equality, ...]]:
        """The convex conditions on x / units."""
        return counted(self.terms.blocks, self.terms.equalities, self.units)

    @cached_property
    def margins(self) -> Margins:
        """x / units -> (blocks,) how far each matrix inequality is from being broken."""
        return Margins(self.counted[0], self.variables)

    @cached_property
    def rows(self) -> tuple[Array, Array]:
        """A (r, p) and b (r,) of objective and prior together: ‖A x - b‖² is what is minimised by whoever knows squares alone."""
        if self.prior is None:
            return self.objective.A, self.objective.b
        A, b = self.prior.rows(self.variables)
        return np.concatenate([self.objective.A, A]), np.concatenate([self.objective.b, b])

    @cached_property
    def relaxed(self) -> ConicSolution | Mode:
        """The convex part of the problem, solved once whoever asks: for the bound, for the prior's cost, by the sdp solver."""
        return self._conic if self.prior is None or not self.prior.fixed else find_mode(self)

    @cached_property
    def _conic(self) -> ConicSolution:
        return solve_counted(*self.rows, *self.counted, self.units)

    @cached_property
    def goal(self) -> Objective:
        """What is certified: φ, and with it a prior of fixed weight, which is knowledge like the data."""
        return self.objective if self.prior is None or not self.prior.fixed else Posterior.of(self.objective, self.prior)

    @cached_property
    def floor(self) -> Floor | None:
        """From the convex relaxation without a prior that only chooses, the bound recomputed from its multipliers; None where the
        constraints are proven to contradict each other."""
        objective, (blocks, equalities) = self.goal, self.counted
        mode = self.relaxed
        if isinstance(mode, Mode):
            best = objective.value(mode.x) if mode.status is ConicStatus.SOLVED else np.inf
            return None if mode.status is ConicStatus.INFEASIBLE else Floor(bound=max(mode.bound, objective.constant), best=best)
        solution = (self if self.prior is None else replace(self, prior=None))._conic
        reach, scale = np.full(self.variables, REACH), residual_scale(objective.b)
        if solution.status is ConicStatus.INFEASIBLE and contradict(blocks, equalities, reach):
            return None
        bound = lower_bound(objective.A * self.units, objective.b, blocks, equalities, solution, scale, reach)
        best = objective.value(solution.x) if solution.status is ConicStatus.SOLVED else np.inf
        return Floor(bound=max(bound, 0.0) + objective.constant, best=best)

    @cached_property
    def batches(self) -> tuple[Batch, ...]:
        """The matrix inequalities on x / units."""
        return batches(self.counted[0], self.variables)

    def merit(self, x: Array) -> float:
        """φ plus prior at x (p,), what a solver minimises."""
        if self.goal is not self.objective:
            return self.goal.value(x)
        A, b = self.rows
        return float(np.sum((A @ x - b) ** 2)) + self.objective.constant

    def with_prior(self, prior: NominalPrior) -> RetrievalProblem:
        """The same with a prior as strong as it can be at next to no cost in φ, by powers of ten; a fixed one as it is."""
        if prior.fixed:
            note = f"prior: {prior.toward}{prior.knowledge}"
            return replace(self, prior=prior, notes=(*self.notes, note))
        floor = self.floor
        if floor is None:
            return replace(self, prior=prior)
        limit = self.tie(floor.best)
        problem, cost = self._priced(prior, floor)
        factor = 10.0 if cost <= limit else 0.1
        for _ in range(_DECADES):
            other = replace(prior, weight=factor * prior.weight)
            candidate, price = self._priced(other, floor)
            if factor > 1.0 and price > limit:
                break
            prior, problem, cost = other, candidate, price
            if factor < 1.0 and cost <= limit:
                break
        weighed = f"prior toward {prior.toward} ({prior.metric}), weight {prior.weight:.1g}"
        note = f"{weighed}: costs {max(cost, 0.0):.2g} in the objective, at the optimum of the convex constraints"
        result = replace(problem, notes=(*self.notes, note), prior_note=note)
        vars(result).update(floor=floor, relaxed=problem.relaxed)  # what is cached: both hold for the problem with its note
        return result

    def tie(self, best: float) -> float:
        """By how much φ may be above the best one and still count as a tie, among which a prior may choose."""
        objective = self.objective
        share = PRIOR_SHARE * max(best - objective.constant, objective.noise or 0.0)
        return max(share, ROUNDING * objective.scale)

    def without_tie_break(self) -> RetrievalProblem:
        """The same without a prior that only chooses among equally good answers, for a solver that doesn't find these."""
        if self.prior is None or self.prior.fixed:
            return self
        why = "it only breaks ties, and would steer a solver that does not find the optimum"
        note = f"the prior toward {self.prior.toward} is left out: {why}"
        return replace(self, prior=None, notes=(*self.other_notes, note), prior_note="")

    @property
    def other_notes(self) -> tuple[str, ...]:
        """The notes without that on a prior which only breaks ties."""
        return tuple(note for note in self.notes if note != self.prior_note)

    def _priced(self, prior: NominalPrior, floor: Floor) -> tuple[RetrievalProblem, float]:
        """With a prior as it is, and how much φ is then above the best φ."""
        problem = replace(self, prior=prior)
        solved = problem.relaxed.status is ConicStatus.SOLVED
        return problem, self.objective.value(problem.relaxed.x) - floor.best if solved else np.inf

    def violations(self, x: Array) -> tuple[Violation, ...]:
        return violations(self.terms, x, self.units, self.margins)

    def convex(self) -> RetrievalProblem:
        """The relaxation without what is not convex; its optimum is a lower bound."""
        return replace(self, terms=Terms(blocks=self.terms.blocks, equalities=self.terms.equalities))


def mass_unit(base: BaseParameters, objective: Objective, equalities: Sequence[Equality] = ()) -> float:
    """The power of ten that the parameters which an objective fits are about as large as, lengths in `length_unit` of the robot [kg]."""
    lengths = unit_sizes(base.columns.units, length=length_unit(base.robot))
    values = np.array([equality.counted(lengths).value for equality in equalities])
    with_mass = np.array([unit_powers(unit)[0] == 1.0 for unit in base.columns.units])
    return typical_size(objective.A * lengths, objective.b, values, with_mass)


def parameter_units(base: BaseParameters, objective: Objective, equalities: Sequence[Equality] = ()) -> Array:
    """(p,) how large parameters are on a robot of that mass and length."""
    return unit_sizes(base.columns.units, mass=mass_unit(base, objective, equalities), length=length_unit(base.robot))


def build_retrieval(
    base: BaseParameters,
    objective: Objective,
    constraints: Constraint | FeasibleSet,
    *,
    prior: NominalPrior | None = None,
    data: Problem | None = None,
    fitted: Residuals | None = None,
    ranges_by: Objective | None = None,
    notes: Sequence[str] = (),
    doubts: Sequence[str] = (),
) -> RetrievalProblem:
    """Put a retrieval problem together from its parts; solve it with `solve_retrieval`.

    What the identification took as known is known here too, and the prior gets its weight (`RetrievalProblem.with_prior`).

    Parameters
    ----------
    base
        The coefficients and their columns.
    objective
        What is to be minimised.
    constraints
        What must hold.
    prior
        What counts beside the objective; None for nothing.
    data
        The data behind the objective, by which links are judged; None where there are none.
    fitted
        What the coefficients leave of these data.
    ranges_by
        What "fits as well as the noise allows" means for ranges; by default the objective.
    notes
        What was decided before.
    doubts
        What speaks against whatever links are found.

    Returns
    -------
    RetrievalProblem
        For `solve_retrieval`.
    """
    known = [Known(name, value).terms(base.robot, base.columns) for name, value in base.known.items()]
    terms = Terms.joined([constraints.terms(base.robot, base.columns), *known])
    for name, column in terms.dont_care:
        if np.any(objective.A[:, column] != 0.0):
            affected = base.expressions[int(np.flatnonzero(base.grouping[:, column])[0])]
            raise InputError(f"{name} is no don't-care parameter: it is part of the coefficient {affected}; bound it, or declare it known")
    problem = RetrievalProblem(
        base=base,
        objective=objective,
        terms=terms,
        data=data,
        fitted=fitted,
        ranges_by=ranges_by,
        notes=tuple(notes),
        doubts=tuple(doubts),
    )
    return problem if prior is None else problem.with_prior(prior)
