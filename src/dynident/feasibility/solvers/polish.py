"""The last digits of an answer that reproduces its coefficients: what a conic solver's tolerance and a prior left over.

Where the coefficients can be met exactly, a step of least length onto A x = b is smaller than the room that the
constraints leave, and the objective drops from about 1e-12 to rounding. A step that would break a constraint is not taken.
"""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.feasibility.problem import RetrievalProblem

#: Below this share of ‖b‖² what is left of ‖A x - b‖² counts as rounding, not as a conflict with the constraints.
NEARLY_EXACT = 1e-10
_STEPS = 3


def polished(problem: RetrievalProblem, x: Array) -> Array:
    """x moved onto the coefficients and the equalities, or x itself where they can't be met or the step would break something."""
    if problem.prior is not None and problem.prior.fixed:
        return x  # what the prior costs at the weight that it was given is wanted
    A, b = problem.objective.A, problem.objective.b
    left = float(np.sum((A @ x - b) ** 2))
    if not 0.0 < left <= NEARLY_EXACT * float(b @ b):
        return x
    E = np.zeros((len(problem.terms.equalities), problem.variables))
    for row, equality in zip(E, problem.terms.equalities, strict=True):
        row[equality.indices] = equality.coefficients
    rows = np.concatenate([A, E])
    target = np.concatenate([b, [equality.value for equality in problem.terms.equalities]])
    scale = np.maximum(np.abs(x), 1e-3)  # every parameter moves in proportion to its size
    moved = x
    for _ in range(_STEPS):
        step = np.linalg.lstsq(rows * scale, target - rows @ moved, rcond=1e-12)[0]
        moved = moved + scale * step
    better = float(np.sum((A @ moved - b) ** 2)) < left
    return moved if better and len(problem.violations(moved)) <= len(problem.violations(x)) else x
