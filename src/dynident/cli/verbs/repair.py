"""`dynident repair`: the nearest physically consistent parameters, with the robot's dynamics as they were where possible."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynident.cli.inputs import check_output, read_robot, read_text_of
from dynident.cli.options import AsJson, Chain, Debug, RobotArgument, one_of
from dynident.cli.terminal import print_result
from dynident.errors import ValueRangeError

EXAMPLE = """Examples:

[bold]dynident repair kuka_lwr4 -o kuka.yaml[/bold]

[bold]dynident repair arm.urdf -o repaired.urdf --margin 1e-4[/bold]"""

_METRICS = ("entropic", "euclidean")


def repair(
    robot: RobotArgument,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="File to write: .urdf (of a URDF or xacro), .xml (of an MJCF), .yaml (DH, of any serial robot) or .json.",
        ),
    ],
    chain: Chain,
    margin: Annotated[
        float | None,
        typer.Option("--margin", metavar="M", help="Margin of every link [kg·m²], as check prints it. Default: enough not to be marginal."),
    ] = None,
    distance: Annotated[
        str, typer.Option("--distance", metavar="KIND", help="entropic, which doesn't depend on frames and units, or euclidean.")
    ] = "entropic",
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Make every link of a robot description physically consistent, changing as little as possible.

    The torques of the robot stay the same wherever consistent links with its base parameters exist. Where they don't, the base
    parameters change as little as possible, and those that do are listed.
    """
    from dynident.core.files import write_atomically
    from dynident.feasibility.repairs.repair import repair as nearest
    from dynident.feasibility.repairs.writing import check_suffix, repair_document, repaired_text

    one_of(distance, _METRICS, "distance")
    if margin is not None and not 0.0 <= margin < float("inf"):
        raise ValueRangeError("--margin", f"is {margin:g}; a number that is not negative was expected")
    machine = read_robot(robot, **chain)
    description = read_text_of(robot, chain) if output.suffix.lower() == ".urdf" else None
    check_suffix(machine, output, description)
    check_output(output, "repaired robot", inputs=(robot,))
    result = nearest(machine, margin=margin, metric="euclidean" if distance == "euclidean" else "entropic")
    write_atomically(output, repaired_text(result, output, description))
    print_result(result.tables(), repair_document(result), as_json=as_json, written=str(output))
