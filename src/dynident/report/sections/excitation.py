"""Which coefficients the log determines, and what motion would fix the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from dynident.regression.estimate import Estimate
from dynident.regression.tables import coefficients
from dynident.report.blocks import Block, Cell, Figure, Grid, Listing, Section, Text
from dynident.report.figures import axis, numbers, plain
from dynident.report.run import Run, Stage

_LINK = re.compile(r"(J|mc|m)(\d+)[xyz]{0,2}")
_JOINT = re.compile(r"([A-Za-z]+)(\d+)")
_FRICTION = {
    "fv": "move joint {joint} at several speeds, the fast ones included",
    "fc": "move joint {joint} back and forth, through many reversals",
    "fo": "move joint {joint} equally far in both directions, at low speed",
    "Ia": "accelerate joint {joint} hard, with the others at rest",
}
_RIGID = {
    "J": "turn link {link} with strong accelerations about several axes: fast reversals of {joints}",
    "mc": "hold and move link {link} at many orientations to gravity: wide ranges of {joints}",
    "m": "raise, lower and swing link {link}: wide and fast motions of {joints}",
}


def _blocks(run: Run) -> Iterator[Block]:
    estimate = run.estimate
    yield Text(_summary(estimate))
    yield _bars(estimate)
    rows = tuple(advice(estimate))
    if rows:
        headings = ("coefficients", "what they belong to", "motion that would show them", "or this log, longer by")
        yield Grid(title="What would determine the rest", headings=headings, rows=rows, left=frozenset({0, 1, 2}))
        yield Text(
            "A standard deviation falls with the square root of the recorded time, so a better motion is worth more than a longer log."
        )
    if estimate.base.unidentifiable:
        names = ", ".join(estimate.base.unidentifiable)
        yield Text(f"No motion shows {names}: they have no effect on the torques of this robot, and need not be known to predict them.")
    if estimate.notes:
        yield Listing("About the data", tuple(f"{note[0].upper()}{note[1:]}." for note in estimate.notes))


SECTION = Section(key="excitation", title="Excitation and data", stage=Stage.ESTIMATE, blocks=_blocks)


def _summary(estimate: Estimate) -> str:
    rank, full, kept = estimate.details["rank"], estimate.base.rank, int(estimate.kept.sum())
    ratio = float(estimate.singular_values[0] / max(estimate.singular_values[-1], np.finfo(float).tiny))
    return (
        f"The data have rank {rank} of {full} (tolerance {estimate.details['rank_tolerance']:g}); {kept} coefficients are well enough known to be part "
        f"of the model. The largest singular value of the regressor is {ratio:.3g} times the smallest; that of the kept columns is conditioned by "
        f"{estimate.condition_number:.3g}."
    )


def _bars(estimate: Estimate) -> Figure:
    """Relative standard deviation of every coefficient, the best known first."""
    found = [item for item in coefficients(estimate) if item.relative_std_percent is not None]
    found.sort(key=lambda item: item.relative_std_percent or 0.0)
    limit = estimate.details.get("drop_above_percent")
    shapes: list[dict[str, Any]] = []
    if isinstance(limit, float | int):
        line = {"color": "@measured", "width": 1.2, "dash": "dash"}
        shapes.append({"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": limit, "y1": limit, "line": line})
    data: list[dict[str, Any]] = []
    for kept, name, colour in ((True, "kept", "@predicted"), (False, "dropped", "@rigid")):
        own = [item for item in found if item.kept is kept]
        heights = numbers([min(max(item.relative_std_percent or 0.0, 1e-3), 1e4) for item in own])
        names = [plain(item.name) for item in own]
        data.append({"type": "bar", "x": names, "y": heights, "name": name, "marker": {"color": colour}})
    order = [plain(item.name) for item in found]
    layout = {
        "xaxis": {"type": "category", "categoryorder": "array", "categoryarray": order, "tickangle": -60, "tickfont": {"size": 10}},
        "yaxis": axis("std [%]", type="log", dtick=1),
        "shapes": shapes,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "bargap": 0.25,
    }
    rule = "" if limit is None else f" Those above the dashed line ({limit:g} %) were dropped; bars beyond 10 000 % are cut."
    caption = f"Standard deviation of each coefficient in percent of its value.{rule}"
    return Figure(label="How well each coefficient is determined", data=data, layout=layout, height=340, caption=caption)


def advice(estimate: Estimate) -> Iterator[tuple[tuple[Cell, ...], bool]]:
    """One row per link or joint and kind of coefficient: which were not determined, and what would help."""
    limit = estimate.details.get("drop_above_percent")
    grouped: dict[tuple[str, int], list[int]] = {}
    for number, item in enumerate(estimate.dropped):
        grouped.setdefault(_kind(estimate.base.names[item.index]), []).append(number)
    for (kind, index), numbers_ in sorted(grouped.items(), key=lambda entry: (entry[0][0] in _RIGID, entry[0][1]), reverse=False):
        items = [estimate.dropped[number] for number in numbers_]
        names = ", ".join(estimate.base.names[item.index] for item in items)
        belongs, motion = _motion(estimate, kind, index)
        worst = max(100.0 * item.std / abs(item.value) if item.value and np.isfinite(item.std) else np.inf for item in items)
        factor = (worst / limit) ** 2 if isinstance(limit, float | int) else np.inf
        longer = f"{factor:.2g} times" if factor < 1e3 else "no length"
        yield (Cell(text=names, math=True), Cell(text=belongs), Cell(text=motion), Cell(text=longer, sort=min(factor, 1e300))), False


def _kind(name: str) -> tuple[str, int]:
    """("J", 2) of J2xx, ("fv", 3) of fv3; a user's own column has the index 0."""
    match = _LINK.fullmatch(name) or _JOINT.fullmatch(name)
    return (match[1], int(match[2])) if match else (name, 0)


def _motion(estimate: Estimate, kind: str, index: int) -> tuple[str, str]:
    """What a kind of coefficient belongs to, and the motion that shows it."""
    robot = estimate.base.robot
    if not 1 <= index <= robot.n:
        return "a column of your own", "a motion in which this column varies apart from the others"
    joint = robot.joint_names[index - 1]
    if kind in _RIGID:
        before = [robot.joint_names[i] for i in robot.ancestors(index - 1)][-3:]
        link = robot.link_names[index - 1]
        return link, _RIGID[kind].format(link=link, joints=" and ".join([", ".join(before[:-1]), before[-1]] if before[1:] else before))
    return joint, _FRICTION.get(kind, "move joint {joint} over its whole range of speeds").format(joint=joint)
