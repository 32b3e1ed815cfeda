"""`dynident report`: a run folder as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from dynident.cli.arguments import RunPath
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output
from dynident.cli.terminal import console, progress_bar

EXAMPLE = """Examples:

dynident report run

dynident report run --beside other_run"""


def report(
    run: RunPath,
    /,
    *,
    output: Annotated[Path | None, Argument(help="The page to write.", short="-o", shown="report.html in RUN")] = None,
    beside: Annotated[Path | None, Argument(help="Another run of the same robot, to compare the coefficients with.", metavar="RUN")] = None,
) -> None:
    """Write one self-contained page about everything that a run folder holds: report.html.

    It needs no network. Sections whose step has not been done yet say which command does it.
    """
    from dynident.reports import report as page_of
    from dynident.runs import load_run

    loaded, other = load_run(run), None if beside is None else load_run(beside)
    target = output or run / "report.html"
    check_output(target, "report", runs=(run, beside))
    with progress_bar("Writing the report"):
        page_of(loaded, beside=other).save(target)
    console().print(f"Written to {target} ({target.stat().st_size / 1e6:.1f} MB)", markup=False)
