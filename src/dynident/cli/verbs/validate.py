"""`dynident validate`: how well the models of a run folder predict torques that they have not seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynident.cli.data import parse_reading, read_data, running_command
from dynident.cli.options import AsJson, DataArgument, Debug, EffortKind, Map, ReaderOption, Unit, parse_frequency, parse_part
from dynident.cli.terminal import console, print_report, progress_bar, spinner
from dynident.core.files import json_text

if TYPE_CHECKING:
    from dynident.feasibility.result import LinkParameters

EXAMPLE = """Example:

[bold]dynident validate run log.npz --part 0.7:1[/bold]"""


def validate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder that dynident identify wrote.")],
    data: DataArgument,
    part: Annotated[str | None, typer.Option("--part", metavar="A:B", help="Use only this part of the data, as fractions: 0.7:1.")] = None,
    folds: Annotated[
        int | None, typer.Option("--folds", metavar="K", help="Also fit K times on these data, each time without one part of them.", min=2)
    ] = None,
    cutoff: Annotated[
        str | None, typer.Option("--filter", metavar="HZ", help="Cutoff of the parallel filter. Default: as in the identification.")
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option("--rate", metavar="HZ", help="Samples per second to keep after filtering. Default: as in the identification."),
    ] = None,
    map: Map = None,
    unit: Unit = None,
    effort_kind: EffortKind = None,
    reader_option: ReaderOption = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Predict the torques of a log and compare: coefficients, link parameters where there are some, and the nominal model.

    The data are read and processed as those of the identification were. Writes validation.json and validation.npz into RUN.
    """
    from dynident.runs import read_estimate, write_validation
    from dynident.runs.estimate import check_writable
    from dynident.runs.validation_document import validation_document
    from dynident.validation import validate as validated
    from dynident.validation.tables import report

    fractions = parse_part(part, "--part")
    frequencies = {"cutoff": parse_frequency(cutoff, "--filter"), "rate": parse_frequency(rate, "--rate")}
    estimate = read_estimate(run)
    check_writable(run)
    reading = estimate.summary.processing.read.override(parse_reading(map, unit, effort_kind, reader_option))
    with spinner("Reading"):
        recorded = read_data(data, estimate.base.robot, reading, fractions)
    with progress_bar("Validating") as progress:
        result = validated(estimate, recorded, links=_links(run), folds=folds, **frequencies, progress=progress)
    provenance = {"command": running_command(), "part": list(fractions)}
    write_validation(run, result, provenance=provenance)
    if as_json:
        print(json_text(validation_document(result, provenance)), end="")
    else:
        print_report(report(result))
        console().print(f"Written to {run}", markup=False)


def _links(run: Path) -> LinkParameters | None:
    """The link parameters, where they have been retrieved; out-of-date ones are an error that says what to do."""
    from dynident.runs.parameters import PARAMETERS, read_parameters

    return read_parameters(run) if (run / PARAMETERS).is_file() else None
