"""`dynident monitor`: what touched a robot in a log, by the identified model of a run folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dynident.cli.arguments import LogFiles, RunPath
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output, running_command
from dynident.cli.terminal import Outcome, progress_bar, spinner
from dynident.data.reading.reading import Reading
from dynident.errors import InputError, OptionsError
from dynident.monitoring.options import ObserverChoice
from dynident.pipeline.reading import read_log
from dynident.regression.options import DataPart

if TYPE_CHECKING:
    from dynident.data import Dataset
    from dynident.monitoring import ContactMonitor
    from dynident.runs import RunFolder

EXAMPLE = """Examples:

dynident monitor run work.npz --free free.npz   (thresholds from a log without contacts, kept in RUN)

dynident monitor run more.npz -o contacts.html"""

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
    from dynident.core.files import file_digest
    from dynident.monitoring import find_contacts
    from dynident.monitoring.documents import contacts_document
    from dynident.reports.contacts import contacts_page
    from dynident.runs import RunFolder, Stage, check_stages, read_estimate, write_monitor

    settings = {name: value for name, value in vars(observer).items() if value is not None}
    page = run / PAGE if output is None else output
    folder = RunFolder(run)
    estimate = read_estimate(folder)
    check_output(page, "page", (".html",), inputs=(*data, *free), runs=(run,))
    if free:
        check_stages(run, Stage.MONITOR)
    reading = reading.over(estimate.summary.processing.read)
    with progress_bar("Reading") as progress:
        recorded = read_log(data, estimate.base.robot, reading, chosen.part, progress=progress)
        quiet = read_log(free, estimate.base.robot, replace(reading, without=())) if free else None
    with spinner("Finding thresholds"):
        watcher = _watcher(folder, recorded, quiet, settings)
    if free:
        files = {file.name: file_digest(file) for file in free if file.is_file()}
        write_monitor(folder, watcher, provenance={"command": running_command(), "files": files})
    with spinner("Watching"):
        found = find_contacts(watcher, recorded)
        contacts_page(found).save(page)
    written = f"{page}, the thresholds to {run}" if free else str(page)
    return Outcome(report=found.tables(), document={**contacts_document(found), "written": str(page)}, written=written)


def _watcher(folder: RunFolder, recorded: Dataset, quiet: Dataset | None, settings: dict[str, Any]) -> ContactMonitor:
    """With thresholds from a log without contacts, else those in the folder, else from the data themselves."""
    from dynident.monitoring import contact_monitor
    from dynident.runs import Absent, Stage, read_estimate
    from dynident.runs.results import find_parameters

    if quiet is None and (folder.path / Stage.MONITOR.file).is_file():
        if settings:
            template = f"{{}}: {folder.path} has thresholds for other settings; give a log without contacts too, with {{free}} FILE"
            raise OptionsError(template, settings)
        found = folder.find(Stage.MONITOR)
        if isinstance(found, Absent):
            raise InputError(found.error.message, remedy="give a log without contacts again, with --free FILE")
        return found.result
    log, links = recorded if quiet is None else quiet, find_parameters(folder)
    return contact_monitor(read_estimate(folder), log, links=links, contacts_possible=quiet is None, **settings)
