"""Pictures of findings: what was recorded, against what it should be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynident.core.arrays import Array
from dynident.core.figures import Figure, axis, line, numbers, plain
from dynident.doctor.case import Case
from dynident.doctor.explanation import predict

_POINTS = 1500


def effort_figure(before: Case, after: Case, joints: Sequence[int]) -> Figure:
    """The effort of the joint that gains most, by the model of the log as it is and of the corrected one."""
    j = max(joints, key=lambda k: before.explanation.misfit[k] - after.explanation.misfit[k])
    assert before.excerpt is not None  # noqa: S101 (of a competition)
    assert after.excerpt is not None  # noqa: S101
    old, new = before.excerpt, after.excerpt
    curves = [
        line(numbers(new.time), numbers(new.effort[:, j]), "corrected", "@measured", meta="corrected"),
        line(numbers(new.time), numbers(predict(after.robot, new, after.explanation)[:, j]), "model of it", "@predicted", meta="model"),
        line(numbers(old.time), numbers(predict(before.robot, old, before.explanation)[:, j]), "model without", "@bad", meta="without"),
    ]
    return curves_figure(f"effort of {before.names[j]}", before.robot.joints[j].units.effort, curves)


def compare_figure(title: str, unit: str, time: Array, recorded: Array, expected: Array, *, what: tuple[str, str]) -> Figure:
    """A recorded signal (N,) and what it should be. what : names of the two."""
    step = max(1, len(time) // _POINTS)
    stamps = numbers(time[::step])
    curves = [
        line(stamps, numbers(recorded[::step]), what[0], "@measured", meta="recorded"),
        line(stamps, numbers(expected[::step]), what[1], "@predicted", meta="expected"),
    ]
    return curves_figure(title, unit, curves)


def curves_figure(title: str, unit: str, curves: list[dict[str, object]]) -> Figure:
    layout = {"title": {"text": plain(title)}, "xaxis": axis("time [s]"), "yaxis": axis(f"[{plain(unit)}]"), "hovermode": "x"}
    return Figure(label=title, data=curves, layout=layout, height=280)


def marks(time: Array, intervals: Sequence[tuple[float, float]]) -> Array:
    """(N,) which stamps lie in one of the intervals."""
    inside = np.zeros(len(time), dtype=bool)
    for start, stop in intervals:
        inside |= (time >= start) & (time <= stop)
    return inside
