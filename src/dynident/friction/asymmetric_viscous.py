"""Viscous friction with another slope in each direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.friction.model import TORQUE_PER_VELOCITY, FrictionModel, Motion, Parameter

_REASON, _MOTION = "the friction of one direction", "move these joints at several speeds in both directions, the fast ones included"


@dataclass(frozen=True)
class AsymmetricViscous(FrictionModel):
    """torque = fvp · dq for dq > 0, fvn · dq for dq < 0"""

    name = "asymmetric_viscous"
    parameters = (
        Parameter(name="fvp", unit=TORQUE_PER_VELOCITY, typical=0.005, reason=_REASON, motion=_MOTION),
        Parameter(name="fvn", unit=TORQUE_PER_VELOCITY, typical=0.005, reason=_REASON, motion=_MOTION),
    )
    dissipative = True

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return np.maximum(motion.dq, 0.0), np.minimum(motion.dq, 0.0)
