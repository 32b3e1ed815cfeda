"""The papers' figures: one panel per joint, curves over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dynident.core.arrays import Array
from dynident.reports.figures import LINES, Figure, axis, line, numbers, plain

#: Points of a curve that a page keeps.
_POINTS = 600


def joint_panels(place: str, time: Array, curves: Mapping[str, Array], joints: Sequence[str], unit: str, caption: str = "") -> list[Figure]:
    """A small figure per joint. curves : by name (N, n); place : such as "Fig. 4"."""
    step = max(1, -(-len(time) // _POINTS))
    clock = numbers((time - time[0])[::step])
    panels: list[Figure] = []
    for j, joint in enumerate(joints):
        data = [
            line(clock, numbers(values[::step, j]), name, LINES[k % len(LINES)], meta=name)
            for k, (name, values) in enumerate(curves.items())
        ]
        layout = {
            "title": {"text": plain(f"{place}, {joint}")},
            "xaxis": axis("time [s]"),
            "yaxis": axis(unit),
            "hovermode": "x",
            "legend": {"orientation": "h", "y": -0.25},
        }
        panels.append(
            Figure(label=f"{place}: {joint}", data=data, layout=layout, height=300, small=True, caption=caption if j == 0 else "")
        )
    return panels


def joints_together(place: str, title: str, time: Array, values: Array, joints: Sequence[str]) -> Figure:
    """All joints in one figure."""
    step = max(1, -(-len(time) // _POINTS))
    clock = numbers((time - time[0])[::step])
    data = [line(clock, numbers(values[::step, j]), joint, LINES[j % len(LINES)]) for j, joint in enumerate(joints)]
    layout = {"title": {"text": plain(f"{place}: {title}")}, "xaxis": axis("time [s]"), "yaxis": axis(title), "hovermode": "x"}
    return Figure(label=f"{place}: {title}", data=data, layout=layout, height=280)
