# pyright: basic
"""Logs of virtual robots that move exactly as commanded and are seen through sensors like those of the recorded Panda."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Dataset
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import FrictionModel, Motion, friction_torque
from dynident.motions import Trajectory, trajectory_dataset
from dynident.motions.simulation import Noise, effort_scale
from dynident.motions.simulation.sensors import realistic
from dynident.robots import Robot


def record_motion(
    robot: Robot,
    parameters: Array,
    trajectory: Trajectory,
    *,
    friction: tuple[FrictionModel, Array] | None = None,
    torque_noise: bool = True,
    rate: float = 1000.0,
    seed: int = 0,
) -> Dataset:
    """A log of the motion: inverse dynamics of the links (n, 10) with friction (model and (n, k) parameters), noise and a jittery clock."""
    motion = trajectory_dataset(trajectory, rate)
    dq, ddq = motion.require("dq"), motion.require("ddq")
    effort = inverse_dynamics(robot, parameters, motion.q, dq, ddq)
    if friction is not None:
        effort = effort + friction_torque(*friction, Motion(motion.q, dq, ddq, effort))
    sensors = realistic(effort_scale(robot, effort))
    if not torque_noise:
        sensors = replace(sensors, torque=Noise())
    return sensors.record(
        motion.time, motion.q, dq, effort, seed=seed, joint_names=robot.joint_names, source=f"virtual {robot.name}, seed {seed}"
    )


def relative_percent(predicted: Array, measured: Array) -> float:
    """100 ‖measured - predicted‖ / ‖measured‖, as the papers define it."""
    return float(100.0 * np.linalg.norm(measured - predicted) / np.linalg.norm(measured))


def filter_as_published(values: Array, rate: float, cutoff: float) -> Array:
    """Zero-phase Butterworth filter of order 4 with nothing left out at the edges, as MATLAB's filtfilt has it. cutoff : [Hz]."""
    from scipy.signal import butter, sosfiltfilt

    return np.asarray(sosfiltfilt(butter(4, cutoff, fs=rate, output="sos"), values, axis=0), dtype=float)
