"""A constant torque: the asymmetry of Coulomb friction, or a torque sensor's zero error; data can't tell them apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dynident.friction.model import FrictionModel, Motion, Parameter, Symmetry


@dataclass(frozen=True)
class Offset(FrictionModel):
    """torque = fo"""

    name = "offset"
    parameters = (
        Parameter(
            name="fo",
            typical=0.001,
            reason="a constant torque",
            motion="move these joints as much in one direction as in the other, slowly",
        ),
    )
    symmetry = Symmetry.EVEN

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (1.0,)
