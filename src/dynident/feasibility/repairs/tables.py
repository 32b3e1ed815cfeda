"""A repair as tables and as rows of plain values."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.results import Report, Row, Table, decimal_text
from dynident.feasibility.repairs.nearest import MASS_SHARE
from dynident.feasibility.repairs.repair import Repair
from dynident.parameters import to_com

#: Base parameters that are listed at most.
_SHOWN = 10


def repair_report(result: Repair) -> Report:
    """The links that changed, and the base parameters that had to."""
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
    without = [link.name for link in result.robot.links if link.parameters is None]
    notes = (f"{', '.join(without)} move and have no inertia at all, which simulators refuse; give them one",) if without else ()
    return Report(header=(_sentence(result),), tables=tuple(tables), facts=_facts(result), notes=notes)


def repair_records(result: Repair) -> list[dict[str, Any]]:
    """One row per source link: mass and margin before and after."""
    return [
        {
            "link": link.name,
            "body": "base" if link.body < 0 else result.robot.link_names[link.body],
            "changed": link.changed,
            "mass_before": float(link.before[0]),
            "mass_after": float(link.after[0]),
            "margin_before": link.margins[0],
            "margin_after": link.margins[1],
        }
        for link in result.links
    ]


def _sentence(result: Repair) -> str:
    if not result.changed:
        return f"{result.robot.name}: every link is consistent already; nothing was changed"
    return f"{result.robot.name}: {len(result.changed)} of {len(result.links)} links changed"


def _facts(result: Repair) -> tuple[str, ...]:
    if not result.changed:
        return ()
    facts: list[str] = []
    if not result.moved:
        facts.append("The base parameters, and with them all torques of the robot, are as they were.")
    else:
        listed = f", the largest {_SHOWN} are listed" if len(result.moved) > _SHOWN else ""
        why = (
            "No consistent links have the base parameters of this robot, which is proven"
            if result.impossible
            else "No consistent links with the base parameters of this robot were found, but that there are none is not proven"
        )
        facts.append(f"{why}: {len(result.moved)} of {result.base.rank} changed{listed}.")
    before, after = result.masses
    if before <= 0.0 or abs(after / before - 1.0) > MASS_SHARE:
        facts.append(
            f"The mass of all links changes from {before:.4g} to {after:.4g} kg; weigh what you can, and give it to the description."
        )
    return tuple(facts)


def _change(before: Array, after: Array) -> tuple[str, str, str, str]:
    masses = (decimal_text(float(before[0]), 4), decimal_text(float(after[0]), 4))
    if before[0] == 0.0 or after[0] == 0.0:
        return (*masses, "–", "–")
    (_, c0, I0), (_, c1, I1) = to_com(before), to_com(after)
    return (*masses, f"{np.linalg.norm(c1 - c0):.2g}", f"{np.linalg.norm(I1 - I0, 2):.2g}")
