"""The interior method: its steps, its path, and its treatment of functions."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.core.arrays import Array
from dynident.links import Bounds, LinkView, PhysicalConsistency, SolverOptions, Symmetric, UserConstraint, solve_retrieval
from dynident.links.interior import newton
from dynident.links.interior.central_path import enter, push, wander
from dynident.links.interior.newton import Interior, least_margin
from dynident.links.interior.reduced import Reduced
from dynident.links.solvers.barrier import descend
from tests.contracts.retrieval_problems import make, problem


def entered(name: str) -> tuple[Reduced, Interior, Array]:
    reduced = Reduced.of(make(name))
    interior = reduced.interior()
    y, margin = enter(interior, np.zeros(reduced.basis.shape[1]))
    assert margin > 0.0
    return reduced, interior, y


def merit(interior: Interior, y: Array, t: float) -> float:
    barrier = sum(float(np.sum(np.linalg.slogdet(cone.values(y))[1])) for cone in interior.cones)
    drift = (y - interior.anchor) / interior.spread
    return t * interior.objective(y) - barrier + 0.5 * float(drift @ drift)


def test_newton_step_is_that_of_numerical_derivatives() -> None:
    _, interior, y = entered("planar, equal and symmetric")
    t = 3.0
    step = newton._step(interior, y, t)
    assert step is not None
    d, decrement, length, _ = step

    def f(at: Array) -> float:
        return merit(interior, at, t)

    h = 1e-4
    first = (f(y + h * d) - f(y - h * d)) / (2 * h)
    second = (f(y + h * d) - 2 * f(y) + f(y - h * d)) / h**2
    assert first == pytest.approx(-(decrement**2), rel=1e-4)  # a Newton step meets minus its own curvature
    assert second == pytest.approx(decrement**2, rel=1e-3)
    # exact line search: the slope vanishes at the end of the step
    a = 1e-5 * length
    assert abs(f(y + (length + a) * d) - f(y + (length - a) * d)) / (2 * a) < 1e-2 * decrement**2


def test_every_point_of_the_path_is_consistent() -> None:
    reduced, interior, y = entered("spatial, sphere")
    for t in (1.0, 1e3, 1e6):
        y, centred = newton.centre(interior, y, t)
        assert centred
        assert least_margin(interior.cones, y) > 0.0
        assert not reduced.problem.violations(reduced.x(y))


def test_the_gap_falls_with_t() -> None:
    reduced, interior, y = entered("planar, total mass")
    best = solve_retrieval(reduced.problem).lower_bound
    for t in (1e2, 1e4, 1e6):
        y, _ = newton.centre(interior, y, t)
        drift = 0.5 * float(np.sum(((y - interior.anchor) / interior.spread) ** 2))
        assert interior.objective(y) - best <= 2.0 * (interior.degree + drift) / t


def test_the_deepest_point_of_an_empty_set_is_outside() -> None:
    empty = problem("pendulum_1r", PhysicalConsistency(), Bounds("m1", 2.0, 3.0), Bounds("mc1x", 5.0), Bounds("c1x", -1.0, 1.0))
    interior = Reduced.of(empty).interior()
    _, margin = enter(interior, np.zeros(10))
    assert margin < 0.0


def test_a_set_without_interior_is_still_solved() -> None:
    flat = problem("planar_2r", PhysicalConsistency(), Symmetric(2, "xy"), Bounds("m1", 4.0, 4.0), Bounds("m2", 0.0, 10.0))
    result = solve_retrieval(flat, solver="barrier")
    assert result.feasible
    assert result.parameters[0, 0] == pytest.approx(4.0, abs=1e-8)


def test_wandering_and_pushing_stay_inside_and_get_far() -> None:
    _, interior, y = entered("planar, total mass")
    rng = np.random.default_rng(0)
    points = np.array([wander(interior, y, rng) for _ in range(10)])
    assert all(least_margin(interior.cones, point) > 0.0 for point in points)
    assert np.ptp(points[:, 0]) > 0.3
    heavy = push(interior, y, np.eye(len(y))[0], 10.0)
    assert least_margin(interior.cones, heavy) > 0.0
    assert heavy[0] > 6.0  # of at most 6.5


def test_starts_end_at_different_points_that_fit_the_same() -> None:
    p = make("spatial, cylinder")
    a, b = (descend(p, rng=np.random.default_rng(seed), scatter=True) for seed in (0, 1))
    assert p.merit(a) == pytest.approx(p.merit(b), rel=1e-4)
    assert np.max(np.abs(a - b)) > 1e-3


def test_barycentric_bounds_hold_where_they_bind() -> None:
    result = solve_retrieval(make("planar, barycentric"), solver="barrier")
    inertias = [result.com_and_inertia(i)[2][2, 2] for i in (0, 1)]
    assert inertias[1] == pytest.approx(0.05, abs=1e-6)  # 0.064 in truth
    assert inertias[0] <= 0.06 + 1e-9
    assert result.objective == pytest.approx(solve_retrieval(make("planar, barycentric"), solver="sdp").objective, rel=1e-3)


def test_functions_with_several_values_meet_the_conic_optimum() -> None:
    def falling(links: list[LinkView]) -> list[float]:
        return [links[1].mass - 2.2, links[0].mass - 4.0]

    known = solve_retrieval(make("planar, total mass", extra=(Bounds("m2", high=2.2), Bounds("m1", high=4.0))))
    result = solve_retrieval(make("planar, total mass", extra=(UserConstraint(falling, smooth=True),)), solver="barrier")
    assert result.objective == pytest.approx(known.objective, rel=1e-3, abs=1e-9)


def test_a_function_may_return_another_number_of_values_elsewhere() -> None:
    def varying(links: list[LinkView]) -> list[float]:
        return [links[1].mass - 2.5] if links[1].mass > 2.8 else [links[1].mass - 2.5, -1.0]

    result = solve_retrieval(make("planar, total mass", extra=(UserConstraint(varying),)), solver="barrier")
    assert result.parameters[1, 0] <= 2.5


@pytest.mark.parametrize("search", ["annealing", "dual-annealing", "genetic"])
def test_a_start_may_begin_where_a_global_search_ended(search: str) -> None:
    options = SolverOptions(starts=2, own={"search": search, "evaluations": 200})
    for name in ("planar, total mass", "planar, barycentric"):
        usual = solve_retrieval(make(name), solver="barrier")
        result = solve_retrieval(make(name), solver="barrier", options=options)
        assert result.objective == pytest.approx(usual.objective, rel=1e-3)
        assert np.abs(result.x - usual.x).max() > 1e-6  # what nothing determines stays near where it began
