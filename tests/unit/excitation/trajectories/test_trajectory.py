"""A ROS JointTrajectory as YAML."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

from dynident.errors import FileError
from dynident.excitation import kuka_table_5, trajectory_dataset
from dynident.excitation.trajectories.trajectory import write_trajectory


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


def test_an_unknown_suffix_is_refused(tmp_path):
    with pytest.raises(FileError, match=r"unknown suffix '.doc'; known: .npz, .csv, .parquet, .yaml"):
        write_trajectory(trajectory_dataset(kuka_table_5(), 10.0), tmp_path / "t.doc")
