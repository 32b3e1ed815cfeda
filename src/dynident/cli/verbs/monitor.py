"""`dynident monitor`: what touched a robot in a log, by the identified model of a run folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from dynident.cli.arguments import LogFiles, RunPath
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output, typed_call
from dynident.cli.terminal import Outcome, progress_bar
from dynident.data.reading.reading import Reading
from dynident.pipeline.reading import read_log
from dynident.regression.options import DataPart
from dynident.validation.monitoring.options import ObserverChoice

EXAMPLE = """Examples:

dynident monitor run work.npz --free free.npz   (thresholds from a log without contacts, kept in RUN)

dynident monitor run more.npz -o contacts.html"""
PRINTS = ("dynident.validation.monitoring.documents:ContactsDocument",)

#: Of the page, in RUN.
PAGE = "contacts.html"


def monitor(
    run: RunPath,
    data: LogFiles,
    /,
    *,
    free: Annotated[
        Sequence[Path], Argument(help="Log without contacts, such as that of the validation, for the thresholds.", metavar="FILE")
    ] = (),
    output: Annotated[Path | None, Argument(help="Page to write.", short="-o", shown=f"{PAGE} in RUN")] = None,
    chosen: DataPart,
    observer: ObserverChoice,
    reading: Reading,
) -> Outcome:
    """Find what touched the robot in a log: when, which joint felt it, and on which link.

    An observer of the momentum turns what the identified model (link parameters where there are some, else coefficients) does not explain
    into residuals. Thresholds come from a log without contacts
    (--free), and are kept in RUN as monitor.safetensors for later logs and for dynident export --c. Without one they come from the
    quiet parts of the data themselves. Exits with 0 whether or not there were contacts.
    """
    from dynident.pipeline.steps import monitor_step
    from dynident.reports.monitoring import contacts_page
    from dynident.runs import RunFolder, Stage, check_stages, read_estimate
    from dynident.validation.monitoring import find_contacts
    from dynident.validation.monitoring.documents import ContactsDocument

    page = run / PAGE if output is None else output
    folder = RunFolder(run)
    estimate = read_estimate(folder)
    check_output(page, "page", (".html",), inputs=(*data, *free), runs=(run,))
    if free:
        check_stages(run, Stage.MONITOR)
    reading = reading.over(estimate.summary.processing.read)
    of_free = replace(reading, without=())
    with progress_bar("Reading") as progress:
        recorded = read_log(data, estimate.base.robot, reading, chosen.part, progress=progress)
        quiet = read_log(free, estimate.base.robot, of_free) if free else None
        contact_monitor = monitor_step(folder, recorded, quiet, observer, typed_call(free, of_free), progress)
        progress("Watching")
        contacts = find_contacts(contact_monitor, recorded)
        contacts_page(contacts).save(page)
    written = f"{page}, the thresholds to {run}" if free else str(page)
    return Outcome(report=contacts.tables(), document=ContactsDocument.of(contacts, written=str(page)), written=written)
