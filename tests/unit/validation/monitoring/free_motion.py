"""Logs of robots that something touches, by inverse dynamics: whatever the observer says of them is known beforehand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dynident.data import Dataset
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction.model import Motion, friction_torque
from dynident.robots import Robot
from dynident.validation.monitoring import WatchedModel


def swing(robot: Robot, *, seconds: float = 2.0, rate: float = 1000.0, seed: int = 0) -> Dataset:
    """All joints swing about random postures, each with two frequencies."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(seconds * rate) + 1) / rate
    w, phase, size = rng.uniform(1.0, 6.0, (2, robot.n)), rng.uniform(0.0, 6.0, (2, robot.n)), rng.uniform(0.1, 0.3, (2, robot.n))
    angle = w * time[:, None, None] + phase
    middle = rng.uniform(*robot.drawn_range.T)
    return Dataset(
        time=time,
        q=middle + np.sum(size * np.sin(angle), axis=1),
        dq=np.sum(size * w * np.cos(angle), axis=1),
        ddq=-np.sum(size * w**2 * np.sin(angle), axis=1),
        joint_names=robot.joint_names,
    )


def touch(model: WatchedModel, motion: Dataset, outside: Callable[[float, np.ndarray], np.ndarray] | None = None) -> Dataset:
    """The motion with the efforts that it needs. outside : torques from outside (n,) at a time and position."""
    rigid = inverse_dynamics(model.robot, model.parameters, motion.q, motion.dq, motion.ddq)
    effort = rigid.copy()
    if model.friction is not None:
        effort += friction_torque(model.friction, model.friction_parameters, Motion(motion.q, motion.dq, motion.ddq, rigid, None))
    if outside is not None:
        effort -= np.array([outside(t, q) for t, q in zip(motion.time, motion.q, strict=True)])
    return motion.after("", effort=effort, effort_kind="torque")
