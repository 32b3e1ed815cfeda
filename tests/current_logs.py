"""Logs of motor currents that no robot has written: an arm with friction, rotors and noise, seen through gains that are known here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin

from benchmarks.virtual_arms import fourier_motion
from dynident.data import Dataset
from dynident.dynamics import inverse_dynamics
from dynident.robots import Robot
from dynident.robots.parameters import change_of_frame, from_com, inertia_tensor

UR10 = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots" / "ur_description" / "urdf" / "ur10_robot.urdf"
#: 2.8 kg on a bracket beside the last axis, in the tool frame.
PAYLOAD = from_com(2.8, np.array([0.05, -0.02, 0.06]), inertia_tensor((0.008, 0.0, 0.0, 0.008, 0.0, 0.005)))
#: Noise of the torque, as a share of the effort limit: that of a recorded Panda.
NOISE = 0.004


def draw_gains(n: int, seed: int) -> np.ndarray:
    """Gains wrong by up to a factor of three of ten newton metres per ampere."""
    return 10.0 * 3.0 ** np.random.default_rng([seed, 1]).uniform(-1.0, 1.0, n)


def current_log(
    robot: Robot,
    gains: np.ndarray,
    seed: int,
    *,
    links: np.ndarray | None = None,
    payload: np.ndarray | None = None,
    seconds: float = 30.0,
    rate: float = 100.0,
    noise: float = NOISE,
) -> Dataset:
    """Currents along a motion of five harmonics. The arm's friction belongs to the seed; motion and noise to the run, loaded or not."""
    of_arm, of_run = np.random.default_rng([seed, 2]), np.random.default_rng([seed, 3 if payload is None else 4])
    n, limit = robot.n, np.where(np.isfinite(robot.effort_limits), robot.effort_limits, 50.0)
    time = np.arange(round(seconds * rate)) / rate
    q, dq, ddq = fourier_motion(time, 0.1, 1.8, np.zeros(n), np.full(n, 1.8), of_run)
    p = np.array(robot.parameters if links is None else links)
    if payload is not None:
        p[-1] += change_of_frame(robot.tool) @ payload
    viscous, coulomb = (0.02 * limit * of_arm.uniform(0.5, 1.5, n) for _ in range(2))
    offset, rotors = 0.003 * limit * of_arm.uniform(-1.0, 1.0, n), 0.006 * limit
    torque = inverse_dynamics(robot, p, q, dq, ddq) + viscous * dq + coulomb * np.sign(dq) + offset + rotors * ddq
    measured = torque + noise * limit * of_run.normal(size=torque.shape)
    exact = noise == 0.0
    return Dataset(
        time=time,
        q=q if exact else 1e-4 * np.round(q / 1e-4),
        dq=dq if exact else None,
        ddq=ddq if exact else None,
        effort=measured / gains,
        effort_kind="current",
        joint_names=robot.joint_names,
        source="virtual currents",
    )
