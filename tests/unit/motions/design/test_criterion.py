"""What a motion tells about the coefficients: measures against their closed forms, and gradients against differences."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics.friction import friction_model
from dynident.dynamics.friction.laws import Viscous
from dynident.errors import InputError, ShapeError, UnknownNameError, ValueRangeError
from dynident.motions.design.criterion import KINDS, Criterion, base_regressor, condition_number, mean_information, motion_gradient
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.regression import base_parameters
from tests.facts import raises

PLANAR = load_robot("planar_2r")
FRICTION = friction_model("viscous+smooth_coulomb")
BASE = base_parameters(PLANAR, friction=FRICTION)
NOISE = np.array([0.5, 0.02])


def moving(samples: int = 40, seed: int = 0) -> SampledMotion:
    return SampledMotion(*np.random.default_rng(seed).normal(size=(3, samples, 2)))


def known(seed: int = 3) -> np.ndarray:
    half = np.random.default_rng(seed).normal(size=(BASE.rank, BASE.rank + 2))
    return half @ half.T


def stacked(motion: SampledMotion) -> np.ndarray:
    """(2 N, b) the regressor in units of the noise."""
    return (base_regressor(BASE, motion) / NOISE[:, None]).reshape(BASE.rank, -1).T


def criterion(kind: str, **options) -> Criterion:
    task = mean_information(BASE, moving(seed=9), 1.0 / NOISE**2)
    return Criterion(base=BASE, kind=kind, friction=FRICTION, noise=NOISE, samples=120.0, task=task, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("before", [None, known()], ids=["nothing", "prior"])
def test_the_derivative_by_the_motion_is_that_of_the_value(kind, before):
    measure, motion, rng = criterion(kind, information=before), moving(), np.random.default_rng(1)
    gradient = motion_gradient(PLANAR, motion, measure.evaluate(motion, 3.0)[1], FRICTION)
    h = 1e-5
    for part in range(3):
        direction = rng.normal(size=motion.q.shape)
        steps = [SampledMotion(*(values + h * sign * direction * (i == part) for i, values in enumerate(motion))) for sign in (1, -1)]
        moved = (measure.evaluate(steps[0], 3.0)[0] - measure.evaluate(steps[1], 3.0)[0]) / (2 * h)
        size = np.linalg.norm(gradient[part]) * np.linalg.norm(direction)
        assert (gradient[part] * direction).sum() == pytest.approx(moved, abs=1e-7 * size)


def test_information_adds_up_over_runs():
    first, second, prior = moving(30, 1), moving(30, 2), known()
    after = criterion("d_optimal", information=prior).information_after(first)
    expected = prior + 120.0 / 30.0 * stacked(first).T @ stacked(first)
    np.testing.assert_allclose(after, expected, rtol=1e-10, atol=1e-9 * expected.max())
    both = SampledMotion(*(np.concatenate(parts) for parts in zip(first, second, strict=True)))
    once = Criterion(base=BASE, kind="d_optimal", noise=NOISE, samples=240.0, information=prior).information_after(both)
    np.testing.assert_allclose(criterion("d_optimal", information=after).information_after(second), once, rtol=1e-9)


def test_d_optimality_is_the_volume_of_the_uncertainty():
    motion, prior = moving(), known()
    covariance = np.linalg.inv(prior + 120.0 / 40.0 * stacked(motion).T @ stacked(motion))
    expected = 0.5 * np.linalg.slogdet(covariance)[1] / BASE.rank
    assert criterion("d_optimal", information=prior).evaluate(motion)[0] == pytest.approx(expected, rel=1e-9)
    assert criterion("d_optimal", information=prior).value(motion) == pytest.approx(expected, rel=1e-9)


def test_v_optimality_is_the_error_of_the_predicted_torque():
    """Of coefficients that are drawn from their covariance, the torques of the task are off by as much, in units of the noise."""
    motion, prior = moving(), known()
    measure = criterion("v_optimal", information=prior)
    covariance = np.linalg.inv(measure.information_after(motion))
    draws = np.random.default_rng(0).multivariate_normal(np.zeros(BASE.rank), covariance, size=40000)
    errors = draws @ stacked(moving(seed=9)).T
    found = (errors**2).sum() / (len(draws) * 40)  # summed over the joints, mean over the samples
    assert np.exp(2.0 * measure.value(motion)) == pytest.approx(found, rel=0.02)


def test_the_torque_of_the_run_itself_is_known_as_coefficients_share_its_samples():
    """tr(W I⁻¹) with W = I / m is b / m: least squares spends one equation on each coefficient."""
    motion = moving()
    task = mean_information(BASE, motion, 1.0 / NOISE**2)
    measure = Criterion(base=BASE, kind="v_optimal", noise=NOISE, samples=120.0, task=task)
    assert np.exp(2.0 * measure.value(motion)) == pytest.approx(BASE.rank / 120.0, rel=1e-9)


def test_the_condition_number_knows_neither_noise_nor_prior():
    motion = moving()
    bare = Criterion(base=BASE, kind="condition", friction=FRICTION)
    assert criterion("condition", information=known()).evaluate(motion, 4.0)[0] == pytest.approx(bare.evaluate(motion, 4.0)[0], rel=1e-12)
    assert criterion("condition").value(motion) == condition_number(BASE, motion)


def test_a_motion_without_excitation_has_a_finite_value():
    still = SampledMotion(*np.zeros((3, 10, 2)))
    for kind in KINDS:
        value, by = criterion(kind).evaluate(still, 4.0)
        assert np.isfinite(value)
        assert np.isfinite(by.rigid).all()


def test_what_can_not_be_is_refused():
    base = base_parameters(PLANAR, friction=Viscous())
    with raises(UnknownNameError, "v_optimal", "d_optimal", name="a_optimal"):
        Criterion(base=base, kind="a_optimal")
    with raises(InputError, "v_optimal", "motions"):
        Criterion(base=base, kind="v_optimal")
    with raises(ShapeError, "(8, 8)", name="information", shape=(2, 2)):
        Criterion(base=base, kind="d_optimal", information=np.eye(2))
    with raises(ValueRangeError, "[0.1 0. ]", name="noise"):
        Criterion(base=base, kind="d_optimal", noise=[0.1, 0.0])
