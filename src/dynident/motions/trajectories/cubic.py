"""Cubic polynomials from knot to knot with zero velocity at every knot, as in section V of Gaz et al., ICRA 2016."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array, set_frozen
from dynident.errors import ShapeError, ValueRangeError
from dynident.motions.trajectories.trajectory import SampledMotion, check_times, joint_names


@dataclass(frozen=True, kw_only=True, eq=False)
class CubicTrajectory:
    """Rest-to-rest cubics through K knots; the acceleration jumps at the inner knots, where the later piece counts.

    Outside of its time it stands still.

    Attributes
    ----------
    joints : tuple of str
        Names of the n joints.
    times : (K,) array
        Times of the knots [s], from 0, increasing.
    knots : (K, n) array
        Positions at the knots [rad | m].
    """

    joints: tuple[str, ...]
    times: Array
    knots: Array

    kind = "cubic"

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", joint_names(self.joints))
        set_frozen(self, "times", check_array("times", self.times, (None,), "(knots,), at least 2"))
        if len(self.times) < 2:
            raise ShapeError("times", self.times.shape, "(knots,), at least 2")
        if self.times[0] != 0.0 or not np.all(np.diff(self.times) > 0.0):
            raise ValueRangeError("times", f"are {self.times.tolist()}; they must begin with 0 and increase")
        shape = (len(self.times), len(self.joints))
        set_frozen(self, "knots", check_array("knots", self.knots, shape, f"{shape} = (knots, joints)"))

    @property
    def duration(self) -> float:
        return float(self.times[-1])

    def stretch(self, duration: float) -> CubicTrajectory:
        """The same path in another time [s]."""
        return replace(self, times=self.times * (duration / self.duration))

    def sample(self, time: ArrayLike) -> SampledMotion:
        asked = check_times(time)
        t = np.clip(asked, 0.0, self.duration)
        piece = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        length = np.diff(self.times)[piece][:, None]
        s = (t - self.times[piece])[:, None] / length
        first, step = self.knots[piece], np.diff(self.knots, axis=0)[piece]
        q = first + step * s**2 * (3.0 - 2.0 * s)
        moves = (asked == t)[:, None]
        return SampledMotion(q, step * 6.0 * s * (1.0 - s) / length, np.where(moves, step * (6.0 - 12.0 * s) / length**2, 0.0))


def kuka_table_5(*, joints: tuple[str, ...] = tuple(f"joint{j}" for j in range(1, 8))) -> CubicTrajectory:
    """The validation motion of Table V: 8 knots in 28 s for the seven joints of the KUKA LWR IV+.

    The table prints six numbers for some knots; they are all equal or alternate, so the seventh follows.

    Parameters
    ----------
    joints
        Names of the seven joints.

    Returns
    -------
    CubicTrajectory
        From rest to rest.
    """
    alternating = pi / 4 * np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0])
    up = np.full(7, pi / 2)
    knots = np.array([up, np.zeros(7), up, -up, up, alternating, -alternating, alternating])
    return CubicTrajectory(joints=joints, times=np.array([0.0, 5.0, 8.0, 15.0, 22.0, 24.0, 25.5, 28.0]), knots=knots)
