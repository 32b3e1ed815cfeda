"""Cubic polynomials from knot to knot, at rest at each: the validation motion of Gaz, Flacco, De Luca, ICRA 2016, Table V."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.data.dataset import Dataset
from dynident.errors import InputError
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.limits import Limits
from dynident.motions.proposals.proposal import MotionKind, ProposedMotion
from dynident.motions.trajectories.piecewise import CubicTrajectory
from dynident.robots.robot import Robot


def propose_splines(
    robot: Robot,
    *,
    limits: Limits,
    home: Array,
    collision: CollisionModel | None = None,
    times: ArrayLike | None = None,
    knots: ArrayLike | None = None,
) -> ProposedMotion:
    """A cubic from each of K knots to the next, with velocity zero at all of them.

    times : (K,) [s], from 0, increasing; knots : (K, n) positions [rad | m]. The acceleration jumps at every knot; a jerk limit, where the
    robot has one, bounds how much, so that the motion is slowed down.
    """
    if times is None or knots is None:
        raise InputError("splines need knots", remedy="give a file with times and positions, such as splines=knots.csv")
    motion = CubicTrajectory(joints=robot.joint_names, times=times, knots=knots)  # pyright: ignore[reportArgumentType] (it makes arrays)
    return ProposedMotion(motion, f"cubic splines through {len(motion.times)} knots, at rest at each")


def _read(file: Path, robot: Robot, samples: Callable[[Path], Dataset]) -> dict[str, Any]:
    """Knots as any file of a motion has its samples; only their times and positions count."""
    motion = samples(file)
    return {"times": motion.time - motion.time[0], "knots": motion.q}


SPLINES = MotionKind(
    name="splines",
    about="cubic splines through the knots in FILE, at rest at each, as in Table V of the KUKA paper; FILE: times and positions",
    propose=propose_splines,
    read=_read,
)
