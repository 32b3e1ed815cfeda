"""Motions as a robot is driven along them: positions at its own cycles, from rest to rest, with a way to stop anywhere on them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.data.dataset import Dataset
from dynident.excitation.limits.collision import CollisionModel
from dynident.excitation.limits.limits import LimitError, Limits
from dynident.excitation.limits.margins import LimitMargin, motion_margins, position_range, standing_margins
from dynident.excitation.trajectories.quintic import QuinticTrajectory, fastest_quintic
from dynident.excitation.trajectories.trajectory import Motion
from dynident.robots.robot import Robot
from dynident.simulation.reference_motion import reference_curve

#: Times in which a trajectory that begins in motion gets under way [s]; the first that keeps the limits is taken.
_EASES = (1.0, 2.0, 4.0)
#: A speed [rad/s | m/s] and an acceleration [rad/s² | m/s²] with which a motion can be begun from rest, and ended.
_REST_SPEED, _REST_ACCELERATION = 1e-4, 0.1
#: A joint without an acceleration limit reaches the speed that it may have in this time [s].
_RISE = 0.5
#: A slow move is checked at positions so far apart [rad | m], counted for its largest speed, which is so many times its mean.
_CHECK_STEP, _PEAK = 0.03, 1.875
#: Positions that are tried where the straight way is barred.
_DETOURS = 100
#: Overshoot that passes as the rounding of a motion designed up to its limits, as a share of the limit.
_ROUNDING = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class DrivenPath:
    """A motion from rest to rest at the robot's cycles.

    q, dq : (K, n)    Positions and velocities, 1 / `rate` apart [rad | m, per second].
    keep : (2,)       Time from which and to which the states are kept [s]; nothing is kept where they are equal.
    """

    rate: float
    q: Array
    dq: Array
    keep: tuple[float, float] = (0.0, 0.0)

    @property
    def duration(self) -> float:
        """[s]"""
        return (len(self.q) - 1) / self.rate

    @property
    def speeds(self) -> Array:
        """(n,) largest speed of each joint."""
        return np.abs(self.dq).max(axis=0)

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
    allowed = np.where(np.isfinite(limits.acceleration), limits.acceleration, limits.velocity / _RISE)
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


def slow_move(
    robot: Robot, start: Array, end: Array, *, limits: Limits, rate: float, hold: float = 0.0, collision: CollisionModel | None = None
) -> DrivenPath:
    """From one position to another, at rest at both, within the limits; then still for `hold` seconds. Nothing of it is kept.

    The joints go straight, or where that breaks a limit by way of a third position, at which the robot stands. LimitError of the straight
    way when no such one is found.
    """
    try:
        legs = [_straight(robot, start, end, limits, collision)]
    except LimitError:
        found = _detour(robot, start, end, limits, collision)
        if found is None:
            raise
        legs = found
    parts = [leg.sample(np.arange(math.ceil((leg.duration + hold * (leg is legs[-1])) * rate) + 1) / rate) for leg in legs]
    return DrivenPath(rate=rate, q=np.vstack([part.q for part in parts]), dq=np.vstack([part.dq for part in parts]))


def _straight(robot: Robot, start: Array, end: Array, limits: Limits, collision: CollisionModel | None) -> QuinticTrajectory:
    """The fastest move whose joints go straight; LimitError where it leaves what the limits allow."""
    acceleration = np.minimum(limits.acceleration, limits.velocity / _RISE)
    way = fastest_quintic(robot.joint_names, start, end, velocity=limits.velocity, acceleration=acceleration)
    time = np.linspace(0.0, way.duration, 2 + math.ceil(_PEAK * float(np.abs(end - start).max()) / _CHECK_STEP))
    refuse_broken(motion_margins(robot, limits, time, way.sample(time), collision), "the move there")
    return way


def _detour(robot: Robot, start: Array, end: Array, limits: Limits, collision: CollisionModel | None) -> list[QuinticTrajectory] | None:
    """Two straight moves by way of a position between, the same for the same ends; None when none of those that are tried will do."""
    low, high = position_range(limits)
    rng = np.random.default_rng(0)
    for spread in np.linspace(0.2, 1.0, _DETOURS):
        away = (start + end) / 2.0 + 0.5 * spread * (high - low) * rng.uniform(-1.0, 1.0, robot.n)
        between = np.clip(away, low, high)
        if not all(_holds(margin) for margin in standing_margins(robot, limits, between, collision)):
            continue
        try:
            return [_straight(robot, a, b, limits, collision) for a, b in ((start, between), (between, end))]
        except LimitError:
            continue
    return None


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
    for ease in _EASES:
        first, last = (min(ease, length) * bool(end) for end in moving)
        time = np.arange(math.ceil((length + (first + last) / 2.0) * rate) + 1) / rate
        along, pace, change = _eased(time, length, first, last)
        q, dq, ddq = curve(along)
        motion = Motion(q, dq * pace[:, None], ddq * pace[:, None] ** 2 + dq * change[:, None])
        margins = motion_margins(robot, limits, time, motion, collision)
        if all(_holds(margin) for margin in margins):
            return DrivenPath(rate=rate, q=motion.q, dq=motion.dq, keep=(0.0, float(time[-1])))
    refuse_broken(margins, "the trajectory")
    raise AssertionError("a limit that is broken was not named")


def _eased(time: Array, length: float, first: float, last: float) -> tuple[Array, Array, Array]:
    """The time along a trajectory, its pace and the change of that, each (N,): the pace rises as 3 u² - 2 u³, and falls likewise."""
    total = length + (first + last) / 2.0
    along, pace, change = time - first / 2.0, np.ones_like(time), np.zeros_like(time)
    for duration, since, begins in ((first, time, True), (last, total - time, False)):
        near = since < duration
        u = np.clip(since[near] / duration, 0.0, 1.0) if duration else np.empty(0)
        gone = duration * (u**3 - 0.5 * u**4)
        along[near] = gone if begins else length - gone
        pace[near] = u**2 * (3.0 - 2.0 * u)
        change[near] = (1.0 if begins else -1.0) * 6.0 * u * (1.0 - u) / duration if duration else u
    return np.clip(along, 0.0, length), pace, change


def refuse_broken(margins: list[LimitMargin], what: str) -> None:
    """LimitError for the first limit that is broken by more than rounding."""
    for margin in margins:
        if not _holds(margin):
            amount = f"by {-margin.margin:.3g} {margin.unit}"
            if not np.isnan(margin.share):
                amount = f"which takes {margin.share:.0%} of the {margin.margin / (1.0 - margin.share):.4g} {margin.unit} that are allowed"
            message = f"is broken by {what}, {amount}, {margin.time:.2f} s after its start; change the motion or the limits"
            raise LimitError(f"{margin.name} limit at {margin.where!r}", message)


def _holds(margin: LimitMargin) -> bool:
    return margin.holds or (margin.name in ("position", "velocity", "acceleration", "effort") and margin.share <= 1.0 + _ROUNDING)
