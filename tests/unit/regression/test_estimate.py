"""What an estimate says: predictions, and M, g and c from the coefficients alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dynident
from dynident import Robot, load_robot
from dynident.dynamics.friction import Armature, combine, linear
from dynident.errors import DynidentError
from dynident.regression import Estimate, identify
from tests.facts import raises
from tests.oracles.logs import Log, generated_log
from tests.oracles.machines import states


@pytest.fixture(scope="module", params=["panda", "spatial_3r"])
def robot(request) -> Robot:
    return load_robot(request.param)


@pytest.fixture(scope="module")
def log(robot: Robot) -> Log:
    return generated_log(robot, friction=linear(), samples=2000)


@pytest.fixture(scope="module")
def estimate(robot: Robot, log: Log) -> Estimate:
    return identify(robot, log.dataset, friction=linear(), drop_above_percent=None, cutoff=None)


def close(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_allclose(a, b, atol=1e-9 * (1.0 + np.abs(b).max()))


def test_predicts_newton_euler_of_the_truth_on_another_motion(robot: Robot, log: Log, estimate: Estimate) -> None:
    other = generated_log(robot, samples=300, seed=9).dataset
    friction = log.standard[10 * robot.n :].reshape(robot.n, 3)
    truth = other.effort + friction[:, 0] * other.dq + friction[:, 1] * np.sign(other.dq) + friction[:, 2]
    close(estimate.predict(other), truth)


def test_mass_matrix_gravity_and_coriolis_from_the_coefficients_alone(robot: Robot, estimate: Estimate) -> None:
    q, dq, ddq = states(robot, 50)
    close(estimate.mass_matrix(q), dynident.dynamics.mass_matrix(robot, robot.parameters, q))
    close(estimate.gravity(q), dynident.dynamics.gravity(robot, robot.parameters, q))
    close(estimate.coriolis_vector(q, dq), dynident.dynamics.coriolis_vector(robot, robot.parameters, q, dq))
    torque = np.einsum("Njk,Nk->Nj", estimate.mass_matrix(q), ddq) + estimate.coriolis_vector(q, dq) + estimate.gravity(q)
    close(torque, dynident.dynamics.inverse_dynamics(robot, robot.parameters, q, dq, ddq))


def test_one_sample_keeps_its_shape(robot: Robot, estimate: Estimate) -> None:
    q = np.full(robot.n, 0.3)
    assert estimate.mass_matrix(q).shape == (robot.n, robot.n)
    assert estimate.coriolis_vector(q, q).shape == (robot.n,)
    close(estimate.coriolis_vector(q, q), dynident.dynamics.coriolis_vector(robot, robot.parameters, q, q))


def test_friction_parameters_are_the_true_ones(robot: Robot, log: Log, estimate: Estimate) -> None:
    close(estimate.friction_parameters, log.standard[10 * robot.n :].reshape(robot.n, 3))


def test_known_parameters_are_part_of_the_model() -> None:
    robot = load_robot("spatial_3r")
    log = generated_log(robot, friction=linear())
    known = {"m3": 0.75, "J3zz": float(robot.parameters[2, 9]), "fv2": float(log.standard[30 + 3])}
    estimate = identify(robot, log.dataset, friction=linear(), known=known, drop_above_percent=None, cutoff=None)
    close(estimate.predict(log.dataset), log.dataset.effort)
    assert estimate.standard[estimate.base.columns.index("m3")] == 0.75
    close(estimate.gravity(log.dataset.q), dynident.dynamics.gravity(robot, robot.parameters, log.dataset.q))


def test_armature_is_predicted() -> None:
    robot = load_robot("spatial_3r")
    model = combine(linear(), Armature())
    log = generated_log(robot, friction=model)
    estimate = identify(robot, log.dataset, friction=model, drop_above_percent=None, cutoff=None)
    other = generated_log(robot, friction=model, seed=0, samples=1500).dataset
    close(estimate.predict(other), other.effort)


def test_extra_columns_are_predicted_and_asked_for() -> None:
    robot = load_robot("spatial_3r")
    data = generated_log(robot).dataset
    spring = data.q * [0.0, 1.0, 0.0]
    data = replace(data, effort=data.effort + 4.0 * spring)
    estimate = identify(robot, data, extra={"spring": spring}, drop_above_percent=None, friction=None, cutoff=None)
    close(estimate.predict(data, {"spring": spring}), data.effort)
    with raises(DynidentError, "spring"):
        estimate.predict(data)


def test_prediction_needs_derivatives(estimate: Estimate, log: Log) -> None:
    with raises(DynidentError, "accelerations", "differentiate"):
        estimate.predict(replace(log.dataset, ddq=None))


def test_residual_is_that_of_the_prediction(robot: Robot) -> None:
    data = generated_log(robot, friction=linear(), noise=0.3).dataset
    estimate = identify(robot, data, friction=linear(), cutoff=None)
    left = data.effort - estimate.predict(data)
    assert estimate.residuals.relative_percent == pytest.approx(100 * np.linalg.norm(left) / np.linalg.norm(data.effort), rel=1e-9)
    np.testing.assert_allclose(estimate.residuals.rms_per_group, np.sqrt(np.mean(left**2, axis=0)), rtol=1e-9)


def test_dropped_coefficients_keep_the_numbers_that_dropped_them(robot: Robot) -> None:
    estimate = identify(
        robot, generated_log(robot, friction=linear(), noise=3.0).dataset, friction=linear(), cutoff=None, drop_above_percent=30.0
    )
    for item in estimate.dropped:
        assert estimate.values[item.index] == 0.0
        assert estimate.std[item.index] == item.std
        assert estimate.relative_std_percent[item.index] == pytest.approx(100 * item.std / abs(item.value))
    assert len(estimate.dropped) == np.sum(~estimate.kept) > 0
