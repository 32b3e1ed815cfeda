"""A robot and the lint's verdict on it as tables and as rows of plain values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from dynident.core.results import Report, Row, Table, decimal_text, number_form
from dynident.robots.check import LinkCheck, RobotCheck
from dynident.robots.robot import Robot
from dynident.robots.verdict import Judgement, Verdict


def robot_report(robot: Robot) -> Report:
    """Every joint with its limits and the link that it moves."""
    rows: list[Row] = []
    for item in robot_records(robot):
        limits = (f"{item['lower']:.4g} .. {item['upper']:.4g}", *(f"{item[name]:.4g}" for name in ("velocity", "acceleration", "effort")))
        mass = "–" if item["mass"] is None else decimal_text(item["mass"], 4)
        rows.append(Row((item["joint"], item["type"], item["parent"], item["link"], *limits, mass)))
    headings = ("joint", "type", "on", "moves", "position", "velocity", "acceleration", "effort", "mass [kg]")
    gravity = ", ".join(f"{value:g}" for value in robot.gravity)
    return Report(
        header=(f"{robot.name}{f' ({robot.source})' if robot.source else ''}: {robot.n} joints, gravity {gravity} m/s²",),
        tables=(Table(title="Joints and links", headings=headings, rows=tuple(rows), left=frozenset({0, 1, 2, 3})),),
        facts=(f"Part of the base: {', '.join(robot.base_sources)}.",) if robot.base_sources else (),
        notes=robot.notes,
    )


def robot_records(robot: Robot) -> list[dict[str, Any]]:
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


def check_report(result: RobotCheck) -> Report:
    """Mass, centre of mass, principal inertias and margin of each link with its verdict, then what there is to say."""
    rows = tuple(Row((line.name, *line.cells, line.verdict_text)) for line in check_lines(result, separator=" "))
    headings = ("link", "mass [kg]", "centre of mass [m]", "principal inertias [kg·m²]", "margin [kg·m²]", "verdict")
    return Report(
        header=(f"{result.robot} ({result.source})" if result.source else result.robot,),
        tables=(Table(title="Links", headings=headings, rows=rows, left=frozenset({0, 5})),),
        facts=(*check_facts(result), *check_verdict(result)),
        notes=result.notes,
    )


def check_records(result: RobotCheck) -> list[dict[str, Any]]:
    """One row per link: verdict, mass, centre of mass, principal inertias, margin, warnings."""
    rows: list[dict[str, Any]] = []
    for link in result.links:
        com = link.com or (None, None, None)
        inertias = link.principal_inertias or (None, None, None)
        rows.append(
            {
                "link": link.name,
                "frame": link.frame,
                "verdict": link.verdict.name.lower(),
                "inconsistent": link.verdict.inconsistent,
                "mass": link.mass,
                **dict(zip(("com_x", "com_y", "com_z"), com, strict=True)),
                **dict(zip(("inertia_1", "inertia_2", "inertia_3"), inertias, strict=True)),
                "margin": link.margin,
                "warnings": "; ".join(link.warnings),
            }
        )
    return rows


def check_document(result: RobotCheck) -> dict[str, Any]:
    """Ready for standard JSON; `consistent` is null where an inertia is missing and no other link is inconsistent."""
    return {
        "schema": "dynident/check/1",
        "robot": result.robot,
        "source": result.source,
        "consistent": False if not result.passed else None if result.without_inertia else True,
        "total_mass": result.total_mass,
        "links": [
            {"name": link.name, "frame": link.frame, **_judged(link), "warnings": list(link.warnings), "lumped_links": list(link.sources)}
            for link in result.links
        ],
        "lumped": [{"name": source.name, "body": source.body, **_judged(source.judgement)} for source in result.sources],
        "base_links": list(result.base_sources),
        "warnings": list(result.warnings),
        "notes": list(result.notes),
    }


def _judged(judged: LinkCheck | Judgement) -> dict[str, Any]:
    return {
        "verdict": judged.verdict.name.lower(),
        "message": sentence(judged),
        "inconsistent": judged.verdict.inconsistent,
        "mass": judged.mass,
        "com": judged.com,
        "principal_inertias": judged.principal_inertias,
        "margin": judged.margin,
    }


class CheckLine(NamedTuple):
    """A line of the table: a link, or an inconsistent part of one. warned : there is a warning about it."""

    name: str
    cells: tuple[str, str, str, str]
    verdict: Verdict
    warned: bool

    @property
    def verdict_text(self) -> str:
        return f"{self.verdict.value}{', see the warning' if self.warned else ''}"


def check_lines(result: RobotCheck, *, separator: str) -> Iterator[CheckLine]:
    """separator : between the three numbers of a cell."""
    forms = number_form(4, [link.mass for link in result.links]), number_form(4, [x for link in result.links for x in link.com or ()])
    yield from _parts(result, None, separator, forms)
    for link in result.links:
        yield CheckLine(link.name, _cells(link, separator, forms), link.verdict, bool(link.warnings))
        yield from _parts(result, link.name, separator, forms)


def check_facts(result: RobotCheck) -> Iterator[str]:
    """Sentences about the whole robot, what was lumped, single verdicts, warnings."""
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
    yield from (f"{link.name}: {sentence(link)}" for link in result.links if link.detail)
    yield from (f"{source.where}: {sentence(source.judgement)}" for source in result.inconsistent_sources if source.judgement.detail)
    for warning in (*(f"{link.name}: {warning}" for link in result.links for warning in link.warnings), *result.warnings):
        yield f"Warning: {warning}"


def check_verdict(result: RobotCheck) -> tuple[str, ...]:
    """One sentence when something is inconsistent."""
    if result.passed:
        return ()
    names = ", ".join([*(link.name for link in result.inconsistent), *(source.where for source in result.inconsistent_sources)])
    return (f"Not physically consistent: {names}. A simulator may refuse the model or become unstable with it.",)


def sentence(judged: LinkCheck | Judgement) -> str:
    return f"{judged.verdict.value} ({judged.detail})" if judged.detail else judged.verdict.value


def _parts(result: RobotCheck, body: str | None, separator: str, forms: tuple[str, str]) -> Iterator[CheckLine]:
    """The inconsistent parts of a body; the base, None, has no line of its own above them."""
    for source in result.inconsistent_sources:
        if source.body == body:
            name = f"base: {source.name}" if body is None else f"└ {source.name}"
            yield CheckLine(name, _cells(source.judgement, separator, forms), source.verdict, False)


def _cells(judged: LinkCheck | Judgement, separator: str, forms: tuple[str, str]) -> tuple[str, str, str, str]:
    """forms : of masses and of centres of mass, the same in all lines."""
    of_mass, of_com = forms
    return (
        "–" if judged.mass is None else format(judged.mass, of_mass),
        _numbers(judged.com, f"7{of_com}", separator),
        _numbers(judged.principal_inertias, "8.2e", separator),
        "–" if judged.margin is None else f"{judged.margin:9.2e}",
    )


def _numbers(values: tuple[float, ...] | None, form: str, separator: str) -> str:
    return "–" if values is None else separator.join(format(value, form) for value in values)
