"""Several friction models acting together: their torques add, so their columns stand side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.errors import ValueRangeError
from dynident.friction.coulomb import Coulomb
from dynident.friction.model import FrictionModel, Symmetry
from dynident.friction.offset import Offset
from dynident.friction.viscous import Viscous


@dataclass(frozen=True)
class Combined:
    """The sum of `models`; its parameters are theirs, in order."""

    models: tuple[FrictionModel, ...]

    def __post_init__(self) -> None:
        if not self.models:
            raise ValueRangeError("models", "is empty; a combination needs at least one friction model")
        names = self.parameter_names
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueRangeError(f"{self.name!r}", f"has the parameter {', '.join(twice)} twice; data can't tell the two apart")

    @property
    def name(self) -> str:
        return "+".join(model.name for model in self.models)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(name for model in self.models for name in model.parameter_names)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(unit for model in self.models for unit in model.units)

    @property
    def symmetry(self) -> Symmetry:
        kinds = {model.symmetry for model in self.models}
        return kinds.pop() if len(kinds) == 1 else Symmetry.NONE

    @property
    def dissipative(self) -> bool:
        return all(model.dissipative for model in self.models)

    def columns(self, velocity: ArrayLike, acceleration: ArrayLike) -> Array:
        return np.concatenate([model.columns(velocity, acceleration) for model in self.models], axis=-1)


def combine(*models: FrictionModel) -> Combined:
    """The models acting together: ``combine(Viscous(), Coulomb())``."""
    return Combined(models)


def linear() -> Combined:
    """fv · dq + fc · sign(dq) + fo: eq. (24) of Gaz et al., RA-L 2019."""
    return combine(Viscous(), Coulomb(), Offset())
