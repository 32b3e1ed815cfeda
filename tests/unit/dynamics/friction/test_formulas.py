"""The formulas of the models beyond the linear one, by identities and limits."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from dynident import Dataset, load_robot
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import (
    AsymmetricCoulomb,
    AsymmetricViscous,
    Coulomb,
    Counterbalance,
    CubicViscous,
    LoadCoulomb,
    Motion,
    MotorRipple,
    PerJoint,
    QuadraticViscous,
    Ripple,
    Sigmoid,
    SmoothCoulomb,
    Spring,
    Stribeck,
    Symmetry,
    TemperatureCoulomb,
    TemperatureViscous,
    Viscous,
    combine,
    friction_model,
    friction_torque,
)
from dynident.errors import ValueRangeError
from dynident.regression import identify
from tests.facts import raises

MOTION = Motion(*np.random.default_rng(0).normal(size=(5, 50, 2)))
DQ = MOTION.dq
TABLE_I = Path(__file__).parents[4] / "../shared/data/published/panda_gaz2019_tableI_sigmoid_friction.csv"


def test_the_sigmoid_is_equation_25_of_the_panda_paper():
    phi1, phi2, phi3 = 0.54615, 5.1181, 0.039533  # joint 1 of its supplement
    expected = phi1 / (1.0 + np.exp(-phi2 * (DQ + phi3))) - phi1 / (1.0 + np.exp(-phi2 * phi3))
    np.testing.assert_allclose(friction_torque(Sigmoid(phi2, phi3), np.full((2, 1), phi1), MOTION), expected, atol=1e-14)


def test_the_sigmoid_is_zero_at_rest_and_dissipates_whatever_its_shift():
    for shift in (-0.3, 0.0, 0.2):
        model = Sigmoid(12.0, shift)
        assert model.columns(Motion.steady(np.zeros((1, 1))))[0, 0, 0] == pytest.approx(0.0, abs=1e-16)
        assert np.all(model.columns(MOTION)[..., 0] * DQ >= 0.0)
        assert (model.symmetry is Symmetry.ODD) == (shift == 0.0)


def test_the_sigmoid_is_finite_at_any_speed():
    fast = Motion.steady(np.array([[1e4, -1e4]]))
    np.testing.assert_allclose(Sigmoid(100.0, 0.0).columns(fast)[0, :, 0], [0.5, -0.5])


def test_the_sigmoid_without_shift_is_smooth_coulomb_friction():
    np.testing.assert_allclose(Sigmoid(8.0, 0.0).columns(MOTION), 0.5 * SmoothCoulomb(2.0 / 8.0).columns(MOTION), atol=1e-15)


def test_the_twin_of_a_sigmoid_can_not_be_made():
    with raises(ValueRangeError, "sigmoid", -5.0, name="steepness"):
        Sigmoid(-5.0)


@pytest.mark.skipif(not TABLE_I.is_file(), reason="the published tables are not here")
def test_the_published_sigmoids_are_a_model_per_joint():
    with TABLE_I.open() as file:
        rows = [[float(value) for value in list(row.values())[1:4]] for row in csv.DictReader(file)]
    model = PerJoint(tuple(Sigmoid(phi2, phi3) for _, phi2, phi3 in rows))
    theta = np.array(rows)[:, :1]
    speed = np.linspace(-1.0, 1.0, 21)[:, None] * np.ones(7)
    phi1, phi2, phi3 = np.array(rows).T
    expected = phi1 / (1.0 + np.exp(-phi2 * (speed + phi3))) - phi1 / (1.0 + np.exp(-phi2 * phi3))
    np.testing.assert_allclose(friction_torque(model, theta, Motion.steady(speed)), expected, atol=1e-14)


def test_stribeck_is_coulomb_beside_rest_and_nothing_at_speed():
    slow, fast = Motion.steady([[1e-9, -1e-9]]), Motion.steady([[0.5, -0.5]])
    np.testing.assert_allclose(Stribeck(0.05).columns(slow), Coulomb().columns(slow))
    assert np.abs(Stribeck(0.05).columns(fast)).max() < 1e-40
    at = Motion.steady([[0.05, -0.05]])
    np.testing.assert_allclose(Stribeck(0.05, 1.3).columns(at)[0, :, 0], [np.exp(-1.0), -np.exp(-1.0)])


def test_equal_parameters_of_both_directions_are_the_symmetric_models():
    for asymmetric, symmetric in ((AsymmetricCoulomb(), Coulomb()), (AsymmetricViscous(), Viscous())):
        level = np.array([[0.3], [0.5]])
        both = friction_torque(asymmetric, np.repeat(level, 2, axis=1), MOTION)
        np.testing.assert_allclose(both, friction_torque(symmetric, level, MOTION))


def test_asymmetric_coulomb_is_coulomb_and_an_offset_in_motion():
    found = friction_torque(AsymmetricCoulomb(), [[0.5, 0.3], [0.5, 0.3]], MOTION)
    np.testing.assert_allclose(found, friction_torque(friction_model("coulomb+offset"), [[0.4, 0.1], [0.4, 0.1]], MOTION))


def test_powers_of_the_velocity():
    np.testing.assert_allclose(QuadraticViscous().columns(MOTION)[..., 0], np.sign(DQ) * DQ**2)
    np.testing.assert_allclose(CubicViscous().columns(MOTION)[..., 0], DQ**3)
    bent = combine(Viscous(), CubicViscous())
    assert bent.nonnegative == (True, False)  # friction that bends down at speed


def test_load_makes_coulomb_friction():
    np.testing.assert_allclose(LoadCoulomb().columns(MOTION), np.abs(MOTION.load)[..., None] * Coulomb().columns(MOTION))


def test_temperature_changes_friction_about_25_degrees():
    warm = MOTION._replace(temperature=np.full_like(DQ, 35.0))
    np.testing.assert_allclose(TemperatureViscous().columns(warm), 10.0 * Viscous().columns(MOTION))
    np.testing.assert_allclose(TemperatureCoulomb().columns(warm), 10.0 * Coulomb().columns(MOTION))
    assert not np.any(friction_model("temperature_viscous+temperature_coulomb").columns(Motion.steady(DQ)))


def test_ripple_repeats_with_every_turn():
    turned = MOTION._replace(q=MOTION.q + 2.0 * np.pi)
    np.testing.assert_allclose(Ripple().columns(turned), Ripple().columns(MOTION), atol=1e-13)
    turned = MOTION._replace(q=MOTION.q + 2.0 * np.pi / 50.0)
    np.testing.assert_allclose(MotorRipple(50.0).columns(turned), MotorRipple(50.0).columns(MOTION), atol=1e-12)
    np.testing.assert_allclose(MotorRipple(1.0).columns(MOTION), Ripple().columns(MOTION))


def test_a_spring_with_an_offset_rests_where_they_cancel():
    model, theta = combine(Spring(), friction_model("offset")), [[40.0, -8.0]]
    at = [friction_torque(model, theta, Motion.steady([[0.0]])._replace(q=np.array([[q]])))[0, 0] for q in (0.2, 0.3)]
    np.testing.assert_allclose(at, [0.0, 4.0], atol=1e-14)


def test_a_counterbalance_is_the_slope_of_its_energy():
    a, r, phase, k, free = 0.6, 0.25, 0.3, 9000.0, 0.2
    model, theta = Counterbalance(a, r, phase), [[k, -k * free]]

    def energy(q: float) -> float:
        length = float(np.linalg.norm([a - r * np.cos(q - phase), r * np.sin(q - phase)]))
        return 0.5 * k * (length - free) ** 2

    for q in (-1.2, 0.1, 0.3, 1.9):
        torque = friction_torque(model, theta, Motion.steady([[0.0]])._replace(q=np.array([[q]])))[0, 0]
        assert torque == pytest.approx((energy(q + 1e-5) - energy(q - 1e-5)) / 2e-5, rel=1e-6, abs=1e-4)


def test_the_cylinder_of_a_counterbalance_has_a_length():
    with raises(ValueRangeError, "shrink", name="link_distance"):
        Counterbalance(0.3, 0.3)


def test_identification_finds_the_load_that_friction_depends_on():
    """The links' torque is the load, and it is not measured: effort has the friction in it, which is much of it here."""
    robot, model = load_robot("spatial_3r"), friction_model("linear+load_coulomb")
    rng = np.random.default_rng(1)
    q, dq, ddq = rng.uniform(-1.5, 1.5, (3, 1000, 3))
    theta = np.tile([0.2, 0.5, 0.1, 0.15], (3, 1))
    rigid = inverse_dynamics(robot, robot.parameters, q, dq, ddq)
    effort = rigid + friction_torque(model, theta, Motion(q, dq, ddq, rigid))
    log = Dataset(time=0.01 * np.arange(1000), q=q, dq=dq, ddq=ddq, effort=effort, effort_kind="torque")
    estimate = identify(robot, log, friction=model, cutoff=None)
    np.testing.assert_allclose(estimate.friction_parameters[:, 3], 0.15, rtol=0.02)
    by_effort = identify(robot, log, friction=model, cutoff=None, load=effort)
    assert estimate.residuals.relative_percent < 0.1 * by_effort.residuals.relative_percent
    np.testing.assert_allclose(estimate.predict(log), effort, atol=0.02 * np.abs(effort).max())
