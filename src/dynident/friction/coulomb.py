"""Coulomb friction: constant, against the motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.friction.model import FrictionModel, Motion, Parameter, Symmetry

LEVEL = Parameter(
    name="fc",
    typical=0.005,
    attributes={"URDF": "friction", "MJCF": "frictionloss"},
    motion="move these joints back and forth, through many reversals",
)


@dataclass(frozen=True)
class Coulomb(FrictionModel):
    """torque = fc · sign(dq), and zero at rest"""

    name = "coulomb"
    parameters = (LEVEL,)
    symmetry = Symmetry.ODD
    dissipative = True

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (np.sign(motion.dq),)
