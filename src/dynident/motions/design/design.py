"""`design_trajectory`: the Fourier trajectory that excites a robot's base parameters best within its limits."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_positive
from dynident.core.parallel import multi_start
from dynident.core.results import Result
from dynident.core.sizes import check_count
from dynident.dynamics.friction.model import FrictionModel
from dynident.dynamics.friction.smoothed import smooth
from dynident.errors import DynidentError, InputError, Remedy, ValueRangeError
from dynident.motions.design.assumptions import CUTOFF, Assumptions, assume
from dynident.motions.design.criterion import Criterion, Kind, mean_information
from dynident.motions.design.descent import FINER, DescentSearch, TrajectoryCandidate
from dynident.motions.design.earlier_run import EarlierRun
from dynident.motions.design.parametrisation import SAMPLES_PER_WAVE, Parametrisation
from dynident.motions.design.precision import ExpectedPrecision, predict_precision
from dynident.motions.design.task import Task, random_task
from dynident.motions.limits.collision import CollisionModel, require_checked
from dynident.motions.limits.limits import Limits, require_usable, robot_limits
from dynident.motions.limits.margins import LimitReport, check_trajectory
from dynident.motions.limits.penalty import Penalty
from dynident.motions.limits.standing import standing_positions
from dynident.motions.moves.drive import Drive, plan_drive
from dynident.motions.trajectories.trajectory import Trajectory, check_samples, sample_times
from dynident.regression.equations.base import BaseParameters, base_parameters
from dynident.robots.robot import Robot

#: W of the coefficients and what is known of them; None for that of the task.
Focus: TypeAlias = Callable[[BaseParameters, Assumptions], Array | None]

#: Length of one period unless another is asked for [s].
DURATION = 20.0
#: A jump of the friction at rest is smoothed over this share of the slowest joint's velocity limit while searching.
_SMOOTHING = 0.015
#: Starts when only a time budget bounds them.
_MANY = 1000
#: Ctrl-C reaches the workers too, and they return what they have; this long they are waited for [s].
_PATIENCE = 5.0
_INTERRUPTED = "interrupted"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Design(Result):
    """A trajectory and what it will give.

    Attributes
    ----------
    trajectory : Trajectory
        The best that was found.
    base : BaseParameters
        The coefficients, and the friction model that they include.
    criterion : Kind
        What was minimised.
    condition_number : float
        Of the stacked base regressor, without scaling.
    value : float
        What was minimised: the condition number, or what `Criterion` says of its kind.
    assumptions, precision
        What was assumed before, and what will be known after.
    report, limits
        Every limit at ten times the sampling rate.
    history : tuple
        For each start that finished, its best value.
    notes : tuple of str
        What a user of the trajectory should know.
    drive : Drive or None
        The trajectory as a robot is given it, from rest to rest, once `drive_design` has planned that; `report` is then of all of it, and
        `precision` of all its periods.
    unchecked : str
        Why collisions are not known; empty where they were checked.
    description : str
        What the trajectory is, in a few words.
    """

    trajectory: Trajectory
    base: BaseParameters
    criterion: Kind
    condition_number: float
    value: float
    assumptions: Assumptions
    precision: ExpectedPrecision
    report: LimitReport
    limits: Limits
    history: tuple[float, ...]
    notes: tuple[str, ...] = ()
    drive: Drive | None = None
    unchecked: str = ""
    description: str = ""

    @property
    def interrupted(self) -> bool:
        """Whether the user ended the search."""
        return any(note.startswith(_INTERRUPTED) for note in self.notes)

    @property
    def std(self) -> Array:
        """(b,) expected standard deviations of the coefficients."""
        return self.precision.std


def design_trajectory(
    robot: Robot,
    *,
    friction: FrictionModel | None,
    duration: float = DURATION,
    harmonics: int = 5,
    base_frequency: float | None = None,
    limits: Limits | None = None,
    start: ArrayLike | None = None,
    at_rest: bool = False,
    criterion: Kind = "v_optimal",
    task: Task | None = None,
    torque_noise: ArrayLike | None = None,
    cutoff: float | None = None,
    after: EarlierRun | None = None,
    before: Array | None = None,
    focus: Focus | None = None,
    seed: int = 0,
    starts: int | None = None,
    iterations: int = 300,
    budget: float | None = None,
    rate: float = 100.0,
    unchecked: bool = False,
    executor: Executor | None = None,
    progress: Callable[[float], None] | None = None,
) -> Design:
    """The best Fourier trajectory of several starts that keeps all limits, also at ten times `rate` samples per second.

    Parameters
    ----------
    robot
        Its limits and its solids are kept to; its nominal parameters are used for the torques.
    friction
        Friction model whose parameters are to be identified too; None for none.
    duration
        Length of one period [s].
    harmonics
        Number of harmonics per joint.
    base_frequency
        Frequency of the first harmonic [Hz]; by default one period lasts `duration`.
    limits
        By default those of the robot's description.
    start : (n,) array_like
        Position at both ends; by default free.
    at_rest
        Velocity and acceleration are zero at both ends.
    criterion
        What is minimised: "v_optimal" (error of the torques in the task), "d_optimal" (volume of the confidence region) or "condition".
    task
        The motions whose torques are to be predicted; by default random ones within the limits.
    torque_noise
        Of each joint, or one for all, after the filter of `cutoff` [Hz]; by default a share of the effort limits [N·m | N].
    cutoff
        Of the filter of the later identification [Hz].
    after
        A run that was done. What it tells counts; its noise is expected again, and torques are those of its model, with deviations.
    before : (b, b) array
        Information of more runs, done or planned.
    focus
        What v_optimal looks at in place of the task, W (b, b) for the coefficients and what is known of them.
    seed
        Of the random starts.
    starts
        8 by default, with a budget as many as there is time for. The same seed and starts give the same trajectory on any number of
        workers; a budget [s] only keeps further iterations from beginning.
    iterations
        Largest number of iterations of one start.
    budget
        Seconds after which no further iteration begins; None for no limit.
    rate
        Samples per second of the criterion [Hz]; limits are checked at ten times that.
    unchecked
        A motion is also wanted where collisions can't be checked; `Design.unchecked` says so then.
    executor
        Computes the starts; by default this process.
    progress
        Called now and then with the share that is done, 0 to 1.

    Returns
    -------
    Design
        The trajectory with its expected precision and the margins to all limits.

    Raises
    ------
    LimitError
        When no trajectory can keep the limits, naming the one that stops it.

    Notes
    -----
    Interrupted (Ctrl-C), the best so far is returned, with a note.

    Examples
    --------
    >>> from dynident import design_trajectory, friction_model, load_robot
    >>> robot = load_robot("planar_2r")
    >>> design = design_trajectory(robot, friction=friction_model("linear"), duration=5.0, starts=1, iterations=5, unchecked=True)
    >>> design.report.holds
    True
    """
    limits = robot_limits(robot) if limits is None else limits
    require_usable(robot, limits, start)
    check_samples(check_positive("duration", duration, "s"), rate)
    check_samples(duration, FINER * rate)
    not_checked = require_checked(robot, limits, unchecked=unchecked)
    search = prepare_search(
        robot,
        limits,
        friction=friction,
        duration=duration,
        harmonics=harmonics,
        base_frequency=base_frequency,
        start=start,
        at_rest=at_rest,
        criterion=criterion,
        task=task,
        torque_noise=torque_noise,
        cutoff=cutoff,
        after=after,
        before=before,
        focus=focus,
        seed=seed,
    )
    began = time.monotonic()
    search = replace(search, iterations=iterations, deadline=np.inf if budget is None else time.time() + budget)
    collected = _Collected(starts or (8 if budget is None else _MANY), budget, began, progress)
    interrupted = _search_all(search, collected, seed, executor)
    if not collected.candidates:
        raise DynidentError("interrupted before a trajectory was found; nothing was written")
    notes = (f"{_INTERRUPTED}: the best of {len(collected.candidates)} begun so far",) if interrupted else ()
    return replace(_finish(search, collected, rate=rate, notes=notes), unchecked=not_checked)


def drive_design(
    design: Design, *, home: ArrayLike | None = None, repeats: int = 1, phase: float | None = None, rate: float = 100.0
) -> Design:
    """The design as a motion from rest to rest with `repeats` whole periods.

    Parameters
    ----------
    design
        What `design_trajectory` returned.
    home : (n,) array_like
        Where the robot stands before and after [rad | m]; the others too are those of `plan_drive`.
    repeats
        Number of whole periods.
    phase
        Time of the trajectory at which the first period begins [s]; by default the one with the shortest way home.
    rate
        Samples per second [Hz].

    Returns
    -------
    Design
        The same, with its drive and the limits along all of it.
    """
    robot, limits = design.base.robot, design.limits
    collision, _ = CollisionModel.of_robot(robot)
    drive = plan_drive(
        robot,
        design.trajectory,
        limits=limits,
        home=home,
        repeats=repeats,
        phase=phase,
        rate=rate,
        collision=collision,
        check_rate=FINER * rate,
    )
    report = replace(drive.report, notes=design.report.notes)
    precision = predict_precision(design.base, drive.trajectory, design.assumptions)
    return replace(design, drive=replace(drive, report=report), report=report, precision=precision)


def prepare_search(
    robot: Robot,
    limits: Limits,
    *,
    friction: FrictionModel | None,
    duration: float = DURATION,
    harmonics: int = 5,
    base_frequency: float | None = None,
    start: ArrayLike | None = None,
    at_rest: bool = False,
    criterion: Kind = "v_optimal",
    task: Task | None = None,
    torque_noise: ArrayLike | None = None,
    cutoff: float | None = None,
    after: EarlierRun | None = None,
    before: Array | None = None,
    focus: Focus | None = None,
    seed: int = 0,
) -> DescentSearch:
    """What every start of `design_trajectory` needs, for the same arguments."""
    check_positive("duration", duration, "s")
    if harmonics < 1:
        raise ValueRangeError("harmonics", f"is {harmonics}; at least 1 was expected")
    waves = harmonics * max(1.0, duration * (base_frequency or 0.0))
    check_count("harmonics", 3.0 * waves * SAMPLES_PER_WAVE * (2 * harmonics + 1), what="numbers", remedy="take fewer, or a shorter motion")
    parametrisation = Parametrisation(
        joints=robot.joint_names,
        base_frequency=check_positive("base_frequency", 1.0 / duration if base_frequency is None else base_frequency, "Hz"),
        harmonics=harmonics,
        duration=duration,
        scale=limits.velocity / 2.0,
        rest=at_rest,
        start=None if start is None else np.asarray(start, dtype=float),
    )
    if parametrisation.unknowns < 3 * robot.n:
        raise ValueRangeError("harmonics", f"is {harmonics}, too few for a motion with these conditions at its ends; take more")
    collision, _ = CollisionModel.of_robot(robot)
    if friction is not None and friction.shared:
        raise InputError(
            f"friction model {friction.name!r} has motors that turn several joints, for which no motion can be designed",
            remedy=Remedy("design it for {friction}; a log of it serves the other model too", friction="linear"),
        )
    if friction is not None and friction.needs:
        raise InputError(
            f"friction model {friction.name!r} needs the {' and '.join(sorted(friction.needs))} of the joints, which a motion that nobody "
            "has recorded doesn't have",
            remedy=Remedy("design it for {friction}; a log of it serves the other model too", friction="linear"),
        )
    base = base_parameters(robot, friction=friction)
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    smoothing = _SMOOTHING * float(limits.velocity.min())
    smoothed = None if friction is None else smooth(friction, smoothing)
    planned = limits if after is None else replace(limits, torque=None)  # of the description, until the run's model says more
    centres = standing_positions(robot, planned, collision, rng, parametrisation.start)
    expected = task or random_task(robot, planned, collision, allowed=centres)
    assumptions = assume(base, expected, torque_noise=torque_noise, cutoff=cutoff or CUTOFF, before=before)
    if after is not None:
        assumptions = after.continue_from(assumptions, base, torque_noise=torque_noise, cutoff=cutoff)
        limits = replace(limits, torque=after.torque_bound(assumptions, smoothing))
        centres = standing_positions(robot, limits, collision, rng, parametrisation.start)
    looked_at = None if focus is None else focus(base, assumptions)
    measure = Criterion(
        base=base,
        kind=criterion,
        friction=smoothed,
        noise=assumptions.noise,
        samples=assumptions.rate * duration,
        information=assumptions.prior + assumptions.before,
        task=mean_information(base, assumptions.task.motion, assumptions.noise**-2) if looked_at is None else looked_at,
    )
    penalty = Penalty(robot=robot, limits=limits, collision=collision)
    return DescentSearch(
        robot=robot, parametrisation=parametrisation, criterion=measure, penalty=penalty, centres=centres, assumptions=assumptions
    )


class _Collected:
    """Candidates as they come; the one place that counts them."""

    def __init__(self, starts: int, budget: float | None, began: float, progress: Callable[[float], None] | None) -> None:
        self.starts = starts
        self.candidates: dict[int, TrajectoryCandidate] = {}
        self.budget, self._began, self._progress = budget, began, progress

    def add(self, start: int, candidate: TrajectoryCandidate) -> None:
        self.candidates[start] = candidate
        if self._progress is not None:
            elapsed = (time.monotonic() - self._began) / self.budget if self.budget else 0.0
            self._progress(min(1.0, max(len(self.candidates) / self.starts, elapsed)))


def _search_all(search: DescentSearch, collected: _Collected, seed: int, executor: Executor | None) -> bool:
    """Collect a candidate per start; whether the user interrupted it. A start that is interrupted ends with what it has."""
    try:
        multi_start(
            search,
            collected.starts,
            seed=seed,
            executor=executor,
            budget=collected.budget,
            on_finished=collected.add,
            enough=lambda candidate: candidate.interrupted,
            patience=_PATIENCE,
        )
    except KeyboardInterrupt:  # between two starts, or while others work
        return True
    return any(candidate.interrupted for candidate in collected.candidates.values())


def _finish(search: DescentSearch, collected: _Collected, *, rate: float, notes: tuple[str, ...]) -> Design:
    """The best candidate, checked once more at ten times the rate at which it will be used.

    Candidates keep a reserve at the search's sampling, so that they hold at this one. One that doesn't is repaired, which may cost so much
    of its amplitude that the next best is better.
    """
    parametrisation, limits = search.parametrisation, search.penalty.limits
    check = partial(check_trajectory, robot=search.robot, limits=limits, rate=FINER * rate, collision=search.penalty.collision)
    still = parametrisation.standing_still(search.centres[0])
    settled: list[tuple[TrajectoryCandidate, LimitReport]] = []
    for candidate in sorted(collected.candidates.values(), key=lambda candidate: (candidate.value, candidate.start)):
        if any(other.value <= candidate.value for other, _ in settled):
            break
        kept, report = candidate, check(parametrisation.trajectory(candidate.x))
        if not report.holds:
            kept = search.repair(candidate.x, still, sample_times(parametrisation.duration, FINER * rate))
            report = check(parametrisation.trajectory(kept.x))
        if report.holds:
            settled.append((kept, report))
    if not settled:  # can't happen: standing still at a centre keeps all limits
        raise DynidentError("no trajectory was found that keeps all limits; try another seed or more starts")
    best, report = min(settled, key=lambda pair: pair[0].value)
    trajectory = parametrisation.trajectory(best.x)
    base = search.criterion.base
    return Design(
        trajectory=trajectory,
        base=base,
        criterion=search.criterion.kind,
        condition_number=best.condition_number,
        value=best.value,
        assumptions=search.assumptions,
        precision=predict_precision(base, trajectory, search.assumptions),
        report=report,
        limits=limits,
        history=tuple(collected.candidates[start].value for start in sorted(collected.candidates)),
        notes=(*notes, *search.assumptions.notes),
        description=f"{parametrisation.harmonics} harmonics of {parametrisation.base_frequency:.4g} Hz",
    )
