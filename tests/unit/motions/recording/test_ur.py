"""The UR connection on the stand-ins for ur_rtde's modules."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_dataset, load_robot
from dynident.data import Dataset, load_controller_samples
from dynident.errors import InputError
from dynident.motions import robot_limits
from dynident.motions.recording import ConnectionLostError, RecordingStatus, RobotFaultError, plan_configurations, plan_trajectory, record
from dynident.motions.recording.connections.ur import URConnection
from tests.facts import carries, raises
from tests.unit.motions.recording import fake_rtde

ROBOT = load_robot("kuka_lwr4", lock={"joint7": 0.0})  # any arm of six joints will do
LIMITS = robot_limits(ROBOT)
HOME = np.array([0.0, -1.2, 1.2, -1.5, -1.5, 0.0])


@pytest.fixture
def fake(monkeypatch):
    return fake_rtde.install(monkeypatch)


def plan(connection, repeats=1):
    t = np.arange(0.0, 0.5 + 1e-9, 0.01)
    s = t[:, None] / 0.5
    q = HOME + 0.05 * np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0]) * 64 * (s * (1 - s)) ** 3
    motion = Dataset(time=t, q=q, dq=0.05 * np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0]) * 64 * 3 * (s * (1 - s)) ** 2 * (1 - 2 * s) / 0.5)
    standing = np.asarray(connection.read().reference)
    return plan_trajectory(ROBOT, motion, standing, limits=LIMITS, rate=connection.rate, repeats=repeats)


def test_a_trajectory_is_followed_and_currents_are_recorded(fake, tmp_path):
    connection = URConnection("10.0.0.3")
    assert connection.rate == pytest.approx(500.0)
    outcome = record(connection, plan(connection, repeats=2), tmp_path / "log.npz")
    assert outcome.status is RecordingStatus.COMPLETE, outcome.sentence
    log = load_dataset(tmp_path / "log.npz")
    assert log.effort_kind == "current"
    assert len(log.starts) == 2
    np.testing.assert_array_equal(log.temperature[0], [30.0, 31.0, 32.0, 33.0, 34.0, 35.0])
    assert np.all(np.concatenate([np.diff(log.time[segment]) for segment in log.segments]) > 0.0)
    assert np.ptp(log.q, axis=0).min() > 0.03
    with np.load(tmp_path / "log.npz") as archive:
        assert archive["target_moment"].shape == log.q.shape
    np.testing.assert_allclose(np.array(fake.servos)[-1], HOME, atol=1e-9)
    assert fake.stops == [10.0, 10.0]


def test_a_protective_stop_ends_it_and_an_arm_that_is_off_is_not_moved(fake, tmp_path):
    connection = URConnection("10.0.0.3")
    fake.trouble = {80: "protective"}
    outcome = record(connection, plan(connection), tmp_path / "log.npz")
    assert outcome.status is RecordingStatus.FAULT
    assert carries(outcome.reason, "protective")
    assert carries(outcome.remedy, "pendant")
    assert load_dataset(tmp_path / "log.npz").samples >= 20
    assert fake.stops == [2.0]
    fake.protective, fake.robot_mode = False, 5
    with raises(RobotFaultError, "mode", 5):
        connection.read()
    fake.emergency = True
    with raises(RobotFaultError, "emergency"):
        connection.read()


def test_a_lost_line_is_taken_up_again(fake, tmp_path):
    connection = URConnection("10.0.0.3")
    fake.trouble = {80: "lost"}
    outcome = record(connection, plan(connection), tmp_path / "log.npz", confirm=lambda question: True)
    assert outcome.status is RecordingStatus.COMPLETE, outcome.sentence
    assert outcome.losses == 1


def test_a_clock_that_stands_still_is_a_lost_line(fake, monkeypatch):
    connection = URConnection("10.0.0.3")
    connection.read()
    monkeypatch.setattr(fake_rtde.Arm, "stamp", connection._stamp)
    with raises(ConnectionLostError, "UR", "10.0.0.3", 0.2):
        connection.read()


def test_the_inertia_matrix_of_newer_controllers_is_kept_and_others_say_so(fake, tmp_path):
    connection = URConnection("10.0.0.3")
    made = plan_configurations(ROBOT, HOME[None] + 0.02, np.asarray(connection.read().reference), limits=LIMITS, rate=connection.rate)
    assert record(connection, made, tmp_path / "samples.npz").status is RecordingStatus.COMPLETE
    samples = load_controller_samples(tmp_path / "samples.npz")
    assert samples.g is None
    np.testing.assert_array_equal(samples.M[0], np.reshape(fake.mass, (6, 6)))
    fake.mass = []
    with raises(InputError, "inertia", "PolyScope", 5.26):
        connection.ask_model()


def test_the_script_is_uploaded_again_when_it_ended(fake):
    connection = URConnection("10.0.0.3")
    fake.running = False
    connection.end(np.asarray(connection.begin().reference))
    assert fake.running
    fake.running = fake.reachable = False
    with raises(RobotFaultError, "script", "remote"):
        connection.begin()


def test_an_arm_that_cannot_be_reached_is_said(fake):
    fake.reachable = False
    with raises(ConnectionLostError, "UR", "10.0.0.3"):
        URConnection("10.0.0.3")


def test_what_the_controller_knows_of_the_load_is_told(fake):
    facts = URConnection("10.0.0.3").facts
    assert facts["load"] == {"mass": 1.5, "com": [0.0, 0.0, 0.05]}
    assert facts["library"].startswith("ur_rtde")
