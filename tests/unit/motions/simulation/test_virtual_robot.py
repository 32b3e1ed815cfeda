"""The whole virtual robot: exact torques, true parameters back, tracking, limits, springs, determinism."""

from __future__ import annotations

import dataclasses
import json
import sys

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import Dataset, EffortKind, load_dataset
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import Armature, Coulomb, Motion, PerJoint, Viscous, combine, friction_model, linear
from dynident.errors import InputError, MissingExtraError, UnknownNameError, ValueRangeError
from dynident.motions.simulation import Elasticity, Payload, Sensors, Servo, SimulationError, simulate, typical_friction, write_truth
from dynident.regression import identify
from tests.facts import about, carries, raises
from tests.unit.motions.simulation.motions import fourier_motion

pytest.importorskip("mujoco")


@pytest.fixture(scope="module")
def panda():
    return load_robot("panda")


@pytest.fixture(scope="module")
def panda_recording(panda):
    return simulate(panda, fourier_motion(panda, duration=3.0), friction="linear", payload=Payload(mass=1.0))


def test_effort_is_rigid_plus_friction_at_every_sample(panda_recording):
    truth = panda_recording.truth
    assert np.abs(truth.friction).max() > 0.3
    np.testing.assert_allclose(truth.effort, truth.rigid + truth.friction, atol=1e-8)


def test_the_noiseless_truth_gives_the_true_base_parameters(panda, panda_recording):
    truth = panda_recording.truth
    estimate = identify(panda, truth.dataset, friction=truth.joint_friction.model, drop_above_percent=None, cutoff=None)
    true = estimate.base.coefficients(np.concatenate([truth.parameters.ravel(), truth.joint_friction.parameters.ravel()]))
    assert estimate.base.rank == 64
    np.testing.assert_allclose(estimate.values, true, rtol=0, atol=1e-6 * np.abs(true).max())
    assert np.abs(estimate.values - true).max() < 1e-9


def test_speeds_away_from_zero_have_plain_coulomb_friction(panda_recording):
    truth = panda_recording.truth
    fast = np.all(np.abs(truth.dq) > 0.2, axis=1)
    fv, fc, fo = truth.joint_friction.parameters.T
    assert fast.sum() > 50
    plain = fv * truth.dq + fc * np.sign(truth.dq) + fo
    np.testing.assert_allclose(truth.friction[fast], plain[fast], atol=1e-8)


def test_a_perfect_log_is_the_truth_without_accelerations(panda_recording):
    log, truth = panda_recording.log, panda_recording.truth
    assert log.ddq is None
    assert log.effort_kind is EffortKind.TORQUE
    for name in ("time", "q", "dq", "effort"):
        np.testing.assert_array_equal(getattr(log, name), getattr(truth, name))


def test_velocities_are_the_derivatives_of_positions(panda_recording):
    truth = panda_recording.truth
    step = truth.time[1] - truth.time[0]
    central = (truth.q[2:] - truth.q[:-2]) / (2 * step)
    assert np.abs(central - truth.dq[1:-1]).max() < 2e-3  # the servo's torque is constant for a period: dq has corners


@pytest.mark.parametrize(("feedforward", "allowed"), [("none", 2e-3), ("gravity", 1.5e-3), ("model", 1e-5)])
def test_tracking_error_without_friction(panda, feedforward, allowed):
    motion = fourier_motion(panda, duration=2.0)
    truth = simulate(panda, motion, servo=Servo(feedforward=feedforward)).truth
    reached = truth.q[::10]  # 1 kHz and 100 Hz
    assert np.abs(reached - motion.q[: len(reached)]).max() < allowed


def test_tracking_error_with_friction(panda, panda_recording):
    motion = fourier_motion(panda, duration=3.0)
    reached = panda_recording.truth.q[::10]
    assert np.abs(reached - motion.q[: len(reached)]).max() < 5e-3
    assert carries(panda_recording.notes[0], "tracking")


def test_the_same_seed_gives_the_same_log_and_another_does_not():
    robot = load_robot("planar_2r")
    motion = fourier_motion(robot, duration=0.5)
    one, same, other = (simulate(robot, motion, friction="linear", noise="realistic", seed=seed) for seed in (1, 1, 2))
    for name in ("time", "q", "dq", "effort"):
        np.testing.assert_array_equal(getattr(one.log, name), getattr(same.log, name))
    assert one.log.samples != other.log.samples or np.any(one.log.effort != other.log.effort)
    np.testing.assert_array_equal(one.truth.q, other.truth.q)  # the motion itself is not random


