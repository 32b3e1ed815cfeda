"""The rotor's inertia seen through the gear: not friction, but a torque that each joint has on its own too."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.friction.model import Symmetry, checked_motion


@dataclass(frozen=True)
class Armature:
    """torque = Ia · ddq"""

    name = "armature"
    parameter_names = ("Ia",)
    units = ("kg·m²",)
    symmetry = Symmetry.ODD
    dissipative = False

    def columns(self, velocity: ArrayLike, acceleration: ArrayLike) -> Array:
        _, ddq = checked_motion(velocity, acceleration)
        return ddq[..., None]
