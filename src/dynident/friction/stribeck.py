"""The Stribeck effect: what friction is more near rest than at speed, where lubrication has not begun.

It stands beside Coulomb and viscous friction: linear+stribeck. Bittencourt et al. (IROS 2010) found exponents near 1.3 in an
industrial gearbox; 2 is the usual one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.friction.model import NUMBER, VELOCITY, FrictionModel, Motion, Parameter, ShapeConstant, Symmetry, check_shapes

SPEED, EXPONENT = 0.05, 2.0


@dataclass(frozen=True)
class Stribeck(FrictionModel):
    """torque = fst · exp(-|dq / speed|^exponent) · sign(dq), and zero at rest

    Attributes
    ----------
    speed
        Velocity at which 37 % of it is left [rad/s | m/s].
    exponent : float
        How steeply it falls.
    """

    speed: float = SPEED
    exponent: float = EXPONENT

    name = "stribeck"
    parameters = (
        Parameter(
            name="fst",
            typical=0.003,
            reason="friction that falls with the velocity",
            motion="move these joints very slowly, back and forth, and fast too",
        ),
    )
    shapes = (
        ShapeConstant(name="speed", unit=VELOCITY, default=SPEED, lower=1e-3, upper=1.0),
        ShapeConstant(name="exponent", unit=NUMBER, default=EXPONENT, lower=0.5, upper=4.0, fixed=True),
    )
    symmetry = Symmetry.ODD
    dissipative = True

    def __post_init__(self) -> None:
        check_shapes(self, positive=("speed", "exponent"))

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (np.exp(-(np.abs(motion.dq / self.speed) ** self.exponent)) * np.sign(motion.dq),)
