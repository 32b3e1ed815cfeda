"""A periodic trajectory as a robot can be made to drive it: from rest to rest, with whole periods in the middle.

    approach → easing in along the periodic path → whole periods → easing out along it → return

Easing in and out stays on the path of the trajectory, continued before its start and beyond its end, so that it goes nowhere that the
trajectory doesn't, and the periods are whole and at full pace.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, IntArray
from dynident.core.documents import Unit
from dynident.errors import ValueRangeError
from dynident.motions.trajectories.easing import ease
from dynident.motions.trajectories.trajectory import SampledMotion, Trajectory, check_times

#: Largest jump that counts as rounding: of positions [rad | m], velocities and accelerations alike, as a share of the largest or of 1.
_JUMP = 1e-9
#: Moments that rounding puts just before their time [s].
_ROUNDING = 1e-9


class DrivenPart(NamedTuple):
    """A stretch of a driven trajectory."""

    name: str
    period: Annotated[int, "1, 2, ... of a whole period, 0 elsewhere"]
    start: Annotated[float, Unit("s")]
    stop: Annotated[float, Unit("s")]


@dataclass(frozen=True, kw_only=True, eq=False)
class DrivenTrajectory:
    """`trajectory` driven `repeats` times from rest to rest.

    Attributes
    ----------
    trajectory : Trajectory
        What is driven.
    approach, retreat : Trajectory
        From rest to where the easing in begins, and from where the easing out ends to rest.
    repeats : int
        Number of whole periods.
    ease_in, ease_out : float
        How long the pace rises and falls [s]; half of that is gone along the path. 0 where it is at rest.
    phase : float
        Time of the trajectory at which its first period begins [s].
    """

    trajectory: Trajectory
    approach: Trajectory
    retreat: Trajectory
    repeats: int = 1
    ease_in: float = 0.0
    ease_out: float = 0.0
    phase: float = 0.0

    kind = "driven"

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise ValueRangeError("repeats", f"is {self.repeats}; at least 1 was expected")
        for name in ("ease_in", "ease_out"):
            if not 0.0 <= getattr(self, name) < np.inf:
                raise ValueRangeError(name, f"is {getattr(self, name)}; a time [s] of 0 or more was expected")
        if not self.is_closed and (self.repeats > 1 or self.phase != 0.0):
            raise ValueRangeError(
                "trajectory", "can't be repeated or begun elsewhere: its end is not its start; drive it once, from its start"
            )
        for name, first, second, eased in (
            ("approach", self.approach.sample([self.approach.duration]), self._eased(np.zeros(1)), self.ease_in),
            ("retreat", self._eased(np.array([self._easing_length])), self.retreat.sample([0.0]), self.ease_out),
        ):
            quantities = ("position", "velocity", "acceleration")[: 3 if eased else 2]  # cubics start and end at rest with an acceleration
            for quantity, one, other in zip(quantities, first, second, strict=False):
                jump = np.abs(one - other)[0]
                if jump.max() > _JUMP * max(1.0, float(np.abs(one).max())):
                    joint = self.joints[int(jump.argmax())]
                    raise ValueRangeError(name, f"does not fit: the {quantity} of joint {joint!r} jumps by {jump.max():.3g} there")

    @property
    def joints(self) -> tuple[str, ...]:
        return self.trajectory.joints

    @property
    def duration(self) -> float:
        return self.approach.duration + self._easing_length + self.retreat.duration

    @property
    def period(self) -> float:
        """Length of one period [s]."""
        return self.trajectory.duration

    @property
    def first_period(self) -> float:
        """When the first whole period begins [s]."""
        return self.approach.duration + self.ease_in

    @cached_property
    def is_closed(self) -> bool:
        """Whether the trajectory ends as it starts, so that it can be repeated."""
        return is_closed(self.trajectory)

    @property
    def parts(self) -> tuple[DrivenPart, ...]:
        """What follows what; parts that take no time are left out."""
        first = self.first_period
        edges = [first + k * self.period for k in range(self.repeats + 1)]
        end = edges[-1] + self.ease_out
        parts = [DrivenPart("approach", 0, 0.0, self.approach.duration), DrivenPart("easing in", 0, self.approach.duration, first)]
        parts += [DrivenPart(f"period {k + 1}", k + 1, edges[k], edges[k + 1]) for k in range(self.repeats)]
        parts += [DrivenPart("easing out", 0, edges[-1], end), DrivenPart("return", 0, end, self.duration)]
        return tuple(part for part in parts if part.stop > part.start)

    def periods(self, time: Array) -> IntArray:
        """(N,) the whole period that each time is in, from 1; 0 on the way there and back. Its end belongs to what follows."""
        number = np.floor((np.asarray(time) - self.first_period + _ROUNDING) / self.period).astype(np.int64) + 1
        return np.where((number >= 1) & (number <= self.repeats), number, 0)

    def sample(self, time: ArrayLike) -> SampledMotion:
        t = check_times(time)
        begins = self.approach.duration
        ends = begins + self._easing_length
        motion = SampledMotion(*np.empty((3, len(t), len(self.joints))))
        for chosen, part, since in (
            (t < begins, self.approach.sample, 0.0),
            ((t >= begins) & (t < ends), self._eased, begins),
            (t >= ends, self.retreat.sample, ends),
        ):
            if chosen.any():
                for whole, values in zip(motion, part(t[chosen] - since), strict=True):
                    whole[chosen] = values
        return motion

    @property
    def _easing_length(self) -> float:
        """From rest on the path to rest on it [s]."""
        return self.ease_in + self.repeats * self.period + self.ease_out

    def _eased(self, time: Array) -> SampledMotion:
        """The motion on the path, from rest to rest."""
        before = self.ease_in / 2.0
        pace = ease(time, before + self.repeats * self.period + self.ease_out / 2.0, self.ease_in, self.ease_out)
        along = self.phase + pace.along - before
        return pace.of(self.trajectory.sample(np.mod(along, self.period) if self.is_closed else along))


def is_closed(trajectory: Trajectory) -> bool:
    """Whether a trajectory ends with the position, velocity and acceleration that it starts with."""
    ends = [np.array(values) for values in trajectory.sample([0.0, trajectory.duration])]
    return all(float(np.abs(one - other).max()) <= _JUMP * max(1.0, float(np.abs(one).max())) for one, other in ends)
