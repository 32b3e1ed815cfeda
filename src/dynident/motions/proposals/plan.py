"""`design_motion`: a motion that is named or given and not searched for, slowed down where limits need it, from rest to rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynident.dynamics.friction.model import FrictionModel
from dynident.motions.design.criterion import Kind, condition_number
from dynident.motions.design.descent import FINER
from dynident.motions.design.design import Design
from dynident.motions.design.earlier_run import EarlierRun
from dynident.motions.design.precision import predict_precision
from dynident.motions.design.problem import build_search
from dynident.motions.design.task import Task
from dynident.motions.limits.collision import CollisionModel, require_checked
from dynident.motions.limits.limits import LimitError, Limits, require_usable, robot_limits
from dynident.motions.limits.margins import LimitMargin, motion_margins
from dynident.motions.moves.drive import plan_drive
from dynident.motions.moves.home import find_home
from dynident.motions.moves.moves import refuse_broken
from dynident.motions.proposals.proposal import Stretchable, broken_on_path
from dynident.motions.proposals.registry import motion_kind
from dynident.motions.trajectories.trajectory import check_samples, sample_times
from dynident.robots.robot import Robot

#: A motion that has to be so many times slower than it was given is another motion; and how often a slower one is tried.
_SLOWEST, _TRIES = 20.0, 60
#: Share of every limit that a motion leaves for what peaks between the samples; more than easing needs (`drive`).
_RESERVE = 2e-4
#: Rates of a motion fall with these powers of its pace. Of torques only a part does, so that a motion that breaks their limit is made
#: at least so many times slower each time.
_POWERS = {"velocity": 1.0, "acceleration": 2.0, "effort": 2.0, "jerk": 3.0}
_EFFORT_STEP = 1.03


def design_motion(
    robot: Robot,
    motion: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    friction: FrictionModel | None,
    limits: Limits | None = None,
    home: ArrayLike | None = None,
    repeats: int = 1,
    rate: float = 100.0,
    unchecked: bool = False,
    criterion: Kind = "v_optimal",
    task: Task | None = None,
    torque_noise: ArrayLike | None = None,
    after: EarlierRun | None = None,
) -> Design:
    """A motion of the literature for a robot, from rest to rest, within all limits at ten times `rate` samples per second.

    Parameters
    ----------
    robot
        The robot.
    motion : str
        A name of `MOTIONS`: "sinusoids", "splines" or "friction-sweep".
    parameters : mapping, optional
        Keywords of the motion, such as amplitude, period and duration of sinusoids, times and knots of splines, speeds and hold of a
        friction sweep. What is not given is chosen within the limits.
    friction : FrictionModel or None
        Of the model whose expected precision is computed.
    limits, unchecked
        As those of `design_trajectory`.
    home : (n,), optional
        Where the robot stands before and after [rad | m]; by default `find_home` finds it.
    repeats : int
        How often it is driven; a motion that ends elsewhere than it starts only once.
    rate
        Samples per second [Hz].
    criterion, task, torque_noise, after
        Of the precision that is expected, as those of `design_trajectory`.

    Returns
    -------
    Design
        With its drive. A motion that breaks a limit of velocity, acceleration, torque or jerk is driven more slowly, which the
        description and a note say.

    Raises
    ------
    LimitError
        Where the path breaks a limit however slowly it is driven.
    """
    kind = motion_kind(motion)
    limits = robot_limits(robot) if limits is None else limits
    require_usable(robot, limits)
    not_checked = require_checked(robot, limits, unchecked=unchecked)
    collision, _ = CollisionModel.of_robot(robot)
    stand = find_home(robot, limits, collision, home)
    proposal = kind.propose(robot, limits=limits, home=stand.q, collision=collision, **(parameters or {}))
    check_samples(repeats * proposal.trajectory.duration, FINER * rate)
    length = proposal.trajectory.duration
    search = build_search(
        robot, limits=limits, friction=friction, duration=length, criterion=criterion, task=task, torque_noise=torque_noise, after=after
    )
    limits = search.penalty.limits  # by the model of an earlier run, where there is one
    trajectory, slower = _slow_down(robot, proposal.trajectory, limits, collision, FINER * rate)
    drive = plan_drive(
        robot, trajectory, limits=limits, home=home, repeats=repeats, rate=rate, collision=collision, check_rate=FINER * rate
    )
    base = search.criterion.base
    samples = trajectory.sample(sample_times(trajectory.duration, rate))
    return Design(
        trajectory=trajectory,
        base=base,
        criterion=search.criterion.kind,
        condition_number=condition_number(base, samples),
        value=search.criterion.value(samples),
        assumptions=search.assumptions,
        precision=predict_precision(base, drive.trajectory, search.assumptions),
        report=drive.report,
        limits=limits,
        history=(),
        notes=(*slower, *proposal.notes, *search.assumptions.notes),
        drive=drive,
        unchecked=not_checked,
        description=proposal.description + (f", {trajectory.duration / length:.3g} times slower" if slower else ""),
    )


def _slow_down(
    robot: Robot, motion: Stretchable, limits: Limits, collision: CollisionModel | None, rate: float
) -> tuple[Stretchable, tuple[str, ...]]:
    """The motion, as much slower as velocities, accelerations, torques and jerks need, and a note that says so."""
    time = sample_times(motion.duration, min(rate, 100.0))
    broken = broken_on_path(robot, limits, time, motion.sample(time), collision)
    refuse_broken([] if broken is None else [broken], "the motion at any pace")
    paced = replace(limits, boxes=(), floor=-np.inf, clearance=None)
    factor, names = 1.0, list[str]()
    for _ in range(_TRIES):
        slowed = motion.stretch(factor * motion.duration)
        time = sample_times(slowed.duration, rate)
        margins = motion_margins(robot, paced, time, slowed.sample(time), None)
        too_much = [margin for margin in margins if margin.name in _POWERS and margin.share > 1.0 - _RESERVE]
        if not too_much:
            return slowed, _note(motion, slowed, names)
        names += [f"{margin.name} limit of {margin.where}" for margin in too_much]
        factor *= max(_slower(margin) for margin in too_much)
        if factor > _SLOWEST:
            break
    raise LimitError(names[-1], f"is not kept even {factor:.3g} times slower than the motion was given; change the motion or the limits")


def _slower(margin: LimitMargin) -> float:
    """How many times slower a motion has to be that breaks a limit."""
    needed = (margin.share / (1.0 - 1.5 * _RESERVE)) ** (1.0 / _POWERS[margin.name])
    return max(needed, _EFFORT_STEP) if margin.name == "effort" else needed


def _note(motion: Stretchable, slowed: Stretchable, names: list[str]) -> tuple[str, ...]:
    if not names:
        return ()
    limits = " and ".join(dict.fromkeys(names))
    return (f"the motion lasts {slowed.duration:.4g} s instead of {motion.duration:.4g} s, for it would break the {limits}",)
