"""ROS JointTrajectory messages as YAML and JSON, ours and others'."""

from __future__ import annotations

import json

import numpy as np
import pytest
import yaml

from dynident.errors import FileError
from dynident.motions import kuka_table_5, read_trajectory, trajectory_dataset, write_trajectory
from tests.facts import raises


def test_a_joint_trajectory_reads_back_to_the_last_digit(tmp_path):
    samples = trajectory_dataset(kuka_table_5(joints=("a: b", "#2", "no", "j4", "j5", "j6", "j7")), 7.0)
    write_trajectory(samples, tmp_path / "t.yaml")
    message = yaml.safe_load((tmp_path / "t.yaml").read_text())
    assert message["joint_names"] == list(samples.joint_names)
    assert len(message["points"]) == samples.samples
    for name, expected in (("positions", samples.q), ("velocities", samples.dq), ("accelerations", samples.ddq)):
        np.testing.assert_array_equal([point[name] for point in message["points"]], expected)
    stamps = [point["time_from_start"]["sec"] + 1e-9 * point["time_from_start"]["nanosec"] for point in message["points"]]
    np.testing.assert_allclose(stamps, samples.time, atol=6e-10)


def test_json_is_the_same_message(tmp_path):
    samples = trajectory_dataset(kuka_table_5(), 7.0)
    for name in ("t.yaml", "t.json"):
        write_trajectory(samples, tmp_path / name)
    by_yaml, by_json = yaml.safe_load((tmp_path / "t.yaml").read_text()), json.loads((tmp_path / "t.json").read_text())
    assert by_json.pop("header")["frame_id"].startswith("NOT CHECKED")
    assert by_yaml.pop("header")["frame_id"] == ""
    assert by_yaml == by_json


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_messages_of_others(suffix, tmp_path):
    point = {"positions": [0, "1e-5"], "velocities": [], "time_from_start": {"secs": 1, "nsecs": 500_000_000}}
    start = {"positions": [0.1, 0.2], "time_from_start": 0.25}
    goal = {"goal": {"trajectory": {"joint_names": ["b", "a"], "points": [start, point]}}}
    (tmp_path / f"t{suffix}").write_text(json.dumps(goal) if suffix == ".json" else yaml.safe_dump(goal))
    samples = read_trajectory(tmp_path / f"t{suffix}").samples
    assert (samples.joint_names, samples.dq) == (("b", "a"), None)
    np.testing.assert_array_equal(samples.time, [0.25, 1.5])
    np.testing.assert_array_equal(samples.q, [[0.1, 0.2], [0.0, 1e-5]])


@pytest.mark.parametrize(
    ("points", "place", "facts"),
    [
        ([{"positions": [1], "time_from_start": 0}], "points[0]", (1, 2)),
        (
            [{"positions": [1, 2], "time_from_start": 0}, {"positions": [1, "x"], "time_from_start": 1}],
            "points[1]",
            ("numbers", "time_from_start"),
        ),
        ([{"positions": [1, 2]}], "points[0]", ("numbers", "time_from_start")),
        ([], "", ("JointTrajectory", "joint_names", "points")),
        ([{"positions": [1, 2], "time_from_start": t} for t in (1, 0)], "", ("time", 1, 0)),
    ],
)
def test_broken_messages_say_where(points, place, facts, tmp_path):
    (tmp_path / "t.json").write_text(json.dumps({"joint_names": ["a", "b"], "points": points}))
    with raises(FileError, *facts, place=place):
        read_trajectory(tmp_path / "t.json")


def test_a_yaml_that_lists_data_files_is_still_one(tmp_path):
    samples = trajectory_dataset(kuka_table_5(), 7.0)
    write_trajectory(samples, tmp_path / "t.csv")
    (tmp_path / "t.yaml").write_text("files: [t.csv]\n")
    np.testing.assert_array_equal(read_trajectory(tmp_path / "t.yaml").samples.q, samples.q)
