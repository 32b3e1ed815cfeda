"""`dynident report`: a run folder as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynident.cli.options import Debug, RunArgument
from dynident.cli.terminal import console, spinner

GROUP = "Use"
EXAMPLE = """Example:

[bold]dynident report run[/bold]"""


def report(
    run: RunArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The page to write. Default: report.html in RUN.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Write one self-contained page about everything that a run folder holds: report.html.

    It needs no network. Sections whose step has not been done yet say which command does it.
    """
    from dynident.core.files import write_atomically
    from dynident.reports import report_html
    from dynident.runs import load_run

    with spinner("Writing the report"):
        found = load_run(run)
        target = output or run / "report.html"
        write_atomically(target, report_html(found))
    console().print(f"Written to {target} ({target.stat().st_size / 1e6:.1f} MB)", markup=False)
