"""Friction models as plain data."""

from __future__ import annotations

import json

import pytest

from dynident.errors import InputError, UnknownNameError
from dynident.friction import (
    FRICTION_MODELS,
    Coulomb,
    SmoothCoulomb,
    Viscous,
    combine,
    friction_from_dict,
    friction_model,
    friction_to_dict,
    linear,
)
from tests.facts import raises

MODELS = [
    *(friction_model(name) for name in sorted(FRICTION_MODELS)),
    SmoothCoulomb(0.1),
    combine(Viscous(), SmoothCoulomb(1 / 3)),
    linear(),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_models_come_back_with_their_shape(model):
    assert friction_from_dict(json.loads(json.dumps(friction_to_dict(model)))) == model


def test_nested_combinations_come_back():
    model = combine(combine(Viscous(), Coulomb()), friction_model("offset"))
    assert friction_from_dict(friction_to_dict(model)) == model


def test_unknown_models_and_shapes_are_refused():
    with raises(UnknownNameError, "viscous", name="sticky"):
        friction_from_dict({"model": "sticky", "shape": {}})
    with raises(InputError, "version"):
        friction_from_dict({"model": "viscous", "shape": {"threshold": 1.0}})


def test_a_model_of_the_users_own_must_be_registered():
    class Own(Viscous):
        name = "own"

    with raises(UnknownNameError, "registered", name="own"):
        friction_to_dict(Own())
