"""`dynident repair`: the nearest physically consistent parameters, with the robot's dynamics as they were where possible."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from dynident.cli.arguments import Chain, RobotFile
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output
from dynident.cli.terminal import Outcome
from dynident.core.kinds import number

EXAMPLE = """Examples:

dynident repair kuka_lwr4 -o kuka.yaml

dynident repair arm.urdf -o repaired.urdf --margin 1e-4"""
PRINTS = ("dynident.links.repairs.document:RepairDocument",)


def repair(
    robot: RobotFile,
    /,
    *,
    output: Annotated[
        Path,
        Argument(
            help="File to write: .urdf (of a URDF or xacro), .xml (of an MJCF), .yaml (DH, of any serial robot) or .json.",
            metavar="OUT",
            short="-o",
        ),
    ],
    margin: Annotated[
        Annotated[float, number("kg·m²", low=0.0)] | None,
        Argument(help="Margin of every link [kg·m²], as check prints it.", metavar="M", shown="enough not to be marginal"),
    ] = None,
    distance: Annotated[
        Literal["entropic", "euclidean"],
        Argument(help="entropic, which doesn't depend on frames and units, or euclidean.", metavar="KIND"),
    ] = "entropic",
    chain: Chain,
) -> Outcome:
    """Make every link of a robot description physically consistent, changing as little as possible.

    The torques of the robot stay the same wherever consistent links with its base parameters exist. Where they don't, the base
    parameters change as little as possible, and those that do are listed.
    """
    from dynident.core.files import write_atomically
    from dynident.exports.registry import CONVERSIONS, dh_notes
    from dynident.links.repairs.document import RepairDocument
    from dynident.links.repairs.repair import repair as nearest
    from dynident.links.repairs.writing import check_suffix, repaired_text
    from dynident.robots.load import load_robot, urdf_text

    machine = load_robot(robot, chain)
    description = urdf_text(robot, chain) if output.suffix.lower() == ".urdf" else None
    check_suffix(machine, output, description)
    check_output(output, "repaired robot", inputs=(robot,))
    result = nearest(machine, margin=margin, metric=distance)
    write_atomically(output, repaired_text(result, output, description))
    report = result.tables()
    if CONVERSIONS.get(output.suffix.lower()) == "dh":
        report = replace(report, notes=(*report.notes, *dh_notes(machine)))
    return Outcome(report=report, document=RepairDocument.of(result), written=str(output))
