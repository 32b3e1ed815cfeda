"""`dynident monitor`: what touched a robot in a log, by the identified model of a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynident.cli import options as opt
from dynident.cli.inputs import check_output, parse_reading, read_data, running_command
from dynident.cli.terminal import print_result, progress_bar, spinner
from dynident.errors import InputError

if TYPE_CHECKING:
    from dynident.data import Dataset
    from dynident.monitoring import ContactMonitor
    from dynident.regression import Estimate
    from dynident.regression.summary import Reading

EXAMPLE = """Examples:

[bold]dynident monitor run work.npz --free free.npz[/bold]   (thresholds from a log without contacts, kept in RUN)

[bold]dynident monitor run more.npz -o contacts.html[/bold]"""

#: Of the page, in RUN.
PAGE = "contacts.html"


def monitor(
    run: opt.RunArgument,
    data: opt.DataArgument,
    *,
    free: Annotated[
        list[Path] | None,
        typer.Option(
            "--free", metavar="FILE", help="Log without contacts, such as that of the validation, for the thresholds. Repeatable."
        ),
    ] = None,
    gain: Annotated[
        str | None,
        typer.Option("--gain", metavar="K", help="Of the observer, 1/s: a contact shows after 1/K. One, or one per joint. Default: 25."),
    ] = None,
    false_alarms: Annotated[
        float | None, typer.Option("--false-alarms", metavar="PER_HOUR", help="Expected over all joints. Default: 0.1, one in ten hours.")
    ] = None,
    confirmation: Annotated[
        float | None,
        typer.Option("--confirmation", metavar="S", help="How long a residual must stay above its threshold. Default: 0.005 s.", min=0.0),
    ] = None,
    part: Annotated[str | None, typer.Option("--part", metavar="A:B", help="Use only this part of the data, as fractions: 0.7:1.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Page to write. Default: contacts.html in RUN.")
    ] = None,
    read: opt.DataReading,
    as_json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Find what touched the robot in a log: when, which joint felt it, and on which link.

    An observer of the momentum turns what the identified model (link parameters where there are some, else coefficients) does not explain
    into residuals. Thresholds come from a log without contacts
    (--free), and are kept in RUN as monitor.json and monitor.npz for later logs and for dynident export --c. Without one they come from
    the quiet parts of the data themselves. Exits with 0 whether or not there were contacts.
    """
    from dynident.core.files import file_digest
    from dynident.monitoring import find_contacts
    from dynident.monitoring.tables import contacts_document
    from dynident.reports.contacts import contacts_page
    from dynident.runs import Stage, check_stages, read_estimate, write_monitor

    settings = _settings(gain, false_alarms, confirmation)
    fractions, without = opt.parse_part(part, "--part"), opt.parse_without(read["without"])
    page = run / PAGE if output is None else output
    estimate = read_estimate(run)
    check_output(page, "page", (".html",), inputs=(*data, *(free or ())), runs=(run,))
    if free:
        check_stages(run, Stage.MONITOR)
    reading = estimate.summary.processing.read.override(parse_reading(read))
    with progress_bar("Reading") as progress:
        recorded = _log(data, estimate, reading, fractions, without=without, progress=progress)
    with spinner("Finding thresholds"):
        watcher = _watcher(run, estimate, reading, free, recorded, settings)
    if free:
        files = {file.name: file_digest(file) for file in free if file.is_file()}
        write_monitor(run, watcher, provenance={"command": running_command(), "files": files})
    with spinner("Watching"):
        found = find_contacts(watcher, recorded)
        contacts_page(found).save(page)
    written = f"{page}, the thresholds to {run}" if free else str(page)
    print_result(found.tables(), {**contacts_document(found), "written": str(page)}, as_json=as_json, written=written)


def _settings(gain: str | None, false_alarms: float | None, confirmation: float | None) -> dict[str, Any]:
    """What was asked for, by the names of the library."""
    given = {"gain": opt.parse_per_joint("--gain", gain, example="25"), "false_alarms": false_alarms, "confirmation": confirmation}
    return {name: value for name, value in given.items() if value is not None}


def _watcher(
    run: Path, estimate: Estimate, reading: Reading, free: list[Path] | None, recorded: Dataset, settings: dict[str, Any]
) -> ContactMonitor:
    """With thresholds from a log without contacts, else those in the folder, else from the data themselves."""
    from dynident.monitoring import contact_monitor
    from dynident.runs import Stage, read_parameters
    from dynident.runs.monitor import find_monitor
    from dynident.runs.stages import Absent

    if not free and (run / Stage.MONITOR.value.document).is_file():
        if settings:
            given = opt.name_given({f"--{name.replace('_', '-')}": value for name, value in settings.items()})
            raise InputError(f"{given}: {run} has thresholds for other settings; give a log without contacts too, with --free FILE")
        found = find_monitor(run)
        if isinstance(found, Absent):
            raise InputError(found.error.message, remedy="give a log without contacts again, with --free FILE")
        return found
    links = read_parameters(run) if (run / Stage.PARAMETERS.value.document).is_file() else None
    quiet = _log(free, estimate, reading) if free else recorded
    return contact_monitor(estimate, quiet, links=links, contacts_possible=not free, **settings)


def _log(files: list[Path], estimate: Estimate, reading: Reading, part: tuple[float, float] = (0.0, 1.0), **options: Any) -> Dataset:
    from dynident.data import Dataset

    found = read_data(files, estimate.base.robot, reading, part, **options)
    if not isinstance(found, Dataset):
        raise InputError(f"{', '.join(map(str, files))}: samples of a controller's M and g, and a log was expected, with torques")
    return found
