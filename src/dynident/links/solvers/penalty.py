"""Algorithm 1 of Gaz, Cognetti, Oliva, Robuffo Giordano, De Luca (RA-L 2019), and the constant penalty of ICRA 2016.

From a random point of the box LB..UB, κ times: simulated annealing of f(p) = φ(p) + ξ_k Σ g(h(p)) in p = (m, c, I_c), eqs. (26)
to (32), then a local search of the same f from where that ended, with ξ_1 = 0 and ξ_{k+1} = 10 k; and all of it for Q starts, of
which the best is kept. Nothing but f steers a run: fewer steps, another search or another charge give another answer.

An exterior penalty reaches its constraints from outside. What it lacks there by the local search's tolerance is made up for by going
to the nearest feasible parameters; a run that ended farther outside has no answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from dynident.core.arrays import Array
from dynident.core.kinds import Count, number
from dynident.core.options import Options, option
from dynident.links.problem import RetrievalProblem
from dynident.links.result import SolverAnswer
from dynident.links.solvers.barrier import descend
from dynident.links.solvers.search.box import box_of, to_standard
from dynident.links.solvers.search.penalised import Charge, Penalised
from dynident.links.solvers.search.searches import GlobalSearch, LocalSearch, search_globally, search_locally
from dynident.links.solvers.solver import Solver, SolverOptions, solve_starts

#: Violations Σ g [kg, kg·m, kg·m²] up to which a run counts as having ended on its constraints.
TOLERANCE = 1e-6
_NotNegative = Annotated[float, number(low=0.0)]


@dataclass(frozen=True, kw_only=True)
class PenaltyOptions(Options):
    """How the penalty solver goes about Algorithm 1 of the Panda paper; "slsqp-numerical" is there to be compared with."""

    steps: Count = option(10, "Successive searches with a growing charge, κ in the paper.")
    growth: _NotNegative = option(
        10.0, "Growth of the charge ξ per step, from zero; more where φ is in small units, such as those of noise."
    )
    search: GlobalSearch = option("annealing", "Global search of every step: annealing, dual-annealing (SciPy's), genetic or none.")
    evaluations: Count = option(1000, "Evaluations of the function per global search.")
    local: LocalSearch = option("slsqp", "Local search that follows it: slsqp, nelder-mead, l-bfgs-b, pattern or slsqp-numerical.")
    penalty: Literal["distance", "constant"] = option(
        "distance", "What is charged: the distance to the constraints (RA-L 2019), or a constant if any is violated (ICRA 2016)."
    )
    delta: _NotNegative = option(10.0, "The constant.")
    threshold: _NotNegative = option(0.0, "Once a run violates nothing and φ is at most this, it and the search end, as in ICRA 2016.")


def solve(problem: RetrievalProblem, options: SolverOptions, own: PenaltyOptions) -> list[SolverAnswer]:
    """One answer per start; one that violates a constraint says that its run found none. After one at the threshold there are no more."""

    def is_enough(x: Array) -> bool:
        return problem.objective.value(x) <= own.threshold and not problem.violations(x)

    return solve_starts(_Run(problem, own), options, enough=is_enough)


SOLVER = Solver(
    name="penalty",
    summary="the published global search with penalties (Algorithm 1), to be compared with",
    solve=solve,
    options=PenaltyOptions,
    exact=False,
)


@dataclass(frozen=True, eq=False)
class _Run:
    """One run of Algorithm 1, as something that can be sent to a worker process."""

    problem: RetrievalProblem
    options: PenaltyOptions

    def __call__(self, start: int, rng: np.random.Generator) -> dict[str, Any]:
        p, gamma = self.search(rng)
        x = to_standard(p, self.problem.base.robot.n)
        if gamma <= TOLERANCE and self.problem.violations(x):
            x = restore(self.problem, x, rng)
        return {"x": x.tolist(), "merit": self.problem.merit(x)}

    def search(self, rng: np.random.Generator) -> tuple[Array, float]:
        """Lines 1 to 7 of Algorithm 1: p_κ, and the violations Σ g that it is left with."""
        settings, penalised, box = self.options, Penalised(self.problem), box_of(self.problem)
        p, factor, gamma = box.random(rng), 0.0, math.inf
        for k in range(1, settings.steps + 1):
            charge = Charge(factor, settings.delta if settings.penalty == "constant" else math.nan)
            p = search_globally(penalised, p, box, charge, rng, settings.search, settings.evaluations)
            p = search_locally(penalised, p, box, charge, settings.local)
            phi, gamma = penalised.parts(p)
            if gamma <= 0.0 and phi <= settings.threshold:
                break
            factor = settings.growth * k
        return p, gamma


def restore(problem: RetrievalProblem, x: Array, rng: np.random.Generator) -> Array:
    """The feasible parameters that are nearest to x, each in units of its own size; whether these fit better plays no part."""
    scale = np.diag(1.0 / np.maximum(np.abs(x), 1e-3 * problem.units))
    return descend(problem, x, rng=rng, rows=(scale, scale @ x))
