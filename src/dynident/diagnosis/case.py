"""A robot and a log of it, with what a reading of the log costs: the dynamics and the kinematics together."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Dataset, EffortKind
from dynident.diagnosis.correction import Correction
from dynident.diagnosis.evidence import DELAY_STD, Explanation, LinkPrior, Moments, explain, link_prior, moments
from dynident.diagnosis.excerpt import Excerpt, independent_rows, motion_cutoff, take_excerpt
from dynident.diagnosis.kinematics import Kinematics, compare_derivative
from dynident.diagnosis.pieces import split
from dynident.errors import DynidentError, require
from dynident.regression.identify import identify
from dynident.robots.robot import Robot

#: A joint moves where its position covers more than this [rad | m].
MOVES = 1e-2
#: A joint is well explained whose misfit is at most this far above what no model can explain, as a share of its effort.
WELL = 0.06
#: Moments that are kept for other readings of the efforts.
_KEPT = 48


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A robot, and a log with its joints in its order.

    Attributes
    ----------
    robot, data : Robot, Dataset
        The robot, and the log without its faulty samples.
    recorded : Dataset
        The log with its faulty samples.
    """

    robot: Robot
    data: Dataset
    recorded: Dataset
    _kept: OrderedDict[str, Moments] = field(default_factory=OrderedDict[str, Moments], init=False, repr=False)
    _explained: dict[str, Explanation] = field(default_factory=dict[str, Explanation], init=False, repr=False)

    def correct(self, correction: Correction) -> Case:
        """The case of the log with a correction, whose excerpt is taken anew."""
        robot, data = correction.apply(self.robot, self.data)
        return replace(self, robot=robot, data=data, recorded=correction.transform.apply(self.recorded))

    @cached_property
    def pieces(self) -> Dataset:
        """The log with a segment for every piece that no stamp or position leaps in."""
        return split(self.data)

    @cached_property
    def excerpt(self) -> Excerpt | None:
        """None where the log has no signed effort, or is too short."""
        kind = self.data.effort_kind
        if self.data.effort is None or not self.data.effort.any() or (kind is not None and kind.unsigned):
            return None
        ignored = {"dq": None, "ddq": None} if self.kinematics.is_late else {}
        return take_excerpt(replace(self.pieces, **ignored))

    @property
    def rows(self) -> Excerpt:
        """The excerpt of a case that has one."""
        return require(self.excerpt, "the excerpt of the log")

    @cached_property
    def prior(self) -> LinkPrior:
        return link_prior(self.robot)

    @cached_property
    def other_prior(self) -> LinkPrior:
        """Toward uniform links: what to ask where nominal ones may be wrong."""
        return link_prior(self.robot, nominal=False)

    @cached_property
    def kinematics(self) -> Kinematics:
        data = self.pieces
        velocities = None if data.dq is None else compare_derivative(data, data.dq, data.q)
        accelerations = double = None
        if data.ddq is not None:
            double = compare_derivative(data, data.ddq, data.q, times=2)
            accelerations = double if data.dq is None else compare_derivative(data, data.ddq, data.dq)
        rows = independent_rows(data.duration, motion_cutoff(data))
        return Kinematics(velocities=velocities, accelerations=accelerations, double=double, rows=rows, period=1.0 / data.rate)

    def mount(self, correction: Correction) -> Robot:
        return self.robot if correction.gravity is None else self.robot.with_gravity(correction.gravity)

    def moments(self, correction: Correction, *, payload: bool = False) -> Moments:
        """Of the motion of a correction, with the columns of a payload or without; those of the last few motions are kept."""
        key = self._key(correction) + payload * " with a payload"
        if key not in self._kept:
            self._kept[key] = moments(self.mount(correction), self.rows.correct(correction), self.prior, payload=payload)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return self._kept[key]

    def _key(self, correction: Correction) -> str:
        """What tells the motion of a correction from others."""
        transform, gravity = correction.transform, correction.gravity
        motion = (transform.q.tolist(), transform.offset.tolist(), transform.timing_of().factor(self.rows.rate))
        return repr((motion, None if gravity is None else gravity.tolist()))

    def explain(self, correction: Correction, *, payload: bool = False, start: Explanation | None = None) -> Explanation:
        """The explanation of the log with a correction, of a robot that carries something or not."""
        read = self.rows.read_efforts(correction)
        key = self._key(correction) + repr((payload, read.source, read.gain.tolist()))
        if key not in self._explained:
            self._explained[key] = explain(self.moments(correction, payload=payload), self.prior, read, start=start)
        return self._explained[key]

    def linearise(self, correction: Correction, tangents: Array, std: Array) -> Explanation:
        """With further columns (N, n, k) whose factors are to be found, about zero with these deviations (k,)."""
        rows = self.rows.correct(correction)
        second_moments = moments(self.mount(correction), rows, self.prior, tangents)
        return explain(second_moments, self.prior, rows.read_efforts(correction), std)

    def anew(self, correction: Correction, *, payload: bool = False, nominal: bool = True, delay_std: float = DELAY_STD) -> Explanation:
        """The explanation by another prior: of uniform links, which the description does not tell, or of efforts that are on time."""
        prior = self.prior if nominal else self.other_prior
        second_moments = moments(self.mount(correction), self.rows.correct(correction), prior, payload=payload)
        return explain(second_moments, prior, self.rows.read_efforts(correction), delay_std=delay_std)

    def identify_error(self, correction: Correction) -> float | None:
        """What `identify` leaves unexplained of the log with a correction [%]; None of logs that it does not identify from."""
        robot, data = correction.apply(self.robot, self.recorded)
        if data.effort_kind is not EffortKind.TORQUE:
            return None
        try:
            return identify(robot, data).residuals.relative_percent
        except DynidentError:
            return None

    @cached_property
    def explanation(self) -> Explanation:
        """Of the log as it is."""
        return self.explain(Correction.of(self.robot.n))

    @cached_property
    def moving(self) -> tuple[int, ...]:
        """Joints, from 0, that move."""
        use = self.data.in_use
        return tuple(j for j in range(self.data.n) if use[:, j].any() and np.ptp(self.data.q[use[:, j], j]) > MOVES)

    @property
    def is_torque(self) -> bool:
        return self.data.effort_kind is EffortKind.TORQUE

    @property
    def names(self) -> tuple[str, ...]:
        return self.robot.joint_names


def is_well_explained(explanation: Explanation) -> bool:
    """Whether no joint is left with much that is unexplained, so that none can be another, or count the other way."""
    return float(explanation.excess.max()) < WELL
