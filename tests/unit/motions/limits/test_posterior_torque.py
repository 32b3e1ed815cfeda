"""The torques of an identified model with their uncertainty: what they are, their gradient, and what they replace."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import Motion, friction_torque, linear, smooth
from dynident.motions.design.criterion import Sensitivity, base_regressor, motion_gradient
from dynident.motions.limits.posterior_torque import PosteriorTorque
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.regression import base_parameters

PANDA = load_robot("panda")
BASE = base_parameters(PANDA, friction=linear())


def random_motion(count: int, seed: int = 0) -> SampledMotion:
    return SampledMotion(*np.random.default_rng(seed).normal(size=(3, count, 7)))


def bound(scale: float, seed: int = 1, friction=None) -> PosteriorTorque:
    rng = np.random.default_rng(seed)
    standard = np.append(PANDA.parameters.ravel(), rng.uniform(0.1, 1.0, 21))
    half = scale * rng.normal(size=(BASE.rank, BASE.rank))
    return PosteriorTorque(base=BASE, values=BASE.coefficients(standard), covariance=half @ half.T, friction=friction)


def test_without_uncertainty_it_is_the_torque_of_the_model():
    motion = random_motion(30)
    exact = bound(0.0)
    found = exact.torques(PANDA, motion)
    standard = BASE.representative(exact.values)
    friction = friction_torque(linear(), BASE.columns.friction(standard), Motion(*motion))
    expected = inverse_dynamics(PANDA, BASE.columns.links(standard), *motion) + friction
    np.testing.assert_allclose(found.lower, expected, atol=1e-9)
    np.testing.assert_allclose(found.upper, expected, atol=1e-9)


def test_the_width_is_the_spread_of_the_torques_of_models_drawn_from_it():
    motion, wide = random_motion(4), bound(0.01)
    found = wide.torques(PANDA, motion)
    drawn = np.random.default_rng(0).multivariate_normal(wide.values, wide.covariance, 20_000)
    torques = np.einsum("bjN,sb->sNj", base_regressor(BASE, motion), drawn)
    np.testing.assert_allclose((found.upper - found.lower) / 4.0, torques.std(axis=0), rtol=0.03)


def test_the_gradient_is_the_derivative():
    rng, model = np.random.default_rng(3), bound(0.01, friction=smooth(linear(), 0.3))
    motion = random_motion(20)
    w_lower, w_upper = rng.normal(size=(2, 20, 7))

    def scalar(at: SampledMotion) -> float:
        found = model.torques(PANDA, at)
        return float((w_lower * found.lower + w_upper * found.upper).sum())

    rigid, through = model.torques(PANDA, motion).pull_back(w_lower, w_upper)
    gradient = motion_gradient(PANDA, motion, Sensitivity(rigid, None), None)
    for part in ("q", "dq", "ddq"):
        direction, h = rng.normal(size=(20, 7)), 1e-6
        ahead, behind = (scalar(motion._replace(**{part: getattr(motion, part) + s * h * direction})) for s in (1.0, -1.0))
        found = ((getattr(gradient, part) + getattr(through, part)) * direction).sum()
        assert float(found) == pytest.approx((ahead - behind) / (2 * h), rel=1e-5)
