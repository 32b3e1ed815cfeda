"""How uncertain link parameters are that data and prior make most probable: the covariance of both together."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.feasibility.problem import RetrievalProblem
from dynident.feasibility.solvers.interior.reduced import Reduced
from dynident.regression.equations.factors import triangular

#: A direction that data and prior tell less than this share of the best told one is open.
_OPEN = 1e-12


def posterior_covariance(problem: RetrievalProblem) -> Array | None:
    """(p, p) of the standard columns, within what is declared known; other constraints, which only narrow it, are not counted.

    None where the prior is no knowledge in units of the noise but only chooses, or where both together leave a direction open.
    """
    if problem.prior is None or not problem.prior.fixed:
        return None
    reduced = Reduced.of(problem)
    rows = problem.rows[0] @ reduced.basis
    sizes: Array = np.linalg.norm(rows, axis=0)
    if not np.all(sizes > 0.0):
        return None
    R = triangular([rows / sizes])
    diagonal = np.abs(np.diag(R))
    if diagonal.min() <= _OPEN * diagonal.max():
        return None
    root = reduced.basis @ (np.linalg.inv(R) / sizes[:, None])
    return root @ root.T
