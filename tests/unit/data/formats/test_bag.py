"""Bags: every storage and encoding, topics on clocks of their own, joints by name, and what is said about those that can't be used."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from dynident.data import load_dataset, load_recording
from dynident.errors import DynidentError, FileError, MissingExtraError, UnknownNameError
from tests.bags import State, joint_states, write_bag, write_json_mcap
from tests.facts import raises

N = 60
TIME = 0.01 * np.arange(N)
NAMES = ("elbow", "shoulder", "wrist")
RNG = np.random.default_rng(0)
Q, DQ, DDQ, TAU = RNG.normal(size=(4, N, 3))
STATES = joint_states("/joint_states", TIME, NAMES, position=Q, velocity=DQ, effort=TAU)
FILES = ["ros2", "ros2_mcap", "log.mcap", "log.db3", "log.bag"]


def check(data, time=TIME, **expected):
    np.testing.assert_allclose(data.time, time, atol=2e-9)
    for name, values in expected.items():
        np.testing.assert_array_equal(getattr(data, name), values)


@pytest.mark.parametrize("file", FILES)
def test_joint_states_of_every_storage(tmp_path, file):
    other = [State("/hello", "String", t) for t in TIME]
    data = load_dataset(write_bag(tmp_path / file, STATES + other))
    check(data, q=Q, dq=DQ, effort=TAU)
    assert data.ddq is None
    assert (data.joint_names, data.effort_kind) == (NAMES, "torque")


@pytest.mark.parametrize("protobuf", [False, True])
def test_mcap_in_json_and_protobuf(tmp_path, protobuf):
    data = load_dataset(write_json_mcap(tmp_path / "log.mcap", STATES, protobuf=protobuf))
    check(data, q=Q, dq=DQ, effort=TAU)
    assert data.joint_names == NAMES


@pytest.mark.parametrize("kind", ["DynamicJointState", "JointTrajectoryControllerState"])
@pytest.mark.parametrize("file", ["ros2", "log.db3", "ros2_mcap"])
def test_states_of_controllers(tmp_path, kind, file):
    states = joint_states("/state", TIME, NAMES, kind, position=Q, velocity=DQ, acceleration=DDQ, effort=TAU)
    check(load_dataset(write_bag(tmp_path / file, states)), q=Q, dq=DQ, ddq=DDQ, effort=TAU)


def test_topics_with_clocks_of_their_own_are_merged_on_that_of_the_positions(tmp_path):
    slow = np.arange(0.0, 1.0, 0.025)
    states = [
        *joint_states("/joint_states", TIME, NAMES, position=Q, velocity=DQ),
        *joint_states("/drives", slow + 0.003, NAMES, "DynamicJointState", effort=np.outer(slow + 0.003, [1.0, -2.0, 3.0])),
    ]
    data = load_dataset(write_bag(tmp_path / "ros2", states))
    check(data, time=TIME[1:] - TIME[1], q=Q[1:], dq=DQ[1:])
    np.testing.assert_allclose(data.effort, np.outer(TIME[1:], [1.0, -2.0, 3.0]), atol=1e-8)
    assert data.mask is None


def test_a_topic_that_was_silent_masks_its_joints(tmp_path):
    heard = np.r_[0:20, 40:N]
    states = [
        *joint_states("/arm", TIME, NAMES[:2], position=Q[:, :2], effort=TAU[:, :2]),
        *joint_states("/wrist", TIME[heard], NAMES[2:], position=Q[heard, 2:], effort=TAU[heard, 2:]),
    ]
    data = load_dataset(write_bag(tmp_path / "ros2", states))
    assert data.joint_names == NAMES
    assert np.all(data.mask[:, :2])
    assert np.flatnonzero(~data.mask[:, 2]).tolist() == list(range(20, 40))
    np.testing.assert_array_equal(data.q[heard, 2], Q[heard, 2])


def test_joints_of_the_robot_are_taken_by_name_and_others_left_alone(tmp_path):
    finger = joint_states("/joint_states", TIME[::7] + 0.001, ["finger"], position=np.zeros((9, 1)))
    bag = write_bag(tmp_path / "ros2", STATES + finger)
    assert load_dataset(bag).joint_names == NAMES, "the finger has no effort"
    data = load_recording(bag, robot_joints=("shoulder", "elbow"))
    assert data.joint_names == ("shoulder", "elbow")
    np.testing.assert_array_equal(data.effort, TAU[:, [1, 0]])
    chosen = load_recording(bag, robot_joints=("a", "b"), reader_options={"joints": "wrist, elbow"})
    np.testing.assert_array_equal(chosen.q, Q[:, [2, 0]])
    with raises(FileError, "hip", "elbow", "shoulder", "wrist", "finger", "joints=a,b"):
        load_recording(bag, robot_joints=("elbow", "hip"))


def test_topics_are_chosen_and_ambiguous_ones_named(tmp_path):
    states = STATES + joint_states("/raw", TIME, NAMES, position=-Q, effort=-TAU) + [State("/hello", "String", 0.0)]
    bag = write_bag(tmp_path / "ros2", states)
    with raises(FileError, "/joint_states", "/raw", "elbow", "both"):
        load_dataset(bag)
    check(load_dataset(bag, reader_options={"topic": "/raw"}), q=-Q, effort=-TAU)
    check(load_dataset(bag, reader_options={"topic": "/raw,/joint_states"}), q=-Q, dq=DQ, effort=-TAU)
    with raises(UnknownNameError, "ros2", "/hello", "/joint_states", "/raw", name="/legs"):
        load_dataset(bag, reader_options={"topic": "/legs"})
    with raises(FileError, "/hello", "std_msgs/msg/String", 1, "/joint_states", "sensor_msgs/msg/JointState"):
        load_dataset(bag, reader_options={"topic": "/hello"})


def test_a_bag_without_joint_states_lists_its_topics(tmp_path):
    bag = write_bag(tmp_path / "log.bag", [State("/hello", "String", t) for t in TIME])
    with raises(FileError, "/hello", "std_msgs/msg/String", 60, "sensor_msgs/JointState"):
        load_dataset(bag)


def test_efforts_that_are_empty_are_none(tmp_path):
    bag = write_bag(tmp_path / "ros2", joint_states("/joint_states", TIME, NAMES, position=Q, velocity=DQ))
    assert load_dataset(bag).effort is None
    only = write_bag(tmp_path / "efforts", joint_states("/joint_states", TIME, NAMES, effort=TAU))
    with raises(FileError, "efforts", "velocities", "positions"):
        load_dataset(only)


def test_stamps_of_the_messages_or_of_their_arrival(tmp_path):
    unstamped = write_bag(tmp_path / "unstamped", [state._replace(stamped=False) for state in STATES])
    check(load_dataset(unstamped), q=Q)
    repeated = write_bag(tmp_path / "repeated", [*STATES, STATES[-1]])
    check(load_dataset(repeated), q=Q, effort=TAU)


def test_stamps_that_go_back_name_the_remedy(tmp_path):
    states = [state._replace(stamp=state.time - 5.0 * (i >= 20)) for i, state in enumerate(STATES)]
    bag = write_bag(tmp_path / "ros2", states)
    with raises(FileError, "/joint_states", 4.99, "0.190", "clock=received"):
        load_dataset(bag)
    check(load_dataset(bag, reader_options={"clock": "received"}), q=Q, effort=TAU)


def test_a_folder_of_bags_is_one_recording_each_and_a_recipe_may_choose(tmp_path):
    folder = tmp_path / "all"
    folder.mkdir()
    for name in ("a", "b"):
        write_bag(folder / name, STATES)
    assert load_dataset(folder).starts == (0, N)
    (folder / "b" / "dataset.yaml").write_text("joints: [wrist, shoulder, elbow]")
    with raises(FileError, "joints", "x", "elbow", "shoulder", "wrist"):
        load_dataset(folder / "b", joints=["x", "elbow", "wrist"])
    np.testing.assert_array_equal(load_dataset(folder / "b").q, Q[:, ::-1])


@pytest.mark.parametrize("file", ["log.mcap", "log.bag", "log.db3"])
def test_half_a_bag_says_how_to_mend_it(tmp_path, file):
    bag = write_bag(tmp_path / file, STATES)
    content = bag.read_bytes()
    bag.write_bytes(content[: len(content) // 2])
    with raises(FileError):
        load_dataset(bag)


def test_without_the_library_one_sentence_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "log.mcap").touch()
    for name in [name for name in sys.modules if name.partition(".")[0] == "rosbags"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rosbags", None)
    with raises(MissingExtraError, "dynident[ros]", extra="ros", package="rosbags"):
        load_dataset(Path(tmp_path / "log.mcap"))


@pytest.mark.parametrize("file", ["log.mcap", "log.bag", "log.db3", "json.mcap", "proto.mcap"])
def test_damaged_bytes_are_one_sentence_or_a_log(tmp_path, file):
    write = write_bag if file.startswith("log") else partial(write_json_mcap, protobuf=file == "proto.mcap")
    bag = write(tmp_path / file, STATES)
    good, random = bag.read_bytes(), np.random.default_rng(5)
    refused = list[str]()
    for _ in range(40):
        damaged = np.frombuffer(good, dtype=np.uint8).copy()
        damaged[random.integers(len(damaged), size=random.integers(1, 10))] = random.integers(256)
        bag.write_bytes(damaged[: len(damaged) if random.random() < 0.8 else random.integers(len(damaged))].tobytes())
        try:
            assert load_dataset(bag).n <= 3
        except DynidentError as error:
            refused.append(str(error))
    assert len(refused) > 5
    assert not any("\n" in sentence for sentence in refused)
