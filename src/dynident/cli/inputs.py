"""What verbs read beside logs, files that may be written, and the command that was typed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from dynident.errors import FileError

if TYPE_CHECKING:
    from dynident.data import Dataset
    from dynident.data.reading.reading import Reading
    from dynident.excitation import Limits, TrajectoryFile
    from dynident.robots import Robot
    from dynident.robots.mounting import Mounting

#: Of a command that another one runs; empty for one that was typed.
_WORDS: ContextVar[tuple[str, ...]] = ContextVar("_WORDS", default=())


def read_text_of(robot: str, chain: Mounting) -> str | None:
    """The text of a URDF that is not a file by itself: macros expanded, or from the standard input. None for anything else."""
    from dynident.robots.load import library_names, read_description

    if robot in library_names() or Path(robot).suffix.lower() == ".urdf":
        return None
    description = read_description(robot, chain)
    return description.text if description.kind == "urdf" else None


def read_motion(file: Path, robot: Robot, reading: Reading) -> TrajectoryFile:
    """The motion in a trajectory file of any format, or in data, with joints in the robot's order where the file names them."""
    from dynident.excitation.formats.registry import read_trajectory
    from dynident.regression.prepare import order_joints

    motion = read_trajectory(file, replace(reading, robot_joints=robot.joint_names))
    return replace(motion, samples=cast("Dataset", order_joints(robot, motion.samples)))


def read_driving_limits(robot: Robot, file: Path | None) -> Limits:
    """What a motion must keep that is given to a robot: a file's limits, else all that the description allows."""
    from dynident.excitation.limits.limits_file import read_limits
    from dynident.excitation.motion_check import full_limits

    return full_limits(robot) if file is None else replace(read_limits(file, robot), torque=None)


def check_output(
    file: Path,
    what: str,
    suffixes: Iterable[str] | None = None,
    *,
    inputs: Iterable[str | Path | None] = (),
    runs: Iterable[Path | None] = (),
) -> None:
    """To be asked before the work: a file of the right kind can be made there.

    suffixes : those that are allowed; inputs : what is read; runs : folders, and nothing that they were made from is replaced either.
    """
    from dynident.core.files import check_file_target
    from dynident.runs.folder import refuse_run_file, refuse_source

    if suffixes is not None and file.suffix.lower() not in suffixes:
        raise FileError(file, f"unknown suffix {file.suffix!r} for the {what}; known: {', '.join(suffixes)}")
    check_file_target(file, what, inputs=inputs)
    refuse_run_file(file)
    for run in runs:
        if run is not None:
            refuse_source(run, file)


@contextmanager
def typed(words: Sequence[str]) -> Generator[None]:
    """Inside, these are the words of the running command: it is run by another one, as a user would type it."""
    token = _WORDS.set(tuple(words))
    try:
        yield
    finally:
        _WORDS.reset(token)


def running_command() -> str:
    """What the user has typed."""
    return shlex.join(["dynident", *(_WORDS.get() or sys.argv[1:])])
