"""The convex optimum by an interior-point method, and the convex-concave procedure for what is not convex.

Bounds on barycentric inertias are differences of convex functions. Each is replaced by a convex one that implies it at
the current point, with a slack that is charged more and more (penalty convex-concave procedure; Lipp, Boyd 2016).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.core.options import NoOptions
from dynident.errors import require
from dynident.links.constraints.lmi import Block, Margins, linear
from dynident.links.constraints.terms import MET_WITHIN, Nonconvex
from dynident.links.problem import RetrievalProblem
from dynident.links.result import SolverAnswer
from dynident.links.solvers.barrier import descend
from dynident.links.solvers.conic import ConicProgram, ConicStatus, residual_scale, solve_counted
from dynident.links.solvers.solver import Solver, SolverOptions

_ROUNDS = 60
_TIGHTENINGS = 8
#: How far outside a block counts as on it: half of what the certificate allows.
_LEFT_OUTSIDE = 0.5 * MET_WITHIN
_LARGEST_CHARGE = 1e8


def solve(problem: RetrievalProblem, options: SolverOptions, own: NoOptions) -> list[SolverAnswer]:
    """The optimum of a convex problem; a local optimum, from the convex one, where bounds are not convex. No option is for it."""
    if problem.goal is not problem.objective:  # a posterior: its mode, within what is not convex by the barrier
        x = problem.relaxed.x
        broken = any(item.violation(x) > 0.0 for item in problem.terms.nonconvex)
        x = descend(problem, x, rng=np.random.default_rng(0)) if broken else x
        return [SolverAnswer(x=x, merit=problem.merit(x))]
    x = _inside(problem)
    if any(item.violation(x) > 0.0 for item in problem.terms.nonconvex):
        x = _convex_concave(problem, x)
        tangent = [item.convex_at(x) for item in problem.terms.nonconvex if item.convex_at is not None]
        pulled = _inside(problem, tangent)
        x = pulled if len(problem.violations(pulled)) < len(problem.violations(x)) else x
    return [SolverAnswer(x=x, merit=problem.merit(x))]


SOLVER = Solver(
    name="sdp",
    summary="the proven optimum of convex constraints, in a second",
    solve=solve,
    user_functions=False,
    multi_start=False,
    seeded=False,
)


def _inside(problem: RetrievalProblem, tangent: Sequence[Block] = ()) -> Array:
    """The optimum over the convex conditions and others. What the solver's tolerance leaves outside is pulled in by tightening blocks."""
    (A, b), (conditions, equalities), units = problem.rows, problem.counted, problem.units
    margins_of, solution = problem.margins, problem.relaxed
    if tangent:
        conditions = (*conditions, *(block.counted(units) for block in tangent))
        margins_of = Margins(conditions, problem.variables)
        solution = solve_counted(A, b, conditions, equalities, units)
    blocks = list(conditions)
    for attempt in range(_TIGHTENINGS):
        margins = margins_of(solution.x / units)
        if margins.min(initial=0.0) >= -_LEFT_OUTSIDE:
            break
        for i in np.flatnonzero(margins < 0.0):
            blocks[i] = replace(blocks[i], constant=blocks[i].constant + 4.0**attempt * margins[i] * np.eye(blocks[i].size))
        tightened = solve_counted(A, b, blocks, equalities, units)
        if tightened.status is ConicStatus.INFEASIBLE:
            break  # a set without interior can't be tightened; the answer before it stands, and certify judges it
        solution = tightened
    return solution.x


def _convex_concave(problem: RetrievalProblem, x: Array) -> Array:
    charge, A, b = 1.0, *problem.rows
    scale = residual_scale(b)
    conditions, p = problem.terms.nonconvex, problem.variables
    wide = np.column_stack([A * problem.units, np.zeros((len(A), len(conditions)))])
    held, equalities = problem.counted
    cost = np.concatenate([np.zeros(p), np.ones(len(conditions))])
    for _ in range(_ROUNDS):
        solution = ConicProgram(wide, b, [*held, *_with_slack(conditions, x, problem.units)], equalities, scale=scale).solve(charge * cost)
        if solution.status is not ConicStatus.SOLVED:
            break
        moved, x = float(np.max(np.abs(solution.x[:p] - x / problem.units))), problem.units * solution.x[:p]
        slack = float(np.sum(solution.x[p:]))
        if slack < 1e-9 and moved < 1e-8:
            break
        if slack >= 1e-9:
            charge = min(10.0 * charge, _LARGEST_CHARGE)
    return x


def _with_slack(conditions: Sequence[Nonconvex], x: Array, units: Array) -> list[Block]:
    """Each condition made convex at x and counted, with a slack variable of its own, and the slack not negative."""
    blocks: list[Block] = []
    p = len(units)
    for number, condition in enumerate(conditions):
        convex_at = require(condition.convex_at, f"the convex form of {condition.name!r}")  # the registry refused the others
        block = convex_at(x).counted(units)
        relief = np.zeros((1, block.size, block.size))
        relief[0, 0, 0] = 1.0
        blocks.append(replace(block, matrices=np.concatenate([block.matrices, relief]), indices=np.append(block.indices, p + number)))
        blocks.append(linear(f"slack of {condition.name}", {p + number: 1.0}, 0.0))
    return blocks
