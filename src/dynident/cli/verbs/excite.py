"""`dynident excite`: an exciting trajectory within limits, or static configurations for the controller route."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dynident.cli.arguments import AsJson, MotionReading, RobotFile, name_given
from dynident.cli.command_line import Argument
from dynident.cli.experiments import GENERATOR, check_numbered, check_page, read_earlier_run, write_design, write_experiment
from dynident.cli.inputs import check_output, read_driving_limits, read_motion
from dynident.cli.interrupts import end_search_first
from dynident.cli.motion_check import check_file
from dynident.cli.moving_robot import show_moving
from dynident.cli.terminal import print_result, progress_bar, spinner
from dynident.errors import InputError, ValueRangeError
from dynident.excitation.options import FileChoice, LimitChoice, MotionChoice, SearchChoice
from dynident.robots.mounting import Mounting

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from dynident.data import Dataset
    from dynident.data.reading.reading import Reading
    from dynident.excitation.design import Design
    from dynident.excitation.limits.limits import Limits
    from dynident.excitation.task import Task
    from dynident.robots import Robot

EXAMPLE = """Examples:

dynident excite panda -o trajectory.csv --budget 60

dynident excite arm.urdf -o trajectory.yaml --limits limits.yaml --from 0,-0.8,0,-2.4,0,1.6,0.8 --repeat 3

dynident excite panda -o trajectory.csv --precision 5%

dynident excite panda -o trajectory.csv --after RUN

dynident excite panda -o configurations.csv --static 100

dynident excite panda -o sinusoids.csv --motion sinusoids=table_1.yaml --duration 20

dynident excite panda -o sweep.csv --motion friction-sweep

dynident excite panda -o trajectory.csv --format franka

