"""Torque ripple: what repeats with every turn, of the joint (bearings, gear wheels) or of the motor (its poles, a wave generator).

Two harmonics each, with a cosine and a sine, so that their phases need not be known. A ripple of the motor is fast, gear ratio times
the joint's speed, and a low-pass filter of the identification takes away what lies above its cutoff.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.friction.model import FrictionModel, Motion, Parameter, ShapeConstant, Symmetry, Unit, check_shapes

RATIO = 100.0
_REASON = "a torque that depends on the position"


@dataclass(frozen=True)
class Ripple(FrictionModel):
    """torque = rca · cos(q) + rsa · sin(q) + rcb · cos(2 q) + rsb · sin(2 q)

    The first harmonic of a joint whose axis is not vertical is what gravity does too; data tell the sum of both alone.
    """

    name = "ripple"
    parameters = tuple(
        Parameter(name=name, typical=0.001, reason=_REASON, motion="move these joints over a whole turn, slowly, in both directions")
        for name in ("rca", "rsa", "rcb", "rsb")
    )
    symmetry = Symmetry.EVEN

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return np.cos(motion.q), np.sin(motion.q), np.cos(2.0 * motion.q), np.sin(2.0 * motion.q)


@dataclass(frozen=True)
class MotorRipple(FrictionModel):
    """torque = wca · cos(p) + wsa · sin(p) + wcb · cos(2 p) + wsb · sin(2 p), with the motor's position p = ratio · q

    Attributes
    ----------
    ratio
        Turns of the motor per turn of the joint [rad/rad | rad/m].
    """

    ratio: float = RATIO

    name = "motor_ripple"
    parameters = tuple(
        Parameter(
            name=name, typical=0.001, reason=_REASON, motion="move these joints so slowly that the filter lets turns of the motor through"
        )
        for name in ("wca", "wsa", "wcb", "wsb")
    )
    shapes = (ShapeConstant(name="ratio", unit=Unit("rad/rad", "rad/m"), default=RATIO, lower=1.0, upper=1e5, fixed=True),)
    symmetry = Symmetry.EVEN

    def __post_init__(self) -> None:
        check_shapes(self, positive=("ratio",))

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        p = self.ratio * motion.q
        return np.cos(p), np.sin(p), np.cos(2.0 * p), np.sin(2.0 * p)
