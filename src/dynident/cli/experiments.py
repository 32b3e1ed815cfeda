"""Experiments of several trajectories, as `dynident excite` designs and writes them; and the run that one comes after."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dynident.cli.terminal import print_result, progress_bar
from dynident.core.files import check_file_target, clear_errors
from dynident.errors import FileError, require

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from dynident.excitation import Trajectory
    from dynident.excitation.design import Design
    from dynident.excitation.earlier_run import EarlierRun
    from dynident.excitation.formats.format import TrajectoryFormat
    from dynident.excitation.limits.limits import Limits
    from dynident.robots import Robot

#: What the pages beside trajectories say of themselves, within so many of their first bytes.
GENERATOR, _HEAD = "dynident excite", 1000


def write_experiment(
    robot: Robot,
    limits: Limits,
    output: Path,
    write: Callable[..., None],
    options: dict[str, Any],
    driving: dict[str, Any],
    goal: dict[str, float | None],
    *,
    processes: Callable[[], AbstractContextManager[Executor | None]],
    plot: bool,
    as_json: bool,
) -> None:
    """One file per trajectory, numbered where there are several, with its periods one after the other.

    write : of samples, to a path with a header. options, driving, goal : of `design_trajectory`, `drive_design`, `design_experiment`.
    """
    from dynident.core.files import write_atomically
    from dynident.excitation import design_experiment, design_trajectory, drive_experiment
    from dynident.excitation.documents import ExperimentDocument
    from dynident.reports.page import figure_page

    seed = options.pop("seed")
    with progress_bar("Designing the experiment") as progress, processes() as executor:
        design = partial(design_trajectory, robot, limits=limits, executor=executor, **options)
        experiment = design_experiment(design, seed=seed, progress=progress, **cast("Any", goal))
    experiment = drive_experiment(experiment, rate=options["rate"], **driving)
    several = len(experiment.designs) > 1
    files = [output.with_stem(f"{output.stem}-{i}") if several else output for i in range(1, len(experiment.designs) + 1)]
    for file, found in zip(files, experiment.designs, strict=True):
        write_design(found, file, write, rate=options["rate"])
    page = output.with_suffix(".html")
    if plot:
        write_atomically(page, figure_page(experiment.plot(title=experiment.headline), f"{robot.name}: experiment", GENERATOR))
    written = ", ".join(map(str, files)) + (f", plot in {page}" if plot else "")
    print_result(experiment.tables(), ExperimentDocument.of(experiment), as_json=as_json, written=written)


def check_page(page: Path) -> None:
    """FileError unless the page beside a trajectory, which nobody has named, can be made, or replaces one that excite has made."""
    check_file_target(page, "plot")
    if page.exists():
        with clear_errors(page), page.open("rb") as stream:
            own = f'content="{GENERATOR}"'.encode() in stream.read(_HEAD)
        if not own:
            problem = "is there already, and dynident excite has not written it, so the plot does not replace it"
            raise FileError(page, problem, remedy="name another trajectory file, move the page away, or leave the plot out with --no-plot")


def check_numbered(output: Path, written: TrajectoryFormat) -> None:
    """FileError where a file of the names that several trajectories would get, which nobody has named, is no trajectory of excite."""
    from dynident.excitation.formats.format import named_format

    for file in sorted(output.absolute().parent.iterdir()):
        number = file.stem.removeprefix(f"{output.stem}-")
        if file.suffix != output.suffix or file.stem == number or not number.isdecimal():
            continue
        check_file_target(file, "trajectory")
        try:
            own = named_format(written.comments(file)) != ""
        except FileError:
            own = False
        if not own:
            raise FileError(
                file, "is there already, and no trajectory of dynident excite; it is not replaced; name another file, or move it away"
            )


def write_design(design: Design, file: Path, write: Callable[..., None], *, rate: float) -> Trajectory:
    """Write the motion of a design from rest to rest, which has been planned, with what was checked of it; that motion."""
    from dynident.excitation import FileHeader, trajectory_dataset

    trajectory = require(design.drive, "the planned drive").trajectory
    header = FileHeader.of_report(design.base.robot, design.report, design.unchecked)
    write(trajectory_dataset(trajectory, rate), path=file, header=header)
    return trajectory


def read_earlier_run(folder: Path) -> EarlierRun:
    """What the run in a folder tells."""
    from dynident.excitation.earlier_run import earlier_run
    from dynident.runs import load_run

    return earlier_run(load_run(folder).estimate, source=str(folder))
