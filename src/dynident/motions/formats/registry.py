"""Formats of trajectory files: written by suffix or name, read by what a file says of itself. A new one is its file
and a line here, or a row of `tables`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import write_atomically
from dynident.core.options import describe_all, settle_options, takes
from dynident.data.dataset import Dataset
from dynident.data.reading.reading import Reading
from dynident.errors import FileError, UnknownNameError
from dynident.motions.formats import joint_trajectory, tables, urscript
from dynident.motions.formats.format import (
    FileHeader,
    TrajectoryFile,
    TrajectoryFormat,
    named_format,
    require_regular,
    restore_marks,
    told_samples,
)
from dynident.regression.prepare import order_joints
from dynident.robots.robot import Robot

#: No joint of a robot goes farther [rad | m], or faster [rad/s | m/s], or speeds up more [rad/s² | m/s²].
_LARGEST = {"q": ("position", 1e6), "dq": ("velocity", 1e4), "ddq": ("acceleration", 5e4)}
FORMATS: dict[str, TrajectoryFormat] = {
    item.name: item
    for item in (
        *tables.DATA,
        joint_trajectory.YAML,
        joint_trajectory.JSON,
        urscript.FORMAT,
        *tables.CLIENTS,
    )
}
"""The formats in which trajectories are written and read, by name."""


def trajectory_suffixes() -> tuple[str, ...]:
    """All that trajectory files end with."""
    return tuple(dict.fromkeys(suffix for item in FORMATS.values() for suffix in item.suffixes))


def describe_formats() -> str:
    """The formats that a suffix alone does not choose, for help, with what they are."""
    return "; ".join(f"{item.name}: {item.about}" for item in FORMATS.values())


def format_options() -> str:
    """The options of the formats that have some, for help."""
    return describe_all(FORMATS)


def format_of(path: str | Path, name: str | None = None) -> TrajectoryFormat:
    """The format of that name, or the first that has the file's suffix."""
    suffix = Path(path).suffix.lower()
    if name is not None and name not in FORMATS:
        raise UnknownNameError("trajectory format", name, FORMATS)
    chosen = next((item for item in FORMATS.values() if suffix in item.suffixes and name in (None, item.name)), None)
    if chosen is None:
        known = trajectory_suffixes() if name is None else FORMATS[name].suffixes
        of_format = "" if name is None else f" for format {name!r}"
        raise FileError(path, f"unknown suffix {suffix!r} for the trajectory{of_format}; known: {', '.join(known)}")
    return chosen


def write_trajectory(
    samples: Dataset,
    path: str | Path,
    *,
    header: FileHeader | None = None,
    format: str | None = None,
    options: Mapping[str, object] | None = None,
) -> None:
    """Write samples of a trajectory, all or nothing; the suffix says as what, unless `format` names it.

    Parameters
    ----------
    samples
        What is written: time, q, and what the format takes beside them.
    path
        The file; its suffix says the format.
    header
        What the first lines say; without one they say that nothing was checked.
    format
        Name of the format where the suffix does not say it.
    options
        Of the format's own.
    """
    chosen = format_of(path, format)
    require_regular(samples, chosen)
    lines = (header or FileHeader()).lines(chosen, samples)
    write_atomically(path, chosen.encode(samples, lines, settle_options(chosen.options, options, f"format {chosen.name}")))


@takes(Reading)
def read_trajectory(path: str | Path, reading: Reading) -> TrajectoryFile:
    """The motion in a trajectory file of any format, or in any file with time and positions.

    Parameters
    ----------
    path
        A trajectory file of any format (`FORMATS`), or a log.
    reading : Reading
        How a log is read, for data files that dynident has not written. In place of it, its fields are given as keywords.

    Returns
    -------
    TrajectoryFile
        The samples, the format, and the comments of the file.

    Raises
    ------
    FileError
        Where it cannot be read.
    """
    file = Path(path)
    by_suffix = [item for item in FORMATS.values() if file.suffix.lower() in item.suffixes] or [FORMATS["csv"]]
    comments = by_suffix[0].comments(file) if file.is_file() else ()
    named = named_format(comments)
    chosen = next((item for item in by_suffix if item.name == named), by_suffix[0])
    samples = restore_marks(chosen.read(file, reading), comments)
    count = told_samples(comments)
    if count is not None and count != samples.samples:
        remedy = "copy or write it again; if the motion was changed on purpose, delete its first lines"
        raise FileError(file, f"has {samples.samples} samples, and its first lines tell of {count}", remedy=remedy)
    for name, (quantity, largest) in _LARGEST.items():
        values: Array | None = getattr(samples, name)
        size = 0.0 if values is None else float(np.abs(values).max(initial=0.0))
        if size > largest:
            message = f"has {'an' if quantity[0] == 'a' else 'a'} {quantity} of {size:.3g}; at most {largest:g} was expected"
            raise FileError(file, message, remedy="check its columns and their units")
    return TrajectoryFile(samples=samples, format=chosen.name, comments=comments)


def read_motion(file: Path, robot: Robot, reading: Reading) -> TrajectoryFile:
    """The motion in a trajectory file of any format, or in data, with joints in the robot's order where the file names them."""
    motion = read_trajectory(file, replace(reading, robot_joints=robot.joint_names))
    return replace(motion, samples=order_joints(robot, motion.samples))
