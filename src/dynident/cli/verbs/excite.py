"""`dynident excite`: an exciting trajectory within limits, or static configurations for the controller route."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynident.cli import options as opt
from dynident.cli.experiments import GENERATOR, check_numbered, check_page, parse_percent, read_earlier_run, write_design, write_experiment
from dynident.cli.inputs import check_output, parse_reading, read_driving_limits, read_motion, read_robot
from dynident.cli.interrupts import end_search_first
from dynident.cli.motion_check import check_file
from dynident.cli.moving_robot import show_moving
from dynident.cli.registries import HelpFromRegistry
from dynident.cli.terminal import print_result, progress_bar, spinner
from dynident.core.fields import parse_numbers
from dynident.errors import InputError, ValueRangeError

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from dynident.data import Dataset
    from dynident.excitation.design import Design
    from dynident.excitation.limits.limits import Limits
    from dynident.excitation.task import Task
    from dynident.regression.summary import Reading
    from dynident.robots import Robot

EXAMPLE = """Examples:

[bold]dynident excite panda -o trajectory.csv --budget 60[/bold]

[bold]dynident excite arm.urdf -o trajectory.yaml --limits limits.yaml --from 0,-0.8,0,-2.4,0,1.6,0.8 --repeat 3[/bold]

[bold]dynident excite panda -o trajectory.csv --precision 5%[/bold]

[bold]dynident excite panda -o trajectory.csv --after RUN[/bold]

[bold]dynident excite panda -o configurations.csv --static 100[/bold]

[bold]dynident excite panda -o sinusoids.csv --motion sinusoids=table_1.yaml --duration 20[/bold]

[bold]dynident excite panda -o sweep.csv --motion friction-sweep[/bold]

[bold]dynident excite panda -o trajectory.csv --format franka[/bold]

