"""Moves from point to point, at rest at each: quintic polynomials (minimum jerk), the joints in step with each other."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array, set_frozen
from dynident.errors import ShapeError, ValueRangeError
from dynident.motions.trajectories.quintic import QuinticTrajectory, minimum_jerk
from dynident.motions.trajectories.trajectory import SampledMotion, check_times, joint_names


@dataclass(frozen=True, kw_only=True, eq=False)
class WaypointTrajectory:
    """Rest-to-rest quintics through K points; between two equal ones the robot stands. Outside of its time it stands still.

    Attributes
    ----------
    joints : tuple of str
        Names of the n joints.
    times : (K,) array
        When it is at the points [s], from 0, increasing.
    points : (K, n) array
        Positions [rad | m].
    """

    joints: tuple[str, ...]
    times: Array
    points: Array

    kind = "waypoints"

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", joint_names(self.joints))
        set_frozen(self, "times", check_array("times", self.times, (None,), "(points,), at least 2"))
        if len(self.times) < 2:
            raise ShapeError("times", self.times.shape, "(points,), at least 2")
        if self.times[0] != 0.0 or not np.all(np.diff(self.times) > 0.0):
            raise ValueRangeError("times", f"are {self.times.tolist()}; they must begin with 0 and increase")
        shape = (len(self.times), len(self.joints))
        set_frozen(self, "points", check_array("points", self.points, shape, f"{shape} = (points, joints)"))

    @staticmethod
    def of_moves(moves: list[QuinticTrajectory]) -> WaypointTrajectory:
        """Moves that follow each other, each from where the one before ends."""
        times = np.cumsum([0.0, *(move.duration for move in moves)])
        return WaypointTrajectory(joints=moves[0].joints, times=times, points=np.array([moves[0].start, *(move.end for move in moves)]))

    @staticmethod
    def join(ways: list[WaypointTrajectory]) -> WaypointTrajectory:
        """One after the other, each from where the one before ends."""
        points = np.concatenate([ways[0].points[:1], *(way.points[1:] for way in ways)])
        steps = np.concatenate([np.diff(way.times) for way in ways])
        return WaypointTrajectory(joints=ways[0].joints, times=np.concatenate([[0.0], np.cumsum(steps)]), points=points)

    @property
    def duration(self) -> float:
        return float(self.times[-1])

    def sample(self, time: ArrayLike) -> SampledMotion:
        t = np.clip(check_times(time), 0.0, self.duration)
        piece = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        T = np.diff(self.times)[piece][:, None]
        s = (t - self.times[piece])[:, None] / T
        first, step = self.points[piece], np.diff(self.points, axis=0)[piece]
        way, speed, change = minimum_jerk(s)
        return SampledMotion(first + step * way, step * speed / T, step * change / T**2)

    def stretch(self, duration: float) -> WaypointTrajectory:
        """The same moves in another, longer time [s]."""
        return replace(self, times=self.times * (duration / self.duration))
