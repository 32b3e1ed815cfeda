"""`dynident check`: lint a robot description and print every link's physical consistency."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynident.cli.options import Base, Debug, Lock, RobotArgument, Tip, parse_locks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from dynident.robots.check import LinkCheck, RobotCheck, SourceCheck
    from dynident.robots.verdict import Judgement

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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    debug: Debug = False,
) -> None:
    """Check the physical consistency of every link of a robot.

    Prints mass, centre of mass, principal inertias and margin of each link, with a verdict. Exits with 1 when a link is inconsistent,
    or a link that was lumped into another or into the base.
    """
    from dynident.robots import load_robot
    from dynident.robots.check import check_robot

    result = check_robot(load_robot(robot, lock=parse_locks(lock), base=base, tip=tip))
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
    numbers = _numbers_dictionary(link)
    return {"name": link.name, "frame": link.frame, **numbers, "warnings": list(link.warnings), "lumped_links": list(link.sources)}


def _source_dictionary(source: SourceCheck) -> dict[str, Any]:
    return {"name": source.name, "body": source.body, **_numbers_dictionary(source.judgement)}


def _numbers_dictionary(judged: LinkCheck | Judgement) -> dict[str, Any]:
    return {
        "verdict": judged.verdict.name.lower(),
        "message": _sentence(judged),
        "inconsistent": judged.verdict.inconsistent,
        "mass": judged.mass,
        "com": judged.com,
        "principal_inertias": judged.principal_inertias,
        "margin": judged.margin,
    }


def _print_report(result: RobotCheck) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 120  # a file or a pipe has no width; rich would wrap at 80
    console.print(_table(result, separator=" " if console.width >= _WIDE else "\n"))
    for line in _summary(result):
        console.print(line)


def _table(result: RobotCheck, *, separator: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    title = f"{result.robot} ({result.source})" if result.source else result.robot
    table = Table(title=Text(title, style="bold"), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("link", no_wrap=True)
    for heading in ("mass\n[kg]", "centre of mass\n[m]", "principal inertias\n[kg·m²]", "margin\n[kg·m²]"):
        table.add_column(Text(heading), justify="right")
    table.add_column("verdict")
    _add_parts(table, result, None, separator)
    for link in result.links:
        verdict = Text(link.verdict.value, style=_colour(link))
        if link.warnings:
            verdict.append(", see the warning", style="yellow")
        table.add_row(Text(link.name), *_cells(link, separator), verdict)
        _add_parts(table, result, link.name, separator)
    return table


def _add_parts(table: Table, result: RobotCheck, body: str | None, separator: str) -> None:
    """A row for each inconsistent part of a body; the base, None, has no row of its own above them."""
    from rich.text import Text

    for source in result.inconsistent_sources:
        if source.body == body:
            name = f"base: {source.name}" if body is None else f"└ {source.name}"
            judged = source.judgement
            table.add_row(Text(name), *_cells(judged, separator), Text(judged.verdict.value, style=_colour(judged)))


def _cells(judged: LinkCheck | Judgement, separator: str) -> tuple[str, str, str, str]:
    return (
        _number(judged.mass, ".4f"),
        _numbers(judged.com, "7.4f", separator),
        _numbers(judged.principal_inertias, "8.2e", separator),
        _number(judged.margin, "9.2e"),
    )


def _summary(result: RobotCheck) -> Iterator[str]:
    from rich.markup import escape

    if result.total_mass is not None:
        yield f"Total mass of the moving links: {result.total_mass:.3f} kg"
    if len(result.without_inertia) == len(result.links):
        yield "The description has no inertias, so there is nothing to judge; kinematics and limits can be used as they are."
    elif result.without_inertia:
        yield escape(f"Without inertia: {', '.join(link.name for link in result.without_inertia)}; the total mass is therefore unknown.")
    for link in result.links:
        if len(link.sources) > 1:
            yield escape(f"Lumped into {link.name}: {', '.join(source for source in link.sources if source != link.name)}")
    if result.base_sources:
        yield escape(f"Part of the base: {', '.join(result.base_sources)}")
    for link in result.links:
        if link.detail:
            yield f"[{_colour(link)}]{escape(link.name)}:[/] {escape(_sentence(link))}"
    for source in result.inconsistent_sources:
        if source.judgement.detail:
            yield f"[{_colour(source.judgement)}]{escape(source.where)}:[/] {escape(_sentence(source.judgement))}"
    for warning in (*(f"{link.name}: {warning}" for link in result.links for warning in link.warnings), *result.warnings):
        yield f"[yellow]Warning:[/] {escape(warning)}"
    for number, note in enumerate(result.notes, start=1):
        yield f"[dim]Note {number}:[/] {escape(note)}"
    if not result.passed:
        names = ", ".join([*(link.name for link in result.inconsistent), *(source.where for source in result.inconsistent_sources)])
        yield f"[bold red]Not physically consistent:[/] {escape(names)}. A simulator may refuse the model or become unstable with it."


def _sentence(judged: LinkCheck | Judgement) -> str:
    return f"{judged.verdict.value} ({judged.detail})" if judged.detail else judged.verdict.value


def _colour(judged: LinkCheck | Judgement) -> str:
    if judged.verdict.inconsistent:
        return "bold red"
    return "green" if judged.verdict.name == "CONSISTENT" else "yellow"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _numbers(values: tuple[float, ...] | None, form: str, separator: str) -> str:
    return "–" if values is None else separator.join(format(value, form) for value in values)
