"""`dynident doctor`: what is wrong with a log, and the option or data-file line that mends it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dynident.cli.arguments import AsJson, LogFiles, RobotFile, option_text
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output
from dynident.cli.terminal import console, print_json, print_report, spinner
from dynident.data.reading.reading import Reading
from dynident.errors import FileError, InputError, Remedy
from dynident.pipeline.reading import read_data
from dynident.regression.options import TrainingPart
from dynident.robots.mounting import Mounting

if TYPE_CHECKING:
    from dynident.doctor import Correction, Diagnosis

EXAMPLE = """Examples:

dynident doctor panda log.npz

dynident doctor arm.urdf log.csv --fix   (writes log.csv.yaml)"""


def doctor(
    robot: RobotFile,
    data: LogFiles,
    /,
    *,
    fix: Annotated[bool, Argument(help="Write the sure corrections, and what you said, to the YAML beside the data.")] = False,
    force: Annotated[bool, Argument(help="With --fix, also where that YAML is there already.")] = False,
    report: Annotated[Path | None, Argument(help="Also write a page with the figure that shows each finding (.html).")] = None,
    training: TrainingPart,
    as_json: AsJson = False,
    reading: Reading,
    mounting: Mounting,
) -> int:
    """Find what is wrong with a log before anything is identified from it.

    Compares signals with each other and the log with the robot: clock, units, order and signs of the joints, gravity, zeros, delays and
    more. Each finding has its evidence, a confidence, and the option or data-file line that mends it. Exits with 1 where one is sure.
    """
    from dynident.core.files import place_below
    from dynident.data import Dataset
    from dynident.doctor import diagnose
    from dynident.doctor.remedies import diagnosis_document
    from dynident.reports.doctor import diagnosis_report
    from dynident.robots import load_robot

    if report is not None:
        check_output(report, "report", (".html",), inputs=data)
    if fix and len(data) != 1:
        raise InputError(f"--fix corrects the reading of one file, and {len(data)} were given; look at them one by one")
    if fix:
        place_below(data[0].parent, f"{data[0].name}.yaml")
    machine = load_robot(robot, mounting)
    with spinner("Reading"):
        recorded = read_data(data, machine, reading, training.train, ordered=False)
    if not isinstance(recorded, Dataset):
        raise InputError("the data are samples of a controller's M and g; the doctor looks at logs")
    with spinner("Examining") as say:
        found = diagnose(machine, recorded, progress=say)
    if report is not None:
        from dynident.reports.doctor import diagnosis_page

        diagnosis_page(found, _tell).save(report)
    written = _write(data[0], found, reading, force=force) if fix else None  # last: from then on the log is read in another way
    if as_json:
        print_json({**diagnosis_document(found), "written": None if written is None else str(written)})
    else:
        print_report(diagnosis_report(found, say=_tell))
        if written is not None:
            console().print(f"Written to {written}", markup=False)
    return 1 if found.sure else 0


def _tell(correction: Correction) -> str:
    """A correction as options, and lines of the YAML where there is no option."""
    from dynident.doctor.remedies import correction_remedy

    return correction_remedy(correction).told(option_text)


def _write(data: Path, found: Diagnosis, reading: Reading, *, force: bool) -> Path | None:
    """The file that was written; None where nothing is sure that a file could say, and nothing was said that is not in one."""
    from dynident.core.files import write_atomically
    from dynident.doctor.recipe_file import recipe_text
    from dynident.doctor.remedies import in_python

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
