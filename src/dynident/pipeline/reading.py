"""Logs and samples as the pipeline and the commands read them: joints in the robot's order, and the part that was asked for.

Nothing heavy is imported before something is read, because every command imports this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from dynident.errors import FileError, InputError, OptionsError

if TYPE_CHECKING:
    from dynident.data import ControllerSamples, Dataset
    from dynident.data.reading.reading import Reading
    from dynident.regression.estimate import Estimate
    from dynident.regression.options import Periods
    from dynident.robots import Robot
    from dynident.routes.signs import SignRecovery

Recorded = TypeVar("Recorded", bound="Dataset | ControllerSamples")


def read_log_and_samples(
    files: Sequence[Path],
    robot: Robot,
    reading: Reading,
    part: tuple[float, float] = (0.0, 1.0),
    *,
    ordered: bool = True,
    progress: Callable[[float], None] | None = None,
) -> tuple[Dataset | None, ControllerSamples | None]:
    """Logs and a controller's samples in files, None for what they do not hold. Of both, the part that is asked for is one of the log.

    ordered : joints in the robot's order where the file names them; False leaves the file's columns in their order.
    """
    from dynident.data.reading.load import load_log_and_samples

    log, samples = load_log_and_samples(files, replace(reading, robot_joints=robot.joint_names, progress=progress))
    return take_part(robot, log, samples, part, ordered=ordered)


def take_part(
    robot: Robot, log: Dataset | None, samples: ControllerSamples | None, part: tuple[float, float] = (0.0, 1.0), *, ordered: bool = True
) -> tuple[Dataset | None, ControllerSamples | None]:
    """The same of data that were read."""
    from dynident.regression.prepare import order_joints

    if log is not None:
        log = order_joints(robot, log) if ordered else log
        log, part = log if part == (0.0, 1.0) else log.part(*part), (0.0, 1.0)
    if samples is not None:
        samples = order_joints(robot, samples) if ordered else samples
        samples = samples if part == (0.0, 1.0) else samples.part(*part)
    return log, samples


def read_data(
    files: Sequence[Path],
    robot: Robot,
    reading: Reading,
    part: tuple[float, float] = (0.0, 1.0),
    *,
    progress: Callable[[float], None] | None = None,
) -> Dataset | ControllerSamples:
    """The same where the files may hold one of the two alone."""
    log, samples = read_log_and_samples(files, robot, reading, part, progress=progress)
    if log is not None and samples is not None:
        raise FileError(samples.source, f"holds controller samples (q, M, g), but {log.source} is a log; give them one by one")
    return cast("Dataset | ControllerSamples", log or samples)


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
    log, samples = read_log_and_samples(files, robot, reading, part, ordered=ordered, progress=progress)
    if log is None or samples is not None:
        what = "samples of a controller's M and g, and a log was expected, with torques"
        raise InputError(f"{', '.join(map(str, files))}: {what}", remedy=remedy)
    return log


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


def remember_reading(estimate: Estimate, reading: Reading | None) -> Estimate:
    """The estimate, which knows how its data were read, so that others can be read in the same way; what was left out is of these alone."""
    from dynident.data.reading.reading import Reading

    summary, problem = estimate.summary, estimate.problem
    read = replace((reading or Reading()).without_recordings(), progress=None)
    return replace(
        estimate,
        summary=replace(summary, processing=replace(summary.processing, read=read)),
        problem=None if problem is None else replace(problem, processing=replace(problem.processing, read=read)),
    )


def remember_reading_of_signs(recovery: SignRecovery, log: Dataset, reading: Reading | None) -> SignRecovery:
    """The same of recovered signs; an effort that was taken for a magnitude is one of held-out data too."""
    from dynident.data.reading.reading import Reading

    if log.effort_kind != recovery.log.effort_kind:
        reading = replace(reading or Reading(), effort_kind=recovery.log.effort_kind)
    return replace(recovery, estimate=remember_reading(recovery.estimate, reading))
