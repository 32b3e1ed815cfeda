"""Shapes of a friction model as one vector."""

from __future__ import annotations

import numpy as np

from dynident.dynamics.friction import Motion, Offset, SmoothCoulomb, Viscous, combine, linear
from dynident.dynamics.friction.shapes import shape_constants, shape_values, with_shapes


def test_a_linear_model_has_no_shapes():
    assert shape_constants(linear()) == ()
    assert shape_values(linear()).shape == (0,)
    assert with_shapes(linear(), []).name == linear().name


def test_shapes_of_a_combination_are_those_of_its_parts():
    model = combine(Viscous(), SmoothCoulomb(0.05), Offset())
    assert [shape.name for shape in shape_constants(model)] == ["threshold"]
    assert shape_values(model).tolist() == [0.05]


def test_a_model_with_other_shapes_is_the_model_made_with_them():
    motion = Motion.steady(np.linspace(-1.0, 1.0, 11)[:, None])
    changed = with_shapes(combine(Viscous(), SmoothCoulomb(0.05), Offset()), [0.2])
    np.testing.assert_array_equal(changed.columns(motion), combine(Viscous(), SmoothCoulomb(0.2), Offset()).columns(motion))
    assert changed == combine(Viscous(), SmoothCoulomb(0.2), Offset())
    assert with_shapes(SmoothCoulomb(0.05), [0.3]) == SmoothCoulomb(0.3)


def test_the_model_itself_stays_as_it_was():
    model = SmoothCoulomb(0.05)
    with_shapes(model, [0.3])
    assert model.threshold == 0.05
