"""The motion that the servo is asked for: a trajectory between its samples, checked against the joints' limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BPoly, CubicHermiteSpline, CubicSpline

from dynident.core.arrays import Array
from dynident.data import Dataset
from dynident.errors import InputError, ValueRangeError
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


def reference_curve(robot: Robot, trajectory: Dataset) -> Callable[[Array], tuple[Array, Array, Array]]:
    """What gives q, dq, ddq (N, n) at times (N,) [s] from the first sample on.

    Between samples it is the polynomial through what was given: of degree five with velocities and accelerations, three
    with velocities, a cubic spline of positions alone.
    """
    _check_fits(robot, trajectory)
    t, q = trajectory.time - trajectory.time[0], trajectory.q
    if trajectory.dq is not None and trajectory.ddq is not None:
        curve = BPoly.from_derivatives(t, np.stack([q, trajectory.dq, trajectory.ddq], axis=1))  # pyright: ignore[reportUnknownMemberType]
    elif trajectory.dq is not None:
        curve = CubicHermiteSpline(t, q, trajectory.dq)
    else:
        curve = CubicSpline(t, q)

    def at(time: Array) -> tuple[Array, Array, Array]:
        position, velocity, acceleration = (np.asarray(curve(time, order), dtype=float) for order in range(3))
        return position, velocity, acceleration

    return at


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


def _check_fits(robot: Robot, trajectory: Dataset) -> None:
    if trajectory.n != robot.n:
        raise InputError(f"the trajectory has {trajectory.n} joints, but robot {robot.name!r} has {robot.n}; give one column per joint")
    if len(trajectory.starts) > 1:
        raise InputError(f"the trajectory has {len(trajectory.starts)} segments; give one motion at a time")
