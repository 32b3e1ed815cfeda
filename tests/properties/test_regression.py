"""Identities of identification that hold for every robot."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dynident
from dynident import Robot, regression
from dynident.dynamics.friction import Armature, Viscous, combine, linear
from dynident.regression import base_parameters, build_problem
from dynident.regression.equations.factors import compress
from dynident.robots.kinematics import rounded_joints
from tests.oracles.logs import generated_log
from tests.oracles.machines import states
from tests.properties.test_dynamics import close, seeds, trees


@given(trees(), seeds)
@settings(max_examples=25)
def test_coefficients_move_the_robot_as_all_parameters_do(robot: Robot, seed: int) -> None:
    assume(not rounded_joints(robot))  # else the structure is that of right angles, and the torques differ by the rounding
    base = base_parameters(robot)
    parameters = np.random.default_rng(seed).normal(size=10 * robot.n)
    q, dq, ddq = states(robot, 5, seed)
    Y = dynident.dynamics.torque_regressor(robot, q, dq, ddq)
    assert close(Y @ base.representative(base.coefficients(parameters)), Y @ parameters, tolerance=1e-8)


@given(trees(), seeds)
@settings(max_examples=25)
def test_the_same_with_armature(robot: Robot, seed: int) -> None:
    model = combine(Viscous(), Armature())
    base = base_parameters(robot, friction=model)
    standard = np.random.default_rng(seed).normal(size=12 * robot.n)
    q, dq, ddq = states(robot, 5, seed)

    def torque(vector: np.ndarray) -> np.ndarray:
        links, own = vector[: 10 * robot.n], vector[10 * robot.n :].reshape(robot.n, 2)
        return dynident.dynamics.torque_regressor(robot, q, dq, ddq) @ links + own[:, 0] * dq + own[:, 1] * ddq

    assert close(torque(base.representative(base.coefficients(standard))), torque(standard), tolerance=1e-8)


@given(trees(), seeds)
@settings(max_examples=15)
def test_controller_coefficients_give_m_and_g(robot: Robot, seed: int) -> None:
    base = base_parameters(robot, equations="controller")
    parameters = np.random.default_rng(seed).normal(size=10 * robot.n)
    q, _, _ = states(robot, 5, seed)
    Y = dynident.dynamics.inertia_gravity_regressor(robot, q)
    assert close(Y @ base.representative(base.coefficients(parameters)), Y @ parameters, tolerance=1e-8)


@given(trees())
@settings(max_examples=15)
def test_torque_and_controller_equations_have_the_same_coefficients(robot: Robot) -> None:
    """M and g determine the torque, and the torque determines M and g."""
    torque, controller = base_parameters(robot), base_parameters(robot, equations="controller")
    assert torque.names == controller.names
    assert close(torque.grouping, controller.grouping, tolerance=1e-7)


@given(trees(), seeds)
@settings(max_examples=15)
def test_rank_is_that_of_the_regressor(robot: Robot, seed: int) -> None:
    q, dq, ddq = states(robot, 200, seed)
    Y = dynident.dynamics.torque_regressor(robot, q, dq, ddq).reshape(-1, 10 * robot.n)
    assert base_parameters(robot).rank == np.linalg.matrix_rank(Y, rtol=1e-9)


@given(trees(), seeds)
@settings(max_examples=15)
def test_coefficients_of_coefficients_are_themselves(robot: Robot, seed: int) -> None:
    base = base_parameters(robot)
    values = np.random.default_rng(seed).normal(size=base.rank)
    np.testing.assert_array_equal(base.coefficients(base.representative(values)), values)


@given(seeds, st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(1, 12))
@settings(max_examples=25)
def test_any_blocks_compress_to_one_factor(seed: int, heights: list[int], columns: int) -> None:
    rng = np.random.default_rng(seed)
    blocks = [rng.normal(size=(columns, height)) * 10.0 ** rng.uniform(-3, 3) for height in heights]
    factor = np.zeros((columns, columns), order="F")
    for block in blocks:
        factor = compress(factor, block.copy())
    rows = np.concatenate(blocks, axis=1).T
    assert close(factor.T @ factor, rows.T @ rows, tolerance=1e-12)


@given(trees(), seeds)
@settings(max_examples=10)
def test_exact_logs_predict_every_other_motion(robot: Robot, seed: int) -> None:
    log = generated_log(robot, friction=linear(), samples=600, seed=seed)
    problem = build_problem(robot, log.dataset, friction=linear(), cutoff=None)
    estimate = regression.estimate(problem, drop_above_percent=None)
    scale = np.abs(log.dataset.effort).max()
    assert np.abs(estimate.predict(log.dataset) - log.dataset.effort).max() < 1e-8 * scale
