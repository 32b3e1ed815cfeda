"""Getting under way along a path, and coming to rest on it: the time along the path rises from a standstill and falls to one.

The pace is the quintic smoothstep p = 10 u³ - 15 u⁴ + 6 u⁵ of the time u = t / T, whose first and second derivatives vanish at both ends:
a motion q(s) at the pace s' = p has dq = q' p, ddq = q'' p² + q' p', and a jerk without jumps. Easing over T covers T / 2 of the path.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from dynident.core.arrays import Array
from dynident.motions.trajectories.piecewise import interpolate
from dynident.motions.trajectories.trajectory import SampledMotion


class Pace(NamedTuple):
    """The time along a path [s], its pace and the change of that [1/s], each (N,)."""

    along: Array
    pace: Array
    change: Array

    def of(self, motion: SampledMotion) -> SampledMotion:
        """A motion that was sampled at `along`, at this pace."""
        p, change = self.pace[:, None], self.change[:, None]
        return SampledMotion(motion.q, motion.dq * p, motion.ddq * p**2 + motion.dq * change)


def ease(time: Array, length: float, first: float, last: float) -> Pace:
    """The pace at `time` (N,) on a path of `length` [s]: it rises over the `first` seconds, is 1, and falls over the `last` ones.

    All of it takes length + (first + last) / 2.
    """
    total, step = length + (first + last) / 2.0, _smoothstep()
    along, pace, change = time - first / 2.0, np.ones_like(time), np.zeros_like(time)
    for duration, since, rising in ((first, time, True), (last, total - time, False)):
        if duration == 0.0:
            continue
        near = since < duration
        u = np.clip(since[near] / duration, 0.0, 1.0)
        gone = duration * step.antiderivative()(u)
        along[near] = gone if rising else length - gone
        pace[near] = step(u)
        change[near] = (1.0 if rising else -1.0) * step(u, 1) / duration
    return Pace(np.clip(along, 0.0, length), pace, change)


@cache
def _smoothstep() -> Any:
    """10 u³ - 15 u⁴ + 6 u⁵, as a `scipy.interpolate.BPoly`."""
    return interpolate(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.zeros(2), np.zeros(2))
