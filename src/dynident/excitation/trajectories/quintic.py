"""A quintic polynomial from one position to another, at rest and without acceleration at both ends (minimum jerk).

q(s) = from + (to - from) (10 s³ - 15 s⁴ + 6 s⁵),   s = t / duration      (Flash and Hogan, J. Neurosci. 5(7), 1985)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.excitation.trajectories.trajectory import Motion, checked_times, joint_names, positive, row

#: Largest velocity and acceleration of the unit motion: at s = 1/2, and at s = (3 ± √3) / 6.
_PEAK_VELOCITY = 1.875
_PEAK_ACCELERATION = 10.0 / np.sqrt(3.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class QuinticTrajectory:
    """From `start` to `end`, both (n,) [rad | m], in `duration` [s]; outside of that time it stands still."""

    joints: tuple[str, ...]
    start: Array
    end: Array
    duration: float

    kind = "quintic"

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "joints", joint_names(self.joints))
        for name in ("start", "end"):
            set_(self, name, row(getattr(self, name), name, len(self.joints)))
        set_(self, "duration", positive(self.duration, "duration", "s"))

    def sample(self, time: ArrayLike) -> Motion:
        T = self.duration
        s = np.clip(checked_times(time) / T, 0.0, 1.0)[:, None]
        step = self.end - self.start
        q = self.start + step * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
        return Motion(q, step * 30.0 * s**2 * (1.0 - s) ** 2 / T, step * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / T**2)


def fastest_quintic(
    joints: tuple[str, ...], start: ArrayLike, end: ArrayLike, *, velocity: ArrayLike, acceleration: ArrayLike
) -> QuinticTrajectory:
    """The shortest quintic that stays within velocity and acceleration limits, each (n,); to drive to where a trajectory starts."""
    n = len(joints)
    step = np.abs(row(end, "end", n) - row(start, "start", n))
    v, a = np.broadcast_to(np.asarray(velocity, dtype=float), n), np.broadcast_to(np.asarray(acceleration, dtype=float), n)
    shortest = max(np.max(_PEAK_VELOCITY * step / v), np.max(np.sqrt(_PEAK_ACCELERATION * step / a)), 1e-3)
    return QuinticTrajectory(joints=joints, start=np.asarray(start), end=np.asarray(end), duration=float(shortest))
