"""Friction models by name, and as plain data for JSON. A new model is its file and one line here; the contract suite then finds it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from dynident.core.kinds import parse_number
from dynident.core.records import register_variants
from dynident.dynamics.friction.combined import Combined, combine, linear
from dynident.dynamics.friction.counterbalance import Counterbalance
from dynident.dynamics.friction.coupled import Coupled
from dynident.dynamics.friction.laws import (
    Armature,
    AsymmetricCoulomb,
    AsymmetricViscous,
    Coulomb,
    CubicViscous,
    LoadCoulomb,
    MotorRipple,
    Offset,
    QuadraticViscous,
    Ripple,
    SmoothCoulomb,
    Spring,
    Stribeck,
    TemperatureCoulomb,
    TemperatureViscous,
    Viscous,
)
from dynident.dynamics.friction.model import FrictionModel
from dynident.dynamics.friction.per_joint import PerJoint
from dynident.dynamics.friction.shapes import set_shapes
from dynident.dynamics.friction.sigmoid import Sigmoid
from dynident.errors import UnknownNameError, ValueRangeError

FRICTION_MODELS: dict[str, Callable[[], FrictionModel]] = {
    "armature": Armature,
    "asymmetric_coulomb": AsymmetricCoulomb,
    "asymmetric_viscous": AsymmetricViscous,
    "coulomb": Coulomb,
    "counterbalance": Counterbalance,
    "cubic_viscous": CubicViscous,
    "linear": linear,
    "load_coulomb": LoadCoulomb,
    "motor_ripple": MotorRipple,
    "offset": Offset,
    "quadratic_viscous": QuadraticViscous,
    "ripple": Ripple,
    "sigmoid": Sigmoid,
    "smooth_coulomb": SmoothCoulomb,
    "spring": Spring,
    "stribeck": Stribeck,
    "viscous": Viscous,
    "temperature_coulomb": TemperatureCoulomb,
    "temperature_viscous": TemperatureViscous,
}
"""The friction models, by name; a call without arguments makes one."""
#: What files may name.
register_variants(FrictionModel, Combined, Coupled, PerJoint, *(model for model in FRICTION_MODELS.values() if isinstance(model, type)))


def friction_model(name: str) -> FrictionModel:
    """The model of that name; "viscous+armature" is the two together, "stribeck(speed=0.1)" has another shape than the default one.

    Parameters
    ----------
    name : str
        A name of `FRICTION_MODELS`, or several joined by "+", each with its shape in brackets where that is not the default one.

    Returns
    -------
    FrictionModel
        The model, for any number of joints.

    Raises
    ------
    UnknownNameError
        Where no model has that name.

    Examples
    --------
    >>> from dynident.dynamics.friction import friction_model
    >>> friction_model("viscous+coulomb").parameter_names
    ('fv', 'fc')
    """
    parts = [_make(part.strip()) for part in _BETWEEN.split(name)]
    return parts[0] if len(parts) == 1 else combine(*parts)


def friction_to_dict(model: FrictionModel) -> dict[str, Any]:
    """A friction model as texts and numbers, ready for standard JSON.

    One model is {"model": name, "shape": {...}}, several acting together are {"models": [...]}, and one per joint is {"joints": [...]}.

    Parameters
    ----------
    model : FrictionModel
        The model.

    Returns
    -------
    dict
        For standard JSON.
    """
    if isinstance(model, Coupled):  # motors that turn several joints
        return {"coupled": friction_to_dict(model.model), "gears": model.gears.tolist()}
    if isinstance(model, PerJoint):
        return {"joints": [friction_to_dict(item) for item in model.models]}
    if isinstance(model, Combined):
        return {"models": [friction_to_dict(part) for part in model.models]}
    if model.name not in FRICTION_MODELS:
        raise UnknownNameError("friction model", model.name, sorted(FRICTION_MODELS), remedy="a model must be registered to be saved")
    return {"model": model.name, "shape": {shape.name: getattr(model, shape.name) for shape in model.shapes}}


#: A plus between models, none of a number in parentheses.
_BETWEEN = re.compile(r"\+(?![^(]*\))")
_SHAPED = re.compile(r"(\w+)\s*\(([^()]*)\)")


def _make(text: str) -> FrictionModel:
    shaped = _SHAPED.fullmatch(text)
    name, inner = (shaped[1], shaped[2]) if shaped else (text, "")
    if name not in FRICTION_MODELS:
        raise UnknownNameError("friction model", name, sorted(FRICTION_MODELS))
    shapes: dict[str, float] = {}
    for word in filter(None, (part.strip() for part in inner.split(","))):
        key, _, value = word.partition("=")
        number = parse_number(value)
        if number is None:
            raise ValueRangeError(f"friction model {text!r}", f"has {word!r} in it; NAME=NUMBER was expected, such as stribeck(speed=0.1)")
        shapes[key.strip()] = number
    return set_shapes(FRICTION_MODELS[name](), **shapes)
