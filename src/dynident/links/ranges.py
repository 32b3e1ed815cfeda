"""How far each parameter can move: a 95 % interval of its posterior, or, where no noise is known, its extremes over all that fits.

With a prior that is knowledge, the ends are quantiles of draws from the posterior. A parameter is then known from the data where they
make it much more certain than the prior alone, from the constraints where these narrow its interval much, else from the prior.

Else (a distance to coefficients, a prior that only breaks ties) they are the smallest and largest value over the feasible set that fits as
well as the noise allows. A parameter that is a coefficient by itself, or a combination of some, is known from the data, however wide its
range; another whose range is narrow, from the constraints with them; the rest floats, and its value was chosen.

Ranges are marginal: each is what one parameter can be while all others adapt, and not every combination of values within them is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import singular_vectors
from dynident.core.threads import map_in_order, thread_count
from dynident.errors import InputError
from dynident.links.constraints.lmi import Block
from dynident.links.objective import Objective
from dynident.links.posterior import standard_deviations
from dynident.links.problem import RetrievalProblem
from dynident.links.result import LinkParameters, Range
from dynident.links.sampling import SamplingError, draw_posterior
from dynident.links.solvers.conic import ConicProgram, ConicStatus, solve_counted
from dynident.robots.parameters import pseudo_inertia

#: 95 % quantile of the χ² distribution with one degree of freedom: how much worse a fit may be, in units of the noise.
CHI_SQUARE_95 = 3.841458820694124
#: The interval of a posterior, by quantiles of so many draws: the third digit of an end is then chance.
QUANTILES = (0.025, 0.975)
_DRAWS = 2000
#: A parameter is determined when its range is narrower than this share of what it can be on a link of that mass and size.
DETERMINED_SHARE = 0.2
#: Data or constraints tell a parameter when they leave at most this share of the interval that it had without them.
MUCH_NARROWER = 0.5
#: Without knowledge of the noise, a fit counts as as good while its residual is at most this share of the data larger.
_UNKNOWN_NOISE = 1e-6
#: Ends beyond this many times `RetrievalProblem.units` mean that nothing bounds the parameter: the solver went as far as it could.
UNBOUNDED = 1e3
#: A solver that gives up beyond this share of that was on its way there.
_ON_THE_WAY = 0.1
_TOLERANCE = 1e-7
#: Columns whose ends are looked for on one thread, one after the other, so that they don't depend on the number of threads.
_PIECE = 10


def with_ranges(
    result: LinkParameters, *, objective: Objective | None = None, progress: Callable[[float], None] | None = None
) -> LinkParameters:
    """The same result with a Range for every column of the links.

    Conditions that are not convex are replaced by convex ones at the result that imply them, so that their ranges may be
    narrower than the widest possible. A user's own functions are left out.

    Parameters
    ----------
    result
        What `solve_retrieval` returned.
    objective
        What "fits as well as the noise allows" refers to, where extremes are wanted; by default the problem's `ranges_by`, and where its
        prior is no knowledge its objective. One that is weighted by the covariance knows the noise: the fit may then worsen by the 95 %
        quantile of χ² with one degree of freedom.
    progress
        Called now and then with the share that is done, 0 to 1.

    Returns
    -------
    LinkParameters
        With `ranges`.
    """
    problem = result.problem
    if problem is None:
        raise InputError("ranges need the problem that was solved, and these parameters were read from a file; retrieve them again")
    goal = objective or problem.ranges_by
    beside = [item.convex_at(result.x) for item in problem.terms.nonconvex if item.convex_at is not None]
    if goal is None and problem.goal is not problem.objective:
        return _from_posterior(problem, result, beside, progress)
    return _from_extremes(problem, result, goal or problem.objective, [*problem.terms.blocks, *beside], progress)


def _from_posterior(
    problem: RetrievalProblem, result: LinkParameters, beside: Sequence[Block], progress: Callable[[float], None] | None
) -> LinkParameters:
    """The quantiles of the posterior, the answer always between them."""
    try:
        drawn = draw_posterior(problem, _DRAWS, at=result.x, beside=beside, progress=progress)
    except (SamplingError, InputError) as error:
        return replace(result, notes=(*result.notes, f"no ranges were found: {error.args[0]}"))
    places = problem.base.columns.link_slice
    low, high = np.quantile(drawn.x[:, places], QUANTILES, axis=0)
    low, high = np.minimum(low, result.x[places]), np.maximum(high, result.x[places])
    before, after = (std[places] for std in standard_deviations(problem))
    narrowed = high - low <= MUCH_NARROWER * 2.0 * np.sqrt(CHI_SQUARE_95) * after
    kinds = np.where((after <= MUCH_NARROWER * before) & (after > 0.0), "data", np.where(narrowed, "constraint", "prior"))
    ends = zip(low.tolist(), high.tolist(), kinds.tolist(), strict=True)
    return replace(result, ranges=tuple(Range(low=a, high=b, determined_by=kind) for a, b, kind in ends))


def _from_extremes(
    problem: RetrievalProblem, result: LinkParameters, goal: Objective, blocks: Sequence[Block], progress: Callable[[float], None] | None
) -> LinkParameters:
    """The smallest and largest values over all that fits, all of which can be attained."""
    best = _best(problem, goal, result.x)
    radius = np.sqrt(max(best, 0.0) + _allowance(goal, best))
    count = len(problem.base.columns.of_links)
    sizes = _sizes(result, problem.units)
    (A, b), known_from = _shorten(goal.A, goal.b), _knowledge(goal.A)
    conditions = [block.counted(problem.units) for block in blocks]
    program = ConicProgram(A * problem.units, b, conditions, problem.counted[1], scale=1.0 / radius)

    def find_ends(columns: range) -> list[tuple[float, float]]:
        find_end = _end_finder(program, problem.units, sizes)
        return [(find_end(i, 1.0), find_end(i, -1.0)) for i in columns]

    pieces = [range(first, min(first + _PIECE, count)) for first in range(0, count, _PIECE)]
    ranges: list[Range] = []
    unsolved: list[str] = []
    for batch in map_in_order(find_ends, pieces, thread_count()):
        for ends in batch:
            i = len(ranges)
            if any(np.isnan(ends)):
                unsolved.append(problem.base.columns.names[i])
            low, high = (sign * np.inf if np.isnan(end) else end for sign, end in zip((-1.0, 1.0), ends, strict=True))
            low, high = min(low, float(result.x[i])), max(high, float(result.x[i]))
            ranges.append(Range(low=low, high=high, determined_by=known_from(i, high - low, sizes[i])))
        if progress is not None:
            progress(len(ranges) / count)
    notes = [f"the solver did not find the ends of the ranges of {', '.join(unsolved)}, which are left open"] if unsolved else []
    return replace(result, ranges=tuple(ranges), notes=(*result.notes, *notes))


def _shorten(A: Array, b: Array) -> tuple[Array, Array]:
    """Rows with the same ‖A x - b‖² for all x, at most one more than there are columns."""
    R = np.asarray(np.linalg.qr(np.column_stack([A, b]), mode="r"), dtype=float) if len(A) > len(A.T) + 1 else np.column_stack([A, b])
    return R[:, :-1], R[:, -1]


def _best(problem: RetrievalProblem, goal: Objective, x: Array) -> float:
    """The smallest residual ‖A x - b‖² over the convex constraints."""
    solution = solve_counted(goal.A, goal.b, *problem.counted, problem.units)
    values = [float(np.sum((goal.A @ point - goal.b) ** 2)) for point in (solution.x, x)]
    return min(values) if solution.status is ConicStatus.SOLVED else values[1]


def _allowance(goal: Objective, best: float) -> float:
    """How much worse a fit may be. Where even the best is beyond the noise, the noise is taken as what the best leaves over."""
    if goal.noise is None:
        return _UNKNOWN_NOISE * float(goal.b @ goal.b)
    return CHI_SQUARE_95 * max(1.0, best / goal.noise)


def _end_finder(program: ConicProgram, units: Array, sizes: Array) -> Callable[[int, float], float]:
    """(column, sign) -> the smallest (sign 1) or largest (sign -1) value of a column: infinite where nothing bounds it, nan where the
    solver can't tell."""
    solve = program.prepared(radius=1.0, tolerance=_TOLERANCE)

    def find(column: int, sign: float) -> float:
        direction = np.zeros(len(units))
        direction[column] = sign * float(units[column] / sizes[column])
        solution = solve(direction)
        value = float(units[column] * solution.x[column])
        solved, farthest = solution.status is ConicStatus.SOLVED, UNBOUNDED * float(units[column])
        if solution.status is ConicStatus.UNBOUNDED or abs(value) >= (farthest if solved else _ON_THE_WAY * farthest):
            return -sign * np.inf
        return value if solved else np.nan

    return find


