"""Recovered signs as tables and figures: |τ|, the torque with its signs, the threshold, and the segments that are not sure."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import finite_or_none
from dynident.reports import show
from dynident.reports.figures import Figure, figure, join_clocks, line, numbers
from dynident.reports.tables import Column, Report, Table
from dynident.signs.result import SignRecovery, segment_records

#: Samples that a curve is drawn with at most.
MOST = 2000


@show.headline.register(SignRecovery)
def _(recovery: SignRecovery) -> str:
    return f"{recovery.estimate.base.robot.name}, {len(recovery.segments)} segments of |torque|, {recovery.verdict.value}"


@show.tables.register(SignRecovery)
def _(recovery: SignRecovery) -> Report:
    counts = f"{len(recovery.segments)} segments, of which {len(recovery.unsure)} unsure; method {recovery.method}."
    facts = [recovery.sentence, counts]
    if recovery.confidence.proven:
        facts.append("No other signs of these segments fit better: proven.")
    facts.append(f"{recovery.estimate.headline}.")
    if recovery.links is not None:
        facts.append(f"Links: {recovery.links.headline}.")
    return Report(
        header=(f"{recovery.estimate.base.robot.name}: signs of the torque in {recovery.log.source or 'the log'}",),
        tables=(joint_table(recovery),),
        facts=tuple(facts),
        notes=recovery.notes,
    )


show.records.register(SignRecovery, segment_records)


def joint_table(recovery: SignRecovery) -> Table:
    """How sure each joint's signs are."""
    confidence, joints = recovery.confidence, recovery.estimate.base.robot.joints
    owners = [segment.joint for segment in recovery.segments]
    columns = {
        Column("joint"): [joint.name for joint in joints],
        Column("segments"): np.bincount(owners, minlength=len(joints)),
        Column("unsure"): np.bincount([owners[k] for k in recovery.unsure], minlength=len(joints)),
        Column("margin", "margin of a flip", ".3g"): [finite_or_none(margin) for margin in confidence.flip_margins],
        Column("level", "left by the model", ".3g"): confidence.levels,
        Column("noise", form=".3g"): confidence.noise,
        Column("unit"): [joint.units.effort for joint in joints],
    }
    return Table.of_columns("Signs per joint", columns)


@show.figures.register(SignRecovery)
def recovery_figures(recovery: SignRecovery) -> tuple[Figure, ...]:
    """One per joint."""
    return tuple(joint_figure(recovery, j) for j in range(recovery.log.n))


def joint_figure(recovery: SignRecovery, joint: int) -> Figure:
    """|τ| of a joint as recorded, the torque with its recovered signs, the threshold, and the segments with their signs and doubts."""
    log, item = recovery.log, recovery.estimate.base.robot.joints[joint]
    effort = log.require("effort")
    seconds, signed = join_clocks(log.time, log.starts[1:], pause=0.5), recovery.soft_signs[:, joint] * effort[:, joint]
    thinned = slice(None, None, max(1, -(-log.samples // MOST)))
    time, limit = numbers(seconds[thinned]), float(recovery.threshold[joint])
    ends = [float(seconds[0]), float(seconds[-1])]
    dotted: dict[str, Any] = {"line": {"dash": "dot", "width": 1.0}, "hoverinfo": "skip"}
    data = [
        line(time, numbers(effort[thinned, joint]), "|torque| as recorded", "@measured", meta="magnitude", line={"width": 1.0}),
        line(time, numbers(signed[thinned]), "torque with its signs", "@predicted", meta="signed"),
        *(line(ends, [side * limit] * 2, "threshold", "@bone", meta="threshold", **dotted) for side in (1.0, -1.0)),
        *(_strip(recovery, joint, seconds, sign) for sign in (1, -1)),
    ]
    doubtful = np.zeros(log.samples, dtype=bool)
    for number in recovery.unsure:
        if recovery.segments[number].joint == joint:
            doubtful[recovery.segments[number].samples] = True
    if doubtful.any():
        # a doubtful segment is often short, so all its samples are drawn, and one more for the gap
        shown = doubtful | np.append(False, doubtful[:-1])
        y = numbers(np.where(doubtful, signed, np.nan)[shown])
        data.append(line(numbers(seconds[shown]), y, "in doubt", "@bad", meta="doubt", line={"width": 3.0}))
    label, y = f"Recovered effort of {item.name}", f"effort [{item.units.effort}]"
    return figure(label, data, "time [s]", y, title=item.name, height=300, small=True, showlegend=False, hovermode="x")


def _strip(recovery: SignRecovery, joint: int, seconds: Array, sign: int) -> dict[str, Any]:
    """The segments of one sign as bars along zero."""
    x: list[float | None] = []
    for segment, own in zip(recovery.segments, recovery.segment_signs, strict=True):
        if segment.joint == joint and own == sign:
            x += [*numbers(seconds[[segment.start, segment.stop - 1]]), None]
    name, colour = ("positive segment", "@line3") if sign > 0 else ("negative segment", "@line2")
    return line(x, [None if value is None else 0.0 for value in x], name, colour, meta="segments", line={"width": 5.0}, hoverinfo="skip")
