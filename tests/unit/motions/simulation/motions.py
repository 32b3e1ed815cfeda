"""Motions within the limits of any robot, for the tests of the virtual robot."""

from __future__ import annotations

import numpy as np

from dynident.data import Dataset
from dynident.robots import Robot


def fourier_motion(robot: Robot, *, duration: float = 2.0, rate: float = 100.0, seed: int = 0, harmonics: int = 3) -> Dataset:
    """A periodic motion around the middle of the joints' ranges, at up to 80 % of their velocity limits (1.6 rad/s)."""
    rng = np.random.default_rng(seed)
    time = np.arange(int(duration * rate) + 1) / rate
    w = 2 * np.pi / duration * np.arange(1, harmonics + 1)[:, None]
    a, b = rng.uniform(-1, 1, (2, harmonics, robot.n))
    angle = time[:, None, None] * w
    q = np.sum(a / w * np.sin(angle) - b / w * np.cos(angle), axis=1)
    dq = np.sum(a * np.cos(angle) + b * np.sin(angle), axis=1)
    ddq = np.sum(-a * w * np.sin(angle) + b * w * np.cos(angle), axis=1)
    low, high = np.clip(robot.position_limits, -3.0, 3.0).T
    q -= 0.5 * (q.max(axis=0) + q.min(axis=0))
    room = (
        0.45 * (high - low) / np.abs(q).max(axis=0),
        0.8 * np.minimum(robot.velocity_limits, 2.0) / np.abs(dq).max(axis=0),
        0.8 * np.minimum(robot.acceleration_limits, 20.0) / np.abs(ddq).max(axis=0),
    )
    scale = np.min(room, axis=0)
    return Dataset(
        time=time, q=q * scale + 0.5 * (low + high), dq=dq * scale, ddq=ddq * scale, joint_names=robot.joint_names, source="motion"
    )
