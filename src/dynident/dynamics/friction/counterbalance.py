"""A counterbalance: a spring or gas cylinder between the base and a link, beside the joint's axis, as large arms have at joint 2.

From a pivot at a distance a of the axis to one on the link at a distance r it has the length

    L(q) = √(a² + r² - 2 a r cos(q - phase))

and pulls with the force F = F₀ + k L, so that the motor has to give F dL/dq = k · a r sin(q - phase) + F₀ · a r sin(q - phase) / L.
The first column is what gravity does to a link about an axis that is not vertical; data tell the sum of both alone, and the second apart.
A spring of free length L₀ has F₀ = -k L₀ (Jubien and Gautier, IROS 2013, for a KUKA KR 270).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.dynamics.friction.model import POSITION, FrictionModel, JointUnit, Motion, Parameter, ShapeConstant, Symmetry, check_shapes
from dynident.errors import ValueRangeError

BASE, LINK, PHASE = 0.5, 0.2, 0.0
_METRE = JointUnit("m", "m")
_REASON, _MOTION = "a counterbalance", "move these joints over their whole range, with the links behind them stretched and folded"


@dataclass(frozen=True)
class Counterbalance(FrictionModel):
    """torque = kcb · a r sin(q - phase) + fcb · a r sin(q - phase) / L(q)

    Attributes
    ----------
    base_distance, link_distance
        a and r, of the two pivots from the joint's axis [m].
    phase
        Position at which the cylinder points through the axis, so that it gives no torque [rad].
    """

    base_distance: float = BASE
    link_distance: float = LINK
    phase: float = PHASE

    name = "counterbalance"
    parameters = (
        Parameter(name="kcb", unit=JointUnit("N/m", "N/m²"), reason=_REASON, motion=_MOTION),
        Parameter(name="fcb", unit=JointUnit("N", "N/m"), reason=_REASON, motion=_MOTION),
    )
    shapes = (
        ShapeConstant(name="base_distance", unit=_METRE, default=BASE, lower=0.01, upper=3.0, fixed=True),
        ShapeConstant(name="link_distance", unit=_METRE, default=LINK, lower=0.01, upper=3.0),
        ShapeConstant(name="phase", unit=POSITION, default=PHASE, lower=-np.pi, upper=np.pi),
    )
    symmetry = Symmetry.EVEN

    def __post_init__(self) -> None:
        check_shapes(self, positive=("base_distance", "link_distance"))
        if self.base_distance == self.link_distance:
            raise ValueRangeError("link_distance", f"is {self.link_distance} m, as is base_distance; the cylinder would shrink to nothing")

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        a, r, angle = self.base_distance, self.link_distance, motion.q - self.phase
        lever = (a * r) * np.sin(angle)
        return lever, lever / np.sqrt((a * a + r * r) - (2.0 * a * r) * np.cos(angle))
