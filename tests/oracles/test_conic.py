"""The conic optimum and its bound, against the same problem written down in CVXPY."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.links import Bounds, ComInEllipsoid, Constraint, Either, FeasibleSet, RetrievalProblem, solve_retrieval
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


def test_optimum_over_branches_is_the_best_of_cvxpy() -> None:
    """Two rules of two branches around a small arm: the best of the four problems, each by CVXPY, and a bound below all of them."""
    pytest.importorskip("cvxpy")
    heavy = FeasibleSet((Bounds("m2", low=3.5), ComInEllipsoid.sphere(2, [0.1, 0.0, 0.0], 0.1)))
    rules: list[list[Constraint]] = [[heavy, Bounds("m2", high=2.0)], [Bounds("c1x", 0.15, 0.22), Bounds("c1x", -0.22, 0.1)]]
    each = {(a, b): by_cvxpy(make("planar, total mass", extra=(rules[0][a], rules[1][b]))) for a in (0, 1) for b in (0, 1)}
    labels = [Either(branches, f"rule {k}", ["0", "1"]) for k, branches in enumerate(rules)]
    result = solve_retrieval(make("planar, total mass", extra=tuple(labels)))
    expected = min(each.values())
    assert sorted(each.values())[1] > 1.01 * expected
    assert result.objective == pytest.approx(expected, rel=1e-4, abs=1e-8)
    assert result.lower_bound <= expected + 1e-8
    assert result.gap <= 1e-4 * expected
    assert dict(result.branches) == {f"rule {k}": str(choice) for k, choice in enumerate(min(each, key=lambda pair: each[pair]))}
