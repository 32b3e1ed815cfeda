"""`dynident check`: lint a robot description and print every link's physical consistency."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer

from dynident.cli.inputs import read_robot
from dynident.cli.options import AsJson, Base, Debug, Lock, RobotArgument, Tip
from dynident.cli.terminal import console

if TYPE_CHECKING:
    from rich.table import Table

    from dynident.robots.check import LinkCheck, RobotCheck, SourceCheck
    from dynident.robots.verdict import Judgement

GROUP = "Robot"
EXAMPLE = """Examples:

[bold]dynident check panda[/bold]

[bold]dynident check arm.urdf --lock 'finger_joint*=0.02' --json[/bold]"""

#: Narrower terminals get the three numbers of a column below each other.
_WIDE = 110


def check(
    robot: RobotArgument,
    lock: Lock = None,
    base: Base = None,
    tip: Tip = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Check the physical consistency of every link of a robot.

    Prints mass, centre of mass, principal inertias and margin of each link, with a verdict. Exits with 1 when a link is inconsistent,
    or a link that was lumped into another or into the base.
    """
    from dynident.robots.check import check_robot

    result = check_robot(read_robot(robot, lock=lock, base=base, tip=tip))
    if as_json:
        print(json.dumps(as_dictionary(result), indent=2, ensure_ascii=False))
    else:
        _print_report(result)
    if not result.passed:
        raise typer.Exit(1)


def as_dictionary(result: RobotCheck) -> dict[str, Any]:
    """What `--json` prints; `consistent` is null where an inertia is missing and no other link is inconsistent."""
    return {
        "schema": "dynident/check/1",
        "robot": result.robot,
        "source": result.source,
        "consistent": False if not result.passed else None if result.without_inertia else True,
        "total_mass": result.total_mass,
        "links": [_link_dictionary(link) for link in result.links],
        "lumped": [_source_dictionary(source) for source in result.sources],
        "base_links": list(result.base_sources),
        "warnings": list(result.warnings),
        "notes": list(result.notes),
    }


def _link_dictionary(link: LinkCheck) -> dict[str, Any]:
    lists = {"warnings": list(link.warnings), "lumped_links": list(link.sources)}
    return {"name": link.name, "frame": link.frame, **_numbers_dictionary(link), **lists}


def _source_dictionary(source: SourceCheck) -> dict[str, Any]:
    return {"name": source.name, "body": source.body, **_numbers_dictionary(source.judgement)}


def _numbers_dictionary(judged: LinkCheck | Judgement) -> dict[str, Any]:
    from dynident.robots.tables import sentence

    return {
        "verdict": judged.verdict.name.lower(),
        "message": sentence(judged),
        "inconsistent": judged.verdict.inconsistent,
        "mass": judged.mass,
        "com": judged.com,
        "principal_inertias": judged.principal_inertias,
        "margin": judged.margin,
    }


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
