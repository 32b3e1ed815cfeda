"""Algorithm 1: its function and gradient, its box, its searches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dynident.core.arrays import Array
from dynident.errors import ValueRangeError
from dynident.links import (
    Bounds,
    Known,
    NotFoundError,
    PhysicalConsistency,
    RetrievalProblem,
    SolverOptions,
    TotalMass,
    solve_retrieval,
)
from dynident.links.solvers.barrier import descend
from dynident.links.solvers.penalty import TOLERANCE, PenaltyOptions, _Run, restore
from dynident.links.solvers.search.box import ParameterBox, box_of, from_standard, to_standard
from dynident.links.solvers.search.penalised import Charge, Penalised
from dynident.links.solvers.search.searches import anneal, anneal_dually, evolve, poll, search_globally, search_locally, walk
from dynident.robots.parameters import inertia_matrix
from tests.contracts.retrieval_problems import make, problem
from tests.facts import raises


def parts_by_hand(p: RetrievalProblem, point: Array) -> tuple[float, float]:
    """φ, and γ as eqs. (30) and (32) write it, for a problem with nothing else."""
    n = p.base.robot.n
    x = to_standard(point, n)
    body = point.reshape(n, 10)
    gamma = 0.0
    for link in body:
        I = inertia_matrix(np.concatenate([np.zeros(4), link[4:]]))
        gamma -= min(0.0, np.trace(I) / 2 - np.linalg.eigvalsh(I)[-1])
    total = body[:, 0].sum()
    gamma -= min(0.0, 6.5 - total) + min(0.0, total - 6.0)
    return p.merit(x), gamma


def test_function_is_that_of_the_paper() -> None:
    p = make("planar, total mass")
    penalised, box, rng = Penalised(p), box_of(p), np.random.default_rng(0)
    for _ in range(20):
        point = box.random(rng)
        assert penalised.parts(point) == pytest.approx(parts_by_hand(p, point), rel=1e-12)


@pytest.mark.parametrize("name", ["planar, total mass", "planar, equal and symmetric", "spatial, sphere", "spatial, cylinder"])
def test_gradients_are_those_of_differences(name: str) -> None:
    p = make(name)
    penalised, box, rng = Penalised(p), box_of(p), np.random.default_rng(1)
    for _ in range(5):
        point = box.random(rng)
        phi, gamma, slope, steep = penalised.parts_and_gradients(point)
        assert (phi, gamma) == pytest.approx(penalised.parts(point), rel=1e-12)
        h = 1e-6
        differences = np.array(
            [np.subtract(penalised.parts(point + e), penalised.parts(point - e)) / (2 * h) for e in h * np.eye(len(point))]
        )
        assert np.allclose(slope, differences[:, 0], atol=1e-6 * (1 + np.abs(slope).max()))
        assert np.allclose(steep, differences[:, 1], atol=1e-6)


def test_parameters_and_back() -> None:
    rng = np.random.default_rng(2)
    box = box_of(make("spatial, sphere"))
    point = box.random(rng)
    assert np.allclose(from_standard(to_standard(point, 3), 3), point, atol=1e-12)


def test_box_is_that_of_the_bounds() -> None:
    box = box_of(problem("planar_2r", PhysicalConsistency(), Bounds("m1", 1.0, 6.0), Bounds("c2y", -0.2, 0.1), Bounds("I2xx", 0.001, 0.4)))
    assert (box.low[0], box.high[0]) == (1.0, 6.0)
    assert (box.low[12], box.high[12]) == (-0.2, 0.1)
    assert (box.low[14], box.high[14]) == (0.001, 0.4)
    # defaults: twice the 7 kg of the robot, and links of 0.5 m
    assert (box.low[10], box.high[10]) == (0.0, 14.0)
    assert (box.low[1], box.high[1]) == (-0.5, 0.5)
    assert (box.low[4], box.high[4]) == (0.0, 6.0 * 0.25)
    assert box.low[5] == -box.high[5] == -0.5 * 6.0 * 0.25


def test_compiled_annealing_is_the_written_one() -> None:
    p = make("planar, total mass")
    penalised, box = Penalised(p), box_of(p)
    for charge in (Charge(0.0), Charge(30.0), Charge(0.0, 10.0)):
        rng = np.random.default_rng(4)
        start = box.random(rng)
        directions = rng.normal(size=(400, len(start))) / 5.0
        steps = directions, rng.uniform(size=400), np.geomspace(1.0, 1e-3, 400)
        compiled = penalised.walk(start, box.low, box.high, steps, charge)
        written = walk(lambda at, charge=charge: charge(*penalised.parts(at)), start, box, steps)
        assert compiled is not None
        assert np.allclose(compiled, written, rtol=1e-9)


@pytest.mark.parametrize("search", [anneal, anneal_dually, evolve])
def test_global_searches_improve_and_stay_in_the_box(search) -> None:
    p = make("planar, total mass")
    penalised, box, charge = Penalised(p), box_of(p), Charge(10.0)
    start = box.random(np.random.default_rng(0))
    found = search(penalised, start, box, charge, np.random.default_rng(1), 2000)
    assert charge(*penalised.parts(found)) < 0.5 * charge(*penalised.parts(start))
    assert np.all(found >= box.low)
    assert np.all(found <= box.high)


def test_constant_penalty_jumps() -> None:
    constant = Charge(0.0, 10.0)
    assert constant(1.0, 0.0) == 1.0
    assert constant(1.0, 1e-9) == constant(1.0, 5.0) == 11.0
    assert math.isnan(Charge(2.0).constant)
    assert Charge(2.0)(1.0, 3.0) == 7.0


@pytest.mark.parametrize("local", ["slsqp", "nelder-mead", "l-bfgs-b", "pattern", "slsqp-numerical"])
def test_every_local_search_ends_feasible(local) -> None:
    """A pendulum with c1x <= 0.45 m and I1zz >= 0 has room inside for each of them."""
    options = PenaltyOptions(steps=3, evaluations=300, local=local)
    result = solve_retrieval(make("pendulum"), solver="penalty", options=SolverOptions(own=options))
    assert result.feasible


def test_a_constant_penalty_keeps_a_run_inside() -> None:
    """As eq. (19) of ICRA 2016 has it: bounds, and a constant for a total mass out of its range; all coefficients can be met."""
    boxes = [Bounds(f"m{i}", 0.0, 6.0) for i in (1, 2)]
    options = PenaltyOptions(steps=2, evaluations=3000, local="nelder-mead", penalty="constant")
    p, gamma = _Run(problem("planar_2r", TotalMass(6.0, 6.5), *boxes), options).search(np.random.default_rng(0))
    assert gamma == 0.0
    assert 6.0 <= p[0] + p[10] <= 6.5


def test_a_pattern_search_finds_the_minimum_of_a_box() -> None:
    upper = np.array([1.0, 1.0, 0.0])

    def function(u: Array) -> float:
        return (u[0] - 0.3) ** 2 + 4.0 * (u[1] - u[0] - 2.0) ** 2 + u[2]

    found = poll(function, np.array([0.9, 0.1, 0.0]), upper)
    np.testing.assert_allclose(found, [0.0, 1.0, 0.0], atol=2e-3)  # u[1] ends at its bound, and pulls u[0] to its own
    inside = poll(lambda u: float(np.sum((u - [0.3, 0.7, 0.0]) ** 2)), np.zeros(3), upper)
    np.testing.assert_allclose(inside, [0.3, 0.7, 0.0], atol=2e-3)


def test_both_searches_of_a_step_see_the_charge_of_the_paper_and_begin_where_the_last_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, float]] = []
    places: list[Array] = []

    def globally(penalised: Penalised, p: Array, box: ParameterBox, charge: Charge, rng, method: str, evaluations: int) -> Array:
        seen.append((method, charge.factor))
        places.append(p)
        return p + 1.0

    def locally(penalised: Penalised, p: Array, box: ParameterBox, charge: Charge, method: str) -> Array:
        seen.append((method, charge.factor))
        places.append(p)
        return p + 1.0

    monkeypatch.setattr("dynident.links.solvers.penalty.search_globally", globally)
    monkeypatch.setattr("dynident.links.solvers.penalty.search_locally", locally)
    problem = make("pendulum")
    p, _ = _Run(problem, PenaltyOptions(steps=4)).search(np.random.default_rng(0))
    assert seen == [(name, factor) for factor in (0.0, 10.0, 20.0, 30.0) for name in ("annealing", "slsqp")]
    first = box_of(problem).random(np.random.default_rng(0))
    np.testing.assert_allclose(places, [first + k for k in range(8)], rtol=1e-12)
    np.testing.assert_allclose(p, first + 8)


def test_a_step_never_raises_the_function_that_it_searches() -> None:
    p = make("planar, total mass")
    penalised, box, rng = Penalised(p), box_of(p), np.random.default_rng(5)
    point = box.random(rng)
    for k in range(5):
        charge = Charge(10.0 * k)
        before = charge(*penalised.parts(point))
        for method in ("annealing", "dual-annealing", "genetic"):
            found = search_globally(penalised, point, box, charge, np.random.default_rng(k), method, 200)
            assert charge(*penalised.parts(found)) <= before
        point = search_locally(penalised, found, box, charge, "slsqp")
        assert charge(*penalised.parts(point)) <= charge(*penalised.parts(found))


def answer(name: str, **options) -> Array:
    return solve_retrieval(make(name), solver="penalty", options=SolverOptions(own=PenaltyOptions(**options))).x


def test_steps_and_annealing_change_the_answer() -> None:
    usual = answer("planar, total mass")
    for other in ({"steps": 2}, {"search": "none"}, {"search": "dual-annealing"}, {"evaluations": 500}, {"growth": 1.0}):
        changed = answer("planar, total mass", **other)
        assert np.abs(changed - usual).max() > 1e-5 * np.abs(usual).max(), other


def test_without_a_charge_the_constraints_are_not_met() -> None:
    """κ = 1 is ξ = 0 alone: the coefficients are met exactly, by links that can't exist, and nothing mends that afterwards."""
    best = solve_retrieval(make("planar, total mass")).objective
    for options in ({"steps": 1}, {"growth": 0.0}):
        with pytest.raises(NotFoundError) as caught:
            answer("planar, total mass", **options)
        assert caught.value.best.objective < 1e-3 * best


