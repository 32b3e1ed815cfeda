"""An interior method that is consistent at every step: log-det barrier, Newton steps in the linear parameters.

Matrix inequalities and bounds on barycentric inertias have a barrier; a user's functions are treated by an augmented
Lagrangian (functions.py). Every start follows the central path from a random interior point, to which the path stays
close where neither data nor constraints choose, so that several starts show how far the answer is not determined; or, where
there are several valleys, from the best point of a global search of the papers' penalised function.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.kinds import Count
from dynident.core.options import Options, option
from dynident.links.interior.central_path import anchored, enter, follow, wander
from dynident.links.interior.functions import satisfy
from dynident.links.interior.newton import Interior
from dynident.links.interior.reduced import RELIEF, Reduced
from dynident.links.problem import RetrievalProblem
from dynident.links.result import SolverAnswer
from dynident.links.solvers.search.box import box_of, to_standard
from dynident.links.solvers.search.penalised import Charge, Penalised
from dynident.links.solvers.search.searches import GlobalSearch, search_globally
from dynident.links.solvers.solver import Solver, SolverOptions, solve_starts

#: ξ of the penalised function that a start searches globally, the first of Algorithm 1 that charges anything.
_CHARGE = 10.0


@dataclass(frozen=True, kw_only=True)
class BarrierOptions(Options):
    """Where the starts of the barrier solver begin."""

    search: GlobalSearch = option(
        "none", "Global search of a penalised function where a start begins: annealing, dual-annealing (SciPy's), genetic or none."
    )
    evaluations: Count = option(1000, "Evaluations of the function per global search.")


def solve(problem: RetrievalProblem, options: SolverOptions, own: BarrierOptions) -> list[SolverAnswer]:
    """The optimum of a convex problem from any start, else one local optimum per start."""
    return solve_starts(_Start(problem, own), options)


SOLVER = Solver(name="barrier", summary="an interior method for any constraint, smooth or not", solve=solve, options=BarrierOptions)


@dataclass(frozen=True, eq=False)
class _Start:
    """One start, as something that can be sent to a worker process."""

    problem: RetrievalProblem
    options: BarrierOptions

    def __call__(self, start: int, rng: np.random.Generator) -> dict[str, Any]:
        first = self._search(rng)
        x = descend(self.problem, first, rng=rng, scatter=start > 0 and first is None)
        return {"x": x.tolist(), "merit": self.problem.merit(x)}

    def _search(self, rng: np.random.Generator) -> Array | None:
        if self.options.search == "none":
            return None
        penalised, box = Penalised(self.problem), box_of(self.problem)
        best = search_globally(penalised, box.random(rng), box, Charge(_CHARGE), rng, self.options.search, self.options.evaluations)
        return to_standard(best, self.problem.base.robot.n)


def descend(
    problem: RetrievalProblem,
    x: Array | None = None,
    *,
    rng: np.random.Generator,
    scatter: bool = False,
    rows: tuple[Array, Array] | None = None,
) -> Array:
    """From x (or from nowhere in particular) into the interior and down to an optimum of ‖A x - b‖².

    scatter : begin at a random interior point.
    rows : A and b to fit instead of the problem's own.
    Where there is no interior point, the returned x breaks a constraint, which the certificate then says.
    """
    reduced, interior, y, margin = _entered(problem, x, rows)
    if margin <= 0.0:
        return reduced.x(y)
    if scatter:
        y = wander(interior, y, rng)
    interior = anchored(interior, y)
    relaxed, _ = follow(interior, y)
    if reduced.functions:
        relaxed = satisfy(reduced, interior, y, relaxed, rng)
    return reduced.x(relaxed)


def _entered(problem: RetrievalProblem, x: Array | None, rows: tuple[Array, Array] | None) -> tuple[Reduced, Interior, Array, float]:
    """An interior point near x, with the constraints eased a little where they leave none."""
    reduced = Reduced.of(problem)
    y, margin = _enter(reduced, reduced.interior(rows), x)
    if margin <= 0.0 < margin + RELIEF:
        reduced = Reduced.of(problem, relief=RELIEF)
        y, margin = _enter(reduced, reduced.interior(rows), reduced.x(y))
    return reduced, reduced.interior(rows), y, margin


def _enter(reduced: Reduced, interior: Interior, x: Array | None) -> tuple[Array, float]:
    y = np.zeros(reduced.basis.shape[1]) if x is None else reduced.y(x)
    # what is convex first: the convex-concave conditions need a positive mass
    y, margin = enter(replace(interior, moving=None), y)
    return (y, margin) if margin <= 0.0 or interior.moving is None else enter(interior, y)
