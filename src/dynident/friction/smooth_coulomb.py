"""Coulomb friction without the jump at rest, which noise in the velocity would turn into chatter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.errors import ValueRangeError
from dynident.friction.model import Symmetry, checked_motion


@dataclass(frozen=True)
class SmoothCoulomb:
    """torque = fc · tanh(dq / threshold)

    threshold : Velocity at which 76 % of fc is reached [rad/s | m/s]; towards 0 it becomes Coulomb friction.
    """

    threshold: float = 0.02

    name = "smooth_coulomb"
    parameter_names = ("fc",)
    units = ("N·m",)
    symmetry = Symmetry.ODD
    dissipative = True

    def __post_init__(self) -> None:
        if not (np.isfinite(self.threshold) and self.threshold > 0.0):
            raise ValueRangeError("threshold", f"is {self.threshold}; it must be a positive velocity [rad/s | m/s]")

    def columns(self, velocity: ArrayLike, acceleration: ArrayLike) -> Array:
        dq, _ = checked_motion(velocity, acceleration)
        return np.tanh(dq / self.threshold)[..., None]
