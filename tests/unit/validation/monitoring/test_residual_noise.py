"""Noise of the residuals: variances that were put in come out again, at the maximum of the likelihood; contacts in the rows don't count."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics import mass_matrix
from dynident.errors import ValueRangeError
from dynident.validation.monitoring.residual_noise import ResidualNoise, fit_noise
from tests.facts import raises

TRUE = ResidualNoise(velocity=np.array([0.2, 0.15, 0.3]), effort=np.array([0.004, 0.006, 0.002]))


@pytest.fixture(scope="module")
def inertia() -> np.ndarray:
    robot = load_robot("spatial_3r")
    return mass_matrix(robot, robot.parameters, np.random.default_rng(0).uniform(*robot.drawn_range.T, size=(2000, 3)))


def draw(inertia: np.ndarray) -> np.ndarray:
    """(N, n) M · noise of velocities + noise of efforts."""
    rng = np.random.default_rng(1)
    parts = rng.normal(size=(2, *inertia.shape[:2]))
    return np.einsum("Nij,Nj->Ni", inertia, parts[0] * TRUE.velocity) + parts[1] * TRUE.effort


def likelihood(noise: ResidualNoise, residual: np.ndarray, inertia: np.ndarray) -> float:
    """Mean of -2 log, without its constant."""
    S = noise.covariance(inertia)
    return float(np.mean(np.linalg.slogdet(S)[1] + np.einsum("Ni,Ni->N", residual, np.linalg.solve(S, residual[..., None])[..., 0])))


def test_the_covariance_is_that_of_many_draws(inertia):
    one = np.repeat(inertia[:1], 40_000, axis=0)
    np.testing.assert_allclose(np.cov(draw(one).T), TRUE.covariance(inertia[:1])[0], rtol=0.05, atol=2e-4)


def test_what_was_put_in_comes_out(inertia):
    found = fit_noise(draw(inertia), inertia)
    np.testing.assert_allclose(found.velocity, TRUE.velocity, rtol=0.1)
    np.testing.assert_allclose(found.effort, TRUE.effort, rtol=0.15)


def test_it_is_at_the_maximum_of_the_likelihood(inertia):
    residual = draw(inertia)
    found = fit_noise(residual, inertia)
    best = likelihood(found, residual, inertia)
    for name in ("velocity", "effort"):
        for j in range(3):
            for factor in (0.8, 1.25):
                values = {"velocity": found.velocity.copy(), "effort": found.effort.copy()}
                values[name][j] *= factor
                assert likelihood(ResidualNoise(**values), residual, inertia) > best


def test_contacts_in_a_quarter_of_the_rows_change_little(inertia):
    residual = draw(inertia)
    clean = fit_noise(residual, inertia, robust=True)
    touched = residual.copy()
    touched[:500] += 5.0
    found = fit_noise(touched, inertia, robust=True)
    S, other = (np.mean(noise.covariance(inertia), axis=0).diagonal() for noise in (clean, found))
    np.testing.assert_allclose(other, S, rtol=0.8)
    assert np.all(np.mean(fit_noise(touched, inertia).covariance(inertia), axis=0).diagonal() > 10.0 * S)


def test_noise_without_effort_is_refused():
    with raises(ValueRangeError, name="noise of the effort"):
        ResidualNoise(velocity=np.zeros(2), effort=np.zeros(2)).for_joints(2)
