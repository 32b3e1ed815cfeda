"""Coulomb friction without the jump at rest, which noise in the velocity would turn into chatter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynident.friction.coulomb import LEVEL
from dynident.friction.model import VELOCITY, FrictionModel, Motion, ShapeConstant, Symmetry, check_shapes

THRESHOLD = 0.02


@dataclass(frozen=True)
class SmoothCoulomb(FrictionModel):
    """torque = fc · tanh(dq / threshold)

    Attributes
    ----------
    threshold
        Velocity at which 76 % of fc is reached [rad/s | m/s]; towards 0 it becomes Coulomb friction.
    """

    threshold: float = THRESHOLD

    name = "smooth_coulomb"
    parameters = (replace(LEVEL, lost="the smooth passage through rest"),)
    shapes = (ShapeConstant(name="threshold", unit=VELOCITY, default=THRESHOLD, lower=1e-4, upper=1.0),)
    symmetry = Symmetry.ODD
    dissipative = True

    def __post_init__(self) -> None:
        check_shapes(self, positive=("threshold",))

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (np.tanh(motion.dq / self.threshold),)
