"""`dynident view`: a robot, an identified model or a motion to look at in the browser."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dynident.cli.arguments import MotionReading
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output
from dynident.cli.terminal import console, progress_bar
from dynident.robots.mounting import Mounting

if TYPE_CHECKING:
    from dynident.core.arrays import Array
    from dynident.robots import Robot

RENAMED = {"--motion": "--play"}
EXAMPLE = """Examples:

dynident view arm.urdf

dynident view arm.urdf --solids

dynident view run --play trajectory.csv -o view.html"""


def view(
    robot: Annotated[
        str, Argument(metavar="ROBOT|RUN", help="A robot description, or a run folder, whose links are shown beside the nominal.")
    ],
    /,
    *,
    play: Annotated[Sequence[Path], Argument(help="A trajectory of excite, or a log, to play.", metavar="FILE")] = (),
    solids: Annotated[bool, Argument(help="Show the solids that are kept apart when a motion is planned, beside the shapes.")] = False,
    output: Annotated[Path, Argument(help="The page to write.", short="-o")] = Path("view.html"),
    show: Annotated[bool | None, Argument(help="Open the page.", flag="--open", shown="in a terminal")] = None,
    reading: MotionReading,
    mounting: Mounting,
) -> None:
    """Write one page that shows a robot in 3D: shapes, frames, centres of mass and inertia ellipsoids, with a slider per joint.

    It needs no network. A motion plays in it with each joint's speed, and what it leaves of the limits: look before a real arm moves.
    """
    from dynident.data import Dataset
    from dynident.motions.formats.registry import read_motion
    from dynident.reports.view import view as page_of

    check_output(output, "page", (".html", ".htm"), inputs=(robot, *play), runs=(Path(robot),))
    machine, parameters = _read(robot, mounting)
    played = None
    if play:
        played = Dataset.concatenate([read_motion(file, machine, reading).samples for file in play])
    with progress_bar("Drawing the robot"):
        page = page_of(machine, parameters=parameters, motion=played, solids=solids)
        page.save(output)
    console().print(f"Written to {output} ({output.stat().st_size / 1e6:.1f} MB)", markup=False)
    if show or (show is None and sys.stdout.isatty()):
        webbrowser.open(output.resolve().as_uri())


def _read(robot: str, mounting: Mounting) -> tuple[Robot, Array | None]:
    """The robot, and its identified links where it is a run that has some."""
    from dynident.robots import load_robot
    from dynident.runs import load_run

    if not Path(robot).is_dir():
        return load_robot(robot, mounting), None
    run = load_run(robot)
    return run.estimate.base.robot, None if run.parameters is None else run.parameters.parameters
