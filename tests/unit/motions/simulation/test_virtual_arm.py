"""The robot that is driven step by step: it stands still, follows as the simulated one does, and its log tells the true model."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import Dataset
from dynident.dynamics import gravity
from dynident.dynamics.friction import linear
from dynident.motions.simulation import VirtualArm, simulate
from dynident.regression import identify
from tests.unit.motions.simulation.motions import fourier_motion

pytest.importorskip("mujoco")


@pytest.fixture(scope="module")
def robot():
    return load_robot("planar_2r")


def drive(arm: VirtualArm, q: np.ndarray) -> Dataset:
    rows, stamps = [], []
    for command in q:
        rows.append(arm.step(command))
        stamps.append(arm.time)
    columns = {name: np.array([getattr(row, name) for row in rows]) for name in ("q", "dq", "effort")}
    return Dataset(time=np.array(stamps), **columns, effort_kind="torque", joint_names=arm.robot.joint_names)


def test_it_stands_where_it_was_put(robot):
    arm = VirtualArm(robot, [0.3, -0.4])
    log = drive(arm, np.tile([0.3, -0.4], (300, 1)))
    np.testing.assert_allclose(log.q, np.tile([0.3, -0.4], (300, 1)), atol=1e-9)
    np.testing.assert_allclose(log.effort[-1], gravity(robot, robot.parameters, [0.3, -0.4]), atol=1e-6)
    assert arm.time == pytest.approx(0.3)


def test_it_follows_a_motion_as_the_simulation_does(robot):
    motion = fourier_motion(robot, duration=3.0)
    recording = simulate(robot, motion, friction="linear")
    start = np.zeros((500, 2)) + motion.q[0]
    t = np.arange(len(recording.truth.time)) / 1000.0
    q = np.column_stack([np.interp(t, motion.time, motion.q[:, j]) for j in range(2)])
    log = drive(VirtualArm(robot, motion.q[0], friction="linear"), np.vstack([start, q]))
    followed = log.q[500:][:-1]
    assert np.abs(followed - recording.truth.q[1 : len(followed) + 1]).max() < 0.02
    assert np.abs(followed - motion.q[0]).max() > 0.3


def test_its_log_gives_the_true_coefficients(robot):
    t = np.arange(0.0, 12.0, 0.001)
    q = np.column_stack(
        [0.8 * np.sin(2 * np.pi * 0.4 * t) ** 3, 0.9 * np.sin(2 * np.pi * 0.3 * t) ** 3 - 0.3 * np.sin(2 * np.pi * 0.7 * t) ** 3]
    )
    log = drive(VirtualArm(robot, q[0], friction="linear"), q)
    estimate = identify(robot, log, friction=linear())
    true = estimate.base.coefficients(np.concatenate([robot.parameters.ravel(), np.zeros(6)]))
    rigid = [i for i, name in enumerate(estimate.base.names) if not name.startswith("f")]
    np.testing.assert_allclose(estimate.values[rigid], true[rigid], rtol=0.02, atol=0.01)


def test_noise_is_of_the_seed_and_new_at_every_sample(robot):
    still = np.tile([0.1, 0.2], (5000, 1))
    logs = [drive(VirtualArm(robot, still[0], noise="realistic", seed=seed), still) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(logs[0].effort, logs[1].effort)
    assert np.abs(logs[0].effort - logs[2].effort).max() > 0.01
    assert np.std(logs[0].effort, axis=0) == pytest.approx(0.00403 * robot.effort_limits, rel=0.2)
    assert not np.array_equal(logs[0].effort[:400], logs[0].effort[4096:4496])
