"""A constant torque: the asymmetry of Coulomb friction, or a torque sensor's zero error; data can't tell them apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.friction.model import Symmetry, checked_motion


@dataclass(frozen=True)
class Offset:
    """torque = fo"""

    name = "offset"
    parameter_names = ("fo",)
    units = ("N·m",)
    symmetry = Symmetry.EVEN
    dissipative = False

    def columns(self, velocity: ArrayLike, acceleration: ArrayLike) -> Array:
        dq, _ = checked_motion(velocity, acceleration)
        return np.ones((*dq.shape, 1))