@pytest.mark.parametrize("name", ["pendulum", "pendulum, known mass", "planar, equal and symmetric"])
def test_a_penalty_beyond_the_multipliers_is_exact(name: str) -> None:
    """Σ g is an exact penalty (Bertsekas 1996): with ξ above the multipliers, f has the constrained optimum, here the certified one."""
    result = solve_retrieval(make(name), solver="penalty")
    assert result.gap <= 1e-6 * result.lower_bound


def test_a_run_ends_at_its_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[float] = []

    def locally(penalised: Penalised, p: Array, box: ParameterBox, charge: Charge, method: str) -> Array:
        steps.append(charge.factor)
        return search_locally(penalised, p, box, charge, "slsqp")

    monkeypatch.setattr("dynident.links.solvers.penalty.search_locally", locally)
    problem = make("pendulum")
    _Run(problem, PenaltyOptions(threshold=1.0))(0, np.random.default_rng(0))
    ended = len(steps)
    assert ended < 10
    steps.clear()
    _Run(problem, PenaltyOptions(threshold=0.01))(0, np.random.default_rng(0))  # below the optimum 0.0612
    assert len(steps) == 10


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"evaluations": 0}, {"growth": -1.0}, {"threshold": math.nan}])
def test_options_have_a_range(wrong) -> None:
    with raises(ValueRangeError, name=next(iter(wrong))):
        PenaltyOptions(**wrong)


def test_restoring_goes_to_the_nearest_and_not_to_the_best() -> None:
    p = make("planar, total mass")
    inside = descend(p, rng=np.random.default_rng(1), rows=(np.eye(20), np.zeros(20)))  # as light as it may be: fits badly
    outside = inside.copy()
    outside[0] = 6.0 - inside[10] - TOLERANCE  # the total mass beyond its bound by the tolerance
    assert p.violations(outside)
    back = restore(p, outside, np.random.default_rng(0))
    assert not p.violations(back)
    assert p.merit(back) == pytest.approx(p.merit(inside), rel=1e-3)
    assert p.merit(inside) > 100.0 * solve_retrieval(p).objective


def test_equalities_are_charged() -> None:
    p = problem("pendulum_1r", PhysicalConsistency(), Known("m1", 5.0), TotalMass(0.0, 10.0))
    point = box_of(p).random(np.random.default_rng(0))
    point[4:] = [0.1, 0, 0, 0.1, 0, 0.1]
    assert Penalised(p).parts(point)[1] == pytest.approx(abs(point[0] - 5.0) + max(0.0, point[0] - 10.0))
