"""Algorithm 1: its function and gradient, its box, its searches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dynident.core.arrays import Array
from dynident.feasibility import Bounds, Known, PhysicalConsistency, RetrievalProblem, SolverOptions, TotalMass, solve_retrieval
from dynident.feasibility.solvers.penalty import PenaltyOptions, _Run, restored
from dynident.feasibility.solvers.search.box import ParameterBox, box_of, from_standard, to_standard
from dynident.feasibility.solvers.search.penalised import Charge, Penalised
from dynident.feasibility.solvers.search.searches import anneal, evolve, poll, walk
from dynident.parameters import inertia_matrix
from tests.contracts.retrieval_problems import make, problem


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


@pytest.mark.parametrize("search", [anneal, evolve])
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


@pytest.mark.parametrize("local", ["barrier", "slsqp", "l-bfgs-b", "nelder-mead", "pattern", "slsqp-numerical"])
@pytest.mark.parametrize("penalty", ["distance", "constant"])
def test_every_local_search_ends_feasible(local, penalty) -> None:
    options = PenaltyOptions(steps=3, evaluations=300, local=local, penalty=penalty)
    result = solve_retrieval(make("pendulum, known mass"), solver="penalty", options=SolverOptions(own=options))
    assert result.feasible


def test_a_pattern_search_finds_the_minimum_of_a_box() -> None:
    upper = np.array([1.0, 1.0, 0.0])

    def function(u: Array) -> float:
        return (u[0] - 0.3) ** 2 + 4.0 * (u[1] - u[0] - 2.0) ** 2 + u[2]

    found = poll(function, np.array([0.9, 0.1, 0.0]), upper)
    np.testing.assert_allclose(found, [0.0, 1.0, 0.0], atol=2e-3)  # u[1] ends at its bound, and pulls u[0] to its own
    inside = poll(lambda u: float(np.sum((u - [0.3, 0.7, 0.0]) ** 2)), np.zeros(3), upper)
    np.testing.assert_allclose(inside, [0.3, 0.7, 0.0], atol=2e-3)


def test_charges_grow_by_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []

    def record(penalised: Penalised, p: Array, box: ParameterBox, charge: Charge, method: str) -> Array:
        seen.append(charge.factor)
        return p

    monkeypatch.setattr("dynident.feasibility.solvers.penalty.search_locally", record)
    _Run(make("pendulum"), PenaltyOptions(steps=5, evaluations=10, local="slsqp"))(0, np.random.default_rng(0))
    assert seen == [0.0, 10.0, 20.0, 30.0, 40.0]


def test_restoring_keeps_the_fit() -> None:
    p = make("planar, total mass")
    good = solve_retrieval(p).x
    bad = good.copy()
    bad[8] += 10.0  # J1yz, which a planar arm's data don't see
    assert p.violations(bad)
    back = restored(p, bad, np.random.default_rng(0))
    assert not p.violations(back)
    assert p.merit(back) == pytest.approx(p.merit(good), rel=1e-2, abs=1e-8)


def test_equalities_are_charged() -> None:
    p = problem("pendulum_1r", PhysicalConsistency(), Known("m1", 5.0), TotalMass(0.0, 10.0))
    point = box_of(p).random(np.random.default_rng(0))
    point[4:] = [0.1, 0, 0, 0.1, 0, 0.1]
    assert Penalised(p).parts(point)[1] == pytest.approx(abs(point[0] - 5.0) + max(0.0, point[0] - 10.0))