dynident excite panda --check my_motion.csv --map 'q=pos_*' --unit q=deg"""


def excite(
    robot: RobotFile,
    /,
    *,
    output: Annotated[Path | None, Argument(help="File to write; its suffix says which format, or --format.", short="-o")] = None,
    choice: MotionChoice,
    as_json: AsJson = False,
    reading: MotionReading,
    mounting: Mounting,
    bounds: LimitChoice,
    search: SearchChoice,
    file: FileChoice,
) -> None:
    """Design an exciting trajectory that keeps all limits.

    The file is a motion from rest to rest: from where the robot stands to the periodic motion, whole periods of it, and back. Prints
    the error that predicted torques will have in other motions, the standard deviation that each coefficient will have, and how close
    every limit comes. All of the motion is checked at ten times the sampling rate. Ctrl-C ends the search with the best so
    far, which is checked and written (exit code 130); pressed again, it ends at once.
    With --motion nothing is searched for: a motion of the papers is taken, slowed down where it would break a limit, and refused where
    its path does.
    Exits with 1 when no motion can keep the limits, and when one that is checked breaks a limit.
    """
    from dynident.core.cluster import open_executor
    from dynident.excitation.design import DURATION
    from dynident.excitation.formats.registry import format_of, trajectory_suffixes, write_trajectory
    from dynident.excitation.home import find_home
    from dynident.excitation.limits.collision import CollisionModel
    from dynident.excitation.limits.limits import robot_limits, with_torque_factor
    from dynident.excitation.limits.limits_file import read_limits
    from dynident.excitation.trajectories.trajectory import check_samples
    from dynident.robots import load_robot

    motion, static, plot = choice.motion, choice.static, file.plot
    if choice.check is not None:
        if given := name_given({"--output": output, "--format": file.format, "--static": static, "--motion": motion}):
            raise InputError(f"{given} and --check don't go together, for a check writes nothing; leave one out")
        machine = load_robot(robot, mounting)
        driven = _keep_apart(read_driving_limits(machine, bounds.limits), bounds)
        check_file(machine, choice.check, driven, reading, unchecked=bounds.unchecked, as_json=as_json)
        return
    if output is None:
        raise InputError("nothing to do; name the file to write with -o FILE, or one to look at with --check FILE")
    described = None if motion is None else motion.partition("=")[2] or None
    check_output(output, "trajectory", trajectory_suffixes(), inputs=(robot, bounds.limits, search.task, described), runs=(search.after,))
    if plot and static is None:
        check_page(output.with_suffix(".html"))
    written = format_of(output, file.format)
    machine = load_robot(robot, mounting)
    rate = written.rate if file.rate is None else file.rate
    if static is None:
        written.require(machine.n, rate)
    allowed = robot_limits(machine) if bounds.limits is None else read_limits(bounds.limits, machine)
    if bounds.torque_factor is not None:
        allowed = with_torque_factor(machine, allowed, bounds.torque_factor)
    allowed = _keep_apart(allowed, bounds)
    write = partial(write_trajectory, path=output, format=written.name, options=file.format_option)
    home, start = _position(choice.home, machine, "--from"), _position(search.start, machine, "--start")
    if static is not None and motion is not None:
        raise InputError("--static and --motion don't go together; leave one out")
    if static is not None:
        asked = {
            "method": choice.method,
            "equations": "gravity" if choice.gravity_only else "controller",
            "home": home,
            "seed": search.seed,
            "unchecked": bounds.unchecked,
        }
        _write_static(machine, allowed, static, asked, output, write, rate=rate if written.periods else None, as_json=as_json)
        return
    if motion is not None:
        belongs = {"--precision": search.precision, "--torque-error": search.torque_error, "--longest": search.longest}
        belongs |= {"--harmonics": search.harmonics, "--base-frequency": search.base_frequency, "--start-at-rest": search.start_at_rest}
        if given := name_given({**belongs, "--starts": search.starts, "--budget": choice.budget}):
            raise InputError(f"{given} and --motion don't go together, for nothing is searched for; leave one out")
    options = _options(machine, reading, search) | {"rate": rate, "unchecked": bounds.unchecked}
    shape = {} if choice.duration is None else {"duration": choice.duration}
    if motion is not None:
        shape |= {} if start is None else {"start": start}
        options |= {"limits": allowed, "home": home, "repeats": choice.repeat}
        design = _design_motion(machine, motion, shape, lambda path: read_motion(path, machine, reading).samples, options)
        _show_design(design, output, write, rate=rate, plot=plot, as_json=as_json)
        return
    options |= shape | {"base_frequency": search.base_frequency, "start": start, "at_rest": search.start_at_rest}
    options |= {"starts": search.starts, "budget": choice.budget, "seed": search.seed}
    options |= {} if search.harmonics is None else {"harmonics": search.harmonics}
    check_samples(choice.repeat * (choice.duration or DURATION), rate)  # so that nothing is searched for in vain
    stands = home or start
    find_home(machine, allowed, CollisionModel.of_robot(machine)[0], stands)  # where it can't stand, nothing need be searched
    driving: dict[str, Any] = {"home": stands, "phase": 0.0 if start else None}
    processes = partial(open_executor, search.workers or os.cpu_count() or 1, search.scheduler)
    goal = {"precision": search.precision, "torque_error": search.torque_error}
    goal = {name: None if percent is None else percent / 100.0 for name, percent in goal.items()}
    if any(asked is not None for asked in goal.values()):
        if search.longest is not None:
            goal["longest"] = search.longest
        check_numbered(output, written)
        write_experiment(machine, allowed, output, write, options, driving, goal, processes=processes, plot=plot, as_json=as_json)
        return
    if search.longest is not None:
        raise InputError("--longest belongs to --precision or --torque-error; give one of them, or the length of a period with --duration")
    driving["repeats"] = choice.repeat
    _write_trajectory(machine, allowed, output, write, options, driving, processes=processes, plot=plot, as_json=as_json)


def _options(robot: Robot, reading: Reading, search: SearchChoice) -> dict[str, Any]:
    """What `design_trajectory` and `design_motion` both take."""
    from dynident.friction import friction_model

    earlier = None if search.after is None else read_earlier_run(search.after)
    if search.friction == "default":
        friction = friction_model("linear") if earlier is None else earlier.base.friction
    else:
        friction = None if search.friction is None else friction_model(search.friction)
    if len(search.torque_noise) not in (0, 1, robot.n):
        raise ValueRangeError("--torque-noise", f"has {len(search.torque_noise)} numbers; one was expected, or {robot.n} of them")
    return {
        "friction": friction,
        "after": earlier,
        "criterion": search.criterion,
        "task": None if search.task is None else _task(search.task, robot, reading),
        "torque_noise": list(search.torque_noise) or None,
    }


def _write_trajectory(
    robot: Robot,
    limits: Limits,
    output: Path,
    write: Callable[..., None],
    options: dict[str, Any],
    driving: dict[str, Any],
    *,
    processes: Callable[[], AbstractContextManager[Executor | None]],
    plot: bool,
    as_json: bool,
) -> None:
    from dynident.excitation import design_trajectory, drive_design

    with progress_bar("Designing the trajectory") as progress, processes() as executor, end_search_first():
        design = design_trajectory(robot, limits=limits, executor=executor, progress=progress, **options)
    design = drive_design(design, rate=options["rate"], **driving)
    _show_design(design, output, write, rate=options["rate"], plot=plot, as_json=as_json)


def _design_motion(robot: Robot, motion: str, shape: dict[str, Any], read: Callable[[Path], Dataset], options: dict[str, Any]) -> Design:
    """motion : NAME or NAME=FILE. shape : what other options say of the motion itself. options : of `design_motion`."""
    from dynident.excitation.motions.plan import design_motion
    from dynident.excitation.motions.registry import motion_kind

    name, _, file = motion.partition("=")
    kind = motion_kind(name)
    if others := [f"--{key}" for key in shape if key not in kind.takes]:
        raise InputError(f"{', '.join(others)} and --motion {name} don't go together; leave one out")
    parameters = shape | (kind.read(Path(file), robot, read) if file else {})
    with spinner("Planning the motion"):
        return design_motion(robot, name, parameters, **options)


def _show_design(design: Design, output: Path, write: Callable[..., None], *, rate: float, plot: bool, as_json: bool) -> None:
    """Write the file and its page, and print the tables."""
    from dynident.excitation.documents import DesignDocument

    robot, driven = design.base.robot, write_design(design, output, write, rate=rate)
    page = output.with_suffix(".html")
    if plot:
        from dynident.core.files import write_atomically
        from dynident.reports.page import figure_page

        heading = f"{design.headline}; dashed: the limits; grey: to the periods and back"
        shown = figure_page(design.plot(title=heading), f"{robot.name}: trajectory", GENERATOR)
        write_atomically(page, show_moving(shown, robot, driven))
    written = f"{output}, plot in {page}" if plot else str(output)
    print_result(design.tables(), DesignDocument.of(design), as_json=as_json, written=written)


def _write_static(
    robot: Robot,
    limits: Limits,
    count: int,
    options: dict[str, Any],
    output: Path,
    write: Callable[..., None],
    *,
    rate: float | None,
    as_json: bool,
) -> None:
    """rate : samples per second where the format needs them; else the file holds the points of the sequence."""
    from dynident.excitation import FileHeader
    from dynident.excitation.documents import StaticDocument
    from dynident.excitation.static_design import design_configurations

    with progress_bar("Choosing configurations") as progress:
        design = design_configurations(robot, count, limits=limits, progress=progress, **options)
    header = FileHeader.of_report(robot, design.report, design.unchecked)
    write(design.dataset() if rate is None else design.sequence.samples(rate), header=header)
    print_result(design.tables(), StaticDocument.of(design), as_json=as_json, written=str(output))


def _keep_apart(limits: Limits, bounds: LimitChoice) -> Limits:
    """The limits with another clearance, and without the floor, where that is asked for."""
    least = limits.clearance if bounds.clearance is None else bounds.clearance
    return replace(limits, clearance=least, floor=limits.floor if bounds.floor else float("-inf"))


def _task(path: Path, robot: Robot, reading: Reading) -> Task:
    from dynident.excitation.task import task_of

    return replace(task_of(robot, read_motion(path, robot, reading).samples), source=path.name)


def _position(values: Sequence[float], robot: Robot, option: str) -> list[float] | None:
    """A position per joint; None where nothing was given."""
    if values and len(values) != robot.n:
        raise ValueRangeError(option, f"has {len(values)} numbers; {robot.n} separated by commas were expected, one per joint")
    return list(values) or None
