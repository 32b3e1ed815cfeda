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
from dynident.dynamics.friction.laws import THRESHOLD, SmoothCoulomb
from dynident.dynamics.friction.model import REFERENCE_TEMPERATURE, FrictionModel, Motion

#: A velocity beside rest, far too slow for anything smooth to notice. Added to others it changes only those that are zero.
BESIDE_REST = 1e-300
#: A column that changes by more between both sides of rest leaps there.
_LEAP = 1e-6


@dataclass(frozen=True)
class Smoothed(FrictionModel):
    """A friction model without its jump at rest; itself a friction model with the same parameters.

    Attributes
    ----------
    model : FrictionModel
        With its jump at rest.
    threshold : float
        Speed below which the jump is a slope [rad/s | m/s].
    """

    model: FrictionModel
    threshold: float = THRESHOLD

    def __post_init__(self) -> None:
        model = self.model
        SmoothCoulomb(self.threshold)  # refuses a threshold that is no velocity
        same = ("parameters", "symmetry", "dissipative", "needs", "joints")
        vars(self).update(name=f"smoothed {model.name}", **{name: getattr(model, name) for name in same})

    @property
    def parts(self) -> tuple[FrictionModel, ...]:
        return tuple(Smoothed(part, self.threshold) for part in self.model.parts)

    @property
    def nonnegative(self) -> tuple[bool, ...]:
        return self.model.nonnegative

    def of_joint(self, joint: int) -> FrictionModel:
        return Smoothed(self.model.of_joint(joint), self.threshold)

    def split(self, parameters: Array) -> tuple[tuple[FrictionModel, Array], ...]:
        return tuple((Smoothed(part, self.threshold), values) for part, values in self.model.split(parameters))

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        # at rest itself a model may say anything, such as zero between two unequal levels; beside it the mean of the two is found
        beside, passage = motion.dq + BESIDE_REST, np.tanh(motion.dq / self.threshold)
        raw, leap = self.model.terms(motion._replace(dq=beside)), np.sign(beside) - passage
        return tuple(term - J * leap for term, J in zip(raw, self.jumps(motion), strict=True))

    def jumps(self, motion: Motion) -> tuple[Any, ...]:
        """(k,) half the model's jump at rest, per unit of each parameter."""
        if not self.model.needs:
            return self._constant_jumps
        above, below = (self.model.terms(motion._replace(dq=np.full_like(motion.dq, side))) for side in (BESIDE_REST, -BESIDE_REST))
        return tuple(0.5 * (a - b) for a, b in zip(above, below, strict=True))

    @cached_property
    def _constant_jumps(self) -> tuple[Any, ...]:
        """Numbers, or (n,) where every joint has its own model."""
        sides = np.repeat([[BESIDE_REST], [-BESIDE_REST]], self.joints or 1, axis=1)
        above, below = self.model.columns(Motion.steady(sides))
        jumps: Array = 0.5 * (above - below)
        return tuple(jumps[0].tolist()) if self.joints is None else tuple(jumps.T)


def jumps_at_rest(model: FrictionModel) -> bool:
    """Whether a column leaps where a joint turns back, so that noise in the velocity of a joint at rest is noise in the column."""
    side = np.full((1, model.joints or 1), 1e-12)
    beside = [Motion.steady(speed)._replace(load=side + 1.0, temperature=side + REFERENCE_TEMPERATURE + 1.0) for speed in (side, -side)]
    above, below = (model.columns(motion) for motion in beside)
    return bool(np.abs(above - below).max() > _LEAP)


def smooth(model: FrictionModel, threshold: float = THRESHOLD) -> FrictionModel:
    """The model without its jump at rest, that of motors included; one that has been smoothed already stays as it is.

    Parameters
    ----------
    model : FrictionModel
        Any model.
    threshold : float
        Velocity at which 76 % of a jump is reached [rad/s | m/s].

    Returns
    -------
    FrictionModel
        The same model, continuous in the velocity.
    """
    return model.change_laws(lambda law: law if isinstance(law, Smoothed) else Smoothed(law, threshold))
