"""What is fitted, and the priors beside it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from dynident import identify, load_robot, regression
from dynident.dynamics.friction import linear
from dynident.errors import InputError, UnknownNameError
from dynident.links import FeasibleSet, NominalPrior, TotalMass, one_step, prior_to_robot, two_step, uniform_bodies
from dynident.links.constraints.convex import Bounds
from dynident.links.prior import uniform_prior
from dynident.regression import build_problem
from dynident.robots.kinematics import pose_from_xyz_rpy
from dynident.robots.parameters import change_of_frame, consistency_margin, from_com, pseudo_inertia, to_com
from dynident.robots.parameters.link_metric import SOFTENING, link_metric
from tests.facts import raises
from tests.logs import synthetic_log, synthetic_samples
from tests.oracles.logs import written_out
from tests.unit.links.links import ROBOT, consistent_links, seeds


@pytest.fixture(scope="module")
def estimate():
    return identify(ROBOT, synthetic_samples(noise=1e-3), drop_above_percent=None)


def test_without_weights_the_objective_is_the_distance_of_the_papers(estimate):
    x = consistent_links(np.random.default_rng(0))
    goal = two_step(estimate, weights="none")
    assert goal.value(x) == pytest.approx(np.sum((estimate.base.coefficients(x) - estimate.values) ** 2))
    assert goal.noise is None


def test_with_weights_it_is_the_mahalanobis_distance(estimate):
    x = consistent_links(np.random.default_rng(0))
    error = estimate.base.coefficients(x) - estimate.values
    goal = two_step(estimate)
    assert goal.value(x) == pytest.approx(error @ np.linalg.solve(estimate.covariance, error), rel=1e-6)
    assert goal.noise == estimate.base.rank


def test_the_gradient_is_that_of_finite_differences(estimate):
    rng = np.random.default_rng(1)
    x, d, h = consistent_links(rng), rng.normal(size=30), 1e-6
    goal = two_step(estimate, weights="none")
    assert goal.gradient(x) @ d == pytest.approx((goal.value(x + h * d) - goal.value(x - h * d)) / (2 * h), rel=1e-6)


def test_dropped_coefficients_are_not_fitted(estimate):
    goal = two_step(estimate, weights="none", drop=[2, 5])
    kept = [i for i in range(estimate.base.rank) if i not in (1, 4)]
    np.testing.assert_array_equal(goal.A, estimate.base.grouping[kept])
    np.testing.assert_array_equal(goal.b, estimate.values[kept])
    assert two_step(estimate, drop=[2, 5]).noise == estimate.base.rank - 2
    with raises(UnknownNameError, kind="coefficient", name="99"):
        two_step(estimate, drop=[99])
    with raises(InputError, "no", "coefficient", "drop"):
        two_step(estimate, drop=range(1, estimate.base.rank + 1))


def test_one_step_is_the_squared_residual_of_the_data():
    robot = load_robot("planar_2r")
    log = synthetic_log(noise=0.05)
    problem = build_problem(robot, log, friction=linear(), cutoff=None)
    Y, z = written_out(problem.base, log)
    x = np.random.default_rng(0).normal(size=len(problem.base.columns))
    residual = z - Y @ problem.base.coefficients(x)
    assert one_step(problem).value(x) == pytest.approx(np.sum(residual**2), rel=1e-9)
    weighted = np.sum((residual / np.array([[0.5], [2.0]])) ** 2)
    assert one_step(problem, [0.5, 2.0]).value(x) == pytest.approx(weighted, rel=1e-9)
    best = regression.estimate(problem, drop_above_percent=None)
    assert one_step(problem).value(best.standard) == pytest.approx(best.residuals.squares.sum(), rel=1e-9)


def divergence(P: np.ndarray, P0: np.ndarray) -> float:
    """Log-det (Bregman) divergence, as Lee, Wensing and Park define it."""
    ratio = np.linalg.solve(P0, P)
    return float(np.trace(ratio) - np.linalg.slogdet(ratio)[1] - 4.0)


@given(seed=seeds)
def test_the_entropic_metric_is_the_divergence_to_second_order(seed):
    rng = np.random.default_rng(seed)
    p = consistent_links(rng, 1)
    d = 1e-4 * p[0] * rng.normal(size=10) * [1, *[0.1] * 3, *[0.01] * 6]
    quadratic = np.sum((link_metric(p, "entropic") @ d) ** 2)
    m, c, inertia = to_com(p)
    sigma = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    thicker = sigma + SOFTENING * np.trace(sigma) / 3.0 * np.eye(3)
    p = from_com(m, c, np.trace(thicker) * np.eye(3) - thicker)
    h = 1e-2
    expected = (
        0.5 * (divergence(pseudo_inertia(p + h * d), pseudo_inertia(p)) + divergence(pseudo_inertia(p - h * d), pseudo_inertia(p))) / h**2
    )
    assert quadratic == pytest.approx(expected, rel=1e-2)


@given(seed=seeds)
def test_the_entropic_distance_does_not_depend_on_the_frame(seed):
    rng = np.random.default_rng(seed)
    p, q = consistent_links(rng, 1), consistent_links(rng, 1)
    A = change_of_frame(pose_from_xyz_rpy(rng.uniform(-0.3, 0.3, 3), rng.uniform(-3, 3, 3)))
    here = np.linalg.norm(link_metric(p, "entropic") @ (q - p))
    assert np.linalg.norm(link_metric(A @ p, "entropic") @ (A @ q - A @ p)) == pytest.approx(here, rel=1e-6)


@pytest.mark.parametrize("metric", ["euclidean", "entropic"])
def test_a_prior_is_zero_at_its_nominal_parameters_and_only_there(metric):
    nominal = consistent_links(np.random.default_rng(2)).reshape(-1, 10)
    prior = NominalPrior(nominal=nominal, metric=metric, weight=4.0)
    A, b = prior.rows(32)
    x = np.concatenate([nominal.ravel(), [7.0, 8.0]])  # friction has no nominal value
    assert np.sum((A @ x - b) ** 2) == pytest.approx(0.0, abs=1e-18)
    assert np.linalg.matrix_rank(A) == 30
    heavier = np.sum((A[:, 0] / 2.0) ** 2)  # one kilogram on link 1, at weight one
    x[0] += 1.0
    assert np.sum((A @ x - b) ** 2) == pytest.approx(4.0 * heavier)


def test_nominal_parameters_that_no_body_has_are_no_prior():
    assert prior_to_robot(load_robot("kuka_lwr4")) is None
    assert prior_to_robot(load_robot("panda")) is not None


def test_uniform_links_fill_their_boxes():
    boxes = np.array([[[0.0, -0.1, 0.0], [0.4, 0.1, 0.2]]])
    mass, com, inertia = to_com(uniform_bodies(boxes, np.array([3.0]))[0])
    np.testing.assert_allclose(com, [0.2, 0.0, 0.1])
    np.testing.assert_allclose(np.diag(inertia), 3.0 / 12.0 * np.array([0.08, 0.2, 0.2]))
    assert mass == 3.0


def test_the_uniform_prior_takes_boxes_then_bounds_then_joints():
    constraints = FeasibleSet((TotalMass(4.0, 8.0), *(Bounds(f"c2{axis}", -0.1, 0.1) for axis in "xyz")))
    box = np.array([[0.0, 0.0, 0.0], [0.2, 0.2, 0.2]])
    prior = uniform_prior(ROBOT, constraints, boxes={0: box})
    assert prior.nominal[:, 0].sum() == pytest.approx(6.0)
    np.testing.assert_allclose(prior.nominal[0, 1:4] / prior.nominal[0, 0], [0.1, 0.1, 0.1])
    np.testing.assert_allclose(prior.nominal[1, 1:4], 0.0, atol=1e-12)
    assert np.all(consistency_margin(prior.nominal) > 0.0)
    flat = uniform_prior(ROBOT, FeasibleSet(), boxes={0: np.zeros((2, 3))})  # a box without volume is still a body
    assert np.all(consistency_margin(flat.nominal) > 0.0)
