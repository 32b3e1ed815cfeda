"""`dynident view`: a robot, an identified model or a motion to look at in the browser."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynident.cli.inputs import check_output, parse_reading, read_motion, read_robot
from dynident.cli.options import Debug, MotionReading, Mounting
from dynident.cli.terminal import console, spinner

if TYPE_CHECKING:
    from dynident.core.arrays import Array
    from dynident.robots import Robot

EXAMPLE = """Examples:

[bold]dynident view arm.urdf[/bold]

[bold]dynident view arm.urdf --solids[/bold]

[bold]dynident view run --motion trajectory.csv -o view.html[/bold]"""


def view(
    robot: Annotated[
        str, typer.Argument(metavar="ROBOT|RUN", help="A robot description, or a run folder, whose links are shown beside the nominal.")
    ],
    mounting: Mounting,
    reading: MotionReading,
    motion: Annotated[
        list[Path] | None, typer.Option("--motion", metavar="FILE", help="A trajectory of excite, or a log, to play.")
    ] = None,
    solids: Annotated[
        bool, typer.Option("--solids", help="Show the solids that are kept apart when a motion is planned, beside the shapes.")
    ] = False,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The page to write.")] = Path("view.html"),
    show: Annotated[bool | None, typer.Option("--open/--no-open", help="Open the page. Default: in a terminal.")] = None,
    debug: Debug = False,
) -> None:
    """Write one page that shows a robot in 3D: shapes, frames, centres of mass and inertia ellipsoids, with a slider per joint.

    It needs no network. A motion plays in it with each joint's speed, and what it leaves of the limits: look before a real arm moves.
    """
    from dynident.data import Dataset
    from dynident.reports.view import view as page_of

    check_output(output, "page", (".html", ".htm"), inputs=(robot, *(motion or ())), runs=(Path(robot),))
    machine, parameters = _read(robot, mounting)
    played = None
    if motion is not None:
        played = Dataset.concatenate([read_motion(file, machine, parse_reading(reading)).samples for file in motion])
    with spinner("Drawing the robot"):
        page = page_of(machine, parameters=parameters, motion=played, solids=solids)
        page.save(output)
    console().print(f"Written to {output} ({output.stat().st_size / 1e6:.1f} MB)", markup=False)
    if show or (show is None and sys.stdout.isatty()):
        webbrowser.open(output.resolve().as_uri())


def _read(robot: str, mounting: Mounting) -> tuple[Robot, Array | None]:
    """The robot, and its identified links where it is a run that has some."""
    from dynident.runs import load_run

    if not Path(robot).is_dir():
        return read_robot(robot, **mounting), None
    run = load_run(robot)
    return run.estimate.base.robot, None if run.parameters is None else run.parameters.parameters
