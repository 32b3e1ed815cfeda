"""`dynident monitor`: what touched a robot in a log, by the identified model of a run folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dynident.cli.arguments import AsJson, LogFiles, RunPath, name_given
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output, running_command
from dynident.cli.terminal import print_result, progress_bar, spinner
from dynident.data.reading.reading import Reading
from dynident.errors import InputError
from dynident.monitoring.options import ObserverChoice
from dynident.pipeline.reading import read_data
from dynident.regression.options import DataPart

if TYPE_CHECKING:
    from dynident.data import Dataset
    from dynident.data.reading.reading import Reading
    from dynident.monitoring import ContactMonitor
    from dynident.regression import Estimate
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
    output: Annotated[Path | None, Argument(help="Page to write. Default: contacts.html in RUN.", short="-o")] = None,
    chosen: DataPart,
    observer: ObserverChoice,
    as_json: AsJson = False,
    reading: Reading,
) -> None:
    """Find what touched the robot in a log: when, which joint felt it, and on which link.

    An observer of the momentum turns what the identified model (link parameters where there are some, else coefficients) does not explain
    into residuals. Thresholds come from a log without contacts
    (--free), and are kept in RUN as monitor.safetensors for later logs and for dynident export --c. Without one they come from the
    quiet parts of the data themselves. Exits with 0 whether or not there were contacts.
    """
    from dynident.core.files import file_digest
    from dynident.monitoring import find_contacts
    from dynident.monitoring.documents import contacts_document
    from dynident.reports.monitoring import contacts_page
    from dynident.runs import RunFolder, Stage, check_stages, read_estimate, write_result

    settings = {name: value for name, value in vars(observer).items() if value is not None}
    page = run / PAGE if output is None else output
    folder = RunFolder(run)
    estimate = read_estimate(folder)
    check_output(page, "page", (".html",), inputs=(*data, *free), runs=(run,))
    if free:
        check_stages(run, Stage.MONITOR)
    reading = reading.over(estimate.summary.processing.read)
    with progress_bar("Reading") as progress:
        recorded = _log(data, estimate, reading, chosen.part, progress=progress)
    with spinner("Finding thresholds"):
        watcher = _watcher(folder, estimate, reading, free, recorded, settings)
    if free:
        files = {file.name: file_digest(file) for file in free if file.is_file()}
        write_result(folder, watcher, provenance={"command": running_command(), "files": files})
    with spinner("Watching"):
        found = find_contacts(watcher, recorded)
        contacts_page(found).save(page)
    written = f"{page}, the thresholds to {run}" if free else str(page)
    print_result(found.tables(), {**contacts_document(found), "written": str(page)}, as_json=as_json, written=written)


def _watcher(
    folder: RunFolder, estimate: Estimate, reading: Reading, free: Sequence[Path], recorded: Dataset, settings: dict[str, Any]
) -> ContactMonitor:
    """With thresholds from a log without contacts, else those in the folder, else from the data themselves."""
    from dynident.monitoring import contact_monitor
    from dynident.runs import Absent, Stage, read_parameters

    run = folder.path
    if not free and (run / Stage.MONITOR.file).is_file():
        if settings:
            given = name_given({f"--{name.replace('_', '-')}": value for name, value in settings.items()})
            raise InputError(f"{given}: {run} has thresholds for other settings; give a log without contacts too, with --free FILE")
        found = folder.find(Stage.MONITOR)
        if isinstance(found, Absent):
            raise InputError(found.error.message, remedy="give a log without contacts again, with --free FILE")
        return found.result
    links = read_parameters(folder) if (run / Stage.PARAMETERS.file).is_file() else None
    quiet = _log(free, estimate, replace(reading, without=())) if free else recorded
    return contact_monitor(estimate, quiet, links=links, contacts_possible=not free, **settings)


def _log(files: Sequence[Path], estimate: Estimate, reading: Reading, part: tuple[float, float] = (0.0, 1.0), **options: Any) -> Dataset:
    from dynident.data import Dataset

    found = read_data(files, estimate.base.robot, reading, part, **options)
    if not isinstance(found, Dataset):
        raise InputError(f"{', '.join(map(str, files))}: samples of a controller's M and g, and a log was expected, with torques")
    return found
