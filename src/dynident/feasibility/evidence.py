"""How probable the data are under a prior: what judges priors against each other, and chooses the scale of uniform links.

By Laplace's method -2 log p(data) = min(φ + prior) + log det(AᵀA) - log det(PᵀP) + what no prior changes, with A the rows of data and
prior together and P those of the prior (MacKay, Neural Computation 4, 1992). The minimum is over the constraints; without them priors of
hundreds of kilograms would win by links of negative mass. In the determinants they are as if they were not active.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import least_squares
from dynident.feasibility.prior import NominalPrior
from dynident.feasibility.problem import RetrievalProblem
from dynident.feasibility.solvers.conic import ConicStatus, solve_counted
from dynident.parameters.link_metric import weight_of

#: Scales of uniform links that are tried, as powers of two of those of the density of water, or of what the data ask for if that is far.
SCALES = tuple(2.0 ** (k / 2.0) for k in range(-4, 11))
#: Factors to which links may be known.
FACTORS = (1.2, 1.5, 2.0, 3.0, 5.0, 8.0)
#: A difference of -2 log p that is very strong evidence (Kass, Raftery, JASA 90, 1995).
VERY_STRONG = 10.0
_TOLERANCE = 1e-6


def evidence(problem: RetrievalProblem, prior: NominalPrior) -> float:
    """-2 log p(data | prior) but for a constant: the smaller, the better the prior fits the data. Infinite where nothing was found."""
    problem = replace(problem, prior=prior)
    A, b = problem.rows
    solution = solve_counted(A, b, *problem.counted, problem.units, tolerance=_TOLERANCE)
    if solution.status is not ConicStatus.SOLVED:
        return float("inf")
    return problem.merit(solution.x) + _log_det(A) - _log_det(prior.rows(problem.variables)[0])


def scale_by_evidence(problem: RetrievalProblem, prior: NominalPrior) -> NominalPrior:
    """The prior with all its links scaled by the factor that makes the data most probable, however well known they are then.

    With the factor to which they are known held at the prior's own, the scale would be too small by up to 2.8 where links are nearer to
    uniform than that: a smaller prior is also a narrower one.
    """
    scale, _, _ = _most_probable(problem, prior, (SCALES, FACTORS))
    chosen = _scale(prior, scale)
    return replace(chosen, toward=f"{prior.toward} of {_mass(chosen)} kg in all, the scale that explains these data best,")


def judge_nominal(problem: RetrievalProblem, nominal: NominalPrior, uniform: NominalPrior) -> str:
    """A note: whether the description's links explain the data better than uniform ones do, and how well known they look by that."""
    _, factor, ours = _most_probable(problem, nominal, ((1.0,), FACTORS))
    scale, _, theirs = _most_probable(problem, uniform, (SCALES[::2], (2.0,)))
    how = "about as well as" if abs(theirs - ours) <= VERY_STRONG else "better than" if ours < theirs else "worse than"
    others = f"uniform links of about {_mass(_scale(uniform, scale))} kg in all"
    return f"{nominal.toward} explain these data {how} {others}, and best if known to a factor of {factor:g}"


def _most_probable(
    problem: RetrievalProblem, prior: NominalPrior, grid: tuple[Sequence[float], Sequence[float]]
) -> tuple[float, float, float]:
    """The scale of a prior's links and the factor to which they are known that make the data most probable, and the evidence then.

    Downhill over the grid from scale 1 and factor 2, first by steps of two, then of one.
    """
    scales, factors = grid
    anchor = _data_scale(problem, prior) if len(scales) > 1 else 1.0

    @cache
    def cost(place: tuple[int, int]) -> float:
        return evidence(problem, replace(_scale(prior, anchor * scales[place[0]]), weight=weight_of(factors[place[1]])))

    place = (scales.index(1.0), factors.index(2.0))
    for step in (2, 1):
        while True:
            i, k = place
            around = [(i - step, k), (i + step, k), (i, k - step), (i, k + step)]
            inside = [other for other in around if 0 <= other[0] < len(scales) and 0 <= other[1] < len(factors)]
            best = min([place, *inside], key=cost)
            if best == place:
                break
            place = best
    return anchor * scales[place[0]], factors[place[1]], cost(place)


def _data_scale(problem: RetrievalProblem, prior: NominalPrior) -> float:
    """Where the scales that are tried begin: 1, or for robots much lighter or heavier than that the power of two that fits the data best.

    The least-squares factor on the prior's links, friction left free; the density of water says nothing of such robots.
    """
    A, b, links = problem.objective.A, problem.objective.b, prior.nominal.size
    effects = np.column_stack([A[:, :links] @ prior.nominal.ravel(), A[:, links:]])
    sizes = np.linalg.norm(effects, axis=0)
    sizes[sizes == 0.0] = 1.0
    factors = least_squares(effects / sizes, b)
    fitted = float(factors[0] / sizes[0])
    return 1.0 if fitted <= 0.0 or SCALES[0] <= fitted <= SCALES[-1] else 2.0 ** round(np.log2(fitted))


def _scale(prior: NominalPrior, factor: float) -> NominalPrior:
    return replace(prior, nominal=factor * prior.nominal)


def _mass(prior: NominalPrior) -> str:
    mass = float(prior.nominal[:, 0].sum())
    return f"{mass:.0f}" if mass >= 100.0 else f"{mass:.3g}"


def _log_det(A: Array) -> float:
    """log det(AᵀA) of the columns that A contains."""
    scale = np.linalg.norm(A, axis=0)
    used = scale > 0.0
    R = np.linalg.qr(A[:, used] / scale[used], mode="r")
    return 2.0 * float(np.sum(np.log(np.abs(np.diag(R)))) + np.sum(np.log(scale[used])))
