"""`check_motion`: may a robot be given these samples? Every limit, between the samples too, rest at both ends, and no jumps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dynident.core.arrays import Array
from dynident.core.results import Tabular
from dynident.data.dataset import Dataset
from dynident.errors import DynidentError, InputError, Remedy
from dynident.motions.limits.collision import unchecked_collisions
from dynident.motions.limits.limits import Limits, robot_limits
from dynident.motions.limits.limits_file import read_limits
from dynident.motions.limits.margins import LimitMargin, LimitReport, check_trajectory
from dynident.motions.trajectories.piecewise import SampledTrajectory
from dynident.robots.robot import Robot

#: Limits are looked at as often as this, and at the samples themselves [Hz].
_RATE = 1000.0
#: A robot stands where no joint is faster than this share of its velocity limit.
_REST = 1e-3
#: Overshoot that passes as rounding, as a share of a limit: of motions whose file tells the derivatives, and of others.
_ROUNDING, _DERIVED = 1e-6, 1e-3
#: The same of distances [m].
_HAIR = 1e-4
#: Velocities in a file are those of its positions if they differ by less than this share of the velocity limit.
_AGREE = 0.05
#: Clocks whose steps differ by more than this share from the usual one are noted.
_REGULAR = 0.01
#: Samples that are farther apart tell no velocity by themselves [s].
_DENSE = 0.1
_START, _END, _STEP, _GIVEN = "rest at the start", "rest at the end", "step between samples", "velocities given"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MotionCheck(Tabular):
    """Whether samples can be driven.

    Attributes
    ----------
    robot : Robot
        Whose motion it is.
    samples : Dataset
        The motion.
    report : LimitReport
        Every limit with its worst margin; then rest at both ends, the largest step between two samples and, where the file has velocities,
        how well they agree with its positions.
    unchecked : str
        A sentence on what could not be checked; empty where everything was, or where the limits don't ask for it.
    notes : tuple of str
        What a user of the motion should know.
    """

    robot: Robot
    samples: Dataset
    report: LimitReport
    unchecked: str = ""
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether everything that was checked is in order."""
        return self.report.holds

    @property
    def sentence(self) -> str:
        """The verdict in one sentence: the first thing that is broken, or that nothing is."""
        if self.holds:
            return f"{self.samples.source} keeps all limits of {self.robot.name}, starts and ends at rest"
        return broken_sentence(self.report.broken[0])

    def require(self, *, unchecked: bool = False) -> None:
        """DynidentError for the first thing that is broken and, unless `unchecked`, for links that could not be kept apart."""
        if not self.holds:
            raise DynidentError(self.sentence)
        if self.unchecked and not unchecked:
            remedy = Remedy("look at the motion, and accept it with {unchecked}", unchecked=True)
            raise DynidentError(f"{self.samples.source} keeps what could be checked, but {self.unchecked}", remedy=remedy)


def check_motion(robot: Robot, samples: Dataset, limits: Limits | None = None) -> MotionCheck:
    """Compare samples of a motion with limits, at the samples and between them.

    Parameters
    ----------
    robot
        The robot.
    samples
        Samples of the motion: time and q, better with dq and ddq too.
    limits
        By default all that the robot's description allows. Between samples the motion is that of `SampledTrajectory`.

    Returns
    -------
    MotionCheck
        Whether it can be driven, with every limit and its worst margin.
    """
    if samples.n != robot.n:
        raise InputError(f"{samples.source} has {samples.n} joints, but robot {robot.name!r} has {robot.n}; give one column per joint")
    given = full_limits(robot) if limits is None else limits
    motion = SampledTrajectory.of_dataset(samples)
    rate = round(samples.rate, 6)
    report = check_trajectory(motion, robot, given, rate=rate * max(2, math.ceil(_RATE / rate)))
    share = _ROUNDING if samples.ddq is not None else _DERIVED
    margins = (*(_forgive(margin, share) for margin in report.margins), *_own_margins(robot, given, samples, motion))
    return MotionCheck(
        robot=robot,
        samples=samples,
        report=replace(report, margins=margins),
        unchecked="" if given.clearance is None else unchecked_collisions(robot, given),
        notes=tuple(_notes(samples, motion)),
    )


def full_limits(robot: Robot) -> Limits:
    """All that the robot's description allows: the margins that a design leaves, for the controller and for what is not known, are gone."""
    allowed = robot_limits(robot, position_margin=0.0, velocity_scale=1.0, acceleration_scale=1.0, effort_scale=1.0, jerk_scale=1.0)
    return replace(allowed, torque=None)


