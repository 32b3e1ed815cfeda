"""Logs of library robots with friction of any model, exact up to the noise that is asked for."""

from __future__ import annotations

import numpy as np

from dynident import load_robot
from dynident.data import Dataset, EffortKind
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import FrictionModel, Motion, friction_torque
from dynident.robots import Robot


def friction_log(
    friction: FrictionModel,
    parameters: np.ndarray,
    robot: Robot | str = "spatial_3r",
    *,
    seconds: float = 40.0,
    rate: float = 200.0,
    fastest: float = 1.5,
    noise: float = 0.0,
    seed: int = 1,
) -> Dataset:
    """A Fourier motion whose joints reach the speed `fastest`, with rigid-body torque and friction. parameters : (n, k)."""
    machine = load_robot(robot) if isinstance(robot, str) else robot
    rng = np.random.default_rng(seed)
    time = np.arange(int(seconds * rate)) / rate
    omega = 2 * np.pi * 0.11 * np.arange(1, 6)[:, None]
    angle = time[:, None, None] * omega + rng.uniform(0, 2 * np.pi, (5, machine.n))
    amplitude = rng.normal(size=(5, machine.n))
    amplitude *= fastest / np.abs(np.sum(amplitude * np.cos(angle), axis=1)).max(axis=0)
    q = np.sum(amplitude / omega * np.sin(angle), axis=1)
    dq = np.sum(amplitude * np.cos(angle), axis=1)
    ddq = -np.sum(amplitude * omega * np.sin(angle), axis=1)
    rigid = inverse_dynamics(machine, machine.parameters, q, dq, ddq)
    effort = rigid + friction_torque(friction, parameters, Motion(q, dq, ddq, rigid)) + noise * rng.normal(size=q.shape)
    return Dataset(time=time, q=q, dq=dq, ddq=ddq, effort=effort, effort_kind=EffortKind.TORQUE, source="synthetic")
