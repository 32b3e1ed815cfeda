"""A periodic trajectory several times over, with periods at the ends that are driven but not used.

"All these trajectories are repeated 5 consecutive times but we take only the 3 intermediate periods" (section 2.2 of the
unsigned-torque report): the first period lets the robot settle into the periodic motion, the last keeps filters from the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, BoolArray
from dynident.errors import ValueRangeError
from dynident.motions.trajectories.trajectory import SampledMotion, Trajectory, check_times

#: Largest jump between the end and the start of a trajectory that counts as rounding, as a share of its largest value.
_JUMP = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class Repeated:
    """`trajectory` driven `repeats` times; the first `warm_up` and the last `cool_down` of them are not to be used.

    Attributes
    ----------
    trajectory : Trajectory
        What is repeated.
    repeats : int
        How often it is driven.
    warm_up : int
        How many of the first are not to be used.
    cool_down : int
        How many of the last are not to be used.
    """

    trajectory: Trajectory
    repeats: int = 5
    warm_up: int = 1
    cool_down: int = 1

    kind = "repeated"

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise ValueRangeError("repeats", f"is {self.repeats}; at least 1 was expected")
        if min(self.warm_up, self.cool_down) < 0 or self.warm_up + self.cool_down >= self.repeats:
            raise ValueRangeError(
                "warm_up and cool_down", f"are {self.warm_up} and {self.cool_down} of {self.repeats} periods; at least one must be left"
            )
        start, end = self.trajectory.sample([0.0]), self.trajectory.sample([self.trajectory.duration])
        for name, first, last in zip(("position", "velocity"), start, end, strict=False):
            jump, size = np.abs(first - last)[0], max(1.0, float(np.abs(first).max()))
            if jump.max() > _JUMP * size:
                joint = self.joints[int(jump.argmax())]
                raise ValueRangeError(
                    "trajectory", f"can't be repeated: the {name} of joint {joint!r} jumps by {jump.max():.3g} from its end to its start"
                )

    @property
    def joints(self) -> tuple[str, ...]:
        return self.trajectory.joints

    @property
    def duration(self) -> float:
        return self.repeats * self.trajectory.duration

    def sample(self, time: ArrayLike) -> SampledMotion:
        return self.trajectory.sample(np.mod(check_times(time), self.trajectory.duration))

    def used(self, time: Array) -> BoolArray:
        """(N,) True in the periods between warm-up and cool-down."""
        first, last = self.warm_up * self.trajectory.duration, (self.repeats - self.cool_down) * self.trajectory.duration
        return np.asarray((time >= first) & ((time < last) | (self.cool_down == 0)), dtype=np.bool_)