def test_effort_limits_are_kept_and_saturation_is_noted():
    robot = load_robot("planar_2r")
    weak = dataclasses.replace(robot, joints=tuple(dataclasses.replace(joint, effort=joint.effort / 4) for joint in robot.joints))
    recording = simulate(weak, fourier_motion(robot, duration=1.0))
    effort = recording.truth.effort
    assert np.all(np.abs(effort) <= weak.effort_limits)
    assert np.any(np.abs(effort) == weak.effort_limits)
    assert about(recording.notes, "effort", "limit")


def test_armature_as_a_friction_model_is_inertia():
    robot = load_robot("planar_2r")
    model = combine(Viscous(), Coulomb(), Armature())
    truth = simulate(
        robot, fourier_motion(robot, duration=1.0), friction=model, friction_parameters=[[0.3, 0.2, 0.5], [0.1, 0.2, 0.05]]
    ).truth
    np.testing.assert_allclose(truth.effort, truth.rigid + truth.friction, atol=1e-10)
    still = model.columns(Motion.steady(truth.dq))
    assert np.abs(still[..., 2]).max() == 0.0


def test_elastic_joints_deflect_by_torque_over_stiffness(panda):
    motion = fourier_motion(panda, duration=1.0)
    recording = simulate(panda, motion, friction="linear", elasticity=Elasticity(stiffness=1e4))
    truth = recording.truth
    deflection = truth.q - truth.motor_q
    assert 1e-3 < np.abs(deflection).max() < 1e-2
    assert np.abs(deflection + truth.rigid / 1e4).max() < 0.2 * np.abs(deflection).max()  # the rest is the damper's
    np.testing.assert_array_equal(recording.log.q, truth.motor_q)  # the encoder is on the motor
    stiff = simulate(panda, motion, elasticity=Elasticity(stiffness=np.inf)).truth
    np.testing.assert_array_equal(stiff.q, stiff.motor_q)


def test_a_slower_log_is_every_tenth_sample(panda):
    motion = fourier_motion(panda, duration=1.0)
    fast, slow = simulate(panda, motion).truth, simulate(panda, motion, rate=100.0).truth
    np.testing.assert_allclose(slow.q, fast.q[::10], atol=1e-12)
    odd = simulate(panda, motion, rate=300.0).log
    assert odd.rate == pytest.approx(300.0)


def test_positions_alone_are_a_trajectory(panda):
    motion = fourier_motion(panda, duration=1.0)
    alone = simulate(panda, Dataset(time=motion.time, q=motion.q)).truth
    whole = simulate(panda, motion).truth
    assert np.abs(alone.q - whole.q).max() < 1e-3


def test_gravity_can_point_anywhere():
    robot = load_robot("spatial_3r").with_gravity([0.0, 9.8, 0.0])
    truth = simulate(robot, fourier_motion(robot, duration=0.5)).truth
    np.testing.assert_allclose(truth.effort, inverse_dynamics(robot, robot.parameters, truth.q, truth.dq, truth.ddq), atol=1e-9)


