"""A quintic polynomial from one position to another, at rest and without acceleration at both ends (minimum jerk).

q(s) = from + (to - from) (10 s³ - 15 s⁴ + 6 s⁵),   s = t / duration      (Flash and Hogan, J. Neurosci. 5(7), 1985)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_positive, per_joint
from dynident.motions.trajectories.trajectory import SampledMotion, check_times, joint_names, set_rows

#: Largest velocity, acceleration and jerk of the unit motion: at s = 1/2, at s = (3 ± √3) / 6, and at the ends.
PEAK_VELOCITY = 1.875
_PEAK_ACCELERATION = 10.0 / np.sqrt(3.0)
_PEAK_JERK = 60.0


def minimum_jerk(s: Array) -> tuple[Array, Array, Array]:
    """10 s³ - 15 s⁴ + 6 s⁵ and its first and second derivatives, for s from 0 to 1: from 0 to 1, at rest at both ends."""
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2), 30.0 * s**2 * (1.0 - s) ** 2, 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)


@dataclass(frozen=True, kw_only=True, eq=False)
class QuinticTrajectory:
    """From `start` to `end`, both (n,) [rad | m], in `duration` [s]; outside of that time it stands still.

    Attributes
    ----------
    joints : tuple of str
        Names of the n joints.
    start : (n,) array
        Position at the start [rad | m].
    end : (n,) array
        Position at the end [rad | m].
    duration : float
        Length [s].
    """

    joints: tuple[str, ...]
    start: Array
    end: Array
    duration: float

    kind = "quintic"

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", joint_names(self.joints))
        set_rows(self, "start", "end")
        object.__setattr__(self, "duration", check_positive("duration", self.duration, "s"))

    def sample(self, time: ArrayLike) -> SampledMotion:
        T = self.duration
        s = np.clip(check_times(time) / T, 0.0, 1.0)[:, None]
        way, speed, change = minimum_jerk(s)
        step = self.end - self.start
        return SampledMotion(self.start + step * way, step * speed / T, step * change / T**2)


def fastest_quintic(
    joints: tuple[str, ...], start: ArrayLike, end: ArrayLike, *, velocity: ArrayLike, acceleration: ArrayLike, jerk: ArrayLike = np.inf
) -> QuinticTrajectory:
    """The shortest quintic that stays within limits.

    Parameters
    ----------
    joints
        Names of the n joints.
    start, end : (n,) array_like
        Positions [rad | m].
    velocity, acceleration, jerk
        Largest absolute values, one or (n,) [rad/s, rad/s², rad/s³ | m/s, m/s², m/s³].

    Returns
    -------
    QuinticTrajectory
        From rest at the start to rest at the end.
    """
    n = len(joints)
    step = np.abs(per_joint("end", end, n) - per_joint("start", start, n))
    named = (("velocity", velocity), ("acceleration", acceleration), ("jerk", jerk))
    v, a, j = (per_joint(name, limit, n, infinite=True) for name, limit in named)
    shortest = float(quintic_time(step, v, a, j))
    return QuinticTrajectory(joints=joints, start=np.asarray(start), end=np.asarray(end), duration=shortest)


def quintic_time(step: Array, velocity: Array, acceleration: Array, jerk: Array) -> Array:
    """(...,) shortest time [s] in which a quintic goes distances (..., n) within limits (n,) of velocity, acceleration and jerk."""
    needed = np.array(
        [PEAK_VELOCITY * step / velocity, np.sqrt(_PEAK_ACCELERATION * step / acceleration), np.cbrt(_PEAK_JERK * step / jerk)]
    )
    return np.maximum(needed.max(axis=(0, -1)), 1e-3)
