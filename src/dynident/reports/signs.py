"""Recovered signs as tables and figures: |τ|, the torque with its signs, the threshold, and the segments that are not sure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import finite_or_none
from dynident.reports.figures import Figure, figure, join_clocks, line, thin
from dynident.reports.show import show
from dynident.reports.tables import Column, Table
from dynident.routes.signs.result import SignRecovery, list_segments

#: Samples that a curve is drawn with at most.
_POINTS = 2000


def _facts(recovery: SignRecovery) -> Iterator[str]:
    yield recovery.sentence
    yield f"{len(recovery.segments)} segments, of which {len(recovery.unsure)} unsure; method {recovery.method}."
    if recovery.confidence.proven:
        yield "No other signs of these segments fit better: proven."
    yield f"{recovery.estimate.headline}."
    if recovery.links is not None:
        yield f"Links: {recovery.links.headline}."


def _joint_table(recovery: SignRecovery) -> Table:
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


def _joint_figure(recovery: SignRecovery, joint: int) -> Figure:
    """|τ| of a joint as recorded, the torque with its recovered signs, the threshold, and the segments with their signs and doubts."""
    log, item = recovery.log, recovery.estimate.base.robot.joints[joint]
    effort = log.require("effort")[:, joint]
    time, signed = join_clocks(log.time, log.starts[1:], pause=0.5), recovery.soft_signs[:, joint] * effort
    shown, limit = thin(log.samples, _POINTS), float(recovery.threshold[joint])
    dotted: dict[str, Any] = {"line": {"dash": "dot", "width": 1.0}, "hoverinfo": "skip"}
    data = [
        line(time[shown], effort[shown], "|torque| as recorded", "@measured", meta="magnitude", line={"width": 1.0}),
        line(time[shown], signed[shown], "torque with its signs", "@predicted", meta="signed"),
        *(line(time[[0, -1]], [side * limit] * 2, "threshold", "@bone", meta="threshold", **dotted) for side in (1.0, -1.0)),
        _segments(recovery, joint, time, 1, "@line3"),
        _segments(recovery, joint, time, -1, "@line2"),
    ]
    doubtful = np.zeros(log.samples, dtype=bool)
    for segment in (recovery.segments[number] for number in recovery.unsure):
        if segment.joint == joint:
            doubtful[segment.samples] = True
    if doubtful.any():
        # a doubtful segment is often short, so all its samples are drawn, and one more for the gap
        drawn = doubtful | np.append(False, doubtful[:-1])
        data.append(line(time[drawn], np.where(doubtful, signed, np.nan)[drawn], "in doubt", "@bad", meta="doubt", line={"width": 3.0}))
    label, y = f"Recovered effort of {item.name}", f"effort [{item.units.effort}]"
    return figure(label, data, "time [s]", y, title=item.name, height=300, beside=2, showlegend=False, hovermode="x")


def _segments(recovery: SignRecovery, joint: int, time: Array, sign: int, colour: str) -> dict[str, Any]:
    """The segments of one sign as bars along zero."""
    pairs = zip(recovery.segments, recovery.segment_signs, strict=True)
    spans = [(*time[[item.start, item.stop - 1]], np.nan) for item, of_item in pairs if item.joint == joint and of_item == sign]
    x = np.ravel(spans)
    return line(x, 0.0 * x, "segments", colour, meta="segments", line={"width": 5.0}, hoverinfo="skip")


show(
    SignRecovery,
    headline=lambda recovery: (
        f"{recovery.estimate.base.robot.name}, {len(recovery.segments)} segments of |torque|, {recovery.verdict.value}"
    ),
    header=lambda recovery: [f"{recovery.estimate.base.robot.name}: signs of the torque in {recovery.log.source or 'the log'}"],
    tables=lambda recovery: [_joint_table(recovery)],
    facts=_facts,
    records=list_segments,
    figures=lambda recovery: (_joint_figure(recovery, j) for j in range(recovery.log.n)),
)
