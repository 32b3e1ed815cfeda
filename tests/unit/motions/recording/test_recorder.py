"""The recorder on the virtual robot: what it records, and what is left when the line drops, the robot fails, or somebody stops it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dynident import load_dataset
from dynident.data import Dataset, keep_periods, load_controller_samples
from dynident.dynamics import gravity, mass_matrix
from dynident.errors import FileError, MissingFileError
from dynident.motions.recording import ConnectionLostError, RecordingStatus, plan_configurations, plan_trajectory, record
from dynident.motions.recording.connections.virtual import VirtualConnection, VirtualOptions
from tests.facts import carries, raises
from tests.unit.motions.recording.test_paths import LIMITS, RATE, ROBOT

pytest.importorskip("mujoco")

#: Seconds that the motion takes: a second of it, eased at both ends.
LENGTH = 2.0


def swing(amplitude: float = 0.25) -> Dataset:
    t = np.arange(0.0, 1.0 + 1e-9, 0.01)
    w, a = 2 * np.pi, amplitude * np.array([1.0, -0.8])
    x = (w * t)[:, None]
    return Dataset(time=t, q=a * np.sin(x), dq=a * w * np.cos(x), ddq=-a * w**2 * np.sin(x))


def arm(**options) -> VirtualConnection:
    return VirtualConnection(ROBOT, VirtualOptions(**{"noise": "none", **options}))


def plan(connection, *, repeats=1):
    return plan_trajectory(ROBOT, swing(), _standing(connection), limits=LIMITS, rate=connection.rate, repeats=repeats)


def _standing(connection):
    return np.asarray(connection.read().reference)


def description(path) -> dict:
    with np.load(path) as archive:
        return json.loads(str(archive["description"]))


def yes(question: str) -> bool:
    return True


def never(question: str) -> bool:
    raise AssertionError(question)


def test_marks_of_whole_periods_go_into_the_log_also_of_a_motion_that_was_stopped(tmp_path):
    connection, motion = arm(), swing()
    marked = motion.after("", period=np.where((motion.time >= 0.2) & (motion.time < 0.8), 1 + (motion.time >= 0.5), 0))
    planned = plan_trajectory(ROBOT, marked, _standing(connection), limits=LIMITS, rate=connection.rate)
    record(connection, planned, tmp_path / "log.npz", confirm=never)
    log = load_dataset(tmp_path / "log.npz")
    assert np.all(np.diff(log.period[log.period > 0]) >= 0)
    np.testing.assert_allclose(np.load(tmp_path / "log.npz")["commanded_q"][np.argmax(log.period == 2)], 0.0, atol=3e-3)  # half way
    assert 300 < keep_periods(log, 2).mask[:, 0].sum() == np.sum(log.period == 2)
    cycles = iter(range(10_000))
    record(connection, planned, tmp_path / "stopped.npz", confirm=yes, interrupted=lambda: next(cycles) > 100)
    stopped = np.load(tmp_path / "stopped.npz")
    assert len(stopped["period"]) == len(stopped["time"])


def test_a_trajectory_becomes_a_log_with_a_segment_per_repetition(tmp_path):
    path, connection = tmp_path / "log.npz", arm()
    seen: list[float] = []
    outcome = record(connection, plan(connection, repeats=2), path, confirm=never, progress=seen.append)
    assert outcome.status is RecordingStatus.COMPLETE
    assert (outcome.done, outcome.planned, outcome.losses) == (2, 2, 0)
    log = load_dataset(path)
    assert log.starts == (0, 2001)
    assert log.samples == outcome.samples == 4002
    assert log.joint_names == ROBOT.joint_names
    assert log.effort_kind == "torque"
    assert log.rate == pytest.approx(1000.0)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    with np.load(path) as archive:
        np.testing.assert_allclose(log.q, archive["commanded_q"], atol=0.01)
    steps = np.diff(log.q[:2001], axis=0) * RATE
    assert 1.4 < np.abs(steps).max() < 1.8
    assert np.abs(np.diff(steps, axis=0)).max() * RATE < 60.0  # no jump: twice what the motion itself has
    told = description(path)
    assert told["robot"] == "planar_2r"
    assert len(told["commanded"]) == 64
    assert told["sessions"][0]["connection"]["vendor"] == "virtual"
    assert [part["whole"] for part in told["parts"]] == [True, True]


def test_a_controller_is_asked_at_every_configuration(tmp_path):
    path, connection = tmp_path / "samples.npz", arm()
    q = np.array([[0.15, 0.1], [-0.1, 0.2], [0.1, -0.1]])
    made = plan_configurations(ROBOT, q, _standing(connection), limits=LIMITS, rate=connection.rate)
    assert record(connection, made, path, confirm=never).status is RecordingStatus.COMPLETE
    samples = load_controller_samples(path)
    np.testing.assert_allclose(samples.q, q, atol=1e-9)
    np.testing.assert_allclose(samples.M, mass_matrix(ROBOT, ROBOT.parameters, q), atol=1e-12)
    np.testing.assert_allclose(samples.g, gravity(ROBOT, ROBOT.parameters, q), atol=1e-12)
    assert samples.c is not None


def test_a_line_that_drops_half_way_keeps_what_there_was_and_goes_on(tmp_path):
    path, connection = tmp_path / "log.npz", arm(lose_after=LENGTH + 1.1)
    asked: list[str] = []
    outcome = record(connection, plan(connection, repeats=2), path, confirm=lambda question: not asked.append(question))
    assert outcome.status is RecordingStatus.COMPLETE
    assert outcome.losses == 1
    assert carries(outcome.sentence, "came")
    (question,) = asked
    assert carries(question, "repetition 2")
    assert [(part["name"], part["whole"]) for part in description(path)["parts"]] == [
        ("repetition 1", True),
        ("repetition 2", False),
        ("repetition 2", True),
    ]
    log = load_dataset(path)
    lengths = [segment.stop - segment.start for segment in log.segments]
    assert lengths[0] == lengths[2] == 2001
    assert 900 < lengths[1] < 1200
    assert log.time[list(log.starts)] == pytest.approx([0.0, 0.0, 0.0])


def test_a_line_that_stays_down_leaves_the_file_and_a_later_run_resumes(tmp_path, monkeypatch):
    path, connection = tmp_path / "log.npz", arm(lose_after=LENGTH + 1.1)

    def down() -> None:
        raise ConnectionLostError("still down")

    monkeypatch.setattr(connection, "reconnect", down)
    outcome = record(connection, plan(connection, repeats=3), path, confirm=never, patience=0.0)
    assert outcome.status is RecordingStatus.LOST
    assert (outcome.done, outcome.planned) == (1, 3)
    assert carries(outcome.sentence, "connection", "lost")
    assert load_dataset(path).samples == outcome.samples
    fresh = arm()
    again = record(fresh, plan(fresh, repeats=3), path, resume=True, confirm=never)
    assert again.status is RecordingStatus.COMPLETE
    assert again.done == 3
    told = description(path)
    assert [part["whole"] for part in told["parts"]] == [True, False, True, True]
    assert len(told["sessions"]) == 2
    before = load_dataset(path)
    assert record(fresh, plan(fresh, repeats=3), path, resume=True, confirm=never).done == 3  # nothing is left to do
    np.testing.assert_array_equal(load_dataset(path).q, before.q)


def test_a_move_back_that_nobody_confirms_is_not_driven(tmp_path):
    path, connection = tmp_path / "log.npz", arm(lose_after=1.1)
    outcome = record(connection, plan(connection), path, confirm=lambda question: False)
    assert outcome.status is RecordingStatus.DECLINED
    assert outcome.samples > 900
    where = _standing(connection)
    assert np.abs(where).max() > 0.05


def test_a_robot_that_reports_an_error_stops_the_recording_at_once(tmp_path, monkeypatch):
    path, connection = tmp_path / "log.npz", arm(fail_after=LENGTH + 1.0)
    halts: list[bool] = []
    monkeypatch.setattr(connection, "halt", lambda: halts.append(True))
    outcome = record(connection, plan(connection, repeats=3), path, confirm=never)
    assert outcome.status is RecordingStatus.FAULT
    assert carries(outcome.reason, "error")
    assert halts == [True]
    assert (outcome.done, load_dataset(path).samples) == (1, outcome.samples)
    assert description(path)["status"] == RecordingStatus.FAULT


def test_an_interruption_stops_smoothly_and_keeps_the_data(tmp_path):
    path, connection = tmp_path / "log.npz", arm()
    cycles = iter(range(10**6))
    outcome = record(connection, plan(connection), path, confirm=never, interrupted=lambda: next(cycles) > 900)
    assert outcome.status is RecordingStatus.INTERRUPTED
    log = load_dataset(path)
    with np.load(path) as archive:
        commanded = archive["commanded_q"]
    speed = np.diff(commanded, axis=0) * RATE
    assert np.abs(speed[850]).max() > 0.8
    np.testing.assert_allclose(speed[-1], 0.0, atol=0.01)
    assert np.abs(np.diff(speed, axis=0)).max() * RATE < 15.0 + 5.0
    assert log.duration < 0.9 + 1.1
    assert np.abs(log.dq[-1]).max() < 0.1
    state = connection.begin()  # the motion was ended in order, so that another can begin
    connection.end(np.asarray(state.reference))


def test_an_interruption_before_anything_moved_moves_nothing(tmp_path):
    connection = arm()
    outcome = record(connection, plan(connection), tmp_path / "log.npz", confirm=never, interrupted=lambda: True)
    assert outcome.status is RecordingStatus.INTERRUPTED
    assert outcome.samples == 0
    assert carries(outcome.sentence, "nothing")
    assert not (tmp_path / "log.npz").exists()


def test_every_move_is_confirmed_when_asked_for(tmp_path):
    connection = arm()
    q = np.array([[0.3, 0.1], [0.2, 0.2], [0.1, 0.3]])
    made = plan_configurations(ROBOT, q, _standing(connection), limits=LIMITS, rate=connection.rate)
    asked: list[str] = []

    def twice(question: str) -> bool:
        asked.append(question)
        return len(asked) < 3

    outcome = record(connection, made, tmp_path / "samples.npz", confirm=twice, confirm_each=True)
    assert outcome.status is RecordingStatus.DECLINED
    assert (outcome.done, len(asked)) == (2, 3)
    np.testing.assert_allclose(_standing(connection), q[1], atol=1e-9)


def test_a_recording_is_never_overwritten_and_another_one_is_not_resumed(tmp_path):
    path, connection = tmp_path / "log.npz", arm()
    path.write_bytes(b"precious")
    with raises(FileError, remedy={"resume": True}):
        record(connection, plan(connection), path)
    assert path.read_bytes() == b"precious"
    with raises(FileError, ".npz"):
        record(connection, plan(connection), path, resume=True)
    with raises(MissingFileError):
        record(connection, plan(connection), tmp_path / "other.npz", resume=True)
    path.unlink()
    np.savez(path, q=np.zeros((3, 2)))
    with raises(FileError, "dynident", "record"):
        record(connection, plan(connection), path, resume=True)
    path.unlink()
    record(connection, plan(connection), path)
    other = plan_trajectory(ROBOT, swing(0.2), _standing(connection), limits=LIMITS, rate=connection.rate)
    with raises(FileError, "another", "motion"):
        record(connection, other, path, resume=True)


def test_a_controller_that_answers_zeros_is_not_believed(tmp_path, monkeypatch):
    connection = arm()
    q = np.array([[0.3, 0.1], [0.2, 0.2]])
    made = plan_configurations(ROBOT, q, _standing(connection), limits=LIMITS, rate=connection.rate)
    true, answers = connection.ask_model, []

    def ask():
        answers.append(true())
        return answers[-1] if len(answers) < 2 else answers[-1]._replace(M=np.zeros((2, 2)), g=np.zeros(2))

    monkeypatch.setattr(connection, "ask_model", ask)
    outcome = record(connection, made, tmp_path / "samples.npz")
    assert outcome.status is RecordingStatus.FAULT
    assert carries(outcome.reason, "zeros")
    assert outcome.done == 1
    assert load_controller_samples(tmp_path / "samples.npz").samples == 1


def test_a_failure_of_the_program_halts_the_robot_and_keeps_the_data(tmp_path, monkeypatch):
    path, connection = tmp_path / "log.npz", arm()
    step, halts, count = connection.step, [], iter(range(10**6))

    def failing(command):
        if next(count) == 1000:
            raise ZeroDivisionError
        return step(command)

    monkeypatch.setattr(connection, "step", failing)
    monkeypatch.setattr(connection, "halt", lambda: halts.append(True))
    with pytest.raises(ZeroDivisionError):
        record(connection, plan(connection), path)
    assert halts == [True]
    assert load_dataset(path).samples == 1001
