"""The conic optimum and its bound, against the same problem written down in CVXPY."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.feasibility import RetrievalProblem, solve_retrieval
from tests.contracts.retrieval_problems import CONVEX, make


def by_cvxpy(problem: RetrievalProblem) -> float:
    import cvxpy as cp

    x = cp.Variable(problem.variables)
    A, b = problem.objective.A, problem.objective.b
    constraints = []
    for block in problem.terms.blocks:
        F = block.constant + sum(x[int(i)] * F_i for i, F_i in zip(block.indices, block.matrices, strict=True))
        constraints.append(F >= 0 if block.size == 1 else F >> 0)
    for equality in problem.terms.equalities:
        constraints.append(equality.coefficients @ x[equality.indices] == equality.value)
    model = cp.Problem(cp.Minimize(cp.sum_squares(100.0 * (A @ x - b))), constraints)
    model.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return float(model.value) / 100.0**2


@pytest.mark.parametrize("name", CONVEX)
def test_optimum_is_that_of_cvxpy(name: str) -> None:
    pytest.importorskip("cvxpy")
    problem = make(name)
    result, expected = solve_retrieval(problem), by_cvxpy(problem)
    assert result.objective == pytest.approx(expected, rel=1e-4, abs=1e-8)
    assert result.lower_bound <= expected + 1e-8
    assert np.isfinite(result.gap)
