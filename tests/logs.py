"""Small synthetic logs of library robots, exact up to the noise that is asked for."""

from __future__ import annotations

import numpy as np

from dynident import load_robot
from dynident.data import ControllerSamples, Dataset, EffortKind
from dynident.dynamics import gravity, inverse_dynamics, mass_matrix
from dynident.robots import Robot

FRICTION = (0.4, 0.7, 0.1)  # fv, fc, fo of every joint


def synthetic_log(
    robot: Robot | str = "planar_2r", *, samples: int = 1500, rate: float = 100.0, noise: float = 0.0, seed: int = 1
) -> Dataset:
    """A Fourier motion with rigid-body torque and linear friction; accelerations are recorded."""
    machine = load_robot(robot) if isinstance(robot, str) else robot
    rng = np.random.default_rng(seed)
    time = np.arange(samples) / rate
    amplitude, phase = rng.uniform(0.2, 0.6, (5, machine.n)), rng.uniform(0, 2 * np.pi, (5, machine.n))
    omega = 2 * np.pi * 0.13 * np.arange(1, 6)[:, None]
    angle = time[:, None, None] * omega + phase
    q = np.sum(amplitude * np.sin(angle), axis=1)
    dq = np.sum(amplitude * omega * np.cos(angle), axis=1)
    ddq = -np.sum(amplitude * omega**2 * np.sin(angle), axis=1)
    fv, fc, fo = FRICTION
    effort = inverse_dynamics(machine, machine.parameters, q, dq, ddq) + fv * dq + fc * np.sign(dq) + fo
    effort += noise * rng.normal(size=effort.shape)
    return Dataset(time=time, q=q, dq=dq, ddq=ddq, effort=effort, effort_kind=EffortKind.TORQUE, source="synthetic")


def synthetic_samples(robot: str = "spatial_3r", *, samples: int = 60, noise: float = 0.0, seed: int = 1) -> ControllerSamples:
    """M and g at random configurations."""
    machine = load_robot(robot)
    rng = np.random.default_rng(seed)
    q = rng.uniform(-2, 2, (samples, machine.n))
    M, g = mass_matrix(machine, machine.parameters, q), gravity(machine, machine.parameters, q)
    error = noise * rng.normal(size=M.shape)
    return ControllerSamples(q=q, M=M + 0.5 * (error + error.swapaxes(1, 2)), g=g + noise * rng.normal(size=g.shape), source="synthetic")
