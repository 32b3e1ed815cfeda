"""What the independent runs of a solver reach, beside the bound that none can pass: the distribution that a best of Q hides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.results import Result
from dynident.links.problem import RetrievalProblem
from dynident.links.solve import settle_branches
from dynident.links.solvers.registry import solve_with, solver_by_name
from dynident.links.solvers.solver import SolverOptions


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RunCosts(Result):
    """costs : (Q,) φ of each run, in the order of the starts; feasible : (Q,) whether it meets all constraints, recomputed.

    lower_bound : no feasible parameters have a smaller φ. beside : other costs to compare with, such as a published one, by name.
    """

    solver: str
    costs: Array
    feasible: BoolArray
    lower_bound: float
    beside: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def found(self) -> Array:
        """(k,) the costs of the runs that ended feasible, in ascending order."""
        return np.sort(self.costs[self.feasible])

    @property
    def best(self) -> float:
        """inf where no run ended feasible."""
        return float(np.min(self.found, initial=np.inf))


def run_costs(
    problem: RetrievalProblem,
    *,
    solver: str = "penalty",
    options: SolverOptions | None = None,
    beside: Mapping[str, float] | None = None,
) -> RunCosts:
    """Run a solver from `options.starts` starts and keep what each reached, as it is: neither polished nor merged with others.

    InfeasibleError where the convex constraints contradict each other.
    """
    problem = problem if solver_by_name(solver).exact else problem.without_tie_break()
    branching = settle_branches(problem, options or SolverOptions())
    problem = branching.problem
    candidates = solve_with(solver, problem, options)
    return RunCosts(
        solver=solver,
        costs=np.array([problem.goal.value(item.x) for item in candidates]),
        feasible=np.array([not problem.violations(item.x) for item in candidates]),
        lower_bound=branching.bound,
        beside=dict(beside or {}),
    )
