"""An arm under a gravity compensation: it stays, falls or creeps as closed forms say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics import gravity, mass_matrix
from dynident.dynamics.friction import friction_model
from dynident.dynamics.friction.laws import THRESHOLD
from dynident.errors import ShapeError
from dynident.motions.simulation import Payload, float_freely, loaded_parameters
from tests.facts import raises

pytest.importorskip("mujoco")


@pytest.fixture(scope="module")
def arm():
    return load_robot("planar_2r")


@pytest.fixture(scope="module")
def weightless():
    return replace(load_robot("pendulum_1r"), gravity=np.zeros(3))


def test_it_stays_where_the_compensation_is_exact_whatever_it_carries(arm):
    payload = Payload(mass=0.7, com=(0.1, 0.0, 0.0))
    true = loaded_parameters(arm, None, payload)
    log = float_freely(arm, [0.3, -0.4], lambda q: gravity(arm, true, q), seconds=0.5, payload=payload)
    np.testing.assert_allclose(log.q, np.tile([0.3, -0.4], (501, 1)), atol=1e-9)
    np.testing.assert_allclose(log.effort[-1], gravity(arm, true, [0.3, -0.4]), atol=1e-8)
    assert log.time[-1] == pytest.approx(0.5)


def test_an_error_of_the_compensation_moves_it_along_a_parabola(weightless):
    inertia = mass_matrix(weightless, weightless.parameters, [0.2])[0, 0]
    log = float_freely(weightless, [0.2], lambda q: [0.01], seconds=1.0)
    np.testing.assert_allclose(log.q[:, 0], 0.2 + 0.5 * 0.01 / inertia * log.time**2, atol=1e-9)


def test_friction_that_is_larger_than_the_error_lets_it_creep_below_the_threshold(weightless):
    error, fc = 0.2, 0.5
    log = float_freely(weightless, [0.2], lambda q: [error], seconds=2.0, friction=friction_model("coulomb"), friction_parameters=[[fc]])
    assert log.dq is not None
    assert log.dq[-1, 0] == pytest.approx(THRESHOLD * np.arctanh(error / fc), rel=1e-6)


def test_a_compensation_of_another_shape_is_named(arm):
    with raises(ShapeError, "(2,)", name="compensation(q)", shape=(1, 2)):
        float_freely(arm, [0.3, -0.4], lambda q: gravity(arm, arm.parameters, q[None]), seconds=0.1)
