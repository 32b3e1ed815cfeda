"""Viscous friction: proportional to the velocity."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.friction.model import Symmetry, checked_motion


@dataclass(frozen=True)
class Viscous:
    """torque = fv · dq"""

    name = "viscous"
    parameter_names = ("fv",)
    units = ("N·m·s/rad",)
    symmetry = Symmetry.ODD
    dissipative = True

    def columns(self, velocity: ArrayLike, acceleration: ArrayLike) -> Array:
        dq, _ = checked_motion(velocity, acceleration)
        return dq[..., None]
