"""A robot and a log of it, with what the checks ask about them, computed when it is first asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Dataset, EffortKind
from dynident.data.signals.derivatives import derivative
from dynident.doctor.correction import Correction, used_rows
from dynident.doctor.excerpt import Excerpt, take_excerpt
from dynident.doctor.explanation import Explanation, LinkPrior, Moments, explain, link_prior, moments, scale_efforts
from dynident.doctor.pieces import split
from dynident.doctor.rates_of_change import RateComparison, compare_derivative
from dynident.errors import require
from dynident.robots.robot import Robot

#: A joint moves where its position covers more than this [rad | m].
MOVES = 1e-2
#: A joint is well explained whose misfit is at most this far above what no model can explain, as a share of its effort.
WELL = 0.06


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A robot, and a log with its joints in its order.

    seconds : how long the log was taken to be; a correction of the clock makes it neither longer nor shorter as evidence.
    recorded : the log with its faulty samples, which `data` is without; None where they are the same.
    """

    robot: Robot
    data: Dataset
    seconds: float | None = None
    recorded: Dataset | None = None

    def correct(self, correction: Correction) -> Case:
        robot, data = correction.apply(self.robot, self.data)
        return replace(self, robot=robot, data=data, seconds=None if self.excerpt is None else self.excerpt.seconds)

    def turn(self, gravity: Array) -> Case:
        """The same log of the robot mounted another way."""
        turned = replace(self, robot=self.robot.with_gravity(gravity))
        turned.__dict__["excerpt"] = self.excerpt  # it doesn't depend on the robot, and is the dear part
        return turned

    def shift(self, offsets: Array) -> Case:
        """The same log with other zeros of its joints [rad | m]."""
        shifted = replace(self)
        shifted.__dict__["excerpt"] = None if self.excerpt is None else self.excerpt.correct(Correction(offsets=offsets))
        return shifted

    @cached_property
    def pieces(self) -> Dataset:
        """The log with a segment for every piece that no stamp or position leaps in."""
        return split(self.data)

    @cached_property
    def excerpt(self) -> Excerpt | None:
        """None where the log has no signed effort, or is too short."""
        kind = self.data.effort_kind
        if self.data.effort is None or (kind is not None and kind.unsigned):
            return None
        found = take_excerpt(self.pieces)
        return found if found is None or self.seconds is None else replace(found, seconds=self.seconds)

    @property
    def rows(self) -> Excerpt:
        """The excerpt of a case that has one; checks of the model are asked only then."""
        return require(self.excerpt, "the excerpt of the log")

    @cached_property
    def prior(self) -> LinkPrior:
        return link_prior(self.robot)

    @cached_property
    def other_prior(self) -> LinkPrior:
        """Toward uniform links: what to ask where nominal ones may be wrong."""
        return link_prior(self.robot, nominal=False)

    @cached_property
    def moments(self) -> Moments:
        return moments(self.robot, self.rows)

    @cached_property
    def explanation(self) -> Explanation:
        """Of the log as it is."""
        return explain(self.moments, self.prior)

    def linearise(self, tangents: Array, std: Array) -> Explanation:
        """Of the log as it is, with further columns (N, n, k) whose factors are to be found, about zero with these deviations (k,)."""
        return explain(moments(self.robot, self.rows, tangents), self.prior, std)

    def judge(self, correction: Correction, *, prior: LinkPrior | None = None) -> Explanation:
        """The explanation of the log with a correction."""
        return explain(self._moments(correction), prior or self.prior)

    def _moments(self, correction: Correction) -> Moments:
        efforts = replace(correction, effort_signs=None, effort_gains=None)
        if efforts.nothing:
            gains = np.ones(self.robot.n)
            for values in (correction.effort_signs, correction.effort_gains):
                gains = gains if values is None else gains * values
            return scale_efforts(self.moments, gains)
        robot = self.robot if correction.gravity is None else self.robot.with_gravity(correction.gravity)
        return moments(robot, self.rows.correct(correction))

    @cached_property
    def velocities(self) -> RateComparison | None:
        """Recorded velocities against the derivative of the positions; None where there are none."""
        return None if self.data.dq is None else compare_derivative(self.pieces, self.data.dq, self.data.q)

    @cached_property
    def accelerations(self) -> RateComparison | None:
        """Recorded accelerations against the derivative of the velocities, recorded ones where there are some."""
        data = self.pieces
        return None if data.ddq is None else compare_derivative(data, data.ddq, derivative(data, data.q) if data.dq is None else data.dq)

    @cached_property
    def moving(self) -> tuple[int, ...]:
        """Joints, from 0, that move."""
        use = used_rows(self.data)
        return tuple(j for j in range(self.data.n) if use[:, j].any() and np.ptp(self.data.q[use[:, j], j]) > MOVES)

    @property
    def well_explained(self) -> bool:
        """Whether no joint is left with much that is unexplained, so that none can be another, or count the other way."""
        return float((self.explanation.misfit - self.moments.floor).max()) < WELL

    @property
    def is_torque(self) -> bool:
        return self.data.effort_kind is EffortKind.TORQUE

    @property
    def names(self) -> tuple[str, ...]:
        return self.robot.joint_names
