"""Robots and the lint's verdicts on them as tables and as rows of plain values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dynident.core.texts import decimal_text, number_form
from dynident.reports.figures import Figure, bars, figure
from dynident.reports.robot_figures import robot_figure
from dynident.reports.show import show
from dynident.reports.tables import Column, Table
from dynident.robots.check import RobotCheck
from dynident.robots.robot import Robot
from dynident.robots.verdict import Judgement, LinkVerdict

_WARNED = ", see the warning"


def _robot_header(robot: Robot) -> list[str]:
    gravity = ", ".join(f"{value:g}" for value in robot.gravity)
    return [f"{robot.name}{f' ({robot.source})' if robot.source else ''}: {robot.n} joints, gravity {gravity} m/s²"]


def _joint_table(robot: Robot) -> Table:
    """Every joint with its limits and the link that it moves."""
    columns = (
        Column("joint"),
        Column("type"),
        Column("parent", "on"),
        Column("link", "moves"),
        Column("position", form=".4g", of=lambda row: (row["lower"], row["upper"]), separator=" .. "),
        *(Column(name, form=".4g") for name in ("velocity", "acceleration", "effort")),
        Column("mass", "mass [kg]", lambda mass: decimal_text(mass, 4)),
    )
    return Table("Joints and links", tuple(_joint_records(robot)), columns)


def _joint_records(robot: Robot) -> list[dict[str, Any]]:
    """One row per joint: its limits (infinite where unknown), the link that it moves, and that link's nominal mass."""
    return [
        {
            "joint": joint.name,
            "type": joint.type.value,
            "parent": "base" if joint.parent < 0 else robot.link_names[joint.parent],
            "link": link.name,
            "frame": link.frame,
            "lower": float(joint.position[0]),
            "upper": float(joint.position[1]),
            "velocity": float(joint.velocity),
            "acceleration": float(joint.acceleration),
            "effort": float(joint.effort),
            "mass": None if link.parameters is None else float(link.parameters[0]),
        }
        for joint, link in zip(robot.joints, robot.links, strict=True)
    ]


def _check_table(result: RobotCheck) -> Table:
    """Mass, centre of mass, inertias and margin of each link with its verdict."""
    of_mass = number_form(4, [link.mass for link in result.links])
    of_com = number_form(4, [x for link in result.links for x in link.com or ()])
    marks = {
        verdict.value: "bad" if verdict.inconsistent else "good" if verdict is LinkVerdict.CONSISTENT else "fair" for verdict in LinkVerdict
    }
    columns = (
        Column("name", "link"),
        Column("mass", "mass [kg]", of_mass),
        Column("com", "centre of mass [m]", f"7{of_com}"),
        Column("inertias", "principal inertias [kg·m²]", "8.2e"),
        Column("margin", "margin [kg·m²]", "9.2e"),
        Column("verdict", badge=lambda text: marks[text.removesuffix(_WARNED)]),
    )
    return Table("Links", tuple(_check_rows(result)), columns)


def _check_rows(result: RobotCheck) -> Iterator[dict[str, Any]]:
    """The links, with their inconsistent parts below them; those of the base, which has no row of its own, come first."""

    def row(name: str, judged: Judgement, *, warned: bool = False) -> dict[str, Any]:
        return {
            "name": name,
            "mass": judged.mass,
            "com": judged.com,
            "inertias": judged.principal_inertias,
            "margin": judged.margin,
            "verdict": f"{judged.verdict.value}{_WARNED if warned else ''}",
        }

    parts = result.inconsistent_sources
    yield from (row(f"base: {part.name}", part) for part in parts if part.body is None)
    for link in result.links:
        yield row(link.name, link, warned=bool(link.warnings))
        yield from (row(f"└ {part.name}", part) for part in parts if part.body == link.name)


def _check_facts(result: RobotCheck) -> Iterator[str]:
    """Sentences about the whole robot, what was lumped, single verdicts, warnings, and what is inconsistent."""
    if result.total_mass is not None:
        yield f"Total mass of the moving links: {decimal_text(result.total_mass, 3)} kg"
    if len(result.without_inertia) == len(result.links):
        yield "The description has no inertias, so there is nothing to judge; kinematics and limits can be used as they are."
    elif result.without_inertia:
        yield f"Without inertia: {', '.join(link.name for link in result.without_inertia)}; the total mass is therefore unknown."
    for link in result.links:
        if len(link.sources) > 1:
            yield f"Lumped into {link.name}: {', '.join(source for source in link.sources if source != link.name)}"
    if result.base_sources:
        yield f"Part of the base: {', '.join(result.base_sources)}"
    yield from (f"{link.name}: {link.message}" for link in result.links if link.detail)
    for source in result.inconsistent_sources:
        if source.detail:
            yield f"{source.where}: {source.message}"
    for warning in (*(f"{link.name}: {warning}" for link in result.links for warning in link.warnings), *result.warnings):
        yield f"Warning: {warning}"
    if not result.passed:
        names = ", ".join([*(link.name for link in result.inconsistent), *(source.where for source in result.inconsistent_sources)])
        yield f"Not physically consistent: {names}. A simulator may refuse the model or become unstable with it."


def _check_records(result: RobotCheck) -> list[dict[str, Any]]:
    """One row per link: verdict, mass, centre of mass, principal inertias, margin, warnings."""
    unknown = (None, None, None)
    return [
        {
            "link": link.name,
            "frame": link.frame,
            "verdict": link.verdict.name.lower(),
            "inconsistent": link.verdict.inconsistent,
            "mass": link.mass,
            **dict(zip(("com_x", "com_y", "com_z"), link.com or unknown, strict=True)),
            **dict(zip(("inertia_1", "inertia_2", "inertia_3"), link.principal_inertias or unknown, strict=True)),
            "margin": link.margin,
            "warnings": "; ".join(link.warnings),
        }
        for link in result.links
    ]


def _check_figure(result: RobotCheck) -> Figure:
    """Margin of every link as a share of its inertia's trace, so that a wrist and a shoulder can share an axis; below zero is no body."""
    shares = {
        link: 100.0 * link.margin / trace if (trace := sum(link.principal_inertias)) > 0.0 else 0.0
        for link in result.links
        if link.margin is not None and link.principal_inertias
    }
    colours = ["@bad" if link.verdict.inconsistent else "@predicted" for link in shares]
    texts = [link.verdict.value for link in shares]
    data = [bars([link.name for link in shares], [*shares.values()], "", colours, hovertext=texts)]
    return figure(f"{result.robot}: margin of every link", data, {"type": "category"}, "margin [% of the inertia's trace]")


show(
    Robot,
    headline=lambda robot: (
        f"{robot.name}, {robot.n} joints{'' if robot.parameters is None else f', {robot.parameters[:, 0].sum():.4g} kg'}"
    ),
    header=_robot_header,
    tables=lambda robot: [_joint_table(robot)],
    facts=lambda robot: [f"Part of the base: {', '.join(robot.base_sources)}."] if robot.base_sources else [],
    figures=lambda robot: [robot_figure(robot)],
)
show(
    RobotCheck,
    headline=lambda result: f"{result.robot}, {len(result.links)} links, {'consistent' if result.passed else 'not physically consistent'}",
    header=lambda result: [f"{result.robot} ({result.source})" if result.source else result.robot],
    tables=lambda result: [_check_table(result)],
    facts=_check_facts,
    records=_check_records,
    figures=lambda result: [_check_figure(result)],
)
