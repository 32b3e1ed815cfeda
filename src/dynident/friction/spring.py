"""A linear spring in the joint: cables, hoses, or one that is there to help. Where it rests is the offset's business."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dynident.friction.model import FrictionModel, Motion, Parameter, Symmetry, Unit


@dataclass(frozen=True)
class Spring(FrictionModel):
    """torque = ksp · q; with an offset fo it rests at q = -fo / ksp"""

    name = "spring"
    parameters = (
        Parameter(
            name="ksp",
            unit=Unit("N·m/rad", "N/m"),
            reason="a spring whose rest follows from the offset",
            motion="move these joints over their whole range",
        ),
    )
    symmetry = Symmetry.EVEN

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (motion.q,)
