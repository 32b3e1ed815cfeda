"""`dynident compare`: a few runs beside each other, and what differs by more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from dynident.cli.command_line import Argument
from dynident.cli.comparison_files import SUFFIXES, write_comparison
from dynident.cli.inputs import check_output
from dynident.cli.terminal import Outcome, progress_bar

EXAMPLE = """Examples:

dynident compare before after   (before and after lubrication)

dynident compare run_* -o comparison.html -o comparison.csv"""


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
    from dynident.comparison import ComparedRun, compare_runs, observe
    from dynident.comparison.documents import ComparisonDocument
    from dynident.runs import load_run

    for file in output:
        check_output(file, "comparison", SUFFIXES, runs=runs)
    with progress_bar("Reading") as progress:
        found: list[ComparedRun] = []
        for k, folder in enumerate(runs):
            found.append(observe(load_run(folder), str(folder)))
            progress((k + 1) / len(runs))
    comparison = compare_runs(found)
    for file in output:
        write_comparison(comparison, file)
    return Outcome(report=comparison.tables(), document=ComparisonDocument.of(comparison), written=", ".join(map(str, output)))
