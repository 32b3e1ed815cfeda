"""`dynident identify`: from a log, or from a controller's M and g, to a run folder with the estimate."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from dynident.cli import options as opt
from dynident.cli.inputs import choose_periods, parse_reading, read_log_and_samples, read_robot, remember_reading, running_command
from dynident.cli.spoiled import refuse_spoiled
from dynident.cli.terminal import print_result, progress_bar, spinner
from dynident.errors import InputError, ValueRangeError

EXAMPLE = """Examples:

[bold]dynident identify panda log.npz -o run --friction linear --filter 5 --rate 20 --train 0:0.7[/bold]

[bold]dynident identify panda samples.npz -o run[/bold]   (q, M and g of the controller)

[bold]dynident identify panda samples.npz log.npz -o run[/bold]   (both, and whether they agree)"""


def identify(
    robot: opt.RobotArgument,
    data: opt.DataArgument,
    output: opt.RunFolder,
    *,
    friction: opt.Friction = None,
    cutoff: Annotated[
        str | None,
        typer.Option("--filter", metavar="HZ", help="Cutoff of the parallel filter, or none. Default: 5, less for slow logs."),
    ] = None,
    rate: Annotated[
        str | None, typer.Option("--rate", metavar="HZ", help="Samples per second to keep after filtering. Default: 4 x the cutoff.")
    ] = None,
    train: opt.Train = None,
    periods: opt.Periods = None,
    average: Annotated[
        bool,
        typer.Option(
            "--average-periods",
            help="Fit the mean of the periods, sample by sample: N of them have 1/√N of the noise, in the positions too. "
            "Standard deviations follow from the residuals of the mean.",
        ),
    ] = False,
    noise: Annotated[
        str | None,
        typer.Option(
            "--noise", metavar="MODEL", help="per_group, each joint and each element of M and g by its own noise (default), or uniform."
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            "--loss", metavar="NAME", help="squared, huber or tukey; by default squared, or huber where residuals are far beyond noise."
        ),
    ] = None,
    drop: Annotated[
        float | None,
        typer.Option("--drop", metavar="PERCENT", help="Drop coefficients with a larger relative std. deviation, as the papers do (30)."),
    ] = None,
    known: Annotated[
        list[str] | None, typer.Option("--known", metavar="NAME=VALUE", help="Declare a parameter known, such as m7=0.73. Repeatable.")
    ] = None,
    equations: Annotated[
        str | None,
        typer.Option("--equations", metavar="KIND", help="Only inertia or gravity of controller samples; gravity of a log: its holds."),
    ] = None,
    read: opt.DataReading,
    mounting: opt.Mounting,
    ignore_doctor: Annotated[
        bool, typer.Option("--ignore-doctor", help="Identify also from a log with a fault that makes the result meaningless.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of the random samples that tell the base parameters.", min=0)] = 0,
    as_json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Identify dynamic coefficients and friction, with their uncertainty.

    The route follows from the data: a log with q and torque is fitted as such; samples of q, M and g are what the robot's
    controller returned. With both each counts by its own noise, and a table tells which coefficients of the controller's model the
    log contradicts; --equations is then about the samples, all else about the log. Joints that the file names are put into the robot's
    order. Writes estimate.json, estimate.npz, problem.npz and robot.json into the folder RUN.
    """
    from dynident.regression.identify import build_problems, fit_problem
    from dynident.regression.tables import report
    from dynident.runs import Stage, check_stages, write_estimate
    from dynident.validation.folds import cross_validate_fit

    reading = parse_reading(read)
    part = opt.parse_part(train, "--train")
    chosen = opt.parse_periods(periods)
    building: dict[str, Any] = {
        "friction": opt.parse_friction_or_auto(friction),
        "cutoff": opt.parse_cutoff(cutoff),
        "rate": opt.parse_frequency(rate, "--rate"),
        "equations": None if equations is None else opt.one_of(equations, ("inertia", "gravity"), "kind of equations"),
        "known": opt.parse_known(known),
        "seed": seed,
    }
    fitting = _fit_options(noise, loss, drop)
    check_stages(output, Stage.ESTIMATE)
    machine = read_robot(robot, **mounting)
    with progress_bar("Reading") as progress:
        log, samples = read_log_and_samples(data, machine, reading, part, without=opt.parse_without(read["without"]), progress=progress)
    if log is None and (periods is not None or average):
        raise InputError("--periods and --average-periods are for logs; a controller's samples have no periods")
    with progress_bar("Building the regression") as progress:
        used = None if log is None else choose_periods(log, chosen, asked=periods is not None, average=average)
        problem, controller = build_problems(machine, [item for item in (used, samples) if item is not None], **building, progress=progress)
    if log is not None and not ignore_doctor:
        with spinner("Examining"):
            refuse_spoiled(machine, log)
    with spinner("Fitting") as say:
        found = fit_problem(problem, controller, auto=friction == "auto", seed=seed, **fitting, progress=say)
        estimate = remember_reading(found, reading)
    folds, facts = None, tuple[str, ...]()
    if estimate.base.equations == "torque":
        with progress_bar("Cross-validating") as progress:
            folds, why_not = cross_validate_fit(estimate, progress=progress)
        facts = (f"Not cross-validated: {why_not}." if folds is None else folds.sentence,)
    document = write_estimate(output, estimate, folds=folds, seed=seed, provenance={"command": running_command()})
    shown = report(estimate)
    print_result(replace(shown, facts=(*facts, *shown.facts)), document, as_json=as_json, written=str(output))


def _fit_options(noise: str | None, loss: str | None, drop: float | None) -> dict[str, Any]:
    """What was said; `fit` knows the rest."""
    from dynident.regression.summary import NOISES
    from dynident.regression.uncertainty.losses import loss_by_name

    found: dict[str, Any] = {}
    if noise is not None:
        found["noise"] = opt.one_of(noise, NOISES, "noise model")
    if loss is not None:
        found["loss"] = loss_by_name(loss)
    if drop is not None:
        if not drop > 0.0:
            raise ValueRangeError("--drop", f"got {drop:g}; a positive percentage was expected, such as 30")
        found["drop_above_percent"] = drop
    return found
