"""`dynident friction`: the friction of a new log with the links of a run, and what has changed since."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from dynident.cli import options as opt
from dynident.cli.inputs import parse_reading, read_data, remember_reading, running_command
from dynident.cli.terminal import print_result, progress_bar, spinner
from dynident.errors import InputError

if TYPE_CHECKING:
    from dynident.feasibility import LinkParameters
    from dynident.friction import FrictionModel
    from dynident.regression import Estimate

EXAMPLE = """Examples:

[bold]dynident friction run new_log.npz -o run_warm[/bold]

[bold]dynident friction run new_log.npz -o run_warm --model auto[/bold]"""


def friction(
    run: opt.RunArgument,
    data: opt.DataArgument,
    output: opt.RunFolder,
    *,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="A friction model such as linear, or auto. Default: that of RUN."),
    ] = None,
    part: Annotated[str | None, typer.Option("--part", metavar="A:B", help="Use only this part of the data, as fractions: 0.2:1.")] = None,
    cutoff: Annotated[
        str | None,
        typer.Option("--filter", metavar="HZ", help="Cutoff of the parallel filter, or none. Default: as in the identification, or 5 Hz."),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option("--rate", metavar="HZ", help="Samples per second to keep after filtering. Default: as in the identification."),
    ] = None,
    read: opt.DataReading,
    seed: Annotated[int, typer.Option("--seed", help="Of the starts of the search for shapes.", min=0)] = 0,
    as_json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Fit the friction alone to a new log, with the links of RUN as they are, and say what has changed since.

    Writes a run folder with the links of RUN and the new friction, which retrieve, validate, sample, export and report take, and
    friction.json in it. Links from a controller's M and g get their first friction so; there is nothing to compare it with then.
    """
    from dynident.data import Dataset
    from dynident.regression import refit_friction
    from dynident.runs import Stage, check_stages, read_estimate, write_estimate, write_friction, write_parameters
    from dynident.runs.stages import gather_stages

    fractions, without = opt.parse_part(part, "--part"), opt.parse_without(read["without"])
    filtering: dict[str, Any] = {"cutoff": opt.parse_cutoff(cutoff), "rate": opt.parse_frequency(rate, "--rate")}
    chosen = _model(model)
    if output.resolve() == run.resolve():
        raise InputError(f"the results would replace {run}, whose friction they are compared with; name another folder with -o")
    check_stages(output, Stage.ESTIMATE, Stage.PARAMETERS, Stage.FRICTION)
    estimate = read_estimate(run)
    reading = estimate.summary.processing.read.override(parse_reading(read))
    with spinner("Reading"):
        recorded = read_data(data, estimate.base.robot, reading, fractions, without=without)
    if not isinstance(recorded, Dataset):
        raise InputError("the data are samples of a controller's M and g, which have no friction in them; give a log with torques")
    with progress_bar("Fitting friction") as progress:
        found = refit_friction(estimate, recorded, model=chosen, seed=seed, **filtering, progress=progress)
    links = _links(run, found.estimate)
    fitted = replace(remember_reading(found.estimate, reading), problem=None)  # whose rows say nothing about the links of RUN
    provenance = {"command": running_command(), "part": list(fractions), "links": str(run)}
    with gather_stages(output) as draft:
        write_estimate(draft, fitted, seed=seed, provenance=provenance)
        if links is not None:
            write_parameters(draft, links, seed=seed)
        document = write_friction(draft, found, provenance=provenance)
    print_result(found.tables(), document, as_json=as_json, written=str(output))


def _model(text: str | None) -> FrictionModel | Literal["auto"] | None:
    """The model of that name, "auto", or None where nothing is given."""
    from dynident.friction import friction_model

    return None if text is None else "auto" if text == "auto" else friction_model(text)


def _links(run: Path, estimate: Estimate) -> LinkParameters | None:
    """The link parameters of the run with the new friction, where there are some."""
    from dynident.feasibility.new_friction import with_new_friction
    from dynident.runs import Stage, read_parameters

    return with_new_friction(read_parameters(run), estimate) if (run / Stage.PARAMETERS.value.document).is_file() else None
