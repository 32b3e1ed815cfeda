"""Sinusoidal velocity profiles, one frequency per joint: eq. (31) of Gaz et al., IEEE RA-L 4(4), 2019.

dq_j(t) = A_j sin(2π t / T_j)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_positive
from dynident.errors import ValueRangeError
from dynident.motions.trajectories.trajectory import SampledMotion, check_times, joint_names, set_rows


@dataclass(frozen=True, kw_only=True, eq=False)
class SinusoidTrajectory:
    """Each joint swings at its own frequency, from rest at `start`.

    Attributes
    ----------
    joints : tuple of str
        Names of the n joints.
    amplitude : (n,) array
        Velocity amplitudes A [rad/s | m/s].
    period : (n,) array
        Periods T [s].
    start : (n,) array
        Position at time 0 [rad | m]; the joint moves between it and start + A T / π.
    duration : float
        Length [s].
    """

    joints: tuple[str, ...]
    amplitude: Array
    period: Array
    start: Array
    duration: float

    kind = "sinusoid"

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", joint_names(self.joints))
        set_rows(self, "amplitude", "period", "start")
        if not np.all(self.period > 0.0):
            raise ValueRangeError("period", f"is {self.period.tolist()}; positive numbers [s] were expected")
        object.__setattr__(self, "duration", check_positive("duration", self.duration, "s"))

    def stretch(self, duration: float) -> SinusoidTrajectory:
        """The same path in another time [s]: longer periods with smaller velocities."""
        factor = duration / self.duration
        return replace(self, amplitude=self.amplitude / factor, period=self.period * factor, duration=duration)

    def sample(self, time: ArrayLike) -> SampledMotion:
        w = 2.0 * np.pi / self.period
        angle = np.outer(check_times(time), w)
        swing = self.start + self.amplitude / w * (1.0 - np.cos(angle))
        return SampledMotion(swing, self.amplitude * np.sin(angle), self.amplitude * w * np.cos(angle))


#: Table I: velocity amplitudes [rad/s] and periods [s] of the Panda's validation motion.
PANDA_AMPLITUDES = (2.21, -2.21, 1.2, -2.1, -2.3, 2.1, -2.5)
PANDA_PERIODS = (3.68, 2.04, 2.98, 1.75, 4.43, 2.749, 1.06)

#: The paper doesn't print where the motion starts. From here, each joint swings about the middle of its range.
_PANDA_CENTRE = (0.0, 0.0, 0.0, -1.5708, 0.0, 1.8675, 0.0)


def panda_table_1(
    *, start: ArrayLike | None = None, duration: float = 20.0, joints: tuple[str, ...] = tuple(f"panda_joint{j}" for j in range(1, 8))
) -> SinusoidTrajectory:
    """The validation motion of Table I.

    Parameters
    ----------
    start : (7,) array_like
        Where it begins [rad]; by default each joint swings about the middle of its range.
    duration
        Length [s].
    joints
        Names of the seven joints.

    Returns
    -------
    SinusoidTrajectory
        From rest.
    """
    A, T = np.array(PANDA_AMPLITUDES), np.array(PANDA_PERIODS)
    first = np.array(_PANDA_CENTRE) - A * T / (2.0 * np.pi) if start is None else np.asarray(start, dtype=float)
    return SinusoidTrajectory(joints=joints, amplitude=A, period=T, start=first, duration=duration)
