"""Viscous friction that grows faster or slower than the velocity: the square and the cube beside the linear term.

Measured friction of gears mostly bends down at speed, so that the cubic coefficient comes out negative beside a positive linear one
(Simoni et al., Robotica 2018). So neither is held positive; all of it together dissipates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.friction.model import FrictionModel, Motion, Parameter, Symmetry, Unit

_REASON, _MOTION = "friction that is not proportional to the velocity", "move these joints at several speeds, up to the fastest"


@dataclass(frozen=True)
class QuadraticViscous(FrictionModel):
    """torque = fvq · dq |dq|"""

    name = "quadratic_viscous"
    parameters = (
        Parameter(name="fvq", unit=Unit("N·m·s²/rad²", "N·s²/m²"), nonnegative=False, typical=0.001, reason=_REASON, motion=_MOTION),
    )
    symmetry = Symmetry.ODD
    dissipative = True

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (motion.dq * np.abs(motion.dq),)


@dataclass(frozen=True)
class CubicViscous(FrictionModel):
    """torque = fvc · dq³"""

    name = "cubic_viscous"
    parameters = (
        Parameter(name="fvc", unit=Unit("N·m·s³/rad³", "N·s³/m³"), nonnegative=False, typical=0.001, reason=_REASON, motion=_MOTION),
    )
    symmetry = Symmetry.ODD
    dissipative = True

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (motion.dq * motion.dq * motion.dq,)
