"""Pictures of recovered signs: |τ|, the torque with its signs, the threshold, and the segments that are not sure."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.figures import Figure, axis, line, numbers, plain
from dynident.signs.result import SignRecovery

#: Samples that a curve is drawn with at most.
MOST = 2000


def recovery_figures(recovery: SignRecovery) -> tuple[Figure, ...]:
    """One per joint."""
    return tuple(joint_figure(recovery, j) for j in range(recovery.log.n))


def joint_figure(recovery: SignRecovery, joint: int) -> Figure:
    """|τ| of a joint as recorded, the torque with its recovered signs, the threshold, and doubtful segments shaded."""
    log, item = recovery.log, recovery.estimate.base.robot.joints[joint]
    assert log.effort is not None  # noqa: S101 (prepared)
    seconds = drawn_time(recovery)
    step = max(1, log.samples // MOST)
    b, signed = log.effort[::step, joint], (recovery.soft_signs * log.effort)[::step, joint]
    time, limit = numbers(seconds[::step]), float(recovery.threshold[joint])
    ends = [float(seconds[0]), float(seconds[-1])]
    dotted: dict[str, Any] = {"line": {"dash": "dot", "width": 1.0}, "hoverinfo": "skip", "showlegend": False}
    data = [
        line(time, numbers(b), "|torque| as recorded", "@measured", meta="magnitude", line={"width": 1.0}),
        line(time, numbers(signed), "torque with its signs", "@predicted", meta="signed"),
        *(line(ends, [side * limit] * 2, "threshold", "@bone", meta="threshold", **dotted) for side in (1.0, -1.0)),
    ]
    shapes = [
        {
            "type": "rect",
            "x0": float(seconds[segment.start]),
            "x1": float(seconds[segment.stop - 1]),
            "y0": 0.0,
            "y1": 1.0,
            "yref": "y domain",
            "line": {"width": 0},
            "fillcolor": "@bad",
            "opacity": 0.15,
        }
        for number, segment in enumerate(recovery.segments)
        if segment.joint == joint and number in recovery.unsure
    ]
    layout = {
        "title": {"text": plain(item.name)},
        "xaxis": axis("time [s]"),
        "yaxis": axis(f"effort [{item.units.effort}]"),
        "shapes": shapes,
        "showlegend": False,
        "hovermode": "x",
    }
    return Figure(label=f"Recovered effort of {item.name}", data=data, layout=layout, height=300, small=True)


def drawn_time(recovery: SignRecovery) -> Array:
    """(N,) time for an axis [s]: recordings follow each other half a second apart."""
    time = recovery.log.time - recovery.log.time[0]
    for start in recovery.log.starts[1:]:
        time[start:] += time[start - 1] + 0.5 - time[start]
    return np.asarray(time, dtype=float)
