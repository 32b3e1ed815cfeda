"""How far a motion exceeds its limits, as a smooth sum of squares with its gradient: what pushes the search back inside.

Each quantity is taken as a share of its limit, and what is above `tight` counts squared, averaged over the samples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dynident.core.arrays import Array
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.limits.gaps import Gaps
from dynident.motions.limits.limits import Limits
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.robots.robot import Robot

#: Share of a limit that the search aims at, so that what peaks between its samples stays below the limit.
TIGHT = 0.995
#: Distances that are too small count in units of this [m], and this much more is aimed at.
_LENGTH, _INSIDE = 0.1, 0.002
#: A torque between samples is not believed to be larger than at them by more than this.
_LARGEST_PEAK = 1.2


@dataclass(frozen=True, kw_only=True, eq=False)
class Penalty:
    """Limits as a penalty.

    collision : the robot's solids, unless there are none.
    peaks : (n,) or 1   How much larger torques are between the samples than at them; they contain products of many harmonics.
    """

    robot: Robot
    limits: Limits
    collision: CollisionModel | None = None
    peaks: Array | float = 1.0

    @property
    def is_convex(self) -> bool:
        """A motion between two that keep the limits keeps them too; not so where links have to go around something."""
        return self._gaps is None

    @cached_property
    def _gaps(self) -> Gaps | None:
        gaps = None if self.collision is None else self.collision.likely_gaps(self.limits, _INSIDE)
        return gaps if gaps else None

    def evaluate(self, motion: SampledMotion) -> tuple[float, SampledMotion, Array | None]:
        """The penalty, its derivatives by the motion, and by the rigid regressor (n, 10 n, N) unless torques are within their limits."""
        middle, half = self.limits.centred_position
        value_q, by_q = _excess(motion.q - middle, half)
        value_dq, by_dq = _excess(motion.dq, self.limits.velocity)
        value_ddq, by_ddq = _excess(motion.ddq, self.limits.acceleration)
        value_effort, by_regressor, by_friction = self._efforts(motion)
        value_place, by_place = self._places(motion.q)
        total, by_q = value_q + value_dq + value_ddq + value_effort + value_place, by_q + by_place
        if by_friction is not None:
            by_q, by_dq, by_ddq = (part + other for part, other in zip((by_q, by_dq, by_ddq), by_friction, strict=True))
        return total, SampledMotion(by_q, by_dq, by_ddq), by_regressor

    def _efforts(self, motion: SampledMotion) -> tuple[float, Array | None, SampledMotion | None]:
        """The penalty of the torques that the motion may need, its derivatives by the rigid regressor, and through friction."""
        if (bound := self.limits.torque_bound(self.robot)) is None:
            return 0.0, None, None
        torques, limit = bound.torques(self.robot, motion), self.limits.effort / self.peaks
        above, by_upper = _excess(np.maximum(torques.upper, 0.0), limit)
        below, by_lower = _excess(np.minimum(torques.lower, 0.0), limit)
        return (above + below, *torques.pull_back(by_lower, by_upper)) if above + below > 0.0 else (0.0, None, None)

    def look_between(self, motion: SampledMotion, finer: SampledMotion) -> Penalty:
        """The same with the peaks that torques of a motion have between its samples. finer : the same motion at more samples."""
        if (bound := self.limits.torque_bound(self.robot)) is None:
            return self
        at, between = (bound.torques(self.robot, samples).largest.max(axis=0) for samples in (motion, finer))
        return replace(self, peaks=np.clip(between / np.maximum(at, np.finfo(float).tiny), 1.0, _LARGEST_PEAK))

    def _places(self, q: Array) -> tuple[float, Array]:
        """Of links that are too close to each other, to the floor or to a side of a box."""
        by_q, N = np.zeros_like(q), len(q)
        if self._gaps is None:
            return 0.0, by_q
        near = self._gaps.near(q, _INSIDE)
        over = (_INSIDE - near.margins) / _LENGTH
        np.add.at(by_q, near.rows, -2.0 * over[:, None] / (_LENGTH * N) * near.gradients)
        return float((over**2).sum() / N), by_q


def _excess(values: Array, limit: Array) -> tuple[float, Array]:
    """Σ max(|value| / limit - TIGHT, 0)² / N and its derivative."""
    over = np.maximum(np.abs(values) / limit - TIGHT, 0.0)
    return float((over**2).sum() / len(values)), 2.0 / len(values) * over * np.sign(values) / limit
