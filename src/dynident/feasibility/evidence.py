"""How probable the data are under a prior: what judges priors against each other, and chooses the scale of uniform links.

By Laplace's method -2 log p(data) = min(φ + prior) + log det(AᵀA) - log det(PᵀP) + what no prior changes, with A the rows of data and
prior together and P those of the prior (MacKay, Neural Computation 4, 1992). Constraints are as if they were not active.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.feasibility.constraints.terms import FeasibleSet
from dynident.feasibility.objective import Objective
from dynident.feasibility.prior import NominalPrior
from dynident.feasibility.problem import RetrievalProblem, build_retrieval
from dynident.feasibility.solvers.conic import ConicStatus
from dynident.regression.equations.base import BaseParameters

#: Scales of uniform links that are tried, as powers of two of those of the density of water.
SCALES = tuple(2.0 ** (k / 2.0) for k in range(-4, 11))


def evidence(problem: RetrievalProblem) -> float:
    """-2 log p(data | prior) but for a constant: the smaller, the better the prior fits the data. Infinite where nothing was found."""
    assert problem.prior is not None  # noqa: S101 (a problem without one has no evidence)
    solution = problem.relaxed
    if solution.status is not ConicStatus.SOLVED:
        return float("inf")
    P = problem.prior.rows(problem.variables)[0]
    return problem.merit(solution.x) + _log_det(problem.rows[0]) - _log_det(P)


def scale_by_evidence(base: BaseParameters, data: Objective, constraints: FeasibleSet, prior: NominalPrior) -> NominalPrior:
    """The prior with all its links scaled by the factor that makes the data most probable."""
    plain = build_retrieval(base, data, constraints)
    scaled = [replace(prior, nominal=scale * prior.nominal) for scale in SCALES]
    found = [evidence(replace(plain, prior=item)) for item in scaled]
    best = int(np.argmin(found))
    mass = float(scaled[best].nominal[:, 0].sum())
    return replace(scaled[best], toward=f"{prior.toward} of {mass:.3g} kg in all, the scale that explains these data best,")


def _log_det(A: Array) -> float:
    """log det(AᵀA) of the columns that A contains."""
    scale = np.linalg.norm(A, axis=0)
    used = scale > 0.0
    R = np.linalg.qr(A[:, used] / scale[used], mode="r")
    return 2.0 * float(np.sum(np.log(np.abs(np.diag(R)))) + np.sum(np.log(scale[used])))
