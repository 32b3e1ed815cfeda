"""Friction models by name. A new model is its file and one line here; the contract suite then finds it."""

from __future__ import annotations

from collections.abc import Callable

from dynident.errors import UnknownNameError
from dynident.friction.armature import Armature
from dynident.friction.combined import combine, linear
from dynident.friction.coulomb import Coulomb
from dynident.friction.model import FrictionModel
from dynident.friction.offset import Offset
from dynident.friction.smooth_coulomb import SmoothCoulomb
from dynident.friction.viscous import Viscous

FRICTION_MODELS: dict[str, Callable[[], FrictionModel]] = {
    "armature": Armature,
    "coulomb": Coulomb,
    "linear": linear,
    "offset": Offset,
    "smooth_coulomb": SmoothCoulomb,
    "viscous": Viscous,
}


def friction_model(name: str) -> FrictionModel:
    """The model of that name, with its default shape; "viscous+armature" is the two together."""
    parts = [_registered(part.strip()) for part in name.split("+")]
    return parts[0] if len(parts) == 1 else combine(*parts)


def _registered(name: str) -> FrictionModel:
    if name not in FRICTION_MODELS:
        raise UnknownNameError("friction model", name, sorted(FRICTION_MODELS))
    return FRICTION_MODELS[name]()
