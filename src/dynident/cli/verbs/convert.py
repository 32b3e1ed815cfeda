"""`dynident convert`: a robot description in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from dynident.cli.arguments import Chain, RobotFile
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output
from dynident.cli.terminal import console, print_notes

EXAMPLE = """Examples:

dynident convert arm.urdf.xacro -o arm.urdf --xacro-arg hand:=true

dynident convert table.csv -o arm.urdf"""


def convert(
    robot: RobotFile,
    /,
    *,
    output: Annotated[
        Path, Argument(help="File to write: .urdf, .xml (MJCF) or .yaml (DH, of a serial robot).", metavar="OUT", short="-o")
    ],
    chain: Chain,
) -> None:
    """Write a robot description in another format: xacro expanded, SDF or a DH table as URDF, a URDF as DH, and so on.

    A xacro that becomes a URDF keeps everything unless joints are locked or a chain is chosen. What is written anew has kinematics,
    gravity, limits, inertias, friction and shapes, and is compared in another engine first. Notes name what the format has no place for.
    """
    from dynident.core.files import write_atomically
    from dynident.exports import convert as describe
    from dynident.exports.registry import CONVERSIONS
    from dynident.robots.load import load_robot, urdf_text

    check_output(output, "description", CONVERSIONS, inputs=(robot,))
    machine = load_robot(robot, chain)
    whole = output.suffix.lower() == ".urdf" and not (chain.lock or chain.base or chain.tip)
    text, notes = urdf_text(robot, chain) if whole else None, ()
    if text is None:
        text, notes = describe(machine, output)
    write_atomically(output, text)
    out = console()
    print_notes(out, (*machine.notes, *notes))
    out.print(f"Written: {output}", markup=False)
