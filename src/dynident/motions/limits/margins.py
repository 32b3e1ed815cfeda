"""Does a trajectory keep its limits? Every limit with its worst margin, and when and where that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.core.results import Tabular
from dynident.motions.limits.collision import CollisionModel, unchecked_collisions
from dynident.motions.limits.gaps import Gaps
from dynident.motions.limits.limits import Limits
from dynident.motions.limits.sweep import TOLERANCE, least_margins
from dynident.motions.trajectories.trajectory import SampledMotion, Trajectory, sample_times
from dynident.robots.robot import Robot

#: Distances keep this much more than they have to while a motion is looked for [m]; more than what a proven bound may lie below the truth.
LENGTH_RESERVE = 1.5 * TOLERANCE


@dataclass(frozen=True, kw_only=True)
class LimitMargin:
    """How far one limit is from being broken.

    Attributes
    ----------
    name : str
        The limit: "position", "velocity", "acceleration", "effort", "jerk", "floor", a box's name, or "self-collision".
    where : str
        The joint, or the link, where it comes closest; for a self-collision the two links.
    margin : float
        What is left [unit]; negative when the limit is broken.
    share : float
        Used share of the limit, 1 at the limit; nan for those that are no ranges.
    time : float
        When that is [s].
    unit : str
        Of the margin.
    distance : float
        Of the links, from each other or from the floor or box, at least, along the whole motion [m]; nan for ranges.
    """

    name: str
    where: str
    margin: float
    share: float
    time: float
    unit: str
    distance: float = np.nan

    @property
    def holds(self) -> bool:
        return self.margin >= 0.0

    @property
    def title(self) -> str:
        """What stops a motion, as a `LimitError` calls it."""
        return f"{self.name} limit at {self.where}" if self.where else f"{self.name} limit"


@dataclass(frozen=True, kw_only=True, repr=False)
class LimitReport(Tabular):
    """All limits that were checked: ranges at `rate` samples per second, distances between samples too.

    Attributes
    ----------
    margins : tuple of LimitMargin
        How far each limit is from being broken.
    rate : float
        Samples per second at which ranges were checked [Hz].
    samples : int
        How many these were.
    notes
        What could not be checked.
    """

    margins: tuple[LimitMargin, ...]
    rate: float
    samples: int
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return all(margin.holds for margin in self.margins)

    @property
    def broken(self) -> tuple[LimitMargin, ...]:
        return tuple(margin for margin in self.margins if not margin.holds)


def check_trajectory(
    trajectory: Trajectory, robot: Robot, limits: Limits, *, rate: float = 1000.0, collision: CollisionModel | None = None
) -> LimitReport:
    """Every limit at `rate` samples per second, from start to end; distances of links between the samples too.

    Parameters
    ----------
    trajectory
        The trajectory.
    robot
        The robot.
    limits
        Those that are checked.
    rate
        Samples per second [Hz].
    collision
        The robot's solids when they are already known.

    Returns
    -------
    LimitReport
        Every limit with its margin, and what could not be checked.
    """
    time = sample_times(trajectory.duration, rate)
    model = collision or CollisionModel.of_robot(robot)[0]
    notes = [*missing_limits(robot, limits), *(model.notes if model else ()), *torque_notes(robot, limits)]
    margins = motion_margins(robot, limits, time, trajectory.sample(time), model)
    return LimitReport(margins=tuple(margins), rate=rate, samples=len(time), notes=tuple(notes))


def missing_limits(robot: Robot, limits: Limits) -> Iterator[str]:
    """Sentences about limits that are not checked."""
    if unchecked := unchecked_collisions(robot, limits):
        yield unchecked
    if limits.torque_bound(robot) is None and np.any(np.isfinite(limits.effort)):
        yield "torque limits were not checked: the robot's description has no inertias"
    for name, values in (("acceleration", limits.acceleration), ("torque", limits.effort)):
        if np.all(np.isinf(values)):
            yield f"there are no {name} limits; give them in a limits file if the robot has some"


def torque_notes(robot: Robot, limits: Limits) -> Iterator[str]:
    """What the torques are that were checked."""
    if (bound := limits.torque_bound(robot)) is not None:
        yield f"torques: {bound.statement}"


def motion_margins(robot: Robot, limits: Limits, time: Array, motion: SampledMotion, collision: CollisionModel | None) -> list[LimitMargin]:
    """The worst margin of every finite limit over samples of a motion; of distances between the samples too.

    collision : the robot's solids when they are already known.
    """
    return list(iterate_margins(robot, limits, time, motion, collision))


def iterate_margins(
    robot: Robot, limits: Limits, time: Array, motion: SampledMotion, collision: CollisionModel | None, *, enough: float = np.inf
) -> Iterator[LimitMargin]:
    """As `motion_margins`, each when it is asked for: distances, which cost most, last.

    enough : distances that leave more than this need not be known exactly [m].
    """
    middle, half = limits.centred_position
    quantities = [("position", motion.q - middle, half), ("velocity", motion.dq, limits.velocity)]
    quantities.append(("acceleration", motion.ddq, limits.acceleration))
    if (bound := limits.torque_bound(robot)) is not None:
        quantities.append(("effort", bound.torques(robot, motion).largest, limits.effort))
    for name, values, limit in quantities:
        if (margin := _range_margin(robot, name, values, limit, time)) is not None:
            yield margin
    if len(time) > 1:  # the mean jerk between two samples, which is what a robot sees that is told positions at them
        jerk = np.diff(motion.ddq, axis=0) / np.diff(time)[:, None]
        if (margin := _range_margin(robot, "jerk", jerk, limits.jerk, time[1:])) is not None:
            yield margin
    model = collision or CollisionModel.of_robot(robot)[0]
    if model is not None:
        yield from _distance_margins(model.gaps(limits), time, motion, enough)


def standing_margins(robot: Robot, limits: Limits, q: Array, collision: CollisionModel | None) -> list[LimitMargin]:
    """The margin of every finite limit while the robot stands still at q (n,)."""
    still = np.zeros((1, robot.n))
    return motion_margins(robot, limits, np.zeros(1), SampledMotion(q[None], still, still), collision)


def _range_margin(robot: Robot, name: str, values: Array, limit: Array, time: Array) -> LimitMargin | None:
    """The joint and sample that use the largest share of a symmetric limit."""
    if not np.any(np.isfinite(limit)):
        return None
    shares = np.abs(values) / np.where(limit > 0.0, limit, np.finfo(float).tiny)
    i, j = np.unravel_index(int(shares.argmax()), shares.shape)
    joint = robot.joints[int(j)]
    margin, unit = float(limit[j] - abs(values[i, j])), str(getattr(joint.units, name))
    return LimitMargin(name=name, where=joint.name, margin=margin, share=float(shares[i, j]), time=float(time[i]), unit=unit)


def _distance_margins(gaps: Gaps, time: Array, motion: SampledMotion, enough: float) -> Iterator[LimitMargin]:
    for least in least_margins(gaps, time, motion.q, motion.dq, enough=enough):
        where, distance = gaps.places[least.gap], least.margin + float(gaps.wanted[least.gap])
        yield LimitMargin(name=least.limit, where=where, margin=least.margin, share=np.nan, time=least.time, unit="m", distance=distance)


def position_range(limits: Limits) -> tuple[Array, Array]:
    """(n,) lowest and highest positions; a turn about zero for joints without limits, at most two for the others."""
    low, high = limits.position.T
    return np.where(np.isinf(low), -np.pi, np.maximum(low, -2.0 * np.pi)), np.where(np.isinf(high), np.pi, np.minimum(high, 2.0 * np.pi))
