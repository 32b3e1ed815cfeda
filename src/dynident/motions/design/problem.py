"""What a trajectory is designed for, as options of `design_trajectory`, and the search that is built from them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_positive
from dynident.core.options import takes
from dynident.core.sizes import check_count
from dynident.dynamics.friction.model import FrictionModel
from dynident.dynamics.friction.smoothed import smooth
from dynident.errors import InputError, Remedy, ValueRangeError
from dynident.motions.design.assumptions import CUTOFF, Assumptions, assume
from dynident.motions.design.criterion import Criterion, mean_information
from dynident.motions.design.descent import FINER, DescentSearch
from dynident.motions.design.earlier_run import EarlierRun
from dynident.motions.design.parametrisation import SAMPLES_PER_WAVE, Parametrisation
from dynident.motions.design.task import Task, random_task
from dynident.motions.limits.collision import CollisionModel, require_checked
from dynident.motions.limits.limits import Limits, require_usable, robot_limits
from dynident.motions.limits.penalty import Penalty
from dynident.motions.limits.standing import standing_positions
from dynident.motions.options import DesignChoice, StartsChoice
from dynident.motions.trajectories.trajectory import check_samples
from dynident.regression.equations.base import BaseParameters, base_parameters
from dynident.robots.robot import Robot

#: W of the coefficients and what is known of them; None for that of the task.
Focus: TypeAlias = Callable[[BaseParameters, Assumptions], Array | None]

#: Length of one period unless another is asked for [s].
DURATION = 20.0
#: A jump of the friction at rest is smoothed over this share of the slowest joint's velocity limit while searching.
_SMOOTHING = 0.015


@dataclass(frozen=True, kw_only=True)
class ExcitationOptions(DesignChoice):
    """What is designed, for what, and within which limits.

    Attributes
    ----------
    friction : FrictionModel or None
        Friction model whose parameters are to be identified too; None for none.
    duration : float
        Length of one period [s].
    limits : Limits or None
        By default those of the robot's description.
    start : (n,) array_like
        Position at both ends; by default free.
    task : Task or None
        The motions whose torques are to be predicted; by default random ones within the limits.
    torque_noise : array_like or None
        Of each joint, or one for all, after the filter of `cutoff` [Hz]; by default a share of the effort limits [N·m | N].
    cutoff : float or None
        Of the filter of the later identification [Hz].
    after : EarlierRun or None
        A run that was done. What it tells counts; its noise is expected again, and torques are those of its model, with deviations.
    before : (b, b) array
        Information of more runs, done or planned.
    focus : callable, optional
        What v_optimal looks at in place of the task, W (b, b) for the coefficients and what is known of them.
    """

    friction: FrictionModel | None
    duration: float = DURATION
    limits: Limits | None = None
    start: ArrayLike | None = None
    task: Task | None = None
    torque_noise: ArrayLike | None = None
    cutoff: float | None = None
    after: EarlierRun | None = None
    before: Array | None = None
    focus: Focus | None = None


@dataclass(frozen=True, kw_only=True)
class SearchEffort(StartsChoice):
    """How long is searched, by what, and at which rate.

    Attributes
    ----------
    iterations : int
        Largest number of iterations of one start.
    budget : float or None
        Seconds after which no further iteration begins; None for no limit.
    rate : float
        Samples per second of the trajectory [Hz]; limits are checked at ten times that.
    executor : Executor or None
        Computes the starts; by default this process.
    progress : callable, optional
        Called several times a second with the share that is done, 0 to 1.
    """

    iterations: int = 300
    budget: float | None = None
    rate: float = 100.0
    executor: Executor | None = None
    progress: Callable[[float], None] | None = None


@dataclass(frozen=True, kw_only=True)
class DesignOptions(ExcitationOptions, SearchEffort):
    """What is designed, and how it is searched for.

    Attributes
    ----------
    unchecked : bool
        A motion is also wanted where collisions can't be checked; `Design.unchecked` says so then.
    """

    unchecked: bool = False


def require_designable(robot: Robot, options: DesignOptions) -> tuple[Limits, str]:
    """The limits, and why collisions are not checked (empty where they are); an error for what no search could be built of."""
    limits = robot_limits(robot) if options.limits is None else options.limits
    require_usable(robot, limits, options.start)
    check_samples(check_positive("duration", options.duration, "s"), options.rate)
    check_samples(options.duration, FINER * options.rate)
    return limits, require_checked(robot, limits, unchecked=options.unchecked)


@takes(ExcitationOptions)
def build_search(robot: Robot, options: ExcitationOptions) -> DescentSearch:
    """What every start of `design_trajectory` needs: the unknowns, the criterion, the penalty of the limits, and where starts begin.

    Parameters
    ----------
    robot
        Its limits and its solids are kept to; its nominal parameters are used for the torques.
    options : ExcitationOptions
        Those of `design_trajectory` that say what is designed.

    Returns
    -------
    DescentSearch
        What `search_trajectory` solves.

    Examples
    --------
    >>> from dynident import friction_model, load_robot
    >>> from dynident.motions import build_search, search_trajectory
    >>> problem = build_search(load_robot("planar_2r"), friction=friction_model("linear"), duration=5.0)
    >>> problem.parametrisation.harmonics
    5
    >>> search_trajectory(problem, starts=1, iterations=5).report.holds
    True
    """
    limits = robot_limits(robot) if options.limits is None else options.limits
    parametrisation = _parametrise(robot, limits, options)
    collision, _ = CollisionModel.of_robot(robot)
    friction, after = _check_friction(options.friction), options.after
    base = base_parameters(robot, friction=friction)
    rng = np.random.default_rng(np.random.SeedSequence(options.seed))
    smoothing = _SMOOTHING * float(limits.velocity.min())
    planned = limits if after is None else replace(limits, torque=None)  # of the description, until the run's model says more
    centres = standing_positions(robot, planned, collision, rng, parametrisation.start)
    task = options.task or random_task(robot, planned, collision, allowed=centres)
    assumptions = assume(base, task, torque_noise=options.torque_noise, cutoff=options.cutoff or CUTOFF, before=options.before)
    if after is not None:
        assumptions = after.continue_from(assumptions, base, torque_noise=options.torque_noise, cutoff=options.cutoff)
        limits = replace(limits, torque=after.torque_bound(assumptions, smoothing))
        centres = standing_positions(robot, limits, collision, rng, parametrisation.start)
    focus = None if options.focus is None else options.focus(base, assumptions)
    criterion = Criterion(
        base=base,
        kind=options.criterion,
        friction=None if friction is None else smooth(friction, smoothing),
        noise=assumptions.noise,
        samples=assumptions.rate * options.duration,
        information=assumptions.prior + assumptions.before,
        task=mean_information(base, assumptions.task.motion, assumptions.noise**-2) if focus is None else focus,
    )
    penalty = Penalty(robot=robot, limits=limits, collision=collision)
    return DescentSearch(
        robot=robot, parametrisation=parametrisation, criterion=criterion, penalty=penalty, centres=centres, assumptions=assumptions
    )


def _parametrise(robot: Robot, limits: Limits, options: ExcitationOptions) -> Parametrisation:
    """The unknowns of the Fourier series."""
    duration, harmonics = check_positive("duration", options.duration, "s"), options.harmonics
    waves = harmonics * max(1.0, duration * (options.base_frequency or 0.0))
    check_count("harmonics", 3.0 * waves * SAMPLES_PER_WAVE * (2 * harmonics + 1), what="numbers", remedy="take fewer, or a shorter motion")
    parametrisation = Parametrisation(
        joints=robot.joint_names,
        base_frequency=1.0 / duration if options.base_frequency is None else options.base_frequency,
        harmonics=harmonics,
        duration=duration,
        scale=limits.velocity / 2.0,
        rest=options.at_rest,
        start=None if options.start is None else np.asarray(options.start, dtype=float),
    )
    if parametrisation.unknowns < 3 * robot.n:
        raise ValueRangeError("harmonics", f"is {harmonics}, too few for a motion with these conditions at its ends; take more")
    return parametrisation


def _check_friction(friction: FrictionModel | None) -> FrictionModel | None:
    """The model; InputError where no motion can be designed for it."""
    if friction is None:
        return None
    remedy = Remedy("design it for {friction}; a log of it serves the other model too", friction="linear")
    if friction.shared:
        raise InputError(
            f"friction model {friction.name!r} has motors that turn several joints, for which no motion can be designed", remedy=remedy
        )
    if friction.needs:
        raise InputError(
            f"friction model {friction.name!r} needs the {' and '.join(sorted(friction.needs))} of the joints, which a motion that nobody "
            "has recorded doesn't have",
            remedy=remedy,
        )
    return friction
