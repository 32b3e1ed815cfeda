"""Algorithm 1 of Gaz, Cognetti, Oliva, Robuffo Giordano, De Luca (RA-L 2019), and the constant penalty of ICRA 2016.

From a random point of the box LB..UB, κ times: a global search of φ(p) + ξ_k Σ g(h(p)) in p = (m, c, I_c), then a local
one from where that ended, with ξ_1 = 0 and ξ_{k+1} = 10 k; and all of it for Q starts. An exterior penalty may end a
little outside: the answer is then moved to the feasible parameters that fit most nearly the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dynident.core.arrays import Array
from dynident.core.options import option
from dynident.feasibility.problem import RetrievalProblem
from dynident.feasibility.result import Candidate
from dynident.feasibility.solvers.barrier import descend
from dynident.feasibility.solvers.search.box import ParameterBox, box_of, from_standard, to_standard
from dynident.feasibility.solvers.search.penalised import Charge, Penalised
from dynident.feasibility.solvers.search.searches import LocalSearch, anneal, evolve, search_locally
from dynident.feasibility.solvers.solver import Solver, SolverOptions, solve_starts

#: Weight of staying where one is, beside fitting the same, when an answer is moved to the feasible parameters.
_NEARNESS = 1e-4


@dataclass(frozen=True, kw_only=True)
class PenaltyOptions:
    """How the penalty solver goes about Algorithm 1 of the Panda paper; "slsqp-numerical" is there to be compared with."""

    steps: int = option(10, "Successive searches with a growing charge, κ in the paper.")
    search: Literal["annealing", "genetic", "none"] = option("annealing", "Global search of every step: annealing, genetic or none.")
    evaluations: int = option(1000, "Evaluations of the function per global search.")
    local: LocalSearch = option(
        "barrier", "Local search that follows it: barrier, slsqp, l-bfgs-b, nelder-mead, pattern or slsqp-numerical."
    )
    penalty: Literal["distance", "constant"] = option(
        "distance", "What is charged: the distance to the constraints (RA-L 2019), or a constant if any is violated (ICRA 2016)."
    )
    delta: float = option(10.0, "The constant.")


def solve(problem: RetrievalProblem, options: SolverOptions, own: PenaltyOptions) -> list[Candidate]:
    """One answer per start."""
    return solve_starts(_Run(problem, own), options)


SOLVER = Solver(
    name="penalty", summary="the published global search with penalties, to be compared with", solve=solve, options=PenaltyOptions
)


@dataclass(frozen=True, eq=False)
class _Run:
    """One run of Algorithm 1, as something that can be sent to a worker process."""

    problem: RetrievalProblem
    options: PenaltyOptions

    def __call__(self, start: int, rng: np.random.Generator) -> dict[str, Any]:
        x = self._algorithm(rng)
        if self.problem.violations(x):
            x = restored(self.problem, x, rng)
        return {"x": x.tolist(), "merit": self.problem.merit(x)}

    def _algorithm(self, rng: np.random.Generator) -> Array:
        penalised, box, links = Penalised(self.problem), box_of(self.problem), self.problem.base.robot.n
        p, x, factor = box.random(rng), None, 0.0
        for k in range(1, self.options.steps + 1):
            charge = Charge(factor, self.options.delta if self.options.penalty == "constant" else math.nan)
            found = self._globally(penalised, p, box, charge, rng)
            if self.options.local != "barrier":
                p = search_locally(penalised, found, box, charge, self.options.local)
            elif x is None or not np.array_equal(found, p):
                # the barrier knows no charge: from the point where it ended before it would end there again
                better = descend(self.problem, to_standard(found, links), rng=rng)
                if x is None or self._rank(better) < self._rank(x):
                    x = better
                p = box.clip(from_standard(x, links))
            factor = 10.0 * k
        return to_standard(p, links) if x is None else x

    def _globally(self, penalised: Penalised, p: Array, box: ParameterBox, charge: Charge, rng: np.random.Generator) -> Array:
        if self.options.search == "none":
            return p
        search = anneal if self.options.search == "annealing" else evolve
        return search(penalised, p, box, charge, rng, self.options.evaluations)

    def _rank(self, x: Array) -> tuple[bool, float]:
        return bool(self.problem.violations(x)), self.problem.merit(x)


def restored(problem: RetrievalProblem, x: Array, rng: np.random.Generator) -> Array:
    """Feasible parameters that fit as x does, and are near it; what the barrier makes of it where there are none."""
    A, _ = problem.rows
    near = _NEARNESS * np.eye(problem.variables)
    return descend(problem, x, rng=rng, rows=(np.concatenate([A, near]), np.concatenate([A @ x, near @ x])))
