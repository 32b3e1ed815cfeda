"""The Franka connection on the stand-in for pylibfranka, which judges commands as the arm's motion generator does."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from dynident import load_dataset, load_robot
from dynident.data import Dataset, load_controller_samples
from dynident.motions import robot_limits
from dynident.motions.recording import (
    ConnectionLostError,
    RecordingStatus,
    RobotFaultError,
    plan_configurations,
    plan_trajectory,
    record,
)
from dynident.motions.recording.connections.franka import FrankaConnection, FrankaOptions
from tests.facts import carries, raises
from tests.unit.motions.recording import fake_franka

ROBOT = load_robot("panda")
LIMITS = robot_limits(ROBOT)
HOME = fake_franka.HOME


@pytest.fixture
def fake(monkeypatch):
    module = fake_franka.module()
    monkeypatch.setitem(sys.modules, "pylibfranka", module)
    return module.ARM


def swing(centre: np.ndarray = HOME) -> Dataset:
    """A motion that begins with nearly 1 rad/s."""
    t = np.arange(0.0, 2.0 + 1e-9, 0.01)
    w, a = 2 * np.pi * 0.5, 0.3 * np.array([1.0, -1.0, 0.8, 0.7, -1.0, 0.5, 1.0])
    x = (w * t)[:, None]
    return Dataset(time=t, q=centre + a * np.sin(x), dq=a * w * np.cos(x), ddq=-a * w**2 * np.sin(x))


def plan(connection, motion=None, repeats=1):
    standing = np.asarray(connection.read().reference)
    return plan_trajectory(ROBOT, motion or swing(), standing, limits=LIMITS, rate=connection.rate, repeats=repeats)


def test_a_trajectory_is_driven_without_a_complaint_of_the_motion_generator(fake, tmp_path):
    connection = FrankaConnection("172.16.0.2")
    moved = HOME + np.array([0.2, 0.1, -0.2, 0.1, 0.0, -0.1, 0.3])
    outcome = record(connection, plan(connection, swing(moved), repeats=2), tmp_path / "log.npz")
    assert outcome.status is RecordingStatus.COMPLETE, outcome.sentence
    log = load_dataset(tmp_path / "log.npz")
    assert log.effort_kind == "torque"
    assert len(log.starts) == 2
    assert log.rate == pytest.approx(1000.0)
    with np.load(tmp_path / "log.npz") as archive:
        assert archive["tau_ext_filtered"].shape == log.q.shape
        np.testing.assert_allclose(log.q, archive["commanded_q"], atol=3e-3)  # the state is a cycle older than its command
    assert fake.mode.name == "Idle"
    assert fake.stops == 0


def test_the_first_command_is_what_the_arm_holds_and_not_what_it_measures(fake):
    state = FrankaConnection("172.16.0.2").read()
    np.testing.assert_array_equal(state.reference, HOME)
    assert 1e-5 < np.abs(np.asarray(state.q) - HOME).max() < 1e-3


def test_a_small_difference_at_the_start_is_taken_up_smoothly(fake, tmp_path):
    connection = FrankaConnection("172.16.0.2")
    made = plan(connection, swing(HOME + 0.006))
    assert not made.needs_approach
    assert record(connection, made, tmp_path / "log.npz").status is RecordingStatus.COMPLETE


def test_an_interruption_is_smooth_enough_for_the_arm(fake, tmp_path):
    connection = FrankaConnection("172.16.0.2")
    cycles = iter(range(10**6))
    outcome = record(connection, plan(connection), tmp_path / "log.npz", interrupted=lambda: next(cycles) > 1700)
    assert outcome.status is RecordingStatus.INTERRUPTED
    assert fake.mode.name == "Idle"
    assert not fake.last_errors
    assert load_dataset(tmp_path / "log.npz").samples > 2000


def test_the_controller_tells_m_g_and_c_where_it_stands(fake, tmp_path):
    connection = FrankaConnection("172.16.0.2")
    q = HOME + np.array([[0.1] * 7, [-0.1, 0.1, 0.2, -0.2, 0.3, 0.1, 0.0]])
    made = plan_configurations(ROBOT, q, np.asarray(connection.read().reference), limits=LIMITS, rate=connection.rate)
    assert record(connection, made, tmp_path / "samples.npz").status is RecordingStatus.COMPLETE
    samples = load_controller_samples(tmp_path / "samples.npz")
    from dynident.dynamics import gravity, mass_matrix

    np.testing.assert_allclose(samples.q, q, atol=1e-3)
    np.testing.assert_allclose(samples.M, mass_matrix(ROBOT, ROBOT.parameters, samples.q), atol=1e-12)
    np.testing.assert_allclose(samples.g, gravity(ROBOT, ROBOT.parameters, samples.q), atol=1e-12)
    assert samples.c is not None


def test_a_model_of_zeros_is_refused(fake, tmp_path):
    fake.model_zero = True
    connection = FrankaConnection("172.16.0.2")
    made = plan_configurations(ROBOT, HOME[None], np.asarray(connection.read().reference), limits=LIMITS, rate=connection.rate)
    outcome = record(connection, made, tmp_path / "samples.npz")
    assert outcome.status is RecordingStatus.FAULT
    assert carries(outcome.reason, "zeros")


def test_collision_thresholds_are_set_and_told(fake):
    connection = FrankaConnection("172.16.0.2", FrankaOptions(torque_threshold=12.0, force_threshold=15.0))
    assert fake.thresholds == [[12.0] * 7, [12.0] * 7, [15.0] * 6, [15.0] * 6]
    facts = connection.facts
    assert (facts["torque_threshold"], facts["force_threshold"], facts["address"]) == (12.0, 15.0, "172.16.0.2")
    assert facts["end_effector"]["mass"] == 0.73


@pytest.mark.parametrize("trouble", ["network", "communication_constraints_violation"])
def test_a_lost_line_is_taken_up_again(fake, tmp_path, trouble):
    connection = FrankaConnection("172.16.0.2")
    fake.trouble = {1500: trouble}
    outcome = record(connection, plan(connection), tmp_path / "log.npz", confirm=lambda question: True)
    assert outcome.status is RecordingStatus.COMPLETE, outcome.sentence
    assert outcome.losses == 1
    assert (fake.connections, fake.recoveries) == (2, 1)
    assert len(load_dataset(tmp_path / "log.npz").starts) == 2


def test_a_collision_stops_it_and_is_not_cleared_by_itself(fake, tmp_path):
    connection = FrankaConnection("172.16.0.2")
    fake.trouble = {1500: "joint_reflex"}
    outcome = record(connection, plan(connection), tmp_path / "log.npz", confirm=lambda question: True)
    assert outcome.status is RecordingStatus.FAULT
    assert "joint_reflex" in outcome.reason
    assert (fake.recoveries, fake.stops) == (0, 1)
    assert load_dataset(tmp_path / "log.npz").samples > 1400
    with raises(RobotFaultError, "Reflex", '["joint_reflex"]', "Desk"):
        connection.read()
    with raises(RobotFaultError, "Move", "rejected"):
        connection.begin()


def test_an_arm_that_cannot_be_reached_and_a_kernel_that_is_too_slow_are_said(fake):
    fake.real_time = False
    with raises(RobotFaultError, "real", "time", remedy={"connection_options": {"realtime": "ignore"}}):
        FrankaConnection("172.16.0.2")
    FrankaConnection("172.16.0.2", FrankaOptions(realtime="ignore"))
    fake.reachable = False
    with raises(ConnectionLostError, "Franka", "172.16.0.2", "route", "host"):
        FrankaConnection("172.16.0.2")


def test_the_stand_in_does_judge(fake):
    """A test of the tests: a jump and a start elsewhere are refused as the arm refuses them."""
    connection = FrankaConnection("172.16.0.2")
    connection.begin()
    with raises(RobotFaultError):
        connection.step(HOME + 1e-3)
    fake.mode = fake_franka.RobotMode.Idle
    connection.begin()
    connection.step(HOME)
    with raises(RobotFaultError):
        connection.step(HOME + 1e-4)
