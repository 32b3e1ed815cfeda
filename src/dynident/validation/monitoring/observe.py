# pyright: basic
"""The observer over a whole log: residuals and thresholds of all samples, by the compiled recursion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.data import Dataset, differentiate
from dynident.errors import InputError
from dynident.regression.prepare import check_torque, match_log
from dynident.robots.robot import Robot
from dynident.validation.monitoring.contact_monitor import LONGEST_PAUSE, ContactMonitor

#: Samples whose momentum is computed at once.
_BLOCK = 16_384


@dataclass(frozen=True, kw_only=True, eq=False)
class Observation:
    """What the observer saw.

    residual, allowance, std : (N, n)   [N·m | N]
    distance : (N,)                     Of the residuals of all joints together, in standard deviations.
    touched : (N,) int                  The last joint that is touched, from 0; -1 where none is.
    """

    residual: Array
    allowance: Array
    std: Array
    distance: Array
    touched: IntArray


def watched_log(robot: Robot, data: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    """A log with torques and velocities of the robot's joints, in its order, and notes about it."""
    matched = match_log(robot, data)
    check_torque(matched)
    slowest = float(np.median(matched.steps))
    if slowest > 0.5 * LONGEST_PAUSE:
        raise InputError(f"the log has {1.0 / slowest:.3g} samples per second, too few to watch a robot; at least 20 are needed")
    if matched.dq is None:
        return differentiate(matched), ("the log has no velocities; those by differences are noisier, and so are the residuals",)
    return matched, ()


def observe(monitor: ContactMonitor, data: Dataset) -> Observation:
    """Residuals of a log with dq and effort; the observer starts again in each segment."""
    from dynident.validation.monitoring import kernels  # compiled where it is needed

    dq, effort = data.require("dq"), data.require("effort")
    residual, allowance, std, distance = np.zeros_like(data.q), np.empty_like(data.q), np.empty_like(data.q), np.zeros(data.samples)
    touched = np.full(data.samples, -1, dtype=np.int64)
    for segment in data.segments:
        above = np.zeros(data.n + 1)
        for start in range(segment.start, segment.stop, _BLOCK):
            rows = slice(max(start - 1, segment.start), min(start + _BLOCK, segment.stop))
            warmth = None if data.temperature is None else data.temperature[rows]
            balance = monitor.model.balance(data.q[rows], dq[rows], effort[rows], blur=monitor.blur, temperature=warmth)
            if start == segment.start:
                allowance[start] = balance.doubt[0]
                std[start] = np.sqrt(np.diagonal(monitor.noise.covariance(balance.inertia[0])))
            kernels.follow(
                np.ascontiguousarray(data.time[rows]),
                balance.momentum,
                balance.rate,
                balance.doubt,
                balance.inertia,
                monitor.gain,
                monitor.noise.velocity**2,
                monitor.noise.effort**2,
                monitor.level,
                float(monitor.distance_level),
                float(monitor.confirmation),
                LONGEST_PAUSE,
                residual[rows],
                allowance[rows],
                std[rows],
                distance[rows],
                above,
                touched[rows],
            )
    return Observation(residual=residual, allowance=allowance, std=std, distance=distance, touched=touched)
