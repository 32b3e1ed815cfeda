"""`design_experiment`: how long must a robot be driven, and along how many trajectories, until enough is known?

Driving one trajectory again and again makes every deviation fall with one over the root of time, those that it excites badly too. So a
second trajectory is designed for what the first leaves open, then a third, as long as the whole experiment becomes clearly shorter by
it. How often each is driven is chosen one drive at a time, by what brings the goal nearer, and then as far reduced as the goal allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_positive
from dynident.core.results import Result
from dynident.errors import ValueRangeError
from dynident.motions.design.assumptions import Assumptions
from dynident.motions.design.design import Design, drive_design
from dynident.motions.design.goal import Goal, check_goal, make_goal
from dynident.motions.design.precision import ExpectedPrecision, precision_of, run_information
from dynident.motions.design.problem import Focus
from dynident.regression.equations.base import BaseParameters

#: Longest experiment that is looked for [s], and most trajectories in it.
LONGEST, MOST = 600.0, 4
#: A further trajectory is worth its approach and its file when it makes the experiment this much shorter.
_WORTH = 0.85


@dataclass(frozen=True, kw_only=True, eq=False)
class ExperimentStep:
    """What is known after a drive. time : of all drives so far [s]; trajectory : that of the last one, from 0."""

    time: float
    trajectory: int
    precision: ExpectedPrecision


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Experiment(Result):
    """Trajectories to drive, and what will be known over time.

    Attributes
    ----------
    designs, repeats
        The trajectories, and how often each is driven.
    goal : Goal
        What was asked for.
    before
        What is known before the first drive.
    steps
        What is known after each drive, in their order.
    alone : float
        Length that driving the first trajectory alone would take [s]; infinite where the goal is not reached by it.
    notes : tuple of str
        What a user of the experiment should know.
    """

    designs: tuple[Design, ...]
    repeats: tuple[int, ...]
    goal: Goal
    before: ExpectedPrecision
    steps: tuple[ExperimentStep, ...]
    alone: float
    notes: tuple[str, ...] = ()

    @property
    def duration(self) -> float:
        """Of all drives, without the ways there and back [s]."""
        return self.steps[-1].time

    @property
    def reached(self) -> bool:
        return self.goal.excess(self.steps[-1].precision) <= 1.0

    @property
    def trajectories(self) -> str:
        """How many, in words."""
        return "1 trajectory" if len(self.designs) == 1 else f"{len(self.designs)} trajectories"


class Designer(Protocol):
    """`design_trajectory` with all its arguments but these, such as partial(design_trajectory, robot, friction=linear())."""

    def __call__(
        self, *, seed: int, before: Array | None = None, focus: Focus | None = None, progress: Callable[[float], None] | None = None
    ) -> Design: ...


def design_experiment(
    design: Designer,
    *,
    precision: float | None = None,
    torque_error: float | None = None,
    longest: float = LONGEST,
    most: int = MOST,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Experiment:
    """The shortest experiment that reaches what is asked for, in whole drives of the trajectories that `design` makes.

    Parameters
    ----------
    design
        `design_trajectory` with all other arguments, such as `partial(design_trajectory, robot, friction=linear())`.
    precision
        Standard deviation of every coefficient that matters (see `Goal`), as a share of its value.
    torque_error
        RMS error of the torques that the model predicts in the task, as a share of their RMS.
    longest
        No experiment longer than this is looked for [s]; what is not reached by then is said.
    most
        Trajectories in it.
    seed
        Of the first trajectory.
    progress
        Called now and then with the share that is done, 0 to 1.

    Returns
    -------
    Experiment
        The trajectories, how often each is driven, and what is known after each drive.
    """
    check_positive("longest", longest, "s")
    if most < 1:
        raise ValueRangeError("most", f"is {most}; at least 1 trajectory was expected")
    check_goal(precision, torque_error)

    def focus(base: BaseParameters, assumptions: Assumptions) -> Array | None:
        goal = make_goal(base, assumptions, precision=precision, torque_error=torque_error)
        return goal.focus(precision_of(base, assumptions.before, assumptions))

    designs = [design(seed=seed, focus=focus, progress=_part(progress, 0, most))]
    base, assumptions, period = designs[0].base, designs[0].assumptions, designs[0].trajectory.duration
    if longest < period:
        raise ValueRangeError("longest", f"is {longest:g} s, less than the {period:g} s of one trajectory")
    goal = make_goal(base, assumptions, precision=precision, torque_error=torque_error)
    gain = _Gain(goal=goal, base=base, assumptions=assumptions, told=(_information(designs[0], assumptions),))
    drives = int(longest / period + 1e-9)
    plan = alone = gain.fewest(drives)
    while len(designs) < most and sum(plan) > 1 and not designs[-1].interrupted:
        once = gain.known([min(count, 1) for count in plan])
        another = design(
            seed=seed + len(designs),
            before=once.information - assumptions.before,
            focus=focus,
            progress=_part(progress, len(designs), most),
        )
        larger = replace(gain, told=(*gain.told, _information(another, assumptions)))
        improved = larger.fewest(drives)
        if not _is_better((gain.excess(plan), sum(plan)), (larger.excess(improved), sum(improved))):
            break
        designs, gain, plan = [*designs, another], larger, improved
    if progress is not None:
        progress(1.0)
    used = [i for i, count in enumerate(plan) if count]
    return Experiment(
        designs=tuple(designs[i] for i in used),
        repeats=tuple(plan[i] for i in used),
        goal=goal,
        before=precision_of(base, assumptions.before, assumptions),
        steps=tuple(_steps(gain, plan, period)),
        alone=sum(alone) * period if gain.excess([*alone, *[0] * (len(designs) - 1)]) <= 1.0 else np.inf,
    )


def drive_experiment(
    experiment: Experiment, *, home: ArrayLike | None = None, phase: float | None = None, rate: float = 100.0
) -> Experiment:
    """The experiment with a motion from rest to rest for each trajectory, all its periods in one; arguments as for `drive_design`.

    Parameters
    ----------
    experiment
        What `design_experiment` returned.
    home : (n,) array_like
        Where the robot stands before and after [rad | m].
    phase
        As in `drive_design`.
    rate
        Samples per second [Hz].

    Returns
    -------
    Experiment
        The same, with a drive for each trajectory.
    """
    pairs = zip(experiment.designs, experiment.repeats, strict=True)
    return replace(experiment, designs=tuple(drive_design(design, home=home, repeats=k, phase=phase, rate=rate) for design, k in pairs))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Gain:
    """What drives bring. told : (b, b) information of one drive of each trajectory."""

    goal: Goal
    base: BaseParameters
    assumptions: Assumptions
    told: tuple[Array, ...]

    def known(self, counts: list[int]) -> ExpectedPrecision:
        """What is known when each trajectory has been driven so often."""
        information = sum((count * one for count, one in zip(counts, self.told, strict=True)), self.assumptions.before)
        return precision_of(self.base, information, self.assumptions)

    def excess(self, counts: list[int]) -> float:
        return self.goal.excess(self.known(counts))

    def fewest(self, drives: int) -> list[int]:
        """How often each trajectory is to be driven so that the goal is reached, at most `drives` times in all."""
        counts = [0] * len(self.told)
        while not any(counts) or (sum(counts) < drives and self.excess(counts) > 1.0):
            choices = [_change(counts, i, 1) for i in range(len(counts))]
            counts = min(choices, key=lambda choice: self.goal.distance(self.known(choice)))
        for i in reversed(range(len(counts))):
            while counts[i] and sum(counts) > 1 and self.excess(_change(counts, i, -1)) <= 1.0:
                counts = _change(counts, i, -1)
        return counts


def _change(counts: list[int], place: int, by: int) -> list[int]:
    return [count + by * (i == place) for i, count in enumerate(counts)]


def _information(design: Design, assumptions: Assumptions) -> Array:
    """(b, b) of one drive."""
    return run_information(design.base, design.trajectory, torque_noise=assumptions.noise, rate=assumptions.rate)


def _is_better(old: tuple[float, int], new: tuple[float, int]) -> bool:
    """Whether one more trajectory is worth it, by excess and number of drives: a shorter experiment, or one that comes clearly nearer."""
    (excess, drives), (new_excess, new_drives) = old, new
    return new_excess <= _WORTH * excess if excess > 1.0 else new_excess <= 1.0 and new_drives <= _WORTH * drives


def _steps(gain: _Gain, plan: list[int], period: float) -> Iterator[ExperimentStep]:
    """The drives, trajectory after trajectory; those that are not driven don't count."""
    counts, place = [0] * len(plan), 0
    for i, repeats in enumerate(plan):
        for _ in range(repeats):
            counts = _change(counts, i, 1)
            yield ExperimentStep(time=sum(counts) * period, trajectory=place, precision=gain.known(counts))
        place += bool(repeats)


def _part(progress: Callable[[float], None] | None, index: int, of: int) -> Callable[[float], None] | None:
    return None if progress is None else lambda share: progress((index + share) / of)