[bold]dynident excite panda --check my_motion.csv --map 'q=pos_*' --unit q=deg[/bold]"""


def _formats() -> str:
    from dynident.excitation.formats.registry import describe_formats

    return describe_formats()


def _format_options() -> str:
    from dynident.excitation.formats.registry import format_options

    return format_options()


def _motions() -> str:
    from dynident.excitation.motions.registry import describe_motions

    return describe_motions()


def excite(
    robot: opt.RobotArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write; its suffix says which format, or --format.")
    ] = None,
    *,
    file_format: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="Of the file. {}."), HelpFromRegistry(_formats)
    ] = None,
    format_option: Annotated[
        list[str] | None,
        typer.Option("--format-option", metavar="NAME=VALUE", help="An option of the format's own, repeatable. {}."),
        HelpFromRegistry(_format_options),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Design nothing: check this motion, yours or one of dynident's, against the limits."),
    ] = None,
    motion: Annotated[
        str | None,
        typer.Option("--motion", metavar="NAME[=FILE]", help="Search for nothing: take a motion of the papers. {}."),
        HelpFromRegistry(_motions),
    ] = None,
    duration: Annotated[
        float | None, typer.Option("--duration", metavar="SECONDS", help="Length of one period of the trajectory. Default: 20.")
    ] = None,
    harmonics: Annotated[int | None, typer.Option("--harmonics", help="Harmonics of the Fourier series. Default: 5.", min=1)] = None,
    base_frequency: Annotated[
        str | None, typer.Option("--base-frequency", metavar="HZ", help="Of the first harmonic. Default: one period in the duration.")
    ] = None,
    friction: Annotated[
        str | None,
        typer.Option(
            "--friction", metavar="NAME", help="Friction model to be identified too, or none. Default: linear, or that of --after."
        ),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            "--precision", metavar="PERCENT", help="Find the shortest experiment that tells all coefficients that matter so well."
        ),
    ] = None,
    torque_error: Annotated[
        str | None,
        typer.Option("--torque-error", metavar="PERCENT", help="Find the shortest experiment whose model predicts torques so well."),
    ] = None,
    longest: Annotated[
        float | None,
        typer.Option("--longest", metavar="SECONDS", help="Of --precision and --torque-error: longest. Default: 600."),
    ] = None,
    after: Annotated[
        Path | None, typer.Option("--after", metavar="RUN", help="Design for what this run left open, within the torques of its model.")
    ] = None,
    limits: Annotated[
        Path | None, typer.Option("--limits", metavar="FILE", help="YAML file with limits. Default: those of the robot, with a margin.")
    ] = None,
    torque_factor: Annotated[
        float | None,
        typer.Option(
            "--torque-factor", metavar="F", help="Links weigh at most F times what the description says, at least 1/F. Default: 2."
        ),
    ] = None,
    clearance: Annotated[
        float | None,
        typer.Option("--clearance", metavar="METRES", help="Least distance of links from each other, the floor and boxes. Default: 0.02."),
    ] = None,
    no_floor: Annotated[bool, typer.Option("--no-floor", help="Links may go below the plane that the robot is mounted on.")] = False,
    unchecked: Annotated[bool, typer.Option("--unchecked", help="Write or accept a file also where collisions can't be checked.")] = False,
    criterion: Annotated[
        str,
        typer.Option(
            "--criterion",
            metavar="NAME",
            help="v_optimal (error of the torques in other motions), d_optimal (uncertainty of the coefficients) or condition (number).",
        ),
    ] = "v_optimal",
    task: Annotated[
        Path | None,
        typer.Option("--task", metavar="FILE", help="Log or trajectory of the motions that the model is for. Default: random ones."),
    ] = None,
    home: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="Q1,Q2,...",
            help="Where the robot stands before and after, in rad or m. Default: its described home, else near the middle of its ranges.",
        ),
    ] = None,
    repeat: Annotated[
        int, typer.Option("--repeat", metavar="N", min=1, help="Whole periods to drive; the file marks each in its column period.")
    ] = 1,
    start: Annotated[
        str | None, typer.Option("--start", metavar="Q1,Q2,...", help="Position at which periods begin, in rad or m. Default: free.")
    ] = None,
    start_at_rest: Annotated[
        bool, typer.Option("--start-at-rest", help="The robot stands where periods begin, so that it needs no easing.")
    ] = False,
    rate: Annotated[
        float | None, typer.Option("--rate", metavar="HZ", help="Samples per second in the file. Default: 100, or what the format needs.")
    ] = None,
    torque_noise: Annotated[
        str | None,
        typer.Option("--torque-noise", metavar="NM", help="After filtering; one number or one per joint. Default: from effort limits."),
    ] = None,
    static: Annotated[
        int | None, typer.Option("--static", metavar="N", help="N static configurations for the controller route instead of a trajectory.")
    ] = None,
    gravity_only: Annotated[
        bool, typer.Option("--gravity-only", help="Of --static: choose them for g alone, as torque sensors feel it at rest.")
    ] = False,
    method: Annotated[str, typer.Option("--method", metavar="NAME", help="Of --static: random, sobol, halton or d_optimal.")] = "d_optimal",
    starts: Annotated[
        int | None, typer.Option("--starts", metavar="N", help="Random starts. Default: 8, or as many as the budget allows.", min=1)
    ] = None,
    budget: Annotated[float | None, typer.Option("--budget", metavar="SECONDS", help="Time after which no iteration begins.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", metavar="N", help="Processes. Default: one per core.", min=1)] = None,
    scheduler: opt.Scheduler = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the random starts.", min=0)] = 0,
    no_plot: Annotated[bool, typer.Option("--no-plot", help="Don't write the page with the plot beside the file.")] = False,
    read: opt.MotionReading,
    mounting: opt.Mounting,
    as_json: opt.AsJson = False,
    debug: opt.Debug = False,
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

    if check is not None:
        if given := opt.name_given({"--output": output, "--format": file_format, "--static": static, "--motion": motion}):
            raise InputError(f"{given} and --check don't go together, for a check writes nothing; leave one out")
        machine = read_robot(robot, **mounting)
        driven = _keep_apart(read_driving_limits(machine, limits), clearance, no_floor=no_floor)
        check_file(machine, check, driven, parse_reading(read), unchecked=unchecked, as_json=as_json)
        return
    if output is None:
        raise InputError("nothing to do; name the file to write with -o FILE, or one to look at with --check FILE")
    described = None if motion is None else motion.partition("=")[2] or None
    check_output(output, "trajectory", trajectory_suffixes(), inputs=(robot, limits, task, described), runs=(after,))
    if not no_plot and static is None:
        check_page(output.with_suffix(".html"))
    written = format_of(output, file_format)
    machine = read_robot(robot, **mounting)
    rate = _positive(written.rate if rate is None else rate, "--rate", "samples per second")
    if static is None:
        written.require(machine.n, rate)
    allowed = robot_limits(machine) if limits is None else read_limits(limits, machine)
    if torque_factor is not None:
        allowed = with_torque_factor(machine, allowed, torque_factor)
    allowed = _keep_apart(allowed, clearance, no_floor=no_floor)
    write = partial(write_trajectory, path=output, format=written.name, options=opt.parse_options("--format-option", format_option))
    if static is not None and motion is not None:
        raise InputError("--static and --motion don't go together; leave one out")
    if static is not None:
        asked = {
            "method": method,
            "equations": "gravity" if gravity_only else "controller",
            "home": _position(home, machine, "--from"),
            "seed": seed,
            "unchecked": unchecked,
        }
        _write_static(machine, allowed, static, asked, output, write, rate=rate if written.periods else None, as_json=as_json)
        return
    if motion is not None:
        belongs = {"--precision": precision, "--torque-error": torque_error, "--longest": longest, "--harmonics": harmonics}
        belongs |= {"--base-frequency": base_frequency, "--start-at-rest": start_at_rest, "--starts": starts, "--budget": budget}
        if given := opt.name_given(belongs):
            raise InputError(f"{given} and --motion don't go together, for nothing is searched for; leave one out")
    earlier = None if after is None else read_earlier_run(after)
    begins = _position(start, machine, "--start")
    options = {
        "friction": earlier.base.friction if earlier is not None and friction is None else opt.parse_friction(friction or "linear"),
        "after": earlier,
        "criterion": criterion,
        "rate": rate,
        "task": None if task is None else _task(task, machine, parse_reading(read)),
        "torque_noise": None if torque_noise is None else _noise(torque_noise, machine),
        "unchecked": unchecked,
    }
    shape = {} if duration is None else {"duration": _positive(duration, "--duration", "seconds")}
    if motion is not None:
        shape |= {} if begins is None else {"start": begins}
        options |= {"limits": allowed, "home": _position(home, machine, "--from"), "repeats": repeat}
        design = _design_motion(machine, motion, shape, lambda file: read_motion(file, machine, parse_reading(read)).samples, options)
        _show_design(design, output, write, rate=rate, plot=not no_plot, as_json=as_json)
        return
    options |= shape | {
        "base_frequency": opt.parse_frequency(base_frequency, "--base-frequency"),
        "start": begins,
        "at_rest": start_at_rest,
        "starts": starts,
        "budget": None if budget is None else _positive(budget, "--budget", "seconds"),
        "seed": seed,
    }
    options |= {} if harmonics is None else {"harmonics": harmonics}
    check_samples(repeat * (duration or DURATION), rate)  # so that nothing is searched for in vain
    stands = _position(home, machine, "--from") or begins
    find_home(machine, allowed, CollisionModel.of_robot(machine)[0], stands)  # where it can't stand, nothing need be searched
    driving = {"home": stands, "phase": 0.0 if start else None}
    processes = partial(open_executor, workers or os.cpu_count() or 1, scheduler)
    goal = {"precision": parse_percent(precision, "--precision"), "torque_error": parse_percent(torque_error, "--torque-error")}
    if any(asked is not None for asked in goal.values()):
        if longest is not None:
            goal["longest"] = _positive(longest, "--longest", "seconds")
        check_numbered(output, written)
        write_experiment(machine, allowed, output, write, options, driving, goal, processes=processes, plot=not no_plot, as_json=as_json)
        return
    if longest is not None:
        raise InputError("--longest belongs to --precision or --torque-error; give one of them, or the length of a period with --duration")
    driving["repeats"] = repeat
    _write_trajectory(machine, allowed, output, write, options, driving, processes=processes, plot=not no_plot, as_json=as_json)


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
    from dynident.excitation.tables import design_document, design_report

    robot, driven = design.base.robot, write_design(design, output, write, rate=rate)
    page = output.with_suffix(".html")
    if plot:
        from dynident.core.files import write_atomically
        from dynident.reports.page import figure_page

        heading = f"{design.headline}; dashed: the limits; grey: to the periods and back"
        shown = figure_page(design.plot(title=heading), f"{robot.name}: trajectory", GENERATOR)
        write_atomically(page, show_moving(shown, robot, driven))
    written = f"{output}, plot in {page}" if plot else str(output)
    print_result(design_report(design), design_document(design), as_json=as_json, written=written)


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
    from dynident.excitation.static_design import design_configurations
    from dynident.excitation.tables import static_document, static_report

    with progress_bar("Choosing configurations") as progress:
        design = design_configurations(robot, count, limits=limits, progress=progress, **options)
    header = FileHeader.of_report(robot, design.report, design.unchecked)
    write(design.dataset() if rate is None else design.sequence.samples(rate), header=header)
    print_result(static_report(design), static_document(design), as_json=as_json, written=str(output))


def _keep_apart(limits: Limits, clearance: float | None, *, no_floor: bool) -> Limits:
    """The limits with another clearance, and without the floor, where that is wanted."""
    if clearance is not None and not 0.0 <= clearance < float("inf"):
        raise ValueRangeError("--clearance", f"got {clearance:g}; a distance in metres was expected, such as 0.02")
    least = limits.clearance if clearance is None else clearance
    return replace(limits, clearance=least, floor=float("-inf") if no_floor else limits.floor)


def _positive(value: float, option: str, unit: str) -> float:
    if not 0.0 < value < float("inf"):
        raise ValueRangeError(option, f"got {value:g}; a positive number of {unit} was expected")
    return value


def _task(path: Path, robot: Robot, reading: Reading) -> Task:
    from dynident.excitation.task import task_of

    return replace(task_of(robot, read_motion(path, robot, reading).samples), source=path.name)


def _noise(text: str, robot: Robot) -> list[float]:
    values = parse_numbers(text)
    if len(values) not in (1, robot.n) or not all(0.0 < value < float("inf") for value in values):
        raise ValueRangeError("--torque-noise", f"got {text!r}; a positive number of N·m or N was expected, or {robot.n} of them")
    return values


def _position(text: str | None, robot: Robot, option: str) -> list[float] | None:
    if text is None:
        return None
    values = parse_numbers(text)
    if len(values) != robot.n:
        raise ValueRangeError(option, f"got {text!r}; {robot.n} numbers separated by commas were expected, one per joint")
    return values
