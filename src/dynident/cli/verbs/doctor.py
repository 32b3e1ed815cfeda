"""`dynident doctor`: what is wrong with a log, and the option or data-file line that mends it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from dynident.cli.arguments import LogFiles, RobotFile, correction_text
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output
from dynident.cli.terminal import Outcome, progress_bar
from dynident.data.reading.reading import Reading
from dynident.errors import InputError
from dynident.pipeline.reading import read_log
from dynident.regression.options import TrainingPart
from dynident.robots.mounting import Mounting

RENAMED = {"--force": "--overwrite"}
EXAMPLE = """Examples:

dynident doctor panda log.npz

dynident doctor arm.urdf log.csv --fix   (writes log.csv.yaml)"""
PRINTS = ("dynident.diagnosis.document:DiagnosisDocument",)


def doctor(
    robot: RobotFile,
    data: LogFiles,
    /,
    *,
    fix: Annotated[bool, Argument(help="Write the sure corrections, and what you said, to the YAML beside the data.")] = False,
    overwrite: Annotated[bool, Argument(help="With --fix, also where that YAML is there already.")] = False,
    report: Annotated[Path | None, Argument(help="Also write a page with the figure that shows each finding (.html).")] = None,
    training: TrainingPart,
    reading: Reading,
    mounting: Mounting,
) -> Outcome:
    """Find what is wrong with a log before anything is identified from it.

    Compares signals with each other and the log with the robot: clock, units, order and signs of the joints, gravity, zeros, delays and
    more. Each finding has its evidence, a confidence, and the option or data-file line that mends it. Exits with 1 where one is sure.
    """
    from dynident.core.files import place_below
    from dynident.diagnosis import doctor
    from dynident.diagnosis.document import DiagnosisDocument
    from dynident.diagnosis.recipe_file import write_recipe
    from dynident.reports.diagnosis import diagnosis_page, diagnosis_report
    from dynident.robots import load_robot

    if report is not None:
        check_output(report, "report", (".html",), inputs=data)
    if fix and len(data) != 1:
        raise InputError(f"--fix corrects the reading of one file, and {len(data)} were given; look at them one by one")
    if fix:
        place_below(data[0].parent, f"{data[0].name}.yaml")
    machine = load_robot(robot, mounting)
    with progress_bar("Reading"):
        recorded = read_log(data, machine, reading, training.train, ordered=False, remedy="the doctor looks at logs")
    with progress_bar("Examining") as say:
        diagnosis = doctor(machine, recorded, progress=say)
    if report is not None:
        diagnosis_page(diagnosis, correction_text).save(report)
    # last: from then on the log is read in another way
    written = write_recipe(data[0], diagnosis.in_file, recorded, reading, overwrite=overwrite) if fix else None
    return Outcome(
        report=diagnosis_report(diagnosis, say=correction_text),
        document=DiagnosisDocument.of(diagnosis, say=correction_text, written=None if written is None else str(written)),
        written=str(written or ""),
        code=1 if diagnosis.sure else 0,
    )
