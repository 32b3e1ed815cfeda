"""Robots and data as verbs read them: locks, columns and units from the options, joints in the robot's order."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from dynident.cli.options import (
    Values,
    parse_frequency,
    parse_gains,
    parse_gears,
    parse_gravity,
    parse_locks,
    parse_low_pass,
    parse_map,
    parse_options,
    parse_per_joint,
    parse_topics,
    parse_units,
    parse_xacro_args,
)
from dynident.core.files import check_file_target
from dynident.errors import FileError, InputError

if TYPE_CHECKING:
    from dynident.data import ControllerSamples, Dataset
    from dynident.data.reading.load import ReadingArguments
    from dynident.excitation import Limits, TrajectoryFile
    from dynident.regression.estimate import Estimate
    from dynident.regression.summary import Reading
    from dynident.robots import Robot

#: Of a command that another one runs; empty for one that was typed.
_WORDS: ContextVar[tuple[str, ...]] = ContextVar("_WORDS", default=())


def read_robot(
    robot: str,
    *,
    lock: list[str] | None,
    base: str | None = None,
    tip: str | None = None,
    gravity: str | None = None,
    package: list[str] | None = None,
    xacro_arg: list[str] | None = None,
) -> Robot:
    """The robot that the options describe."""
    from dynident.robots import load_robot

    packages, xacro_args = parse_options("--package", package), parse_xacro_args(xacro_arg)
    return load_robot(
        robot, lock=parse_locks(lock), base=base, tip=tip, gravity=parse_gravity(gravity), packages=packages, xacro_args=xacro_args
    )


def read_text_of(robot: str, chain: Values) -> str | None:
    """The text of a URDF that is not a file by itself: macros expanded, or from the standard input. None for anything else."""
    from dynident.robots.load import library_names, read_description

    if robot in library_names() or Path(robot).suffix.lower() == ".urdf":
        return None
    packages, xacro_args = parse_options("--package", chain["package"]), parse_xacro_args(chain["xacro_arg"])
    found = read_description(robot, packages=packages, xacro_args=xacro_args)
    return found.text if found.kind == "urdf" else None


def parse_reading(given: Values) -> Reading:
    """How the options of a group say that data are to be read."""
    from dynident.regression.summary import Reading

    return Reading(
        columns=parse_map(given["map"]),
        units=parse_units(given["unit"]),
        effort_kind=given.get("effort_kind"),
        effort_gains=parse_gains(given.get("effort_gains")),
        effort_signs=parse_per_joint("--effort-signs", given.get("effort_signs")),
        gears=parse_gears(given.get("gear_ratios"), given.get("gear_coupling")),
        offsets=parse_per_joint("--joint-offsets", given.get("joint_offsets"), example="0,-pi/2"),
        delay=parse_per_joint("--delay", given.get("delay"), example="0.004"),
        low_pass=parse_low_pass(given.get("low_pass")),
        rate=parse_frequency(given.get("sampling_rate"), "--sampling-rate"),
        reader_options=parse_options("--reader-option", given["reader_option"]) | parse_topics(given["topic"]),
        preset=given["preset"] or "",
    )


def read_data(
    files: list[Path],
    robot: Robot,
    reading: Reading,
    part: tuple[float, float] = (0.0, 1.0),
    *,
    without: list[tuple[float, float]] | None = None,
    ordered: bool = True,
    progress: Callable[[float], None] | None = None,
) -> Dataset | ControllerSamples:
    """The data with joints in the robot's order where the file names them, and the part of it that is asked for.

    without : intervals of the clock [s] to leave out; they belong to these data alone, so that a run does not remember them.
    ordered : False leaves the file's columns in their order.
    """
    from dynident.data import load_recording
    from dynident.regression.prepare import order_joints

    data = load_recording(files, **_reading_arguments(robot, reading, without, progress))
    data = order_joints(robot, data) if ordered else data
    return data if part == (0.0, 1.0) else data.part(*part)


def choose_periods(
    recorded: Dataset | ControllerSamples, chosen: tuple[int, int | None] | None, *, asked: bool, average: bool = False
) -> Dataset | ControllerSamples:
    """The data with the whole periods that are to be used; as they are where nothing is marked and nothing was asked for."""
    from dynident.data import ControllerSamples, average_periods, keep_periods

    if isinstance(recorded, ControllerSamples):
        if asked or average:
            raise InputError("--periods and --average-periods are for logs; a controller's samples have no periods")
        return recorded
    if chosen is not None and (asked or recorded.period is not None):
        recorded = keep_periods(recorded, *chosen)
    return average_periods(recorded) if average else recorded


def read_log_and_samples(
    files: list[Path],
    robot: Robot,
    reading: Reading,
    part: tuple[float, float] = (0.0, 1.0),
    *,
    without: list[tuple[float, float]] | None = None,
    ordered: bool = True,
    progress: Callable[[float], None] | None = None,
) -> tuple[Dataset | None, ControllerSamples | None]:
    """The same where the files may be logs and a controller's samples; of both the part is one of the log."""
    from dynident.data import load_log_and_samples
    from dynident.regression.prepare import order_joints

    log, samples = load_log_and_samples(files, **_reading_arguments(robot, reading, without, progress))
    if ordered:
        log = None if log is None else cast("Dataset", order_joints(robot, log))
        samples = None if samples is None else cast("ControllerSamples", order_joints(robot, samples))
    if part != (0.0, 1.0):
        log, samples = (log.part(*part), samples) if log is not None else (None, None if samples is None else samples.part(*part))
    return log, samples


