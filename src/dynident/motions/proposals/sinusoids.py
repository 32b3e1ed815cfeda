"""Sinusoidal velocities, eq. (31) of Gaz et al., IEEE RA-L 4(4), 2019: as given, or chosen within the robot's limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array, check_positive, per_joint
from dynident.core.fields import read_fields
from dynident.data.dataset import Dataset
from dynident.errors import InputError, require
from dynident.motions.design.problem import DURATION
from dynident.motions.design.shrinking import largest_share
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import LimitError, Limits
from dynident.motions.limits.margins import LimitMargin, iterate_margins
from dynident.motions.moves.moves import holds
from dynident.motions.proposals.proposal import MotionKind, ProposedMotion, broken_on_path, inner_limits, tried_centres
from dynident.motions.trajectories.sinusoid import SinusoidTrajectory
from dynident.robots.robot import Robot

#: Periods of the first and of the last joint where none are given, about as in Table I of the paper [s]; those between are a constant
#: factor apart, so that the joints don't repeat together.
_SLOWEST, _FASTEST = 4.0, 1.2
#: Samples per second at which a motion is looked at while it is chosen [Hz], and how long it goes on before and after, to be eased [s].
_LOOK, _EASED = 50.0, 2.0
#: Positions about which a motion is tried.
_CENTRES = 16
#: With a smaller share of the speed that each joint could have by itself the robot hardly moves.
_LEAST = 0.02


def propose_sinusoids(
    robot: Robot,
    *,
    limits: Limits,
    home: Array,
    collision: CollisionModel | None = None,
    amplitude: ArrayLike | None = None,
    period: ArrayLike | None = None,
    start: ArrayLike | None = None,
    duration: float = DURATION,
) -> ProposedMotion:
    """dq_j(t) = A_j sin(2π t / T_j) for every joint.

    Parameters
    ----------
    limits, home, collision
        What has to be kept, where the robot stands before and after (n,) [rad | m], and its solids.
    amplitude : scalar or (n,), optional
        Velocity amplitudes A [rad/s | m/s]; by default as large as the limits allow, all joints in the same proportion to what each
        could do by itself.
    period : scalar or (n,), optional
        Periods T [s]; by default from 4 s at the first joint to 1.2 s at the last.
    start : (n,), optional
        Position at time 0 [rad | m], from which a joint moves to start + A T / π and back. By default the joints swing about home, or
        about another position where that leaves more room.
    duration : float
        Length [s].

    Raises
    ------
    LimitError
        Where the path breaks a limit at any pace, such as a joint's range.
    """
    T = _default_periods(robot.n) if period is None else per_joint("period", period, robot.n, sign="positive")
    check_positive("duration", duration, "s")
    centres = tried_centres(robot, limits, collision, home, _CENTRES)
    if amplitude is None:
        if start is not None:
            raise InputError("a start was given without amplitudes and periods, which are chosen together with it; give all of them")
        return _choose(robot, inner_limits(limits), collision, centres, T, duration)
    A = per_joint("amplitude", amplitude, robot.n)
    motion = SinusoidTrajectory(joints=robot.joint_names, amplitude=A, period=T, start=np.zeros(robot.n), duration=duration)
    if start is None:
        motion = _place(robot, limits, collision, centres, motion)
    else:
        motion = replace(motion, start=check_array("start", start, (robot.n,), f"({robot.n},) = one per joint"))
    return ProposedMotion(motion, "sinusoidal velocities of eq. (31) as given")


def _place(
    robot: Robot, limits: Limits, collision: CollisionModel | None, centres: Array, motion: SinusoidTrajectory
) -> SinusoidTrajectory:
    """The motion about the first position at which its path keeps the limits."""
    reach = motion.amplitude * motion.period / (2.0 * np.pi)  # signed: the joint swings to start + 2 reach
    low, high = limits.position[:, 0] + np.abs(reach), limits.position[:, 1] - np.abs(reach)
    for joint, least, most, swing in zip(robot.joints, low, high, 2.0 * np.abs(reach), strict=True):
        if least > most:
            room = f"leaves {most - least + swing:.3g} {joint.units.position}, and A T / π is {swing:.3g}"
            raise LimitError(f"position limit of joint {joint.name!r}", f"{room}; take a smaller amplitude or a shorter period")
    nearest: LimitMargin | None = None
    for centre in centres:
        placed = replace(motion, start=np.clip(centre, low, high) - reach)
        time = _looked_at(placed)
        broken = broken_on_path(robot, limits, time, placed.sample(time), collision)
        if broken is None:
            return placed
        nearest = broken if nearest is None or broken.margin > nearest.margin else nearest
    nearest = require(nearest, "a position about which to move")
    amount = f"by {-nearest.margin:.3g} {nearest.unit} or more about all {len(centres)} positions that were tried"
    raise LimitError(nearest.title, f"is broken {amount}; take smaller amplitudes or shorter periods, or give the start")


def _choose(robot: Robot, limits: Limits, collision: CollisionModel | None, centres: Array, T: Array, duration: float) -> ProposedMotion:
    """About the position, of those that are tried, at which the joints may swing fastest."""
    best, share = None, _LEAST
    for centre in centres:
        shrink = _swings(limits, centre, T, duration, robot.joint_names)

        def keeps(factor: float, shrink: Callable[[float], SinusoidTrajectory] = shrink) -> bool:
            motion = shrink(factor)
            time = _looked_at(motion)
            return all(map(holds, iterate_margins(robot, limits, time, motion.sample(time), collision, enough=0.0)))

        if not keeps(share):
            continue  # no better than what was found
        share = max(share, largest_share(keeps))
        best = shrink(share)
        if share == 1.0:
            break
    if best is None:
        raise InputError("no position was found about which all joints can swing within the limits", remedy="loosen the limits")
    amplitudes, periods = (", ".join(f"{value:.3g}" for value in values) for values in (best.amplitude, best.period))
    chosen = f"amplitudes of {amplitudes} {robot.unit('velocity')} and periods of {periods} s were chosen"
    return ProposedMotion(
        best,
        "sinusoidal velocities of eq. (31) within the limits",
        (f"{chosen}: {share:.0%} of the speed that each joint could have by itself",),
    )


def _swings(limits: Limits, centre: Array, T: Array, duration: float, joints: tuple[str, ...]) -> Callable[[float], SinusoidTrajectory]:
    """Motions about a position (n,): of a share of the velocity that each joint's own limits allow."""
    room = np.minimum(limits.position[:, 1] - centre, centre - limits.position[:, 0])
    largest = np.minimum.reduce([limits.velocity, limits.acceleration * T / (2.0 * np.pi), 2.0 * np.pi * room / T])

    def shrink(share: float) -> SinusoidTrajectory:
        A = share * largest
        return SinusoidTrajectory(joints=joints, amplitude=A, period=T, start=centre - A * T / (2.0 * np.pi), duration=duration)

    return shrink


def _looked_at(motion: SinusoidTrajectory) -> Array:
    """(N,) times of a motion, and of what comes before and after it while it is eased in and out [s]."""
    return np.arange(-_EASED, motion.duration + _EASED, 1.0 / _LOOK)


def _default_periods(n: int) -> Array:
    return np.geomspace(_SLOWEST, _FASTEST, n) if n > 1 else np.array([_SLOWEST])


def _read(file: Path, robot: Robot, samples: Callable[[Path], Dataset]) -> dict[str, Any]:
    """amplitude and period: a number or a list with one per joint."""
    fields = read_fields(file)
    fields.only(("amplitude", "period"))
    values = {key: fields.per_joint(key, robot.n) for key in ("amplitude", "period")}
    if np.any(values["period"] <= 0.0):
        raise fields.error("period", "must be positive [s]")
    if not np.any(values["amplitude"]):
        raise fields.error("amplitude", "is 0 for all joints, so that none moves")
    return values


SINUSOIDS = MotionKind(
    name="sinusoids",
    about="all joints with dq = A sin(2π t / T), eq. (31) of the Panda paper; FILE: YAML with amplitude and period, else chosen",
    propose=propose_sinusoids,
    read=_read,
    takes=("duration", "start"),
)