def driving_limits(robot: Robot, file: Path | None = None) -> Limits:
    """What a motion must keep that is given to a robot: a file's limits, else all that the description allows."""
    return full_limits(robot) if file is None else replace(read_limits(file, robot), torque=None)


def broken_sentence(margin: LimitMargin) -> str:
    """What is broken, where, when and by how much."""
    place, when = f"joint {margin.where!r}", f"{margin.time:.3f} s after the start"
    if margin.name in (_START, _END):
        ends, velocity = "starts" if margin.name == _START else "ends", margin.share * margin.margin / (_REST - margin.share)
        return f"the motion {ends} with {velocity:.3g} {margin.unit} at {place}, which a robot that stands can't follow; ease it in and out"
    if margin.name == _STEP:
        allowed = margin.margin / (1.0 - margin.share)
        return (
            f"{place} steps by {margin.share * allowed:.3g} {margin.unit} from one sample to the next, {when}; "
            f"its velocity limit allows {allowed:.3g} {margin.unit}"
        )
    if margin.name == _GIVEN:
        off = f"{place} is off by {margin.share:.0%} of its limit, {when}"
        return f"the velocities in the file are not those of its positions: {off}; check the units"
    if np.isnan(margin.share):
        return f"the {margin.name} limit is broken by {-margin.margin:.3g} {margin.unit} at {margin.where}, {when}"
    return f"{place} takes {margin.share:.1%} of its {margin.name} limit, {when}"


def _forgive(margin: LimitMargin, share: float) -> LimitMargin:
    """The margin; none is left, but the limit holds, where it is missed by rounding or by what a polynomial between samples adds."""
    close = margin.margin >= -_HAIR if np.isnan(margin.share) else margin.share <= 1.0 + share
    return replace(margin, margin=0.0) if close and not margin.holds else margin


def _own_margins(robot: Robot, limits: Limits, samples: Dataset, motion: SampledTrajectory) -> Iterator[LimitMargin]:
    """What concerns a file and not a motion alone."""
    at, units = motion.sample(motion.times), [joint.units for joint in robot.joints]
    usual = np.where(np.isfinite(limits.velocity), limits.velocity, 1.0)
    for name, i in ((_START, 0), (_END, -1)):
        shares = np.abs(at.dq[i]) / usual
        j = int(shares.argmax())
        yield _margin(robot, name, j, usual[j] * (_REST - shares[j]), shares[j], motion.times[i], units[j].velocity)
    steps, allowed = np.abs(np.diff(samples.q, axis=0)), usual * np.diff(motion.times)[:, None] * (1.0 + _DERIVED)
    i, j = _worst(steps / allowed)
    if np.isfinite(limits.velocity[j]):
        yield _margin(robot, _STEP, j, allowed[i, j] - steps[i, j], steps[i, j] / allowed[i, j], motion.times[i], units[j].position)
    if samples.dq is not None and float(np.median(np.diff(motion.times))) <= _DENSE:
        spline = SampledTrajectory(joints=motion.joints, times=motion.times, q=samples.q).sample(motion.times).dq
        difference = np.abs(spline - samples.dq) / usual
        i, j = _worst(difference)
        yield _margin(robot, _GIVEN, j, usual[j] * (_AGREE - difference[i, j]), difference[i, j], motion.times[i], units[j].velocity)


def _worst(values: Array) -> tuple[int, int]:
    i, j = np.unravel_index(int(values.argmax()), values.shape)
    return int(i), int(j)


def _margin(robot: Robot, name: str, joint: int, margin: float, share: float, time: float, unit: str) -> LimitMargin:
    where = robot.joint_names[joint]
    return LimitMargin(name=name, where=where, margin=float(margin), share=float(share), time=float(time), unit=unit)


def _notes(samples: Dataset, motion: SampledTrajectory) -> Iterator[str]:
    steps = samples.steps
    usual = float(np.median(steps))
    if np.abs(steps - usual).max() > _REGULAR * usual:
        least, most = 1e3 * steps.min(), 1e3 * steps.max()
        yield f"the samples are not equally far apart: {least:.4g} to {most:.4g} ms; a robot that takes one per cycle drives another motion"
    at = motion.sample(motion.times[[0, -1]])
    for name, acceleration in zip(("starts", "ends"), np.abs(at.ddq), strict=True):
        if samples.ddq is not None and acceleration.max() > 0.1:
            yield f"the motion {name} with an acceleration of {acceleration.max():.2g} per s², which a robot reaches at once, or not at all"
