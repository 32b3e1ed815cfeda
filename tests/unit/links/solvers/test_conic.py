"""Conic programs with known answers, and lower bounds that no feasible point beats."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from dynident.links import PhysicalConsistency
from dynident.links.constraints.lmi import Equality, linear
from dynident.links.solvers.certificates import lower_bound
from dynident.links.solvers.conic import ConicProgram, ConicStatus, residual_scale
from tests.unit.links.links import COLUMNS, ROBOT, consistent_links, random_links, seeds

BLOCKS = PhysicalConsistency().terms(ROBOT, COLUMNS).blocks


@given(seed=seeds)
def test_the_projection_onto_the_positive_orthant(seed):
    b = np.random.default_rng(seed).normal(size=5)
    blocks = [linear(f"x{i} >= 0", {i: 1.0}, 0.0) for i in range(5)]
    solution = ConicProgram(np.eye(5), b, blocks, [], scale=residual_scale(b)).solve()
    assert solution.status is ConicStatus.SOLVED
    np.testing.assert_allclose(solution.x, np.maximum(b, 0.0), atol=1e-6)


def test_equalities_and_linear_objectives():
    total = Equality(name="sum", indices=np.arange(3), coefficients=np.ones(3), value=1.0)
    blocks = [linear(f"x{i}", {i: 1.0}, 0.0) for i in range(3)]
    program = ConicProgram(np.zeros((1, 3)), np.zeros(1), blocks, [total])
    for best in range(3):
        cost = np.ones(3)
        cost[best] = 0.5
        np.testing.assert_allclose(program.solve(cost).x, np.eye(3)[best], atol=1e-6)


def test_a_solver_that_was_set_up_once_gives_the_answers_of_fresh_ones():
    rng = np.random.default_rng(0)
    x = consistent_links(rng)
    A = rng.normal(size=(40, len(x)))
    program = ConicProgram(A, A @ x, BLOCKS, [])
    solve = program.prepared(radius=1.0, tolerance=1e-9)
    for _ in range(5):
        direction = rng.normal(size=len(x))
        fresh, again = program.solve(direction, radius=1.0, tolerance=1e-9), solve(direction)
        np.testing.assert_allclose(again.x, fresh.x, atol=1e-5)
        assert np.linalg.norm(A @ again.x - A @ x) <= 1.0 + 1e-6


def test_what_contradicts_itself_and_what_has_no_end_is_said():
    contradiction = [linear("x >= 1", {0: 1.0}, -1.0), linear("x <= 0", {0: -1.0}, 0.0)]
    assert ConicProgram(np.eye(1), np.zeros(1), contradiction, []).solve().status is ConicStatus.INFEASIBLE
    program = ConicProgram(np.zeros((1, 1)), np.zeros(1), contradiction[1:], [])
    assert program.solve(np.ones(1)).status is ConicStatus.UNBOUNDED


@given(seed=seeds)
def test_no_feasible_point_is_below_the_lower_bound_whatever_the_multipliers(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(12, 30))
    b = A @ random_links(rng)
    scale = residual_scale(b)
    solution = ConicProgram(A, b, BLOCKS, [], scale=scale).solve()
    reach = np.full(30, 1e3)
    bound = lower_bound(A, b, BLOCKS, [], solution, scale, reach)
    assert bound <= np.sum((A @ solution.x - b) ** 2) + 1e-9
    assert bound == pytest.approx(np.sum((A @ solution.x - b) ** 2), abs=1e-6 * float(b @ b))
    spoilt = replace(solution, residual_dual=solution.residual_dual + rng.normal(size=12), cone_vector=rng.normal(size=30))
    for other in (solution, spoilt):
        for _ in range(5):
            assert lower_bound(A, b, BLOCKS, [], other, scale, reach) <= np.sum((A @ consistent_links(rng) - b) ** 2)


class PanicException(BaseException):
    """As a solver written in Rust ends when it breaks down."""


def test_a_solver_that_breaks_down_gives_no_answer_and_goes_on(monkeypatch):
    import clarabel

    class Fragile:
        broken = True

        def __init__(self, *arguments):
            self.solver = clarabel_solver(*arguments)

        def update(self, **changes):
            self.solver.update(**changes)

        def solve(self):
            if Fragile.broken:
                Fragile.broken = False
                raise PanicException("Eigval error")
            return self.solver.solve()

    clarabel_solver = clarabel.DefaultSolver
    monkeypatch.setattr(clarabel, "DefaultSolver", Fragile)
    blocks = [linear(f"x{i}", {i: 1.0}, 0.0) for i in range(2)]
    run = ConicProgram(np.eye(2), np.array([3.0, -1.0]), blocks, []).prepared()
    assert run(None).status is ConicStatus.INACCURATE
    np.testing.assert_allclose(run(None).x, [3.0, 0.0], atol=1e-6)
