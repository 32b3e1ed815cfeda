"""From a robot to the file of an exciting motion, by declared options: searched for, taken from the papers, or static configurations."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from dynident.core.cluster import open_executor
from dynident.core.documents import Document
from dynident.core.files import check_file_target, clear_errors, write_atomically
from dynident.core.options import names_given, narrow
from dynident.data import Dataset
from dynident.data.reading.reading import Reading
from dynident.dynamics.friction import friction_model
from dynident.errors import FileError, OptionsError, Remedy, ValueRangeError, require
from dynident.motions import FileHeader, design_experiment, design_trajectory, drive_design, drive_experiment, trajectory_dataset
from dynident.motions.design.design import Design
from dynident.motions.design.earlier_run import EarlierRun, earlier_run
from dynident.motions.design.experiment import Experiment
from dynident.motions.design.problem import DURATION
from dynident.motions.design.static_design import StaticDesign, design_configurations
from dynident.motions.design.task import task_of
from dynident.motions.documents import DesignDocument, ExperimentDocument, StaticDocument
from dynident.motions.formats.format import TrajectoryFormat, named_format
from dynident.motions.formats.registry import format_of, read_motion, write_trajectory
from dynident.motions.limits.collision import CollisionModel
from dynident.motions.moves.home import find_home
from dynident.motions.options import DesignChoice, FileChoice, LimitChoice, MotionChoice, SearchChoice
from dynident.motions.proposals.plan import design_motion
from dynident.motions.proposals.registry import motion_kind
from dynident.motions.trajectories.trajectory import check_samples
from dynident.reports.motion_page import GENERATOR, design_page, experiment_page
from dynident.robots.robot import Robot
from dynident.runs import load_run

_NO_PAGE = Remedy("name another trajectory file, move the page away, or leave the plot out ({plot})", plot=False)
#: The pages that are written say what made them within so many of their first bytes.
_HEAD = 1000


@dataclass(frozen=True, kw_only=True, eq=False)
class Excitation:
    """What was designed and written. page : with the plot; None where there is none."""

    result: Design | Experiment | StaticDesign
    files: tuple[Path, ...]
    page: Path | None = None

    @property
    def document(self) -> Document:
        """What the command prints as JSON."""
        if isinstance(self.result, Design):
            return DesignDocument.of(self.result)
        return ExperimentDocument.of(self.result) if isinstance(self.result, Experiment) else StaticDocument.of(self.result)

    @property
    def written(self) -> str:
        """The files, in words."""
        return ", ".join(map(str, self.files)) + (f", plot in {self.page}" if self.page else "")


@dataclass(frozen=True, kw_only=True, eq=False)
class _Target:
    """Where motions are written, and how."""

    output: Path
    format: TrajectoryFormat
    options: Mapping[str, str]
    rate: float
    page: Path | None

    def write(self, samples: Dataset, header: FileHeader, file: Path | None = None) -> Path:
        write_trajectory(samples, file or self.output, format=self.format.name, options=self.options, header=header)
        return file or self.output

    def write_design(self, design: Design, file: Path | None = None) -> Path:
        """From rest to rest, with what was checked of it."""
        drive = require(design.drive, "the planned drive")
        header = FileHeader.of_report(design.base.robot, design.report, design.unchecked)
        return self.write(trajectory_dataset(drive.trajectory, self.rate), header, file)

    def write_page(self, text: Callable[[], str]) -> Path | None:
        if self.page is not None:
            write_atomically(self.page, text())
        return self.page


def excite(
    robot: Robot,
    output: Path,
    *,
    motion: MotionChoice,
    limits: LimitChoice,
    search: SearchChoice,
    file: FileChoice,
    reading: Reading,
    progress: Callable[[float], None] | None = None,
) -> Excitation:
    """Design a motion and write it, with a page that shows it.

    Parameters
    ----------
    motion, limits, search, file
        What is wanted; `motion.static` and `motion.motion` say that nothing is searched for.
    reading
        Of the data files that the options name.
    """
    _check_options(motion, search)
    static = motion.static is not None
    target = _make_target(robot, output, file, static=static, repeated=search.goal)
    home, start = _position(motion.home, robot, "home"), _position(search.start, robot, "start")
    if static:
        return _choose_configurations(robot, target, motion, limits, search, home, progress)
    allowed, criterion = limits.of(robot), _criterion(robot, reading, search)
    common = {**criterion, "limits": allowed, "rate": target.rate, "unchecked": limits.unchecked}
    if motion.motion is not None:
        design = _take_motion(robot, motion, start, reading, {**common, "home": home, "repeats": motion.repeat})
        return _finish_design(design, target)
    check_samples(motion.repeat * (motion.duration or DURATION), target.rate)  # so that nothing is searched for in vain
    stands = home or start
    find_home(robot, allowed, CollisionModel.of_robot(robot)[0], stands)  # where it can't stand, nothing need be searched
    chosen = {**vars(narrow(search, DesignChoice)), **common, "duration": motion.duration or DURATION, "budget": motion.budget}
    driving: dict[str, Any] = {"home": stands, "phase": 0.0 if start else None, "rate": target.rate}
    with open_executor(search.workers or os.cpu_count() or 1, search.scheduler) as executor:
        design = partial(design_trajectory, robot, **chosen, start=start, executor=executor)
        if not search.goal:
            designed = design(progress=progress)
        else:
            designed = design_experiment(design, seed=search.seed, progress=progress, **search.goal)
    if isinstance(designed, Design):
        return _finish_design(drive_design(designed, repeats=motion.repeat, **driving), target)
    experiment = drive_experiment(designed, **driving)
    several = len(experiment.designs) > 1
    names = (output.with_stem(f"{output.stem}-{number}") if several else output for number in range(1, len(experiment.designs) + 1))
    files = tuple(target.write_design(design, name) for design, name in zip(experiment.designs, names, strict=True))
    return Excitation(result=experiment, files=files, page=target.write_page(lambda: experiment_page(experiment, robot)))


def _check_options(motion: MotionChoice, search: SearchChoice) -> None:
    """OptionsError where they don't go together."""
    if motion.static is not None and motion.motion is not None:
        raise OptionsError("{static} and {motion} don't go together; leave one out")
    if motion.motion is not None:
        searching = ("precision", "torque_error", "longest", "harmonics", "base_frequency", "at_rest", "starts")
        if names := names_given(search, *searching) + names_given(motion, "budget"):
            raise OptionsError("{} and {motion} don't go together, for nothing is searched for; leave one out", names)
    elif motion.static is None and search.longest is not None and not search.goal:
        template = "{longest} belongs to {precision} or {torque_error}; give one of them, or the length of a period with {duration}"
        raise OptionsError(template)


