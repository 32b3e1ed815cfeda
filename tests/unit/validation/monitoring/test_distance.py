"""The distance of residuals: Mahalanobis' where nothing is allowed, the constrained minimum where something is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from dynident import load_robot
from dynident.dynamics import mass_matrix
from dynident.validation.monitoring import ContactMonitor, ResidualNoise, WatchedModel
from dynident.validation.monitoring.kernels import measure
from dynident.validation.monitoring.observe import observe
from tests.unit.validation.monitoring.free_motion import swing, touch

NOISE = ResidualNoise(velocity=np.full(7, 0.17), effort=np.array([0.07, 0.07, 0.07, 0.07, 0.01, 0.01, 0.01]))


def cases(count: int = 40) -> list[tuple[np.ndarray, np.ndarray]]:
    """Inertia and residual of a Panda at random postures, the residual a few times its noise."""
    robot, rng = load_robot("panda"), np.random.default_rng(3)
    M = mass_matrix(robot, robot.parameters, rng.uniform(*robot.drawn_range.T, size=(count, 7)))
    factors = np.linalg.cholesky(NOISE.covariance(M))
    return list(zip(M, np.einsum("Nij,Nj->Ni", factors, 3.0 * rng.normal(size=(count, 7))), strict=True))


def distance(M: np.ndarray, residual: np.ndarray, allowance: np.ndarray) -> float:
    std = np.empty(7)
    found = measure(M, residual, allowance, NOISE.velocity**2, NOISE.effort**2, std, np.empty((7, 7)))
    np.testing.assert_allclose(std, np.sqrt(np.diagonal(NOISE.covariance(M))), rtol=1e-12)
    return float(found)


def test_without_allowance_it_is_that_of_mahalanobis():
    for M, r in cases():
        assert distance(M, r, np.zeros(7)) == pytest.approx(np.sqrt(r @ np.linalg.solve(NOISE.covariance(M), r)), rel=1e-9)


def test_with_allowance_it_is_the_least_that_offsets_leave():
    """Three rounds come near to it from above, and never below."""
    allowance = np.array([0.43, 0.43, 0.0, 0.43, 0.06, 0.06, 0.0])
    excess = []
    for M, r in cases():
        root = np.linalg.inv(np.linalg.cholesky(NOISE.covariance(M)))
        exact = lsq_linear(root, root @ r, bounds=(-allowance - 1e-12, allowance + 1e-12), tol=1e-12)
        excess.append(distance(M, r, allowance) - np.linalg.norm(exact.fun))
    assert np.min(excess) > -1e-6
    assert np.median(excess) < 0.05
    assert np.max(excess) < 1.0


def test_what_the_allowance_covers_is_no_distance():
    M, r = cases(1)[0]
    assert distance(M, r, np.abs(r)) == 0.0


@pytest.fixture(scope="module")
def together() -> ContactMonitor:
    """Judges the joints together alone."""
    robot = load_robot("panda")
    model = WatchedModel(robot=robot, parameters=robot.parameters)
    return ContactMonitor(model=model, gain=25.0, level=np.inf, blur=0.0, confirmation=0.005, noise=NOISE, distance_level=7.0)


def test_a_distance_alone_tells_a_contact(together):
    """Torques that are too small for each joint's noise, but not of the kind that noise is."""
    robot = together.model.robot
    push = np.array([0.0, 0.0, 0.0, 1.5, 0.0, 0.0, 0.0])
    log = touch(together.model, swing(robot, seconds=0.4), lambda t, q: push if t > 0.2 else 0.0 * push)
    found = observe(together, log)
    assert found.touched[:200].max() == -1
    assert found.touched[-1] >= 0
    first = int(np.argmax(found.touched >= 0))
    assert 1.0 < found.distance[first] / 7.0 < 1.6
    assert log.time[first] - 0.2 < 0.05


def test_the_joint_is_then_the_one_that_is_nearest_to_its_threshold(together):
    robot = together.model.robot
    monitor = ContactMonitor(
        model=together.model, gain=25.0, level=1e3, blur=0.0, confirmation=0.0, noise=NOISE, distance_level=7.0
    )  # no joint by itself
    log = touch(monitor.model, swing(robot, seconds=0.2), lambda t, q: np.array([0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0]))
    found = observe(monitor, log)
    assert found.touched[-1] == 4
    state = monitor.start(log.q[-2], log.dq[-2], log.effort[-2])
    for _ in range(20):
        state = monitor.step(state, log.q[-2], np.zeros(7), log.effort[-2] - np.eye(7)[4] * 5.0, 1e-3)
    assert state.distance > 7.0
    assert np.all(np.abs(state.residual) < state.threshold)
    assert state.touched == int(np.argmax(np.abs(state.residual) / state.threshold))
