"""Groupings as printed, the sigmoid of eq. (25), and the spatial 2R arm."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics.friction import Motion, friction_torque
from dynident.regression import base_parameters
from dynident.reproduce.gaz2019.friction import PHI, published_sigmoids, sigmoid
from dynident.reproduce.gaz2019.groupings import printed_terms, same_grouping
from dynident.reproduce.gaz2019.published import RECOVERED, TABLE_3
from dynident.reproduce.gaz2019.retrieval import published_links
from dynident.reproduce.gaz2019.spatial_2r import spatial_2r


def test_products_and_sums_are_read():
    terms = printed_terms("J2xx-J2yy+0.0998*m3+0.632*c3z*m3+0.1067*(m4+m5)")
    assert terms == {"J2xx": 1.0, "J2yy": -1.0, "m3": 0.0998, "mc3z": 0.632, "m4": 0.1067, "m5": 0.1067}


def test_a_term_more_or_another_factor_is_another_grouping():
    base = base_parameters(load_robot("panda"))
    symbol = TABLE_3[1].symbol
    assert same_grouping(base, 1, symbol)
    assert not same_grouping(base, 1, symbol + "+m1")
    assert not same_grouping(base, 1, symbol.replace("0.632", "0.631"))
    assert not same_grouping(base, 0, symbol)


def test_the_recovered_coefficients_are_the_printed_ones():
    printed = np.array([float(row.value) for row in TABLE_3])
    np.testing.assert_allclose(RECOVERED, printed, atol=5.1e-5)


def test_the_library_s_panda_is_the_published_one_with_c6z_mended():
    np.testing.assert_allclose(published_links(c6z=-0.01924), np.asarray(load_robot("panda").parameters).ravel(), atol=1e-12)


def test_the_sigmoid_is_that_of_the_friction_model():
    velocity = np.linspace(-2.0, 2.0, 41)[:, None] * np.ones(7)
    model, parameters = published_sigmoids()
    torque = friction_torque(model, parameters, Motion.steady(velocity))
    np.testing.assert_allclose(torque, np.column_stack([sigmoid(phi, velocity[:, j]) for j, phi in enumerate(PHI)]), atol=1e-12)
    assert sigmoid(PHI[0], np.zeros(1)) == pytest.approx(0.0)


def test_the_spatial_2r_arm_has_the_supplement_s_coefficients():
    assert base_parameters(spatial_2r()).expressions[5:] == ("J2zz - 0.64 m2", "mc2x + 0.8 m2", "mc2y")
