"""A trajectory as a file: CSV, NPZ or Parquet that load_dataset reads back, or a ROS JointTrajectory message as YAML."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import write_atomically
from dynident.data.dataset import Dataset
from dynident.data.formats.writing import WRITERS, write_dataset
from dynident.errors import FileError

_ROS = (".yaml", ".yml")
#: Suffixes that `write_trajectory` knows.
SUFFIXES = (*WRITERS, *_ROS)


def write_trajectory(samples: Dataset, path: str | Path) -> None:
    """Write samples of a trajectory, all or nothing; the suffix says as what."""
    require_suffix(path)
    if Path(path).suffix.lower() in _ROS:
        write_atomically(path, joint_trajectory_yaml(samples))
    else:
        write_dataset(samples, path)


def require_suffix(path: str | Path) -> None:
    """FileError for a suffix that `write_trajectory` doesn't know."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise FileError(path, f"unknown suffix {suffix!r}; known: {', '.join(SUFFIXES)}")


def joint_trajectory_yaml(samples: Dataset) -> str:
    """The text of a trajectory_msgs/JointTrajectory, as `ros2 topic pub` takes it. Numbers keep all their digits.

    A point's time is in whole nanoseconds, ROS's own resolution.
    """
    import json  # JSON strings are YAML strings, whatever a joint is called

    lines = ["header: {stamp: {sec: 0, nanosec: 0}, frame_id: ''}", f"joint_names: {json.dumps(list(samples.joint_names))}", "points:"]
    for i, t in enumerate(samples.time):
        sec, nanosec = divmod(round(float(t) * 1e9), 1_000_000_000)
        lines.append(f"- positions: {_row(samples.q, i)}")
        if samples.dq is not None:
            lines.append(f"  velocities: {_row(samples.dq, i)}")
        if samples.ddq is not None:
            lines.append(f"  accelerations: {_row(samples.ddq, i)}")
        lines.append(f"  time_from_start: {{sec: {sec}, nanosec: {nanosec}}}")
    return "\n".join(lines) + "\n"


def _row(values: Array, i: int) -> str:
    # YAML 1.1 reads 1e-05 as text: a mantissa needs its point
    return "[" + ", ".join(np.format_float_scientific(value, trim="0") for value in values[i]) + "]"
