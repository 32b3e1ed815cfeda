"""`dynident check`: lint a robot description and print every link's physical consistency."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from dynident.cli.inputs import read_robot
from dynident.cli.options import AsJson, Chain, Debug, RobotArgument
from dynident.cli.terminal import console, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from dynident.robots.check import RobotCheck

EXAMPLE = """Examples:

[bold]dynident check panda[/bold]

[bold]dynident check arm.urdf --lock 'finger_joint*=0.02' --json[/bold]"""

#: Narrower terminals get the three numbers of a column below each other.
_WIDE = 110


def check(
    robot: RobotArgument,
    chain: Chain,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Check the physical consistency of every link of a robot.

    Prints mass, centre of mass, principal inertias and margin of each link, with a verdict. Exits with 1 when a link is inconsistent,
    or a link that was lumped into another or into the base.
    """
    from dynident.robots.check import check_robot
    from dynident.robots.tables import check_document

    result = check_robot(read_robot(robot, **chain))
    if as_json:
        print_json(check_document(result))
    else:
        _print_report(result)
    if not result.passed:
        raise typer.Exit(1)


def _print_report(result: RobotCheck) -> None:
    from rich.markup import escape

    from dynident.robots.tables import check_facts, check_verdict

    out = console(width=120)
    out.print(_table(result, separator=" " if out.width >= _WIDE else "\n"))
    for line in check_facts(result):
        out.print(escape(line).replace("Warning:", "[yellow]Warning:[/]", 1) if line.startswith("Warning:") else escape(line))
    for number, note in enumerate(result.notes, start=1):
        out.print(f"[dim]Note {number}:[/] {escape(note)}")
    for line in check_verdict(result):
        out.print(escape(line), style="bold red")


def _table(result: RobotCheck, *, separator: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from dynident.robots.tables import check_lines

    title = f"{result.robot} ({result.source})" if result.source else result.robot
    table = Table(title=Text(title, style="bold"), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("link", no_wrap=True)
    for heading in ("mass\n[kg]", "centre of mass\n[m]", "principal inertias\n[kg·m²]", "margin\n[kg·m²]"):
        table.add_column(Text(heading), justify="right")
    table.add_column("verdict")
    for line in check_lines(result, separator=separator):
        colour = "bold red" if line.verdict.inconsistent else "green" if line.verdict.name == "CONSISTENT" else "yellow"
        table.add_row(Text(line.name), *line.cells, Text(line.verdict_text, style=colour))
    return table