def _reading_arguments(
    robot: Robot, reading: Reading, without: list[tuple[float, float]] | None, progress: Callable[[float], None] | None
) -> ReadingArguments:
    """The arguments of `load_recording`."""
    return {
        "columns": reading.columns or None,
        "units": reading.units or None,
        "effort_kind": reading.effort_kind,
        "effort_gains": reading.effort_gains,
        "effort_signs": reading.effort_signs,
        "gears": reading.gears,
        "offsets": reading.offsets,
        "delay": reading.delay,
        "rate": reading.rate,
        "without": without,
        "low_pass": reading.low_pass or None,
        "reader_options": reading.reader_options or None,
        "preset": reading.preset or None,
        "robot_joints": robot.joint_names,
        "progress": progress,
    }


def read_motion(file: Path, robot: Robot, reading: Reading) -> TrajectoryFile:
    """The motion in a trajectory file of any format, or in data, with joints in the robot's order where the file names them."""
    from dynident.excitation.formats.registry import read_trajectory
    from dynident.regression.prepare import order_joints

    found = read_trajectory(
        file,
        columns=reading.columns or None,
        units=reading.units or None,
        rate=reading.rate,
        reader_options=reading.reader_options or None,
        preset=reading.preset or None,
        robot_joints=robot.joint_names,
    )
    return replace(found, samples=cast("Dataset", order_joints(robot, found.samples)))


def read_driving_limits(robot: Robot, file: Path | None) -> Limits:
    """What a motion must keep that is given to a robot: a file's limits, else all that the description allows."""
    from dynident.excitation.limits.limits_file import read_limits
    from dynident.excitation.motion_check import full_limits

    return full_limits(robot) if file is None else replace(read_limits(file, robot), torque=None)


def remember_reading(estimate: Estimate, reading: Reading) -> Estimate:
    """The estimate, which knows how its data were read, so that others can be read in the same way."""
    summary, problem = estimate.summary, estimate.problem
    return replace(
        estimate,
        summary=replace(summary, processing=replace(summary.processing, read=reading)),
        problem=None if problem is None else replace(problem, processing=replace(problem.processing, read=reading)),
    )


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
    from dynident.runs.sources import refuse_source
    from dynident.runs.stages import refuse_run_file

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
