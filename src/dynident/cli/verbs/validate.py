"""`dynident validate`: how well the models of a run folder predict torques that they have not seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynident.cli import options as opt
from dynident.cli.inputs import parse_reading, read_data, running_command
from dynident.cli.terminal import console, print_json, print_result, print_table, progress_bar
from dynident.errors import InputError

if TYPE_CHECKING:
    from dynident.data import ControllerSamples
    from dynident.feasibility.result import LinkParameters
    from dynident.regression import Estimate

EXAMPLE = """Example:

[bold]dynident validate run log.npz --part 0.7:1[/bold]"""


def validate(
    run: opt.RunArgument,
    data: opt.DataArgument,
    *,
    part: Annotated[str | None, typer.Option("--part", metavar="A:B", help="Use only this part of the data, as fractions: 0.7:1.")] = None,
    folds: Annotated[
        int | None, typer.Option("--folds", metavar="K", help="Also fit K times on these data, each time without one part of them.", min=2)
    ] = None,
    cutoff: Annotated[
        str | None,
        typer.Option("--filter", metavar="HZ", help="Cutoff of the parallel filter, or none. Default: as in the identification."),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option("--rate", metavar="HZ", help="Samples per second to keep after filtering. Default: as in the identification."),
    ] = None,
    read: opt.DataReading,
    as_json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Predict the torques of a log and compare: coefficients, link parameters where there are some, and the nominal model.

    The data are read and processed as those of the identification were. Writes validation.json and validation.npz into RUN. Of a
    controller's samples the errors of M and g are printed, element by element, and nothing is written. Of a log of magnitudes, |measured|
    is compared with |predicted|.
    """
    from dynident.data import ControllerSamples
    from dynident.runs import Stage, check_stages, read_estimate, write_validation
    from dynident.validation import validate as validated
    from dynident.validation.tables import report

    fractions = opt.parse_part(part, "--part")
    filtering: dict[str, Any] = {"cutoff": opt.parse_cutoff(cutoff), "rate": opt.parse_frequency(rate, "--rate")}
    estimate = read_estimate(run)
    reading = estimate.summary.processing.read.override(parse_reading(read))
    with progress_bar("Reading") as progress:
        recorded = read_data(data, estimate.base.robot, reading, fractions, without=opt.parse_without(read["without"]), progress=progress)
    provenance = {"command": running_command(), "part": list(fractions)}
    if isinstance(recorded, ControllerSamples):
        given = opt.name_given({"--folds": folds, "--filter": cutoff, "--rate": rate})
        if given:
            raise InputError(f"{given}: only for a log, and the data are controller samples; leave it out")
        _validate_samples(estimate, recorded, provenance, as_json=as_json)
        return
    check_stages(run, Stage.VALIDATION)
    with progress_bar("Validating") as progress:
        result = validated(estimate, recorded, links=_links(run), folds=folds, **filtering, progress=progress)
    document = write_validation(run, result, provenance=provenance)
    print_result(report(result), document, as_json=as_json, written=str(run))


def _validate_samples(estimate: Estimate, samples: ControllerSamples, provenance: dict[str, Any], *, as_json: bool) -> None:
    from dynident.regression.tables import residual_table
    from dynident.runs.estimate import residual_document
    from dynident.validation import validate_samples

    with progress_bar("Validating") as progress:
        found = validate_samples(estimate, samples, progress=progress)
    name = estimate.base.robot.name
    if as_json:
        content = {"robot": name, "source": samples.source, "samples": samples.samples} | residual_document(found)
        print_json({**content, "provenance": provenance})
        return
    out = console()
    out.print(f"{name}: the model of {estimate.summary.source} on {samples.source}, {samples.samples} samples", markup=False, style="bold")
    print_table(residual_table(found, estimate.base), out)


def _links(run: Path) -> LinkParameters | None:
    """The link parameters, where they have been retrieved; out-of-date ones are an error that says what to do."""
    from dynident.runs import Stage, read_parameters

    return read_parameters(run) if (run / Stage.PARAMETERS.value.document).is_file() else None
