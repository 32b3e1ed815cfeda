"""Coulomb friction with another level in each direction, as gears have it whose flanks differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.friction.model import FrictionModel, Motion, Parameter

_MOTION = "move these joints back and forth, through many reversals, and with other positions in each direction"


@dataclass(frozen=True)
class AsymmetricCoulomb(FrictionModel):
    """torque = fcp for dq > 0, -fcn for dq < 0, and zero at rest"""

    name = "asymmetric_coulomb"
    parameters = (
        Parameter(name="fcp", typical=0.005, reason="the friction of one direction", motion=_MOTION),
        Parameter(name="fcn", typical=0.005, reason="the friction of one direction", motion=_MOTION),
    )
    dissipative = True

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return np.maximum(np.sign(motion.dq), 0.0), np.minimum(np.sign(motion.dq), 0.0)
