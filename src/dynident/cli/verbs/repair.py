"""`dynident repair`: the nearest physically consistent parameters, with the robot's dynamics as they were where possible."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynident.cli.options import AsJson, Debug, Lock, RobotArgument, parse_locks
from dynident.cli.terminal import console, print_report
from dynident.errors import UnknownNameError, ValueRangeError

if TYPE_CHECKING:
    from dynident.core.arrays import Array
    from dynident.core.tables import Report
    from dynident.feasibility.repair.repair import Repair

EXAMPLE = """Examples:

[bold]dynident repair kuka_lwr4 -o kuka.yaml[/bold]

[bold]dynident repair arm.urdf -o repaired.urdf --margin 1e-4[/bold]"""

_METRICS = ("entropic", "euclidean")
_SHOWN = 10


def repair(
    robot: RobotArgument,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="OUT", help="File to write: .urdf (of a URDF), .yaml (DH, of any serial robot) or .json."),
    ],
    margin: Annotated[
        float | None,
        typer.Option("--margin", metavar="M", help="Margin of every link [kg·m²], as check prints it. Default: enough not to be marginal."),
    ] = None,
    distance: Annotated[
        str, typer.Option("--distance", metavar="KIND", help="entropic, which doesn't depend on frames and units, or euclidean.")
    ] = "entropic",
    lock: Lock = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Make every link of a robot description physically consistent, changing as little as possible.

    The torques of the robot stay the same wherever consistent links with its base parameters exist. Where they don't, the base
    parameters change as little as possible, and those that do are listed.
    """
    from dynident.core.files import write_atomically
    from dynident.feasibility.repair.repair import repair as nearest
    from dynident.feasibility.repair.writing import check_output, repair_document, repaired_text
    from dynident.robots import load_robot

    if distance not in _METRICS:
        raise UnknownNameError("distance", distance, _METRICS)
    if margin is not None and not 0.0 <= margin < float("inf"):
        raise ValueRangeError("--margin", f"is {margin:g}; a number that is not negative was expected")
    machine = load_robot(robot, lock=parse_locks(lock))
    check_output(machine, output)
    result = nearest(machine, margin=margin, metric="euclidean" if distance == "euclidean" else "entropic")
    write_atomically(output, repaired_text(result, output))
    if as_json:
        print(json.dumps(repair_document(result), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print_report(_report(result))
        console().print(f"Written to {output}", markup=False)


def _report(result: Repair) -> Report:
    from dynident.core.tables import Report, Row, Table

    tables: list[Table] = []
    if result.changed:
        margins = [tuple(f"{margin:.2e}" for margin in link.margins) for link in result.changed]
        links = [Row((link.name, *_change(link.before, link.after), *own)) for link, own in zip(result.changed, margins, strict=True)]
        headings = ("link", "mass [kg]", "new", "CoM moved by [m]", "inertia changed by [kg·m²]", "margin [kg·m²]", "new")
        tables.append(Table(title="Changed links", headings=headings, rows=tuple(links), left=frozenset({0})))
    if result.moved:
        before, after = result.coefficients
        rows = [
            Row((result.base.expressions[i], f"{before[i]:.6g}", f"{after[i]:.6g}", f"{after[i] - before[i]:.2g}", result.base.units[i]))
            for i in result.moved[:_SHOWN]
        ]
        headings = ("coefficient", "before", "after", "change", "unit")
        tables.append(Table(title="Base parameters that had to change", headings=headings, rows=tuple(rows), left=frozenset({0, 4})))
    return Report(header=(_headline(result),), tables=tuple(tables), facts=_facts(result), notes=())


def _headline(result: Repair) -> str:
    if not result.changed:
        return f"{result.robot.name}: every link is consistent already; nothing was changed"
    return f"{result.robot.name}: {len(result.changed)} of {len(result.links)} links changed"


def _facts(result: Repair) -> tuple[str, ...]:
    if not result.changed:
        return ()
    if not result.moved:
        return ("The base parameters, and with them all torques of the robot, are as they were.",)
    more = len(result.moved) - _SHOWN
    return (
        f"No consistent links have the base parameters of this robot: {len(result.moved)} of {result.base.rank} had to change"
        f"{f', the largest {_SHOWN} are listed' if more > 0 else ''}.",
    )


def _change(before: Array, after: Array) -> tuple[str, str, str, str]:
    import numpy as np

    from dynident.parameters import to_com

    masses = (f"{before[0]:.4f}", f"{after[0]:.4f}")
    if before[0] == 0.0 or after[0] == 0.0:
        return (*masses, "–", "–")
    (_, c0, I0), (_, c1, I1) = to_com(before), to_com(after)
    return (*masses, f"{np.linalg.norm(c1 - c0):.2g}", f"{np.linalg.norm(I1 - I0, 2):.2g}")
