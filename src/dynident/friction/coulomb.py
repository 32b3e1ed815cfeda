"""Coulomb friction: constant, against the motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.friction.model import Symmetry, checked_motion


@dataclass(frozen=True)
class Coulomb:
    """torque = fc · sign(dq), and zero at rest"""

    name = "coulomb"
    parameter_names = ("fc",)
    units = ("N·m",)
    symmetry = Symmetry.ODD
    dissipative = True

    def columns(self, velocity: ArrayLike, acceleration: ArrayLike) -> Array:
        dq, _ = checked_motion(velocity, acceleration)
        return np.sign(dq)[..., None]
