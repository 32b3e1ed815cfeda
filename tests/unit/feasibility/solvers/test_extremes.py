"""Ends of variables over an ellipsoid and conditions are those of the whole program, and proven."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.feasibility.constraints.lmi import linear
from dynident.feasibility.solvers.conic import ConicProgram, ConicStatus
from dynident.feasibility.solvers.extremes import Extremes, prove


def make_program(seed, variables=12):
    """Rows that tell every variable, and half-spaces, some of which cut the ellipsoid about the least-squares point."""
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(30, variables)), rng.normal(size=30)
    centre = np.linalg.lstsq(A, b, rcond=None)[0]
    blocks = []
    for i in range(0, variables, 3):
        normal = rng.normal(size=3)
        terms = {i + k: float(value) for k, value in enumerate(normal)}
        blocks.append(linear(f"half-space {i}", terms, float(rng.uniform(-0.05, 0.3) - normal @ centre[i : i + 3])))
    radius = float(np.sqrt(np.sum((A @ centre - b) ** 2) + 4.0))
    return A, b, blocks, radius


@pytest.mark.parametrize("seed", range(4))
def test_ends_are_those_of_the_whole_program(seed):
    A, b, blocks, radius = make_program(seed)
    p = A.shape[1]
    found = Extremes.of(A, b, blocks, radius=radius, origin=np.zeros(p), basis=np.eye(p), tolerance=1e-9)
    whole = ConicProgram(A, b, blocks, [], scale=1.0 / radius).prepared(radius=1.0)
    for i in range(p):
        for sign in (1.0, -1.0):
            solution = whole(sign * np.eye(p)[i])
            assert solution.status is ConicStatus.SOLVED
            assert found.end(i, sign) == pytest.approx(solution.x[i], abs=1e-6)


def test_without_conditions_an_end_is_that_of_the_ellipsoid():
    A, b, _, radius = make_program(0)
    p = A.shape[1]
    found = Extremes.of(A, b, [], radius=radius, origin=np.zeros(p), basis=np.eye(p), tolerance=1e-7)
    half = 2.0 * np.sqrt(np.diag(np.linalg.inv(A.T @ A)))
    centre = np.linalg.lstsq(A, b, rcond=None)[0]
    np.testing.assert_allclose([found.end(i, 1.0) for i in range(p)], centre - half, rtol=1e-10)


def test_what_is_known_stays():
    A, b, blocks, radius = make_program(1)
    p = A.shape[1]
    origin, basis = np.linalg.lstsq(A, b, rcond=None)[0], np.eye(p)[:, 1:]
    found = Extremes.of(A, b, blocks, radius=radius, origin=origin, basis=basis, tolerance=1e-7)
    assert found.end(0, 1.0) == found.end(0, -1.0) == origin[0]
    assert found.end(1, 1.0) < found.end(1, -1.0)


def test_open_directions_and_empty_ellipsoids_are_for_others():
    A, b, blocks, radius = make_program(2)
    p = A.shape[1]
    options = {"origin": np.zeros(p), "basis": np.eye(p), "tolerance": 1e-7}
    twins = A.copy()
    twins[:, 1] = twins[:, 0]
    assert Extremes.of(twins, b, blocks, radius=radius, **options) is None
    assert Extremes.of(A[:5], b[:5], blocks, radius=radius, **options) is None
    assert Extremes.of(A, b, blocks, radius=0.0, **options) is None


def test_multipliers_prove_that_no_end_is_farther():
    rng = np.random.default_rng(3)
    blocks = [linear("half-space", {k: float(v) for k, v in enumerate(rng.normal(size=4))}, 0.1)]
    cost = rng.normal(size=4)
    solution = ConicProgram(np.eye(4), np.zeros(4), blocks, []).solve(cost, radius=1.0)
    bound = prove(cost, blocks, solution)
    assert bound == pytest.approx(float(cost @ solution.x), abs=1e-7)
    points = rng.normal(size=(2000, 4))
    points /= np.linalg.norm(points, axis=1)[:, None]
    allowed = np.array([blocks[0].margin(point) >= 0.0 for point in points])
    assert allowed.any()
    assert np.all(points[allowed] @ cost >= bound)
