"""The motions whose torques a model is wanted for: the user's own, or random ones within the limits.

Random motions are Fourier series about positions where the robot may stand. Each joint swings as far as its own limits allow, and all
of them are then made smaller until torques, links and workspace allow it too. They are the same in every design for a robot and its
limits, so that what is predicted for them can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.data.dataset import Dataset
from dynident.data.signals.derivatives import differentiate, low_pass
from dynident.errors import InputError
from dynident.motions.design.shrinking import largest_share
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import LimitError, Limits
from dynident.motions.limits.margins import iterate_margins
from dynident.motions.limits.standing import standing_positions
from dynident.motions.trajectories.fourier import fourier_basis
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.regression.prepare import even_clock, match_log
from dynident.robots.robot import Robot

#: Random motions, their length [s], harmonics, and samples of each.
_MOTIONS, _LENGTH, _HARMONICS, _SAMPLES = 24, 10.0, 5, 100
#: Samples of the user's motion that count, evenly spread.
_MOST = 4000
#: Derivatives of a recorded motion are those of its part below this frequency [Hz].
_CUTOFF = 5.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """

    Attributes
    ----------
    motion
        N samples (N, n) of all motions, each of which counts alike.
    source
        What they are, for the reader.
    """

    motion: SampledMotion
    source: str


def random_task(
    robot: Robot, limits: Limits, collision: CollisionModel | None = None, *, allowed: Array | None = None, seed: int = 0
) -> Task:
    """Random motions within the limits, for their own seed.

    Parameters
    ----------
    robot
        The robot.
    limits
        Limits that the motions keep.
    collision
        The robot's solids, where they are known already.
    allowed : (k, n) array_like
        Where the robot may stand, should no place be found otherwise [rad | m].
    seed
        Of the motions.

    Returns
    -------
    Task
        The motions as a task.
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, _MOTIONS]))
    try:
        centres = standing_positions(robot, limits, collision, rng, None)
    except LimitError:
        if allowed is None:
            raise
        centres = allowed
    time = np.arange(_SAMPLES) * _LENGTH / _SAMPLES
    motions = [_random_motion(robot, limits, collision, centres[i % len(centres)], time, rng) for i in range(_MOTIONS)]
    joined = SampledMotion(*(np.concatenate(parts) for parts in zip(*motions, strict=True)))
    return Task(motion=joined, source=f"{_MOTIONS} random motions within the limits")


def _random_motion(
    robot: Robot, limits: Limits, collision: CollisionModel | None, centre: Array, time: Array, rng: np.random.Generator
) -> SampledMotion:
    basis = fourier_basis(time, 1.0 / _LENGTH, _HARMONICS)
    C = np.vstack([rng.normal(size=(2 * _HARMONICS, robot.n)), np.zeros((1, robot.n))])
    q, dq, ddq = (phi @ C for phi in basis)
    room = np.minimum(limits.position[:, 1] - centre, centre - limits.position[:, 0])
    shares = [room / np.abs(q).max(axis=0), limits.velocity / np.abs(dq).max(axis=0), limits.acceleration / np.abs(ddq).max(axis=0)]
    largest = SampledMotion(*(values * np.minimum.reduce(shares) for values in (q, dq, ddq)))

    def shrunk(share: float) -> SampledMotion:
        return SampledMotion(centre + share * largest.q, share * largest.dq, share * largest.ddq)

    def keeps(share: float) -> bool:
        return all(margin.holds for margin in iterate_margins(robot, limits, time, shrunk(share), collision, enough=0.0))

    return shrunk(largest_share(keeps))


def task_of(robot: Robot, data: Dataset) -> Task:
    """The motion of a log or of a file with a trajectory; its torques, if it has some, don't count.

    Parameters
    ----------
    robot
        The robot.
    data
        The motion, as a log or a trajectory file's samples.

    Returns
    -------
    Task
        The motion as a task.
    """
    matched = match_log(robot, data)
    log = even_clock(matched)
    if log.dq is None or log.ddq is None:
        if log.rate > 4.0 * _CUTOFF:  # differences of recorded positions are mostly noise above that
            log = low_pass(log, _CUTOFF)
        log = differentiate(log)
    kept = np.linspace(0, log.samples - 1, min(log.samples, _MOST)).round().astype(int)
    motion = SampledMotion(log.q[kept], log.require("dq")[kept], log.require("ddq")[kept])
    if not np.any(motion.dq):
        raise InputError("the task does not move: every velocity in it is zero", remedy="give a file of a motion")
    return Task(motion=motion, source=data.source or "the given motion")
