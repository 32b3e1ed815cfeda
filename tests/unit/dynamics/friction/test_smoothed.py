"""Smoothed friction: no jump at rest, unchanged elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from dynident.dynamics.friction import (
    FRICTION_MODELS,
    Coulomb,
    FrictionModel,
    Motion,
    Parameter,
    SmoothCoulomb,
    Smoothed,
    Symmetry,
    Viscous,
    friction_model,
)

VELOCITY = np.linspace(-1.0, 1.0, 401)[:, None] * [1.0, 0.5]
MOTION = Motion.steady(VELOCITY)


def test_smoothed_coulomb_is_smooth_coulomb():
    found = Smoothed(Coulomb(), 0.05).columns(MOTION)
    np.testing.assert_allclose(found, SmoothCoulomb(0.05).columns(MOTION), atol=1e-12)


@pytest.mark.parametrize("name", sorted(FRICTION_MODELS))
def test_every_model_is_continuous_at_rest_and_unchanged_at_speed(name):
    model = friction_model(name)
    smooth = Smoothed(model)
    tiny = np.full((1, 2), 1e-7)
    jump = smooth.columns(Motion.steady(tiny)) - smooth.columns(Motion.steady(-tiny))
    assert np.abs(jump).max() < 1e-3
    fast = np.abs(VELOCITY).min(axis=1) > 10 * smooth.threshold
    np.testing.assert_allclose(smooth.columns(MOTION)[fast], model.columns(MOTION)[fast], atol=1e-7)
    assert smooth.parameter_names == model.parameter_names
    assert smooth.parameters == model.parameters


def test_smooth_models_stay_as_they_are():
    np.testing.assert_array_equal(Smoothed(Viscous()).columns(MOTION)[VELOCITY == 0], 0.0)
    np.testing.assert_allclose(Smoothed(Viscous()).columns(MOTION), Viscous().columns(MOTION), atol=1e-9)
    assert Smoothed(Viscous()).symmetry is Symmetry.ODD
    assert Smoothed(Viscous()).dissipative


@dataclass(frozen=True)
class OneWay(FrictionModel):
    """A level in one direction only; at rest it says zero, which is neither side nor their mean."""

    name = "one_way"
    parameters = (Parameter(name="fa"),)

    def terms(self, motion):
        return (np.maximum(np.sign(motion.dq), 0.0),)


def test_rest_is_the_mean_of_both_sides_whatever_the_model_says_there():
    velocity = np.array([[-1e-9], [0.0], [1e-9]])
    np.testing.assert_array_equal(OneWay().columns(Motion.steady(velocity)).ravel(), [0.0, 0.0, 1.0])
    np.testing.assert_allclose(Smoothed(OneWay()).columns(Motion.steady(velocity)).ravel(), 0.5, atol=1e-7)
    assert not any(OneWay().nonnegative)  # nothing was said about energy, so nothing is demanded