def _make_target(robot: Robot, output: Path, file: FileChoice, *, static: bool, repeated: bool | Mapping[str, float]) -> _Target:
    """FileError where something of the user's would be replaced that nobody has named."""
    page = output.with_suffix(".html") if file.plot and not static else None
    if page is not None:
        _check_page(page)
    written = format_of(output, file.format)
    rate = written.rate if file.rate is None else file.rate
    if not static:
        written.require(robot.n, rate)
    if repeated:
        _check_numbered(output, written)
    return _Target(output=output, format=written, options=file.format_option, rate=rate, page=page)


def _criterion(robot: Robot, reading: Reading, search: SearchChoice) -> dict[str, Any]:
    """What `design_trajectory` and `design_motion` both take."""
    if len(search.torque_noise) not in (0, 1, robot.n):
        raise ValueRangeError("torque_noise", f"has {len(search.torque_noise)} numbers; one was expected, or {robot.n} of them")
    earlier: EarlierRun | None = None
    if search.after is not None:
        earlier = earlier_run(load_run(search.after).estimate, source=str(search.after))
    if search.friction == "default":
        friction = friction_model("linear") if earlier is None else earlier.base.friction
    else:
        friction = None if search.friction is None else friction_model(search.friction)
    task = None
    if search.task is not None:
        task = replace(task_of(robot, read_motion(search.task, robot, reading).samples), source=search.task.name)
    noise = list(search.torque_noise) or None
    return {"friction": friction, "after": earlier, "criterion": search.criterion, "task": task, "torque_noise": noise}


