"""Any friction model without its jump at rest, for optimisers that need derivatives and simulations that integrate.

A model whose column jumps at rest by 2 J (Coulomb: J = 1) is used as

    smooth(dq) = column(dq) - J · (sign(dq) - tanh(dq / threshold))

which removes the jump, leaves a model without one as it is, and changes nothing at speeds well above the threshold
(1e-4 of J at five thresholds, 4e-9 at ten). For Coulomb friction it is the model smooth_coulomb.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.friction.model import FrictionModel
from dynident.friction.smooth_coulomb import THRESHOLD, SmoothCoulomb

#: A velocity beside rest, far too slow for anything smooth to notice. Added to others it changes only those that are zero.
BESIDE_REST = 1e-300


@dataclass(frozen=True)
class Smoothed(FrictionModel):
    """A friction model without its jump at rest; itself a friction model with the same parameters."""

    model: FrictionModel
    threshold: float = THRESHOLD

    def __post_init__(self) -> None:
        model = self.model
        SmoothCoulomb(self.threshold)  # refuses a threshold that is no velocity
        vars(self).update(
            name=f"smoothed {model.name}", parameters=model.parameters, symmetry=model.symmetry, dissipative=model.dissipative
        )

    @property
    def parts(self) -> tuple[FrictionModel, ...]:
        return tuple(Smoothed(part, self.threshold) for part in self.model.parts)

    def terms(self, dq: Any, ddq: Any) -> tuple[Any, ...]:
        # at rest itself a model may say anything, such as zero between two unequal levels; beside it the mean of the two is found
        beside, passage = dq + BESIDE_REST, np.tanh(dq / self.threshold)
        raw, sign = self.model.terms(beside, ddq), np.sign(beside)
        return tuple(term - J * sign + J * passage for term, J in zip(raw, self.jump.tolist(), strict=True))

    @cached_property
    def jump(self) -> Array:
        """(k,) half the model's jump at rest, per unit of each parameter."""
        sides = np.array([[BESIDE_REST], [-BESIDE_REST]])
        above, below = self.model.columns(sides, np.zeros_like(sides))[:, 0]
        return 0.5 * (above - below)


def smooth(model: FrictionModel, threshold: float = THRESHOLD) -> Smoothed:
    """The model without its jump at rest; one that has been smoothed already stays as it is."""
    return model if isinstance(model, Smoothed) else Smoothed(model, threshold)
