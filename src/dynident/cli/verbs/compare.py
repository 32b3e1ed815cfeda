"""`dynident compare`: a few runs beside each other, and what differs by more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output
from dynident.cli.terminal import Outcome, progress_bar

if TYPE_CHECKING:
    from dynident.runs.comparison import RunComparison

EXAMPLE = """Examples:

dynident compare before after   (before and after lubrication)

dynident compare run_* -o comparison.html -o comparison.csv"""
PRINTS = ("dynident.runs.comparison.documents:ComparisonDocument",)


def compare(
    runs: Annotated[Sequence[Path], Argument(metavar="RUN...", help="Folders that dynident identify wrote: two of them, or more.")],
    /,
    *,
    output: Annotated[Sequence[Path], Argument(help="Also write it as a page (.html), .csv or .json.", short="-o")] = (),
) -> Outcome:
    """Compare runs of one robot, or of robots of one model: coefficients and friction, in standard deviations.

    Two runs are compared with each other, the second with the first; of more, each is compared with the median of all, and those farthest
    from it come first. Deviations count the standard deviation of each estimate and, of five runs or more, how much they usually differ.
    """
    from dynident.runs import load_run
    from dynident.runs.comparison import ComparedRun, compare_runs, observe
    from dynident.runs.comparison.documents import ComparisonDocument

    for file in output:
        check_output(file, "comparison", (".html", ".csv", ".json"), runs=runs)
    with progress_bar("Reading") as progress:
        compared: list[ComparedRun] = []
        for k, folder in enumerate(runs):
            compared.append(observe(load_run(folder), str(folder)))
            progress((k + 1) / len(runs))
    comparison = compare_runs(compared)
    for file in output:
        _write(comparison, file)
    return Outcome(report=comparison.tables(), document=ComparisonDocument.of(comparison), written=", ".join(map(str, output)))


def _write(comparison: RunComparison, file: Path) -> None:
    """A page, a table with a row per run and quantity, or JSON."""
    from dynident.core.files import json_text, write_atomically
    from dynident.reports.comparison import comparison_page
    from dynident.reports.tables import csv_text
    from dynident.runs.comparison.documents import ComparisonDocument

    if file.suffix.lower() == ".html":
        comparison_page(comparison).save(file)
    elif file.suffix.lower() == ".csv":
        write_atomically(file, csv_text(comparison.records()))
    else:
        write_atomically(file, json_text(ComparisonDocument.of(comparison)))
