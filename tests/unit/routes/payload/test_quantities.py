"""Mass, centre of mass and inertia of uncertain parameters: derivatives, standard deviations and Fieller's interval."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.robots.parameters import from_com
from dynident.routes.payload.body import ball_prior, prior_covariance
from dynident.routes.payload.quantities import NAMES, UNITS, quantities, quantity_intervals, quantity_jacobian, quantity_std

BODY = from_com(1.5, [0.02, -0.03, 0.07], np.array([[0.004, 0.0003, 0.0], [0.0003, 0.005, -0.0002], [0.0, -0.0002, 0.003]]))


def test_the_quantities_are_mass_centre_and_barycentric_inertia():
    np.testing.assert_allclose(quantities(BODY), [1.5, 0.02, -0.03, 0.07, 0.004, 0.0003, 0.0, 0.005, -0.0002, 0.003], atol=1e-15)
    assert len(NAMES) == len(UNITS) == 10


def test_the_jacobian_is_the_derivative():
    J = quantity_jacobian(BODY)
    for k in range(10):
        step = np.zeros(10)
        step[k] = 1e-6
        np.testing.assert_allclose(J[:, k], (quantities(BODY + step) - quantities(BODY - step)) / 2e-6, rtol=1e-6, atol=1e-8)


def test_standard_deviations_are_those_of_drawn_parameters():
    rng = np.random.default_rng(0)
    root = 1e-4 * rng.normal(size=(10, 10))
    drawn = np.array([quantities(row) for row in BODY + rng.normal(size=(20_000, 10)) @ root.T])
    np.testing.assert_allclose(quantity_std(BODY, root @ root.T), drawn.std(axis=0), rtol=0.03)


def test_the_interval_of_a_centre_holds_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(1)
    covariance = np.diag([0.3**2, 0.02**2, 0.02**2, 0.02**2, *[1e-8] * 6])
    inside = []
    for noise in rng.normal(size=(4000, 10)):
        low, high = quantity_intervals(BODY + noise * np.sqrt(np.diag(covariance)), covariance, 1.959964)[3]
        inside.append(low <= 0.07 <= high)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.011)  # three standard deviations of a share of 4000


def test_a_mass_that_could_be_zero_leaves_its_centre_open():
    covariance = np.diag([1.0, *[1e-4] * 9])
    ends = quantity_intervals(BODY, covariance, 2.0)
    assert np.isinf(ends[1:4]).all()
    assert ends[0, 0] == 0.0
    assert (ends[[4, 7, 9], 0] >= 0.0).all(), "no negative moments of inertia"
    assert (ends[[5, 6, 8], 0] < 0.0).all()


def test_the_prior_is_the_same_from_all_sides_and_holds_a_mass_loosely():
    covariance = prior_covariance(ball_prior(1.5, 0.1))
    std = np.sqrt(np.diag(covariance))
    assert 1.5 < std[0] / 1.5 < 3.0
    np.testing.assert_allclose(std[1:4], std[1])
    np.testing.assert_allclose(std[[4, 7, 9]], std[4])
    light = prior_covariance(ball_prior(0.15, 0.1))
    np.testing.assert_allclose(light, 0.01 * covariance, rtol=1e-9)
