"""How far a motion exceeds its limits, as a smooth sum of squares with its gradient: what pushes the search back inside.

Each quantity is taken as a share of its limit, and what is above `tight` counts squared, averaged over the samples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dynident.core.arrays import Array
from dynident.excitation.limits.collision import CollisionModel
from dynident.excitation.limits.limits import Box, Limits, excess, frame_positions, position_jacobian
from dynident.excitation.trajectories.trajectory import Motion
from dynident.robots.robot import Robot

#: Share of a limit that the search aims at, so that what peaks between its samples stays below the limit.
TIGHT = 0.995
#: Distances outside a region count in units of this [m], and are kept this much inside it.
_LENGTH, _INSIDE = 0.1, 0.002
#: A torque between samples is not believed to be larger than at them by more than this.
_LARGEST_PEAK = 1.2


@dataclass(frozen=True, kw_only=True, eq=False)
class Penalty:
    """Limits as a penalty.

    collision : the geometry when self-collision counts.
    peaks : (n,) or 1   How much larger torques are between the samples than at them; they contain products of many harmonics.
    """

    robot: Robot
    limits: Limits
    collision: CollisionModel | None = None
    peaks: Array | float = 1.0

    @property
    def is_convex(self) -> bool:
        """A motion between two that keep the limits keeps them too; not so where links have to go around something."""
        return not self.limits.regions and self.collision is None

    @cached_property
    def _centred(self) -> tuple[Array, Array]:
        """(n,) middle and half width of the position limits; 0 and infinite without."""
        low, high = self.limits.position.T
        return np.where(np.isfinite(low), (low + high) / 2.0, 0.0), (high - low) / 2.0

    def evaluate(self, motion: Motion) -> tuple[float, Motion, Array | None]:
        """The penalty, its derivatives by the motion, and by the rigid regressor (n, 10 n, N) unless torques are within their limits."""
        middle, half = self._centred
        value_q, by_q = _excess(motion.q - middle, half)
        value_dq, by_dq = _excess(motion.dq, self.limits.velocity)
        value_ddq, by_ddq = _excess(motion.ddq, self.limits.acceleration)
        value_effort, by_regressor, by_friction = self._efforts(motion)
        total = value_q + value_dq + value_ddq + value_effort
        if by_friction is not None:
            by_q, by_dq, by_ddq = (part + other for part, other in zip((by_q, by_dq, by_ddq), by_friction, strict=True))
        for value, by_place in (self._regions(motion.q), self._collisions(motion.q)):
            total += value
            by_q = by_q + by_place
        return total, Motion(by_q, by_dq, by_ddq), by_regressor

    def _efforts(self, motion: Motion) -> tuple[float, Array | None, Motion | None]:
        """The penalty of the torques that the motion may need, its derivatives by the rigid regressor, and through friction."""
        if (bound := self.limits.torque_bound(self.robot)) is None:
            return 0.0, None, None
        torques, limit = bound.torques(self.robot, motion), self.limits.effort / self.peaks
        above, by_upper = _excess(np.maximum(torques.upper, 0.0), limit)
        below, by_lower = _excess(np.minimum(torques.lower, 0.0), limit)
        return (above + below, *torques.pull_back(by_lower, by_upper)) if above + below > 0.0 else (0.0, None, None)

    def look_between(self, motion: Motion, finer: Motion) -> Penalty:
        """The same with the peaks that torques of a motion have between its samples. finer : the same motion at more samples."""
        if (bound := self.limits.torque_bound(self.robot)) is None:
            return self
        at, between = (bound.torques(self.robot, samples).largest.max(axis=0) for samples in (motion, finer))
        return replace(self, peaks=np.clip(between / np.maximum(at, np.finfo(float).tiny), 1.0, _LARGEST_PEAK))

    def _regions(self, q: Array) -> tuple[float, Array]:
        by_q = np.zeros_like(q)
        if not self.limits.regions:
            return 0.0, by_q
        N, positions = len(q), frame_positions(self.robot, q)
        over = np.maximum(excess(self.robot, self.limits.regions, positions) + _INSIDE, 0.0) / _LENGTH
        outside = np.flatnonzero(over.any(axis=(0, 2)))
        if len(outside):
            J = position_jacobian(self.robot, q[outside])
            for box, amount in zip(self.limits.regions, over[:, outside], strict=True):
                by_q[outside] += np.einsum("sf,sfc,sfcj->sj", 2.0 * amount / (_LENGTH * N), _direction(box, positions[outside]), J)
        return float((over**2).sum() / N), by_q

    def _collisions(self, q: Array) -> tuple[float, Array]:
        by_q = np.zeros_like(q)
        if self.collision is None or self.limits.clearance is None:
            return 0.0, by_q
        wanted, N = self.limits.clearance + _INSIDE, len(q)
        samples, distances, gradients = self.collision.close_pairs(q, wanted)
        over = (wanted - distances) / _LENGTH
        np.add.at(by_q, samples, -2.0 * over[:, None] / (_LENGTH * N) * gradients)
        return float((over**2).sum() / N), by_q


def _excess(values: Array, limit: Array) -> tuple[float, Array]:
    """Σ max(|value| / limit - TIGHT, 0)² / N and its derivative."""
    over = np.maximum(np.abs(values) / limit - TIGHT, 0.0)
    return float((over**2).sum() / len(values)), 2.0 / len(values) * over * np.sign(values) / limit


def _direction(box: Box, positions: Array) -> Array:
    """(N, frames, 3) unit vector along the axis in which a point is furthest outside a box: the gradient of its excess."""
    below, above = box.lower - positions, positions - box.upper
    axis = np.maximum(below, above).argmax(axis=-1)
    sign = np.where(np.take_along_axis(above >= below, axis[..., None], -1)[..., 0], 1.0, -1.0)
    return sign[..., None] * np.eye(3)[axis]
