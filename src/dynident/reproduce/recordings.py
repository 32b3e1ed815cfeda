"""Which robot a recording is of: the one whose published weight explains its torques."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dynident.data import Dataset, load_recording
from dynident.dynamics import gravity
from dynident.errors import FileError
from dynident.reproduce.experiment import Recordings
from dynident.robots import load_robot

#: By field of `Recordings`: the robot of the library.
_ROBOTS = {"panda": "panda", "kuka": "kuka_lwr4"}
#: Weight is most of an arm's torque in ordinary motions: what it leaves over must be less than this share.
_MOST_LEFT = 0.4


def read_recordings(files: Sequence[Path]) -> tuple[Recordings, dict[str, list[Path]]]:
    """The files' content by robot, and the files by the same names ("panda", "kuka", "controller")."""
    by_robot: dict[str, list[Path]] = {"panda": [], "kuka": [], "controller": []}
    loaded: dict[str, list[object]] = {name: [] for name in by_robot}
    for file in files:
        data = load_recording(file)
        if data.n != 7:
            raise FileError(file, f"has {data.n} joints; the papers' recordings are of a Panda or a KUKA LWR 4+, with 7")
        name = _robot_of(file, data) if isinstance(data, Dataset) else "controller"
        by_robot[name].append(file)
        loaded[name].append(data)
    return Recordings(**{name: tuple(items) for name, items in loaded.items()}), by_robot  # pyright: ignore[reportArgumentType]


def _robot_of(file: Path, log: Dataset) -> str:
    if log.effort is None:
        raise FileError(file, "has no torques; a log with torques, or samples of M and g, was expected")
    left: dict[str, float] = {}
    for name, robot in _ROBOTS.items():
        arm = load_robot(robot)
        weight = gravity(arm, np.asarray(arm.parameters), log.q)
        left[name] = float(np.linalg.norm(log.effort - weight) / np.linalg.norm(log.effort))
    nearest = min(left, key=lambda name: left[name])
    if left[nearest] > _MOST_LEFT:
        shares = ", ".join(f"{100 * share:.0f} % of {name}'s" for name, share in left.items())
        raise FileError(file, f"is of no robot of the papers: weight leaves {shares} torques unexplained; check the columns and units")
    return nearest
