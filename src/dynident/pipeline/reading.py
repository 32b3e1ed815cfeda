"""Logs and samples as the pipeline and the commands read them: joints in the robot's order, and the part that was asked for.

Nothing heavy is imported before something is read, because every command imports this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from dynident.errors import InputError, OptionsError

if TYPE_CHECKING:
    from dynident.data import ControllerSamples, Dataset
    from dynident.data.reading.reading import Reading
    from dynident.regression.estimate import Estimate
    from dynident.regression.options import Periods
    from dynident.robots import Robot
    from dynident.signs import SignRecovery

Recorded = TypeVar("Recorded", bound="Dataset | ControllerSamples")


def read_data(
    files: Sequence[Path],
    robot: Robot,
    reading: Reading,
    part: tuple[float, float] = (0.0, 1.0),
    *,
    ordered: bool = True,
    progress: Callable[[float], None] | None = None,
) -> Dataset | ControllerSamples:
    """The data with joints in the robot's order where the file names them, and the part of it that is asked for.

    ordered : False leaves the file's columns in their order.
    """
    from dynident.data import load_recording
    from dynident.regression.prepare import order_joints

    data = load_recording(files, replace(reading, robot_joints=robot.joint_names, progress=progress))
    data = order_joints(robot, data) if ordered else data
    return data if part == (0.0, 1.0) else data.part(*part)


def read_log(
    files: Sequence[Path],
    robot: Robot,
    reading: Reading,
    part: tuple[float, float] = (0.0, 1.0),
    *,
    ordered: bool = True,
    progress: Callable[[float], None] | None = None,
    remedy: str = "",
) -> Dataset:
    """The same where a log is needed; InputError, with `remedy`, for samples of a controller."""
    from dynident.data import Dataset

    data = read_data(files, robot, reading, part, ordered=ordered, progress=progress)
    if not isinstance(data, Dataset):
        raise InputError(
            f"{', '.join(map(str, files))}: samples of a controller's M and g, and a log was expected, with torques", remedy=remedy
        )
    return data


def read_log_and_samples(
    files: Sequence[Path],
    robot: Robot,
    reading: Reading,
    part: tuple[float, float] = (0.0, 1.0),
    *,
    ordered: bool = True,
    progress: Callable[[float], None] | None = None,
) -> tuple[Dataset | None, ControllerSamples | None]:
    """The same where the files may be logs and a controller's samples; of both the part is one of the log."""
    from dynident.data import load_log_and_samples
    from dynident.regression.prepare import order_joints

    log, samples = load_log_and_samples(files, replace(reading, robot_joints=robot.joint_names, progress=progress))
    if ordered:
        log = None if log is None else cast("Dataset", order_joints(robot, log))
        samples = None if samples is None else cast("ControllerSamples", order_joints(robot, samples))
    if part != (0.0, 1.0):
        log, samples = (log.part(*part), samples) if log is not None else (None, None if samples is None else samples.part(*part))
    return log, samples


def choose_periods(recorded: Recorded, periods: Periods | None, *, average: bool = False) -> Recorded:
    """The data with the whole periods that are to be used; as they are where nothing is marked and nothing was asked for."""
    from dynident.data import Dataset, average_periods, keep_periods

    if not isinstance(recorded, Dataset):
        if periods is not None or average:
            raise OptionsError("{periods} and {average_periods} are for logs; a controller's samples have no periods")
        return recorded
    log: Dataset = recorded
    if periods is None and log.period is not None:
        log = keep_periods(log, 1, None)
    elif periods is not None and periods != "all":
        first, last = periods
        log = keep_periods(log, first, None if math.isinf(last) else int(last))
    return cast("Recorded", average_periods(log) if average else log)


def remember_reading(estimate: Estimate, reading: Reading) -> Estimate:
    """The estimate, which knows how its data were read, so that others can be read in the same way; what was left out is of these alone."""
    summary, problem, read = estimate.summary, estimate.problem, replace(reading, without=(), progress=None)
    return replace(
        estimate,
        summary=replace(summary, processing=replace(summary.processing, read=read)),
        problem=None if problem is None else replace(problem, processing=replace(problem.processing, read=read)),
    )


def remember_reading_of_signs(found: SignRecovery, log: Dataset, reading: Reading) -> SignRecovery:
    """The same of recovered signs; an effort that was taken for a magnitude is one of held-out data too."""
    if log.effort_kind != found.log.effort_kind:
        reading = replace(reading, effort_kind=found.log.effort_kind)
    return replace(found, estimate=remember_reading(found.estimate, reading))
