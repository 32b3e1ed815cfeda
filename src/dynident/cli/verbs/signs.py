"""`dynident signs`: from a log of |torque| or |current| to its signs, an estimate and feasible links in a run folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from dynident.cli import options as opt
from dynident.cli.inputs import check_output, choose_periods, parse_reading, read_data, read_robot, remember_reading, running_command
from dynident.cli.registries import HelpFromRegistry
from dynident.cli.terminal import print_result, progress_bar, spinner
from dynident.errors import InputError

EXAMPLE = """Examples:

[bold]dynident signs panda log.npz -o run[/bold]

[bold]dynident signs arm.urdf log.csv -o run --map effort=amps_* --effort-kind magnitude --effort-gains 14.9,12.1[/bold]"""


def method_names() -> str:
    from dynident.signs.methods.registry import METHODS

    return "; ".join(f"{name}: {method.summary}" for name, method in METHODS.items())


def method_options() -> str:
    from dynident.core.options import describe_all
    from dynident.signs.methods.registry import METHODS

    return describe_all(METHODS)


def signs(
    robot: opt.RobotArgument,
    data: opt.DataArgument,
    output: opt.RunFolder,
    *,
    method: Annotated[str, typer.Option("--method", metavar="NAME", help="{}."), HelpFromRegistry(method_names)] = "em",
    method_option: Annotated[
        list[str] | None,
        typer.Option("--method-option", metavar="NAME=VALUE", help="An option of the method's own, repeatable. {}."),
        HelpFromRegistry(method_options),
    ] = None,
    friction: opt.Friction = None,
    cutoff: Annotated[
        str | None,
        typer.Option("--filter", metavar="HZ", help="Cutoff of the filter of motion and torque. Default: 5, less for slow logs."),
    ] = None,
    train: opt.Train = None,
    periods: opt.Periods = None,
    signed: Annotated[
        Path | None,
        typer.Option(
            "--signed-log", metavar="FILE", help="Also write the log with its signs, for verbs that need them: .npz, .csv or .parquet."
        ),
    ] = None,
    read: opt.MagnitudeReading,
    mounting: opt.Mounting,
    seed: Annotated[int, typer.Option("--seed", help="Of the random starts of the search.", min=0)] = 0,
    scheduler: opt.Scheduler = None,
    as_json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Recover the signs of torques of which only the magnitude was recorded, and identify the robot with them.

    Writes what dynident identify writes into RUN, signs.json and signs.npz, and feasible links where there are some; retrieve, validate,
    export and report work on it as usual. Exits with 1 when the signs are ambiguous or the model doesn't explain the data.
    """
    from dynident.core.cluster import open_executor
    from dynident.data import Dataset, write_dataset
    from dynident.data.formats.writing import WRITERS
    from dynident.runs import Stage, check_stages, write_estimate, write_parameters, write_signs
    from dynident.runs.stages import gather_stages
    from dynident.signs import recover_signs

    reading = parse_reading(read)
    part = opt.parse_part(train, "--train")
    chosen = opt.parse_periods(periods)
    model, given = opt.parse_friction_or_auto(friction), opt.parse_options("--method-option", method_option)
    frequency = opt.parse_frequency(cutoff, "--filter") or "auto"
    check_stages(output, Stage.ESTIMATE, Stage.SIGNS)
    if signed is not None:
        check_output(signed, "log", WRITERS, inputs=data)
    machine = read_robot(robot, **mounting)
    with progress_bar("Reading") as progress:
        everything = read_data(data, machine, reading, part, without=opt.parse_without(read["without"]), progress=progress)
    recorded = choose_periods(everything, chosen, asked=periods is not None)
    if not isinstance(recorded, Dataset):
        raise InputError("the data are samples of a controller's M and g, which have their signs; use dynident identify")
    with open_executor(1, scheduler) as executor, spinner("Searching for the signs") as say:
        found = recover_signs(
            machine,
            recorded,
            method=method,
            friction=model,
            cutoff=frequency,
            options=given,
            seed=seed,
            executor=executor,
            progress=say,
        )
    if recorded.effort_kind != found.log.effort_kind:  # taken for a magnitude, as held-out data should be
        reading = replace(reading, effort_kind=found.log.effort_kind)
    found = replace(found, estimate=remember_reading(found.estimate, reading))
    with gather_stages(output) as draft:
        write_estimate(draft, found.estimate, seed=seed, provenance={"command": running_command()})
        document = write_signs(draft, found, seed=seed)
        if found.links is not None:
            write_parameters(draft, found.links, seed=seed)
    if signed is not None:
        write_dataset(found.signed, signed)
    print_result(found.tables(), document, as_json=as_json, written=f"{output}, {signed}" if signed else str(output))
    if not found.verdict.settled:
        raise typer.Exit(1)