def test_progress_ends_at_one():
    shares: list[float] = []
    robot = load_robot("pendulum_1r")
    simulate(robot, fourier_motion(robot, duration=0.5), progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_the_truth_is_a_file_that_loads_as_a_log(tmp_path, panda_recording):
    truth = panda_recording.truth
    write_truth(truth, tmp_path / "truth.npz")
    read = load_dataset(tmp_path / "truth.npz")
    assert isinstance(read, Dataset)
    np.testing.assert_array_equal(read.ddq, truth.ddq)
    np.testing.assert_array_equal(read.effort, truth.effort)
    with np.load(tmp_path / "truth.npz") as arrays:
        np.testing.assert_array_equal(arrays["link_parameters"], truth.parameters)
        np.testing.assert_allclose(arrays["rigid_effort"] + arrays["friction_effort"], truth.effort, atol=1e-8)
        description = json.loads(str(arrays["description"]))
    assert description["friction"]["parameter_names"] == ["fv", "fc", "fo"]
    assert description["friction"]["threshold"] == 0.02


def test_a_trajectory_beyond_a_limit_names_joint_and_time(panda):
    motion = fourier_motion(panda, duration=1.0)
    q = motion.q.copy()
    q[40:, 3] = 0.5
    with raises(ValueRangeError, "panda_joint4", 0.5, 0.4, name="trajectory"):
        simulate(panda, Dataset(time=motion.time, q=q))
    dq = motion.dq.copy()
    dq[7, 1] = -9.0
    with raises(ValueRangeError, "panda_joint2", -9, "rad/s", 0.07, name="trajectory"):
        simulate(panda, dataclasses.replace(motion, dq=dq))


@pytest.mark.parametrize(
    ("options", "error", "facts"),
    [
        ({"noise": "loud"}, UnknownNameError, ("loud", "none", "realistic")),
        ({"friction": "linaer"}, UnknownNameError, ("linaer", "linear")),
        ({"friction_parameters": [[1.0]]}, InputError, ("friction", "model")),
        ({"friction": "armature"}, InputError, ("armature", "Ia")),
        ({"friction": "linear", "friction_parameters": np.zeros((2, 2))}, InputError, ("(2, 2)", "fv", "fc", "fo")),
        ({"rate": 0.0}, ValueRangeError, ("rate", 0.0)),
        ({"elasticity": Elasticity(stiffness=1e12)}, SimulationError, ("stiff", "stiffness")),
        ({"noise": Sensors(torque_bias=(1.0, 2.0, 3.0))}, InputError, ("torque_bias", "(3,)", "(2,)")),
    ],
)
def test_what_can_not_be_simulated_is_said(options, error, facts):
    robot = load_robot("planar_2r")
    with raises(error, *facts):
        simulate(robot, fourier_motion(robot, duration=0.1), **options)


@pytest.mark.parametrize(("viscous", "words"), [(-50.0, ("away",)), (-1e4, ("away", "steep")), (-1e6, ("steep",))])
def test_a_robot_that_runs_away_is_an_error_and_no_log(tmp_path, monkeypatch, capfd, viscous, words):
    monkeypatch.chdir(tmp_path)
    robot = load_robot("planar_2r")
    with pytest.raises(SimulationError, match="|".join(words)):
        simulate(robot, fourier_motion(robot, duration=1.0), friction="viscous", friction_parameters=[[viscous], [viscous]])
    assert capfd.readouterr() == ("", "")
    assert not list(tmp_path.iterdir())  # MuJoCo would write a log file about it


def test_trajectories_must_fit_the_robot(panda):
    motion = fourier_motion(load_robot("planar_2r"), duration=0.2)
    with raises(InputError, 2, "panda", 7):
        simulate(panda, motion)
    twice = Dataset.concatenate([motion, motion])
    with raises(InputError, 2, "segments"):
        simulate(load_robot("planar_2r"), twice)


def test_the_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    robot = load_robot("planar_2r")
    with raises(MissingExtraError, "dynident[sim]", extra="sim", package="mujoco"):
        simulate(robot, fourier_motion(robot, duration=0.1))


def test_linear_friction_is_the_named_model():
    robot = load_robot("planar_2r")
    motion = fourier_motion(robot, duration=0.2)
    named, given = (simulate(robot, motion, friction=model).truth for model in ("linear", linear()))
    np.testing.assert_array_equal(named.q, given.q)


def test_friction_follows_the_temperature_of_the_trajectory():
    robot = load_robot("planar_2r")
    motion = fourier_motion(robot, duration=0.5)
    warm = dataclasses.replace(motion, temperature=np.linspace(25.0, 45.0, motion.samples))
    model, theta = friction_model("viscous+temperature_viscous"), [[0.5, -0.01], [0.5, -0.02]]
    recording = simulate(robot, warm, friction=model, friction_parameters=theta, rate=200.0)
    truth = recording.truth
    slope = np.array([0.5, 0.5]) + np.array([-0.01, -0.02]) * (truth.temperature - 25.0)
    np.testing.assert_allclose(truth.friction, slope * truth.dq, atol=1e-12)
    np.testing.assert_allclose(truth.effort, truth.rigid + truth.friction, atol=1e-8)
    np.testing.assert_allclose(recording.log.temperature[-1], 45.0, atol=0.1)
    cold = simulate(robot, motion, friction=model, friction_parameters=theta, rate=200.0)
    np.testing.assert_allclose(cold.truth.friction, 0.5 * cold.truth.dq, atol=1e-12)
    assert cold.log.temperature is None


def test_joints_with_other_models_have_typical_values_of_their_own():
    robot = load_robot("planar_2r")
    typical = typical_friction(robot, PerJoint((linear(), Viscous())), 100.0)
    np.testing.assert_allclose(typical, [[0.5, 0.5, 0.1], [0.5, 0.0, 0.0]])
