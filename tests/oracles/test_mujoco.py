"""Mass matrix, bias forces and inverse dynamics against MuJoCo, an engine that shares no code with Pinocchio."""

# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import dynident
from tests.oracles.machines import NAMES, machine, mujoco_model, states

# MuJoCo diagonalises inertias and keeps rotations as quaternions, which costs a few digits.
TOLERANCE = 1e-10


@pytest.mark.parametrize("name", NAMES)
def test_dynamics(name: str) -> None:
    robot = machine(name)
    model = mujoco_model(robot)
    data = mujoco.MjData(model)
    q, dq, ddq = states(robot, samples=30)
    n = robot.n
    M, bias, effort = np.zeros((30, n, n)), np.zeros((30, n)), np.zeros((30, n))
    for s in range(30):
        data.qpos[:], data.qvel[:] = q[s], dq[s]
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, M[s])
        bias[s] = data.qfrc_bias
        data.qacc[:] = ddq[s]
        mujoco.mj_inverse(model, data)
        effort[s] = data.qfrc_inverse
    p = robot.parameters
    ours = (
        dynident.dynamics.mass_matrix(robot, p, q),
        dynident.dynamics.coriolis_vector(robot, p, q, dq) + dynident.dynamics.gravity(robot, p, q),
        dynident.dynamics.inverse_dynamics(robot, p, q, dq, ddq),
    )
    for mine, theirs in zip(ours, (M, bias, effort), strict=True):
        assert np.max(np.abs(mine - theirs)) <= TOLERANCE * np.max(np.abs(theirs))