def _sizes(result: LinkParameters, units: Array) -> Array:
    """(10 n,) what a column could plausibly be: mass, mass times length, mass times length squared of its link."""
    sizes: list[float] = []
    for link in result.parameters:
        mass = max(float(link[0]), 1e-3 * float(units[0]))
        spread = float(np.trace(pseudo_inertia(link)[:3, :3])) / mass
        length = max(float(np.sqrt(max(spread, 0.0))), 1e-2 * float(units[1] / units[0]))
        sizes += [mass, *[mass * length] * 3, *[mass * length**2] * 6]
    return np.array(sizes)


def _knowledge(A: Array) -> Callable[[int, float, float], str]:
    """What tells a column, given the width of its range and its plausible size."""
    fixed = _fixed_by_data(A)
    return lambda i, width, size: "data" if fixed[i] else "constraint" if width <= DETERMINED_SHARE * size else "prior"


def _fixed_by_data(A: Array) -> Array:
    """Which columns the fitted coefficients fix by themselves: unit vectors in the row space of A."""
    scale = np.maximum(np.linalg.norm(A, axis=0), 1e-300)
    _, singular, rows = singular_vectors(A / scale)
    kept = rows[singular > 1e-10 * singular[0]]
    return np.linalg.norm(kept, axis=0) > 1.0 - 1e-9
