"""Friction models as plain data."""

from __future__ import annotations

import pytest

from dynident.core.records import read_record, write_record
from dynident.dynamics.friction import (
    FRICTION_MODELS,
    Coulomb,
    FrictionModel,
    SmoothCoulomb,
    Viscous,
    combine,
    friction_model,
    friction_to_dict,
    linear,
)
from dynident.errors import UnknownNameError
from tests.facts import raises

MODELS = [
    *(friction_model(name) for name in sorted(FRICTION_MODELS)),
    SmoothCoulomb(0.1),
    combine(Viscous(), SmoothCoulomb(1 / 3)),
    linear(),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_models_come_back_with_their_shape(model, tmp_path):
    write_record(tmp_path / "model", model)
    assert read_record(tmp_path / "model", FrictionModel, remedy="") == model


def test_nested_combinations_come_back(tmp_path):
    model = combine(combine(Viscous(), Coulomb()), friction_model("offset"))
    write_record(tmp_path / "model", model)
    assert read_record(tmp_path / "model", FrictionModel, remedy="") == model


def test_a_model_of_the_users_own_must_be_registered():
    class Own(Viscous):
        name = "own"

    with raises(UnknownNameError, "registered", name="own"):
        friction_to_dict(Own())
