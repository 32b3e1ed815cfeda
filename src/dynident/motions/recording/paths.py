"""Motions as a robot is driven along them: positions at its own cycles, from rest to rest, with a way to stop anywhere on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.data.dataset import Dataset
from dynident.data.signals.periods import marks_at
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import Limits
from dynident.motions.limits.margins import LimitMargin, motion_margins
from dynident.motions.moves.moves import RISE, holds, plan_move, refuse_broken
from dynident.motions.simulation.reference_motion import reference_curve
from dynident.motions.trajectories.easing import ease
from dynident.motions.trajectories.piecewise import WaypointTrajectory
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.robots.robot import Robot

#: Times in which a trajectory that begins in motion gets under way [s]; the first that keeps the limits is taken.
_EASES = (1.0, 2.0, 4.0)
#: A speed [rad/s | m/s] and an acceleration [rad/s² | m/s²] with which a motion can be begun from rest, and ended.
_REST_SPEED, _REST_ACCELERATION = 1e-4, 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class DrivenPath:
    """A motion from rest to rest at the robot's cycles.

    q, dq : (K, n)    Positions and velocities, 1 / `rate` apart [rad | m, per second].
    period : (K,) or None   Whole period of the motion that a cycle is in, from 1; 0 on the way there and back.
    keep : (2,)       Time from which and to which the states are kept [s]; nothing is kept where they are equal.
    """

    rate: float
    q: Array
    dq: Array
    keep: tuple[float, float] = (0.0, 0.0)
    period: IntArray | None = None

    @property
    def duration(self) -> float:
        """[s]"""
        return (len(self.q) - 1) / self.rate

    @property
    def speeds(self) -> Array:
        """(n,) largest speed of each joint."""
        return np.abs(self.dq).max(axis=0)

    def mark(self, time: float) -> int:
        """The whole period at a time [s]; 0 where nothing is marked."""
        return 0 if self.period is None else int(self.period[min(max(int(time * self.rate + 1e-6), 0), len(self.period) - 1)])

    def at(self, time: float) -> Array:
        """(n,) position at a time [s]: the cubic through the positions and velocities of both neighbours, still at the ends."""
        x = min(max(time * self.rate, 0.0), len(self.q) - 1.0)
        k = min(int(x), len(self.q) - 2)
        u, step = x - k, 1.0 / self.rate
        if u < 1e-9:  # almost always: a robot's clock counts its cycles
            return self.q[k]
        a, b = (1.0 + 2.0 * u) * (1.0 - u) ** 2, u * (1.0 - u) ** 2
        return a * self.q[k] + (1.0 - a) * self.q[k + 1] + step * (b * self.dq[k] - u**2 * (1.0 - u) * self.dq[k + 1])


def stopping_time(path: DrivenPath, limits: Limits) -> float:
    """[s] in which a stop along the path takes no more than half of what the accelerations allow; half a second at least.

    The time along the path slows down as 1 - 3 u² + 2 u³, whose steepest slope is 1.5 per stopping time.
    """
    allowed = np.where(np.isfinite(limits.acceleration), limits.acceleration, limits.velocity / RISE)
    return max(0.5, float(np.max(1.5 * path.speeds / (0.5 * allowed))))


class PathClock:
    """The time along a path for the time of the robot: the same, until it is told to stop; then it slows down smoothly.

    s = s₀ + T (u - u³ + u⁴ / 2), u = (t - t₀) / T: the path is never left, and no speed on it is exceeded.
    """

    def __init__(self, stopping: float) -> None:
        self._stopping, self._since = stopping, math.inf

    def stop(self, time: float) -> None:
        """Come to rest from now on; asked again, it changes nothing."""
        self._since = min(self._since, time)

    def along(self, time: float) -> float:
        """The time along the path [s]."""
        if time <= self._since:
            return time
        u = min(1.0, (time - self._since) / self._stopping)
        return self._since + self._stopping * (u - u**3 + 0.5 * u**4)

    def stands(self, time: float) -> bool:
        """Whether it has come to rest because it was told to."""
        return time >= self._since + self._stopping


def slow_moves(
    robot: Robot, ends: Sequence[Array], *, limits: Limits, rate: float, hold: float = 0.0, collision: CollisionModel | None = None
) -> DrivenPath:
    """`plan_move` from each position (n,) to the next, at the robot's cycles; then still for `hold` seconds. Nothing of it is kept."""
    way = WaypointTrajectory.join([plan_move(robot, start, end, limits=limits, collision=collision) for start, end in pairwise(ends)])
    motion = way.sample(np.arange(math.ceil((way.duration + hold) * rate) + 1) / rate)
    return DrivenPath(rate=rate, q=motion.q, dq=motion.dq)


def trajectory_path(
    robot: Robot, trajectory: Dataset, *, limits: Limits, rate: float, collision: CollisionModel | None = None
) -> DrivenPath:
    """A trajectory's samples as a path, all of which is kept.

    Where it begins or ends in motion, the time along it rises from or falls to a standstill over a second, or as long as the limits need:
    its way stays the same, and no speed on it grows. LimitError names the limit that it breaks, and when.
    """
    curve, length = reference_curve(robot, trajectory), float(trajectory.time[-1] - trajectory.time[0])
    _, dq, ddq = curve(np.array([0.0, length]))
    moving = (np.abs(dq).max(axis=1) > _REST_SPEED) | (np.abs(ddq).max(axis=1) > _REST_ACCELERATION)
    margins: list[LimitMargin] = []
    for seconds in _EASES:
        first, last = (min(seconds, length) * bool(end) for end in moving)
        time = np.arange(math.ceil((length + (first + last) / 2.0) * rate) + 1) / rate
        pace = ease(time, length, first, last)
        motion = pace.of(SampledMotion(*curve(pace.along)))
        margins = motion_margins(robot, limits, time, motion, collision)
        if all(holds(margin) for margin in margins):
            marks = marks_at(trajectory, pace.along)
            return DrivenPath(rate=rate, q=motion.q, dq=motion.dq, keep=(0.0, float(time[-1])), period=marks)
    refuse_broken(margins, "the trajectory")
    raise AssertionError("a limit that is broken was not named")
