"""Several friction models acting together: their torques add, so their columns stand side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dynident.dynamics.friction.laws import Armature, Coulomb, Offset, Viscous
from dynident.dynamics.friction.model import FrictionModel, Motion, Symmetry
from dynident.errors import ValueRangeError


@dataclass(frozen=True)
class Combined(FrictionModel):
    """The sum of `models`; its parameters are theirs, in order.

    Attributes
    ----------
    models : tuple of FrictionModel
        The summands.
    """

    models: tuple[FrictionModel, ...]

    def __post_init__(self) -> None:
        if not self.models:
            raise ValueRangeError("models", "is empty; a combination needs at least one friction model")
        kinds = {model.symmetry for model in self.models}
        vars(self).update(
            name="+".join(model.name for model in self.models),
            parameters=tuple(parameter for model in self.models for parameter in model.parameters),
            symmetry=kinds.pop() if len(kinds) == 1 else Symmetry.NONE,
            dissipative=all(model.dissipative for model in self.models),
            needs=frozenset().union(*(model.needs for model in self.models)),
        )
        names = self.parameter_names
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueRangeError(f"{self.name!r}", f"has the parameter {', '.join(twice)} twice; data can't tell the two apart")

    @property
    def parts(self) -> tuple[FrictionModel, ...]:
        return tuple(part for model in self.models for part in model.parts)

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return tuple(term for model in self.models for term in model.terms(motion))


def combine(*models: FrictionModel) -> Combined:
    """The models acting together: ``combine(Viscous(), Coulomb())``.

    Parameters
    ----------
    *models : FrictionModel
        The models whose torques are added.

    Returns
    -------
    Combined
        One model with the parameters of all of them.
    """
    return Combined(models)


def linear() -> Combined:
    """fv · dq + fc · sign(dq) + fo: eq. (24) of Gaz et al., RA-L 2019.

    Returns
    -------
    Combined
        Viscous, Coulomb and constant friction.
    """
    return combine(Viscous(), Coulomb(), Offset())


def stated_friction() -> Combined:
    """fc · sign(dq) + fv · dq: what descriptions of robots state of a joint.

    Returns
    -------
    Combined
        Coulomb and viscous friction, in this order.
    """
    return combine(Coulomb(), Viscous())


def linear_with_rotor() -> Combined:
    """The same and the rotor's inertia: what the torque of a motor overcomes beside the links.

    Returns
    -------
    Combined
        Linear friction with the inertia of the rotor.
    """
    return combine(linear(), Armature())
