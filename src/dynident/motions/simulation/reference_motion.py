"""The motion that the servo is asked for: a trajectory between its samples, checked against the joints' limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.core.sizes import check_count
from dynident.data import Dataset
from dynident.errors import InputError, ValueRangeError
from dynident.motions.trajectories.piecewise import SampledTrajectory
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.robots.robot import Robot

#: Overshoot that passes as the rounding of a trajectory designed up to its limits, as a share of the limit.
_ROUNDING = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class Reference:
    """The motion at the servo's instants. time : (N,) [s]; q, dq, ddq : (N, n) [rad | m, per second, per second²].

    temperature : (N, n) or None   Of the joints, where the trajectory tells it [°C].
    """

    time: Array
    q: Array
    dq: Array
    ddq: Array
    temperature: Array | None = None


def sample_reference(robot: Robot, trajectory: Dataset, rate: float, *, check_limits: bool = True) -> Reference:
    """The trajectory at `rate` [Hz], from its first to its last sample."""
    curve = reference_curve(robot, trajectory)
    if check_limits:
        check_within_limits(robot, trajectory)
    length = float(trajectory.time[-1] - trajectory.time[0])
    check_count("rate", length * rate, each=10 * robot.n, remedy="take a lower rate or a shorter motion")
    time = np.arange(int(np.floor(length * rate * (1.0 + 1e-12))) + 1) / rate
    if len(time) < 2:
        raise ValueRangeError("trajectory", f"lasts {length:.3g} s, less than a period at {rate:g} Hz")
    position, velocity, acceleration = curve(time)
    warmth: Array | None = None
    if trajectory.temperature is not None:
        stamps = trajectory.time - trajectory.time[0]
        warmth = np.empty_like(position)
        for j in range(robot.n):
            warmth[:, j] = np.interp(time, stamps, trajectory.temperature[:, j])
    return Reference(time=time, q=position, dq=velocity, ddq=acceleration, temperature=warmth)


def reference_curve(robot: Robot, trajectory: Dataset) -> Callable[[Array], SampledMotion]:
    """What gives q, dq, ddq (N, n) at times (N,) [s] from the first sample on; between samples as `SampledTrajectory` has it."""
    if trajectory.n != robot.n:
        raise InputError(f"the trajectory has {trajectory.n} joints, but robot {robot.name!r} has {robot.n}; give one column per joint")
    return SampledTrajectory.of_dataset(trajectory).sample


def check_within_limits(robot: Robot, trajectory: Dataset) -> None:
    """ValueRangeError at the worst sample that is beyond a joint's limit of position, velocity or acceleration."""
    low, high = robot.position_limits.T
    _complain_beyond(robot, trajectory, "position", trajectory.q, low, high)
    for name, values, limits in (
        ("velocity", trajectory.dq, robot.velocity_limits),
        ("acceleration", trajectory.ddq, robot.acceleration_limits),
    ):
        if values is not None:
            _complain_beyond(robot, trajectory, name, values, -limits, limits)


def _complain_beyond(robot: Robot, trajectory: Dataset, name: str, values: Array, low: Array, high: Array) -> None:
    with np.errstate(invalid="ignore"):
        beyond = np.maximum(values - high, low - values)
        room = _ROUNDING * np.maximum(1.0, np.where(np.isfinite(high), np.abs(high), 1.0))
    sample, j = (int(i) for i in np.unravel_index(int(np.argmax(beyond - room)), beyond.shape))
    if beyond[sample, j] > room[j]:
        unit = getattr(robot.joints[j].units, name)
        limit = f"[{low[j]:.6g}, {high[j]:.6g}]"
        raise ValueRangeError(
            "trajectory",
            f"takes joint {robot.joint_names[j]!r} to a {name} of {values[sample, j]:.6g} {unit} at {trajectory.time[sample]:.4g} s, "
            f"outside of its limits {limit} {unit}; change the motion",
        )