def _choose_configurations(
    robot: Robot,
    target: _Target,
    motion: MotionChoice,
    limits: LimitChoice,
    search: SearchChoice,
    home: list[float] | None,
    progress: Callable[[float], None] | None,
) -> Excitation:
    design = design_configurations(
        robot,
        require(motion.static, "a number of configurations"),
        method=motion.method,
        equations="gravity" if motion.gravity_only else "controller",
        limits=limits.of(robot),
        home=home,
        seed=search.seed,
        unchecked=limits.unchecked,
        progress=progress,
    )
    samples = design.sequence.samples(target.rate) if target.format.periods else design.dataset()
    file = target.write(samples, FileHeader.of_report(robot, design.report, design.unchecked))
    return Excitation(result=design, files=(file,))


def _take_motion(robot: Robot, motion: MotionChoice, start: list[float] | None, reading: Reading, options: dict[str, Any]) -> Design:
    """The motion of a name, or NAME=FILE."""
    name, _, file = require(motion.motion, "the name of a motion").partition("=")
    kind = motion_kind(name)
    shape = {key: value for key, value in {"duration": motion.duration, "start": start}.items() if value is not None}
    if others := [key for key in shape if key not in kind.takes]:
        raise OptionsError(f"{{}} and {{motion}} {name} don't go together; leave one out", others)
    parameters = kind.read(Path(file), robot, lambda path: read_motion(path, robot, reading).samples) if file else {}
    return design_motion(robot, name, shape | parameters, **options)


def _finish_design(design: Design, target: _Target) -> Excitation:
    file = target.write_design(design)
    return Excitation(result=design, files=(file,), page=target.write_page(lambda: design_page(design)))


def _position(values: Any, robot: Robot, option: str) -> list[float] | None:
    """A position per joint; None where nothing was given."""
    if values and len(values) != robot.n:
        raise ValueRangeError(option, f"has {len(values)} numbers; {robot.n} separated by commas were expected, one per joint")
    return list(values) or None


def _check_page(page: Path) -> None:
    """FileError unless the page beside a trajectory, which nobody has named, can be made, or replaces one that was made here."""
    check_file_target(page, "plot")
    if page.exists():
        with clear_errors(page), page.open("rb") as stream:
            ours = f'content="{GENERATOR}"'.encode() in stream.read(_HEAD)
        if not ours:
            problem = "is there already, and dynident excite has not written it, so the plot does not replace it"
            raise FileError(page, problem, remedy=_NO_PAGE)


def _check_numbered(output: Path, written: TrajectoryFormat) -> None:
    """FileError where a file of the names that several trajectories would get, which nobody has named, is no trajectory of ours."""
    for file in _numbered(output):
        check_file_target(file, "trajectory")
        try:
            ours = named_format(written.comments(file)) != ""
        except FileError:
            ours = False
        if not ours:
            problem = "is there already, and no trajectory of dynident excite; it is not replaced"
            raise FileError(file, problem, remedy="name another file, or move it away")


def _numbered(output: Path) -> Iterator[Path]:
    """The files of OUTPUT-1, OUTPUT-2, ... that are there."""
    for file in sorted(output.absolute().parent.iterdir()):
        number = file.stem.removeprefix(f"{output.stem}-")
        if file.suffix == output.suffix and file.stem != number and number.isdecimal():
            yield file
