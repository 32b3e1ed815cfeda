"""An interior method that is consistent at every step: log-det barrier, Newton steps in the linear parameters.

Matrix inequalities and bounds on barycentric inertias have a barrier; a user's functions are treated by an augmented
Lagrangian (functions.py). Every start follows the central path from a random interior point, to which the path stays
close where neither data nor constraints choose, so that several starts show how far the answer is not determined.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.options import NoOptions
from dynident.feasibility.problem import RetrievalProblem
from dynident.feasibility.result import Candidate
from dynident.feasibility.solvers.interior.central_path import anchored, enter, follow, wander
from dynident.feasibility.solvers.interior.functions import satisfy
from dynident.feasibility.solvers.interior.newton import Interior
from dynident.feasibility.solvers.interior.reduced import RELIEF, Reduced
from dynident.feasibility.solvers.solver import Solver, SolverOptions, solve_starts


def solve(problem: RetrievalProblem, options: SolverOptions, own: NoOptions) -> list[Candidate]:
    """The optimum of a convex problem from any start, else one local optimum per start."""
    return solve_starts(_Start(problem), options)


SOLVER = Solver(name="barrier", summary="an interior method for any constraint, smooth or not", solve=solve)


@dataclass(frozen=True, eq=False)
class _Start:
    """One start, as something that can be sent to a worker process."""

    problem: RetrievalProblem

    def __call__(self, start: int, rng: np.random.Generator) -> dict[str, Any]:
        x = descend(self.problem, rng=rng, scatter=start > 0)
        return {"x": x.tolist(), "merit": self.problem.merit(x)}


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
