"""Moves from one standing position to another within the limits: straight in joint space, or by way of other positions.

A move is as fast as velocity, acceleration, jerk and torque allow; the path, and with it every distance, does not depend on the pace.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from dynident.core.arrays import Array
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import LimitError, Limits
from dynident.motions.limits.margins import LimitMargin, iterate_margins, position_range
from dynident.motions.moves.detours import find_detour
from dynident.motions.trajectories.piecewise import PEAK_VELOCITY, QuinticTrajectory, WaypointTrajectory, fastest_quintic
from dynident.robots.robot import Robot

#: Share of the velocity limits between standing positions, and on the way to where a recording begins, from wherever the robot is.
MOVE_SPEED = 0.2
#: A joint without an acceleration limit reaches the speed that it may have in this time [s].
RISE = 0.5
#: A move is checked at positions so far apart [rad | m], and at least at so many.
_CHECK_STEP, _LEAST_CHECKS = 0.03, 100
#: How many times longer a move may take than velocity, acceleration and jerk need, where it takes too much torque.
_SLOWER = (1.0, 1.15, 1.35, 1.6, 2.0, 2.5, 3.5, 5.0)
#: Share of a torque limit that a move leaves, for what peaks between the positions at which it is checked.
_TORQUE_RESERVE = 0.002
#: Positions that are tried where the straight way is barred.
_DETOURS = 200
#: Overshoot that passes as the rounding of a motion designed up to its limits, as a share of the limit.
_ROUNDING = 1e-6


def slow_limits(limits: Limits, speed: float = MOVE_SPEED) -> Limits:
    """The limits of moves: a share of the velocities."""
    return replace(limits, velocity=limits.velocity * speed)


def split_limits(limits: Limits) -> tuple[Limits, Limits]:
    """The limits that depend on the pace of a motion (and the positions), and those that depend on its path alone."""
    endless = np.full(len(limits.velocity), np.inf)
    paced = replace(limits, boxes=(), floor=-np.inf, clearance=None)
    return paced, replace(limits, velocity=endless, acceleration=endless, effort=endless, jerk=endless)


def plan_move(
    robot: Robot, start: Array, end: Array, *, limits: Limits, collision: CollisionModel | None = None, detours: bool = True
) -> WaypointTrajectory:
    """From one position (n,) to another, at rest at both, as fast as the limits allow.

    The joints go straight, or where that breaks a limit by way of other positions, at which the robot stands; they are the same for the
    same ends. LimitError of the straight way when none are found.
    """
    try:
        return WaypointTrajectory.of_moves([_straight(robot, start, end, limits, collision)])
    except LimitError:
        detour = _detour(robot, start, end, limits, collision) if detours else None
        if detour is None:
            raise
        return WaypointTrajectory.of_moves(detour)


def straight_move(robot: Robot, start: Array, end: Array, limits: Limits) -> QuinticTrajectory:
    """The fastest move whose joints go straight and keep velocity, acceleration and jerk; nothing else of it is checked."""
    acceleration = move_acceleration(limits)
    return fastest_quintic(robot.joint_names, start, end, velocity=limits.velocity, acceleration=acceleration, jerk=limits.jerk)


def move_acceleration(limits: Limits) -> Array:
    """(n,) of a joint that moves from rest to rest: what its limit allows, and no more than its speed needs."""
    return np.minimum(limits.acceleration, limits.velocity / RISE)


def refuse_broken(margins: Iterable[LimitMargin], what: str) -> None:
    """LimitError for the first limit that is broken by more than rounding."""
    for margin in margins:
        if not holds(margin):
            amount = f"by {-margin.margin:.3g} {margin.unit}"
            if not np.isnan(margin.share):
                amount = f"which takes {margin.share:.0%} of the {margin.margin / (1.0 - margin.share):.4g} {margin.unit} that are allowed"
            message = f"is broken by {what}, {amount}, {margin.time:.2f} s after its start; change the motion or the limits"
            raise LimitError(f"{margin.name} limit at {margin.where!r}", message)


def holds(margin: LimitMargin) -> bool:
    """Whether a limit holds, up to rounding where it is a range."""
    return margin.holds or (not np.isnan(margin.share) and margin.share <= 1.0 + _ROUNDING)


def forgive_rounding(margin: LimitMargin) -> LimitMargin:
    """The margin; none is left, but the limit holds, where it is missed by rounding."""
    return replace(margin, margin=0.0) if holds(margin) and not margin.holds else margin


def _straight(robot: Robot, start: Array, end: Array, limits: Limits, collision: CollisionModel | None) -> QuinticTrajectory:
    """The fastest move whose joints go straight; LimitError where it leaves what the limits allow."""
    fastest = straight_move(robot, start, end, limits)
    paced, placed = split_limits(limits)
    paced = replace(paced, effort=(1.0 - _TORQUE_RESERVE) * limits.effort)
    count = max(_LEAST_CHECKS, 2 + math.ceil(PEAK_VELOCITY * float(np.abs(end - start).max()) / _CHECK_STEP))
    way, time, broken = fastest, np.linspace(0.0, fastest.duration, count), list[LimitMargin]()
    for slower in _SLOWER:
        way = replace(fastest, duration=slower * fastest.duration)
        time = np.linspace(0.0, way.duration, count)
        broken = [margin for margin in iterate_margins(robot, paced, time, way.sample(time), None) if not holds(margin)]
        if not any(margin.name == "effort" for margin in broken):
            break
    refuse_broken(broken, "the move there")
    refuse_broken(iterate_margins(robot, placed, time, way.sample(time), collision, enough=0.0), "the move there")
    return way


def _detour(robot: Robot, start: Array, end: Array, limits: Limits, collision: CollisionModel | None) -> list[QuinticTrajectory] | None:
    """Straight moves by way of positions between; None when none of those that are tried will do."""
    low, high = position_range(limits)

    def is_free(a: Array, b: Array) -> bool:
        try:
            _straight(robot, a, b, limits, collision)
        except LimitError:
            return False
        return True

    detour = find_detour(start, end, low=low, high=high, is_free=is_free, tries=_DETOURS)
    return None if detour is None else [_straight(robot, a, b, limits, collision) for a, b in pairwise(detour)]
