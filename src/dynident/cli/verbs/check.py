"""`dynident check`: lint a robot description and print every link's physical consistency."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from dynident.cli.arguments import Chain, RobotFile
from dynident.cli.terminal import Outcome, console, print_table

if TYPE_CHECKING:
    from dynident.robots.check import RobotCheck

EXAMPLE = """Examples:

dynident check panda

dynident check arm.urdf --lock 'finger_joint*=0.02' --json"""

#: Documents that --json prints.
PRINTS = ("dynident.robots.check_document:CheckDocument",)
#: Narrower terminals get the three numbers of a column below each other.
_WIDE = 110


def check(robot: RobotFile, /, *, chain: Chain) -> Outcome:
    """Check the physical consistency of every link of a robot.

    Prints mass, centre of mass, principal inertias and margin of each link, with a verdict. Exits with 1 when a link is inconsistent,
    or a link that was lumped into another or into the base.
    """
    from dynident.robots import load_robot
    from dynident.robots.check import check_robot
    from dynident.robots.check_document import CheckDocument

    result = check_robot(load_robot(robot, chain))
    return Outcome(report=partial(_print, result), document=CheckDocument.of(result), code=0 if result.passed else 1)


def _print(result: RobotCheck) -> None:
    from rich.markup import escape

    from dynident.reports.robots import check_facts, check_table, check_verdict

    out = console(width=120)
    title = f"{result.robot} ({result.source})" if result.source else result.robot
    print_table(replace(check_table(result, separator=" " if out.width >= _WIDE else "\n"), title=title), out)
    for line in check_facts(result):
        out.print(escape(line).replace("Warning:", "[yellow]Warning:[/]", 1) if line.startswith("Warning:") else escape(line))
    for number, note in enumerate(result.notes, start=1):
        out.print(f"[dim]Note {number}:[/] {escape(note)}")
    for line in check_verdict(result):
        out.print(escape(line), style="bold red")
