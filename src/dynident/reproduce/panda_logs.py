"""What the virtual Panda does where no recorded one is given: its friction, and motions that show its coefficients."""

from __future__ import annotations

import numpy as np

from dynident.motions import FourierTrajectory
from dynident.reproduce.gaz2019.published import LINEAR
from dynident.robots import load_robot

#: (7, 3) fv, fc, fo of eq. (24), as printed for the classical route.
LINEAR_FRICTION = np.array([[float(LINEAR[name][joint][0]) for name in ("fv", "fc", "fo")] for joint in range(7)])
_HARMONICS = np.array([0.1, 0.3, 0.6, 1.0, 1.0])


def fourier_motion(seed: int, *, fastest: float = 1.6, seconds: float = 20.0) -> FourierTrajectory:
    """Five harmonics of 0.1 Hz, the higher ones stronger, about the middle of the joints' ranges; each joint reaches `fastest` [rad/s]."""
    robot, rng = load_robot("panda"), np.random.default_rng(seed)
    a, b = rng.normal(size=(2, robot.n, 5)) * _HARMONICS
    times = np.arange(0.0, 10.0, 0.01)[:, None, None] * 2.0 * np.pi * 0.1 * np.arange(1, 6)
    speeds = np.abs(np.sum(a * np.cos(times) + b * np.sin(times), axis=2)).max(axis=0)
    scale = (fastest / speeds)[:, None]
    middle = robot.position_limits.mean(axis=1)
    return FourierTrajectory(joints=robot.joint_names, base_frequency=0.1, a=scale * a, b=scale * b, q0=middle, duration=seconds)
