"""`dynident doctor`: what is wrong with a log, and the option or data-file line that mends it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynident.cli import options as opt
from dynident.cli.inputs import check_output, parse_reading, read_data, read_robot
from dynident.cli.spoiled import tell_correction
from dynident.cli.terminal import console, print_json, print_report, spinner
from dynident.errors import FileError, InputError, Remedy

if TYPE_CHECKING:
    from dynident.doctor import Diagnosis
    from dynident.regression.summary import Reading

EXAMPLE = """Examples:

[bold]dynident doctor panda log.npz[/bold]

[bold]dynident doctor arm.urdf log.csv --fix[/bold]   (writes log.csv.yaml)"""


def doctor(
    robot: opt.RobotArgument,
    data: opt.DataArgument,
    *,
    fix: Annotated[bool, typer.Option("--fix", help="Write the sure corrections, and what you said, to the YAML beside the data.")] = False,
    force: Annotated[bool, typer.Option("--force", help="With --fix, also where that YAML is there already.")] = False,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Also write a page with the figure that shows each finding (.html).")
    ] = None,
    train: opt.Train = None,
    read: opt.DataReading,
    mounting: opt.Mounting,
    as_json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """Find what is wrong with a log before anything is identified from it.

    Compares signals with each other and the log with the robot: clock, units, order and signs of the joints, gravity, zeros, delays and
    more. Each finding has its evidence, a confidence, and the option or data-file line that mends it. Exits with 1 where one is sure.
    """
    from dynident.core.files import place_below
    from dynident.data import Dataset
    from dynident.doctor import diagnose
    from dynident.doctor.tables import diagnosis_document, diagnosis_report

    reading, part = parse_reading(read), opt.parse_part(train, "--train")
    if report is not None:
        check_output(report, "report", (".html",), inputs=data)
    if fix and len(data) != 1:
        raise InputError(f"--fix corrects the reading of one file, and {len(data)} were given; look at them one by one")
    if fix:
        place_below(data[0].parent, f"{data[0].name}.yaml")
    machine = read_robot(robot, **mounting)
    with spinner("Reading"):
        recorded = read_data(data, machine, reading, part, without=opt.parse_without(read["without"]), ordered=False)
    if not isinstance(recorded, Dataset):
        raise InputError("the data are samples of a controller's M and g; the doctor looks at logs")
    with spinner("Examining") as say:
        found = diagnose(machine, recorded, progress=say)
    if report is not None:
        from dynident.reports.diagnosis import diagnosis_page

        diagnosis_page(found, tell_correction).save(report)
    written = _write(data[0], found, reading, force=force) if fix else None  # last: from then on the log is read in another way
    if as_json:
        print_json({**diagnosis_document(found), "written": None if written is None else str(written)})
    else:
        print_report(diagnosis_report(found, say=tell_correction))
        if written is not None:
            console().print(f"Written to {written}", markup=False)
    if found.sure:
        raise typer.Exit(1)


def _write(data: Path, found: Diagnosis, reading: Reading, *, force: bool) -> Path | None:
    """The file that was written; None where nothing is sure that a file could say, and nothing was said that is not in one."""
    from dynident.core.files import write_atomically
    from dynident.doctor.recipe_file import recipe_text
    from dynident.doctor.tables import in_python

    right = not found.in_file.recipe
    if right and not reading.to_dict():
        return None
    target, text = recipe_text(data, found.in_file, reading)
    if target.exists() and not force:
        if right:
            return None
        remedy = Remedy(f"add to it what was found ({in_python(found.in_file)}), or combine them with {{force}}", force=True)
        raise FileError(target, "is there already", remedy=remedy)
    write_atomically(target, text)
    return target
