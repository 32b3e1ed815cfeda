"""`plan_drive`: a periodic trajectory as a motion from rest to rest that a robot can be given as it is.

The whole periods are those of the design. Where the first one begins is free, for a period is as good from any of its moments: the one is
taken from which the way home and back is shortest. Getting under way and coming to rest happen on the periodic path, over as long as all
limits need; home is reached straight, or by way of other positions, as fast as the limits allow. Where no home is given or reached, the
robot stands where the motion gets under way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.core.texts import count_text
from dynident.errors import Remedy, ValueRangeError, require
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import LimitError, Limits
from dynident.motions.limits.margins import LimitReport, check_trajectory, motion_margins
from dynident.motions.moves.home import Home, HomeSource, find_home, may_stand
from dynident.motions.moves.moves import forgive_rounding, plan_move, refuse_broken, split_limits, straight_move
from dynident.motions.trajectories.driven import DrivenTrajectory, is_closed
from dynident.motions.trajectories.easing import ease
from dynident.motions.trajectories.piecewise import WaypointTrajectory
from dynident.motions.trajectories.trajectory import SampledMotion, Trajectory, check_samples
from dynident.robots.robot import Robot

#: Moments of a period at which the first one may begin.
_PHASES = 32
#: Shortest easing [s], how much longer the next one is that is tried, and samples per second at which it is looked at.
_SHORTEST, _LONGER, _LOOK = 1.0, 1.25, 500.0
#: Share of every limit that easing leaves, for what peaks between the samples.
_RESERVE = 1e-4
#: A speed [rad/s | m/s] and an acceleration [rad/s² | m/s²] that are none but for rounding.
_REST = 1e-9
#: A trajectory that stands so long before its start, or after its end, stands there [s].
_INSTANT = 1e-6
#: Moments from which ways home with a detour are looked for, the shortest first.
_DETOURED = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Drive:
    """A trajectory from rest to rest, where it begins and ends, and every limit along all of it.

    Attributes
    ----------
    trajectory : DrivenTrajectory
        From rest to rest.
    home : Home
        Where it begins and ends.
    report : LimitReport
        Every limit along all of it.
    """

    trajectory: DrivenTrajectory
    home: Home
    report: LimitReport

    @property
    def sentence(self) -> str:
        """What is driven, and how long each part takes."""
        driven = self.trajectory
        periods = f"{count_text(driven.repeats, 'period')} of {driven.period:g} s"
        there, back = driven.first_period, driven.duration - driven.first_period - driven.repeats * driven.period
        return f"From rest to rest in {driven.duration:.1f} s: {there:.1f} s to get under way, {periods}, {back:.1f} s to return."


def plan_drive(
    robot: Robot,
    trajectory: Trajectory,
    *,
    limits: Limits,
    home: ArrayLike | None = None,
    repeats: int = 1,
    phase: float | None = None,
    rate: float = 100.0,
    collision: CollisionModel | None = None,
    check_rate: float | None = None,
) -> Drive:
    """Approach, ease in, `repeats` whole periods, ease out, return; periods begin on a sample of `rate` [Hz].

    Parameters
    ----------
    robot
        The robot.
    trajectory
        The trajectory.
    limits
        Those of the whole drive.
    home : (n,) array_like
        Where the robot stands before and after; by default `find_home` finds one, or it is where the motion gets under way.
    repeats
        Number of whole periods.
    phase
        Time of the trajectory at which the first period begins [s]; by default the one with the shortest way home.
    rate
        Samples per second [Hz].
    collision
        The robot's solids, where they are known already.
    check_rate
        Samples per second at which limits are checked [Hz]; by default ten times `rate`.

    Returns
    -------
    Drive
        The driven trajectory with its start, its end and every limit along it.

    Notes
    -----
    LimitError names what bars the way when there is none.
    """
    if repeats < 1:
        raise ValueRangeError("repeats", f"is {repeats}; at least 1 was expected")
    check_samples(repeats * trajectory.duration, rate)
    if repeats > 1 and not is_closed(trajectory):
        raise ValueRangeError(
            "repeats", f"is {repeats}, but the trajectory's end is not its start; take a duration of whole periods, or drive it once"
        )
    stand = find_home(robot, limits, collision, home)
    entries = list(_entries(robot, trajectory, limits, phase))
    if not entries:
        raise LimitError("acceleration, torque or jerk limit", "leaves no way to get the motion under way from rest; loosen the limits")
    try:
        way = _find_way(robot, entries, limits, stand.q, collision)
    except LimitError:
        nearby = None if home is not None else _stand_at_motion(robot, entries, limits, collision)
        if nearby is None:
            raise
        stand, way = nearby
    driven = _on_samples(trajectory, way, repeats, rate)
    report = check_trajectory(driven, robot, limits, rate=check_rate or 10.0 * rate, collision=collision)
    refuse_broken(report.margins, "the motion with its approach and return")
    return Drive(trajectory=driven, home=stand, report=replace(report, margins=tuple(map(forgive_rounding, report.margins))))


class _Entry(NamedTuple):
    """Where a period can begin, how long easing takes before and after, and where the robot stands on the path then."""

    phase: float
    ease_in: float
    ease_out: float
    start: Array
    end: Array


class _Way(NamedTuple):
    entry: _Entry
    approach: WaypointTrajectory
    retreat: WaypointTrajectory


def _find_way(robot: Robot, entries: list[_Entry], limits: Limits, home: Array, collision: CollisionModel | None) -> _Way:
    """The shortest way home that keeps the limits; straight ones first."""

    def length(entry: _Entry) -> float:
        moves = straight_move(robot, home, entry.start, limits).duration + straight_move(robot, entry.end, home, limits).duration
        return moves + entry.ease_in + entry.ease_out

    entries = sorted(entries, key=length)
    barred: LimitError | None = None
    nearest = [round(float(value), 4) for value in entries[0].start]
    for entry, detours in [*((entry, False) for entry in entries), *((entry, True) for entry in entries[:_DETOURED])]:
        try:
            ends = ((home, entry.start), (entry.end, home))
            return _Way(entry, *(plan_move(robot, *pair, limits=limits, collision=collision, detours=detours) for pair in ends))
        except LimitError as error:
            barred = barred or error
    raise LimitError(
        require(barred, "an entry into the motion").limit,
        "bars every way that was tried between where the robot stands and the motion",
        remedy=Remedy("stand elsewhere before it, such as where it gets under way, {home}", home=nearest),
    )


def _stand_at_motion(robot: Robot, entries: list[_Entry], limits: Limits, collision: CollisionModel | None) -> tuple[Home, _Way] | None:
    """Where a motion gets under way, as the position before and after it, and the shortest way back there; None where there is none."""
    for entry in sorted(entries, key=lambda entry: straight_move(robot, entry.end, entry.start, limits).duration):
        if may_stand(robot, limits, collision, entry.start):
            try:
                back = plan_move(robot, entry.end, entry.start, limits=limits, collision=collision)
            except LimitError:
                continue
            stay = WaypointTrajectory.of_moves([straight_move(robot, entry.start, entry.start, limits)])
            return Home(q=entry.start, source=HomeSource.MOTION), _Way(entry, stay, back)
    return None


def _entries(robot: Robot, trajectory: Trajectory, limits: Limits, phase: float | None) -> Iterator[_Entry]:
    """Every moment at which a period may begin, with the shortest easing that keeps the limits."""
    closed, T = is_closed(trajectory), trajectory.duration
    at_rest = all(np.abs(values).max() < _REST for values in trajectory.sample([0.0])[1:])
    free = closed and not at_rest and phase is None
    for moment in np.arange(_PHASES) * (T / _PHASES) if free else [phase or 0.0]:

        def path(along: Array, moment: float = float(moment)) -> SampledMotion:
            time = moment + along
            return trajectory.sample(np.mod(time, T) if closed else time)

        first = _shortest_ease(robot, limits, path, 0.0, rising=True, longest=2.0 * T)
        last = _shortest_ease(robot, limits, path, 0.0 if closed else T, rising=False, longest=2.0 * T)
        if first is None or last is None:
            continue
        ends = np.array([-first / 2.0, (0.0 if closed else T) + last / 2.0])
        start, end = path(ends).q
        yield _Entry(float(moment), first, last, start, end)


def _shortest_ease(
    robot: Robot, limits: Limits, path: Callable[[Array], SampledMotion], at: float, *, rising: bool, longest: float
) -> float | None:
    """[s] over which the pace can rise before, or fall after, a time along a path; 0 at rest, None where no time is long enough.

    The way itself is that of a trajectory that was checked, so that only what depends on the pace is looked at.
    """
    outside = at - _INSTANT if rising else at + _INSTANT
    if any(all(np.abs(values).max() < _REST for values in path(np.array([moment]))[1:]) for moment in (at, outside)):
        return 0.0
    paced = replace(split_limits(limits)[0], position=np.full_like(limits.position, np.inf) * [-1.0, 1.0])
    duration = _SHORTEST
    while duration <= longest:
        time = np.linspace(0.0, duration, 1 + math.ceil(duration * _LOOK))
        pace = ease(time, duration / 2.0, duration if rising else 0.0, 0.0 if rising else duration)
        motion = pace.of(path(at + pace.along - (duration / 2.0 if rising else 0.0)))
        margins = motion_margins(robot, paced, time, motion, None)
        if all(margin.share <= 1.0 - _RESERVE for margin in margins):
            return duration
        duration *= _LONGER
    return None


def _on_samples(trajectory: Trajectory, way: _Way, repeats: int, rate: float) -> DrivenTrajectory:
    """The whole motion, its approach and return a little slower, so that periods begin, and all ends, on a sample."""
    entry = way.entry
    before = _ceil(way.approach.duration + entry.ease_in, rate)
    middle = before + repeats * trajectory.duration + entry.ease_out
    return DrivenTrajectory(
        trajectory=trajectory,
        approach=way.approach.stretch(before - entry.ease_in),
        retreat=way.retreat.stretch(_ceil(middle + way.retreat.duration, rate) - middle),
        repeats=repeats,
        ease_in=entry.ease_in,
        ease_out=entry.ease_out,
        phase=entry.phase,
    )


def _ceil(time: float, rate: float) -> float:
    return math.ceil(time * rate) / rate
