"""The rotor's inertia seen through the gear: not friction, but a torque that each joint has on its own too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dynident.friction.model import INERTIA, FrictionModel, Motion, Parameter, Symmetry


@dataclass(frozen=True)
class Armature(FrictionModel):
    """torque = Ia · ddq"""

    name = "armature"
    parameters = (
        Parameter(
            name="Ia",
            unit=INERTIA,
            nonnegative=True,
            attributes={"MJCF": "armature"},
            reason="a rotor's inertia",
            motion="accelerate these joints hard, with the others at rest",
            negative="an inertia that helps to accelerate",
        ),
    )
    symmetry = Symmetry.ODD

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (motion.ddq,)
