"""The papers' figures: one panel per joint, curves over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dynident.core.arrays import Array
from dynident.reports.figures import LINES, Figure, figure, line, thin

#: Points of a curve that a page keeps.
_POINTS = 600


def joint_panels(place: str, time: Array, curves: Mapping[str, Array], joints: Sequence[str], unit: str, caption: str = "") -> list[Figure]:
    """A small figure per joint. curves : by name (N, n); place : such as "Fig. 4"."""
    shown, below = thin(len(time), _POINTS), {"orientation": "h", "y": -0.25}
    clock, panels = (time - time[0])[shown], list[Figure]()
    for j, joint in enumerate(joints):
        pairs = zip(curves.items(), LINES, strict=False)
        data = [line(clock, values[shown, j], name, colour, meta=name) for (name, values), colour in pairs]
        layout: dict[str, Any] = {"hovermode": "x", "legend": below, "caption": caption if j == 0 else ""}
        panels.append(figure(f"{place}: {joint}", data, "time [s]", unit, title=f"{place}, {joint}", height=300, beside=2, **layout))
    return panels


def joints_together(place: str, title: str, time: Array, values: Array, joints: Sequence[str]) -> Figure:
    """All joints in one figure."""
    shown, label = thin(len(time), _POINTS), f"{place}: {title}"
    clock = (time - time[0])[shown]
    data = [line(clock, values[shown, j], joint, LINES[j % len(LINES)]) for j, joint in enumerate(joints)]
    return figure(label, data, "time [s]", title, title=label, height=280, hovermode="x")
