"""The observer against closed forms, sample by sample and in a batch, and what its thresholds do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics.friction import Armature, Coulomb, LoadCoulomb, Viscous, combine, linear
from dynident.dynamics.friction.coupled import couple
from dynident.dynamics.friction.laws import TemperatureViscous
from dynident.errors import InputError, ShapeError, ValueRangeError
from dynident.robots import Robot
from dynident.validation.monitoring import ContactMonitor, ResidualNoise, WatchedModel
from dynident.validation.monitoring.observe import observe
from tests.facts import raises
from tests.unit.validation.monitoring.free_motion import swing, touch

GAIN = 20.0


def watch(robot: Robot, friction=None, theta=None, **settings) -> ContactMonitor:
    model = WatchedModel(robot=robot, parameters=robot.parameters, friction=friction, friction_parameters=theta)
    usual = {"gain": GAIN, "level": np.inf, "blur": 0.0, "confirmation": 0.0}
    return ContactMonitor(model=model, **usual | settings)


@pytest.fixture(scope="module")
def pendulum() -> Robot:
    return load_robot("pendulum_1r")


def test_a_constant_torque_on_a_resting_pendulum_comes_through_a_first_order_filter(pendulum):
    """r = τ (1 - exp(-K t)), to rounding, on any clock."""
    monitor, q = watch(pendulum), np.array([0.4])
    from dynident.dynamics import gravity

    effort = gravity(pendulum, pendulum.parameters, q) - 0.7
    state, t = monitor.start(q, np.zeros(1), effort), 0.0
    for dt in np.random.default_rng(0).uniform(1e-4, 0.09, 60):
        state, t = monitor.step(state, q, np.zeros(1), effort, dt), t + dt
        assert state.residual[0] == pytest.approx(0.7 * (1.0 - np.exp(-GAIN * t)), rel=1e-12, abs=1e-14)
    assert t > 1.0


def test_on_a_moving_arm_the_error_falls_with_the_square_of_the_step():
    robot = load_robot("spatial_3r")
    monitor, outside = watch(robot), np.array([0.5, -0.3, 0.2])
    errors = []
    for rate in (100.0, 200.0, 400.0):
        log = touch(monitor.model, swing(robot, rate=rate), lambda t, q: outside)
        closed = outside * (1.0 - np.exp(-GAIN * log.time[:, None]))
        errors.append(np.abs(observe(monitor, log).residual - closed).max())
    assert errors[0] < 0.05
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize(
    "friction",
    [linear(), combine(Viscous(), Armature()), couple(combine(Coulomb(), Armature()), [[1, 0, 0], [0, 1, 0], [0, 0.5, 1]])],
    ids=["linear", "rotors", "coupled rotors"],
)
def test_friction_and_rotors_of_the_model_leave_no_residual(friction):
    robot = load_robot("spatial_3r")
    theta = np.random.default_rng(1).uniform(0.1, 0.4, (3, len(friction.parameter_names)))
    monitor = watch(robot, friction, theta)
    still = observe(monitor, touch(monitor.model, swing(robot, rate=4000.0, seconds=1.0))).residual
    without = replace(monitor, model=WatchedModel(robot=robot, parameters=robot.parameters))
    missed = observe(without, touch(monitor.model, swing(robot, rate=4000.0, seconds=1.0))).residual
    # where a velocity changes its sign between two samples, Coulomb friction is off for one of them
    assert np.abs(still).max() < 0.4 * GAIN / 4000.0 + 1e-4
    assert np.abs(missed).max() > 0.1


def test_load_dependent_friction_takes_the_measured_effort_for_the_load(pendulum):
    monitor = watch(pendulum, LoadCoulomb(), np.array([[0.2]]))
    q, dq, effort = np.array([[0.3]]), np.array([[1.0]]), np.array([[-4.0]])
    plain = watch(pendulum).model.balance(q, dq, effort, blur=np.zeros(1)).rate
    assert plain - monitor.model.balance(q, dq, effort, blur=np.zeros(1)).rate == pytest.approx(0.2 * 4.0)


def test_a_batch_is_the_samples_one_by_one():
    robot = load_robot("panda")
    rng = np.random.default_rng(2)
    theta = rng.uniform(0.1, 0.5, (7, 3))
    noise = ResidualNoise(velocity=rng.uniform(0.1, 0.3, 7), effort=rng.uniform(0.05, 0.2, 7))
    settings = {"gain": np.linspace(10.0, 40.0, 7), "level": 4.0, "blur": 0.05, "confirmation": 0.003}
    monitor = watch(robot, linear(), theta, noise=noise, distance_level=6.0, **settings)
    log = touch(monitor.model, swing(robot, seconds=0.3), lambda t, q: np.where(t > 0.1, 3.0, 0.0) * np.ones(7))
    time = log.time + np.cumsum(rng.uniform(0.0, 5e-4, log.samples))
    time[150:] += 0.2  # the observer starts again
    log = replace(log, time=time)
    whole = observe(monitor, log)
    state = monitor.start(log.q[0], log.dq[0], log.effort[0])
    for k in range(log.samples):
        if k > 0:
            state = monitor.step(state, log.q[k], log.dq[k], log.effort[k], log.time[k] - log.time[k - 1])
        np.testing.assert_allclose(state.residual, whole.residual[k], rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(state.allowance, whole.allowance[k], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(state.threshold, 4.0 * whole.std[k] + whole.allowance[k], rtol=1e-10)
        assert state.distance == pytest.approx(whole.distance[k], rel=1e-6, abs=1e-8)
        assert state.touched == whole.touched[k]
    assert {-1, 6} <= set(whole.touched.tolist())
    np.testing.assert_array_equal(whole.residual[150], 0.0)


def test_blocks_make_up_the_whole(monkeypatch):
    robot = load_robot("spatial_3r")
    monitor = watch(robot, level=0.1, confirmation=0.01)
    log = touch(monitor.model, swing(robot, seconds=0.5), lambda t, q: np.full(3, 0.3))
    whole = observe(monitor, log)
    monkeypatch.setattr("dynident.validation.monitoring.observe._BLOCK", 37)
    parts = observe(monitor, log)
    np.testing.assert_array_equal(parts.residual, whole.residual)
    np.testing.assert_array_equal(parts.touched, whole.touched)
    assert whole.touched.max() == 2


def test_segments_start_anew():
    robot = load_robot("spatial_3r")
    monitor = watch(robot)
    log = touch(monitor.model, swing(robot, seconds=0.4), lambda t, q: np.ones(3))
    cut = observe(monitor, replace(log, starts=(0, 200)))
    np.testing.assert_array_equal(cut.residual[200], 0.0)
    np.testing.assert_allclose(cut.residual[200:], observe(monitor, log.part(0.4988, 1)).residual[: len(cut.residual) - 200], atol=1e-12)


def test_the_threshold_at_rest_allows_for_all_of_coulomb_friction(pendulum):
    monitor = watch(pendulum, Coulomb(), np.array([[0.5]]), level=0.2, blur=0.01)
    assert monitor.rest_allowance == pytest.approx([0.5])
    resting, moving = (monitor.start([0.1], [speed], [0.0]).threshold[0] for speed in (0.0, 0.1))
    assert (resting, moving) == pytest.approx((0.7, 0.2))


def test_friction_of_a_joint_at_rest_does_not_follow_the_noise_of_its_velocity(pendulum):
    model = watch(pendulum, Coulomb(), np.array([[0.5]])).model
    dq = np.array([[-0.009], [-0.001], [0.004], [0.02]])
    still = np.zeros_like(dq)
    found = model.balance(still, dq, still, blur=np.array([0.01]))
    without = watch(pendulum).model.balance(still, dq, still, blur=np.array([0.01]))
    np.testing.assert_allclose((without.rate - found.rate).ravel(), [0.0, 0.0, 0.0, 0.5], atol=1e-12)
    np.testing.assert_allclose(found.doubt.ravel(), [0.5, 0.5, 0.5, 0.0], atol=1e-12)


def test_confirmation_waits(pendulum):
    q = np.array([0.4])
    for confirmation, first in ((0.0, 1), (0.005, 6)):
        monitor = watch(pendulum, level=0.0, confirmation=confirmation)
        state, steps = monitor.start(q, [0.0], [10.0]), 0
        while state.touched < 0:
            state, steps = monitor.step(state, q, [0.0], [10.0], 1e-3 * (1.0 + 1e-9)), steps + 1
        assert steps == (1 if confirmation == 0.0 else first - 1)


def test_what_can_not_be_watched_is_said(pendulum):
    monitor = watch(pendulum)
    state = monitor.start([0.0], [0.0], [0.0])
    with raises(ValueRangeError, name="dt"):
        monitor.step(state, [0.0], [0.0], [0.0], 0.0)
    with raises(ShapeError, name="dq", shape=(2,)):
        monitor.step(state, [0.0], [0.0, 1.0], [0.0], 0.001)
    with raises(ValueRangeError, "NaN", name="effort"):
        monitor.step(state, [0.0], [0.0], [np.nan], 0.001)
    with raises(ValueRangeError, name="gain"):
        replace(monitor, gain=np.array([-1.0]))
    with raises(InputError, "friction", "friction_parameters"):
        WatchedModel(robot=pendulum, parameters=pendulum.parameters, friction=Viscous())
    warm = watch(pendulum, TemperatureViscous(), np.array([[0.1]]))
    with raises(InputError, "temperature"):
        warm.start([0.0], [0.0], [0.0])
