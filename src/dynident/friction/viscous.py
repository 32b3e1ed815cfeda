"""Viscous friction: proportional to the velocity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dynident.friction.model import TORQUE_PER_VELOCITY, FrictionModel, Motion, Parameter, Symmetry


@dataclass(frozen=True)
class Viscous(FrictionModel):
    """torque = fv · dq"""

    name = "viscous"
    parameters = (
        Parameter(
            name="fv",
            unit=TORQUE_PER_VELOCITY,
            typical=0.005,
            attributes={"URDF": "damping", "MJCF": "damping"},
            motion="move these joints at several speeds, the fast ones included",
        ),
    )
    symmetry = Symmetry.ODD
    dissipative = True

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (motion.dq,)
