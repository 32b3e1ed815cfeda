"""`dynident evaluate`: how well the estimate of a run folder explains data that it may not have seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynident.cli.data import parse_reading, read_data
from dynident.cli.options import AsJson, DataArgument, Debug, EffortKind, Map, ReaderOption, Unit, parse_part
from dynident.cli.terminal import console, print_table, progress_bar, spinner
from dynident.core.files import json_text

EXAMPLE = """Example:

[bold]dynident evaluate run log.npz --part 0.7:1[/bold]"""


def evaluate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder that dynident identify wrote.")],
    data: DataArgument,
    part: Annotated[str | None, typer.Option("--part", metavar="A:B", help="Use only this part of the data, as fractions: 0.7:1.")] = None,
    map: Map = None,
    unit: Unit = None,
    effort_kind: EffortKind = None,
    reader_option: ReaderOption = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Relative error of an estimate on data, per joint and in all.

    The data are read and processed as those of the identification were: same columns and units unless said otherwise, same filter and
    rate, same friction model and known parameters.
    """
    from dynident.regression import residuals
    from dynident.regression.problem import problem_on_base
    from dynident.regression.tables import residual_table
    from dynident.runs import read_estimate
    from dynident.runs.estimate_document import residual_document

    fractions = parse_part(part, "--part")
    estimate = read_estimate(run)
    steps = estimate.summary.processing
    reading = steps.read.override(parse_reading(map, unit, effort_kind, reader_option))
    with spinner("Reading"):
        recorded = read_data(data, estimate.base.robot, reading, fractions)
    with progress_bar("Evaluating") as progress:
        problem = problem_on_base(estimate.base, recorded, cutoff=steps.cutoff_hz, rate=steps.rate_hz, progress=progress)
    found = residuals(problem, estimate.values)
    if as_json:
        content = {**residual_document(found), "samples": problem.samples, "part": list(fractions)}
        print(json_text(content), end="")
        return
    out = console()
    out.print(
        f"{estimate.base.robot.name}: the estimate in {run} on {problem.source}, {problem.samples} samples", markup=False, style="bold"
    )
    print_table(residual_table(found, estimate.base), out)
