"""`design_trajectory`: the Fourier trajectory that excites a robot's base parameters best within its limits."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.core.options import takes
from dynident.core.parallel import TICK, multi_start
from dynident.core.results import Result
from dynident.core.shared_shares import SharedShares
from dynident.errors import DynidentError
from dynident.motions.design.assumptions import Assumptions
from dynident.motions.design.criterion import Kind
from dynident.motions.design.descent import FINER, DescentSearch, TrajectoryCandidate
from dynident.motions.design.precision import ExpectedPrecision, predict_precision
from dynident.motions.design.problem import DesignOptions, SearchEffort, build_search, require_designable
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import Limits
from dynident.motions.limits.margins import LimitReport, check_trajectory
from dynident.motions.moves.drive import Drive, plan_drive
from dynident.motions.trajectories.trajectory import Trajectory, sample_times
from dynident.regression.equations.base import BaseParameters
from dynident.robots.robot import Robot

#: Starts unless a number is given.
_STARTS = 8
#: Starts that do all rounds: those whose objective is least after the first rounds. `descent.FIRST` says how often the best is among them.
_CARRIED = 3
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


@takes(DesignOptions)
def design_trajectory(robot: Robot, options: DesignOptions) -> Design:
    """The best Fourier trajectory of several starts that keeps all limits, also at ten times `rate` samples per second.

    Parameters
    ----------
    robot
        Its limits and its solids are kept to; its nominal parameters are used for the torques.
    options : DesignOptions
        What is designed and how it is searched for; its fields are keywords of this function.

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
    _, unchecked = require_designable(robot, options)
    return replace(search_trajectory(build_search(robot, options), options), unchecked=unchecked)


@takes(SearchEffort)
def search_trajectory(problem: DescentSearch, options: SearchEffort) -> Design:
    """The best trajectory of several starts.

    Parameters
    ----------
    problem
        What `build_search` built.
    options : SearchEffort
        How long is searched, and by what; its fields are keywords of this function.

    Returns
    -------
    Design
        The trajectory with its expected precision and the margins to all limits.
    """
    budget = options.budget
    search = replace(problem, iterations=options.iterations, deadline=np.inf if budget is None else time.time() + budget)
    starts = options.starts or (_STARTS if budget is None else _MANY)
    with SharedShares.of(starts) as shares:
        collected = _Collected(search, starts, budget, shares, options.progress)
        interrupted = _search_all(search, collected, options)
    if not collected.candidates:
        raise DynidentError("interrupted before a trajectory was found; nothing was written")
    notes = (f"{_INTERRUPTED}: the best of {len(collected.candidates)} begun so far",) if interrupted else ()
    return _finish(search, collected, rate=options.rate, notes=notes)


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


class _Collected:
    """Candidates as they come, and the share that is done; the one place that counts them."""

    def __init__(
        self, search: DescentSearch, starts: int, budget: float | None, shares: SharedShares, progress: Callable[[float], None] | None
    ) -> None:
        self.starts, self.budget, self.shares = starts, budget, shares
        self.is_selective = budget is None and starts > _CARRIED
        self._first = search.first_share
        self._work = starts * self._first + _CARRIED * (1.0 - self._first) if self.is_selective else float(starts)
        self.candidates: dict[int, TrajectoryCandidate] = {}
        self._began, self._told, self._share, self._progress = time.monotonic(), -np.inf, 0.0, progress

    def add(self, start: int, candidate: TrajectoryCandidate) -> None:
        self.candidates[start] = candidate
        self.shares(start, 1.0 if candidate.paused is None else self._first)
        self.tell()

    def note(self, start: int, share: float) -> None:
        """Of a start in this process."""
        self.shares(start, share)
        if time.monotonic() > self._told + TICK:
            self.tell()

    def tell(self) -> None:
        """The share of all starts that is done, or of the time."""
        self._told = time.monotonic()
        if self._progress is not None:
            elapsed = (self._told - self._began) / self.budget if self.budget else 0.0
            share = min(1.0, max(float(self.shares.read().sum()) / self._work, elapsed))
            if share > self._share:
                self._share = share
                self._progress(share)


def _search_all(search: DescentSearch, collected: _Collected, options: SearchEffort) -> bool:
    """Collect a candidate per start; whether the user interrupted it. A start that is interrupted ends with what it has.

    All starts do the first rounds, and the most promising of them the others; with a budget, each does all rounds.
    """
    try:
        if not collected.is_selective:
            _run_starts(search, collected, options, {})
        else:
            _run_starts(replace(search, begun={}), collected, options, {})
            begun = dict(collected.candidates)
            if not any(candidate.interrupted for candidate in begun.values()):
                carried = sorted(begun, key=lambda start: (_promise(begun[start]), start))[:_CARRIED]
                ended = {start: candidate for start, candidate in begun.items() if start not in carried}
                _run_starts(replace(search, begun=begun), collected, options, ended)
    except KeyboardInterrupt:  # between two starts, or while others work
        return True
    return any(candidate.interrupted for candidate in collected.candidates.values())


def _promise(candidate: TrajectoryCandidate) -> float:
    """What a start that has paused promises, the less the better."""
    return np.inf if candidate.paused is None else candidate.paused.objective


def _run_starts(search: DescentSearch, collected: _Collected, options: SearchEffort, ended: dict[int, TrajectoryCandidate]) -> None:
    """Run all starts but those that have ended."""
    apart = options.executor is not None and collected.starts > 1
    multi_start(
        replace(search, note=collected.shares if apart else collected.note),
        collected.starts,
        seed=options.seed,
        executor=options.executor,
        budget=collected.budget,
        finished=ended,
        on_finished=collected.add,
        on_tick=collected.tell,
        enough=lambda candidate: candidate.interrupted,
        patience=_PATIENCE,
    )


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
