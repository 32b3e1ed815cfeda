"""Pictures of recovered signs: |τ|, the torque with its signs, the threshold, and the segments that are not sure."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.figures import Figure, axis, join_clocks, line, numbers, plain
from dynident.signs.result import SignRecovery

#: Samples that a curve is drawn with at most.
MOST = 2000


def recovery_figures(recovery: SignRecovery) -> tuple[Figure, ...]:
    """One per joint."""
    return tuple(joint_figure(recovery, j) for j in range(recovery.log.n))


def joint_figure(recovery: SignRecovery, joint: int) -> Figure:
    """|τ| of a joint as recorded, the torque with its recovered signs, the threshold, and the segments with their signs and doubts."""
    log, item = recovery.log, recovery.estimate.base.robot.joints[joint]
    assert log.effort is not None  # noqa: S101 (prepared)
    seconds, signed = join_clocks(log.time, log.starts[1:], pause=0.5), recovery.soft_signs[:, joint] * log.effort[:, joint]
    thinned = slice(None, None, max(1, -(-log.samples // MOST)))
    time, limit = numbers(seconds[thinned]), float(recovery.threshold[joint])
    ends = [float(seconds[0]), float(seconds[-1])]
    dotted: dict[str, Any] = {"line": {"dash": "dot", "width": 1.0}, "hoverinfo": "skip"}
    data = [
        line(time, numbers(log.effort[thinned, joint]), "|torque| as recorded", "@measured", meta="magnitude", line={"width": 1.0}),
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
    layout = {
        "title": {"text": plain(item.name)},
        "xaxis": axis("time [s]"),
        "yaxis": axis(f"effort [{item.units.effort}]"),
        "showlegend": False,
        "hovermode": "x",
    }
    return Figure(label=f"Recovered effort of {item.name}", data=data, layout=layout, height=300, small=True)


def _strip(recovery: SignRecovery, joint: int, seconds: Array, sign: int) -> dict[str, Any]:
    """The segments of one sign as bars along zero."""
    x: list[float | None] = []
    for segment, own in zip(recovery.segments, recovery.segment_signs, strict=True):
        if segment.joint == joint and own == sign:
            x += [*numbers(seconds[[segment.start, segment.stop - 1]]), None]
    name, colour = ("positive segment", "@line3") if sign > 0 else ("negative segment", "@line2")
    return line(x, [None if value is None else 0.0 for value in x], name, colour, meta="segments", line={"width": 5.0}, hoverinfo="skip")
