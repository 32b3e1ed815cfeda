"""`dynident excite`: an exciting trajectory within limits, or static configurations for the controller route."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dynident.cli.arguments import MotionReading, RobotFile
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output
from dynident.cli.interrupts import end_search_first
from dynident.cli.terminal import Outcome, progress_bar
from dynident.core.options import names_given
from dynident.errors import InputError, OptionsError
from dynident.motions.options import FileChoice, LimitChoice, MotionChoice, SearchChoice
from dynident.robots.mounting import Mounting

if TYPE_CHECKING:
    from dynident.data.reading.reading import Reading
    from dynident.robots import Robot

EXAMPLE = """Examples:

dynident excite panda -o trajectory.csv --budget 60

dynident excite arm.urdf -o trajectory.yaml --limits limits.yaml --from 0,-0.8,0,-2.4,0,1.6,0.8 --repeat 3

dynident excite panda -o trajectory.csv --precision 5%

dynident excite panda -o trajectory.csv --after RUN

dynident excite panda -o configurations.csv --static 100

dynident excite panda -o sinusoids.csv --motion sinusoids=table_1.yaml --duration 20

dynident excite panda -o sweep.csv --motion friction-sweep

dynident excite panda -o trajectory.csv --format franka

dynident excite panda --check my_motion.csv --map 'q=pos_*' --unit q=deg"""
PRINTS = (
    "dynident.motions.documents:DesignDocument",
    "dynident.motions.documents:StaticDocument",
    "dynident.motions.documents:MotionCheckDocument",
    "dynident.motions.documents:ExperimentDocument",
)


def excite(
    robot: RobotFile,
    /,
    *,
    output: Annotated[Path | None, Argument(help="File to write; its suffix says which format, or --format.", short="-o")] = None,
    choice: MotionChoice,
    reading: MotionReading,
    mounting: Mounting,
    bounds: LimitChoice,
    search: SearchChoice,
    file: FileChoice,
) -> Outcome:
    """Design an exciting trajectory that keeps all limits.

    The file is a motion from rest to rest: from where the robot stands to the periodic motion, whole periods of it, and back. Prints
    the error that predicted torques will have in other motions, the standard deviation that each coefficient will have, and how close
    every limit comes. All of the motion is checked at ten times the sampling rate. Ctrl-C ends the search with the best so
    far, which is checked and written (exit code 130); pressed again, it ends at once.
    With --motion nothing is searched for: a motion of the papers is taken, slowed down where it would break a limit, and refused where
    its path does.
    Exits with 1 when no motion can keep the limits, and when one that is checked breaks a limit.
    """
    from dynident.motions.formats.registry import trajectory_suffixes
    from dynident.pipeline.excite import excite as design
    from dynident.robots import load_robot

    if choice.check is not None:
        if names := ["output"] * (output is not None) + names_given(file, "format") + names_given(choice, "static", "motion"):
            raise OptionsError("{} and {check} don't go together, for a check writes nothing; leave one out", names)
        return _check(load_robot(robot, mounting), choice.check, bounds, reading)
    if output is None:
        raise InputError("nothing to do; name the file to write with -o FILE, or one to look at with --check FILE")
    described = (choice.motion or "").partition("=")[2] or None
    check_output(output, "trajectory", trajectory_suffixes(), inputs=(robot, bounds.limits, search.task, described), runs=(search.after,))
    machine = load_robot(robot, mounting)
    one = choice.motion is None and choice.static is None and not search.goal
    with progress_bar("Designing the motion") as progress, end_search_first() if one else nullcontext():
        made = design(machine, output, motion=choice, limits=bounds, search=search, file=file, reading=reading, progress=progress)
    return Outcome(report=made.result.tables(), document=made.document, written=made.written)


def _check(robot: Robot, file: Path, bounds: LimitChoice, reading: Reading) -> Outcome:
    """A trajectory file, ours or the user's, against limits."""
    from dynident.motions.documents import MotionCheckDocument
    from dynident.motions.formats.registry import read_motion
    from dynident.motions.limits.motion_check import check_motion

    limits = bounds.of_drive(robot)
    motion = read_motion(file, robot, reading)
    check = check_motion(robot, motion.samples, limits)
    return Outcome(
        warning=motion.unchecked,
        report=check.tables(),
        document=MotionCheckDocument.of(check, format=motion.format, comments=motion.comments),
        require=partial(check.require, unchecked=bounds.unchecked),
        written=f"{check.sentence}.",
    )
