"""What `dynident excite --check` does: a trajectory file, ours or the user's, against limits; a table, a verdict, and the exit code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dynident.cli.inputs import read_motion
from dynident.cli.terminal import console, print_json, print_report

if TYPE_CHECKING:
    from dynident.data.reading.reading import Reading
    from dynident.excitation import Limits
    from dynident.robots import Robot


def check_file(robot: Robot, file: Path, limits: Limits, reading: Reading, *, unchecked: bool, as_json: bool) -> None:
    """Print the check; DynidentError where something is broken, or where self-collision can't be checked and that was not allowed."""
    from dynident.excitation.documents import MotionCheckDocument
    from dynident.excitation.motion_check import check_motion

    found = read_motion(file, robot, reading)
    check = check_motion(robot, found.samples, limits)
    if as_json:
        print_json(MotionCheckDocument.of(check, format=found.format, comments=found.comments))
    else:
        if found.unchecked:
            console().print(found.unchecked, style="bold red", markup=False)
        print_report(check.tables())
    check.require(unchecked=unchecked)
    if not as_json:
        console().print(f"{check.sentence}.", markup=False)
