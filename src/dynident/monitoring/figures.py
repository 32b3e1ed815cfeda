"""Pictures of what a monitor saw: the distance, residual and threshold of every joint, with the contacts as stripes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.figures import LINES, Figure, axis, join_clocks, line, numbers, plain
from dynident.monitoring.contact_monitor import ContactMonitor
from dynident.monitoring.contacts import Contacts

#: Columns of pixels that a picture has at most: of each, the least and the largest value are drawn.
_COLUMNS = 1000


def contact_figures(found: Contacts) -> tuple[Figure, ...]:
    """The distance, where it is judged, and one per joint."""
    time = join_clocks(found.time, found.starts[1:], pause=0.5)
    together = (_distance_figure(found, time),) if np.isfinite(found.monitor.distance_level) else ()
    return (*together, *(_joint_figure(found, time, j) for j in range(found.residual.shape[1])))


def level_figure(monitor: ContactMonitor) -> Figure:
    """Bars, a group per joint."""
    joints = [plain(name) for name in monitor.model.robot.joint_names]
    bars = {"in motion": monitor.usual_threshold, "at rest": monitor.usual_threshold + monitor.rest_allowance}
    if monitor.calibration is not None:
        bars = {"RMS of free motion": monitor.calibration.rms, **bars}
    data: list[dict[str, Any]] = [
        {"type": "bar", "x": joints, "y": numbers(values), "name": name, "marker": {"color": LINES[k]}}
        for k, (name, values) in enumerate(bars.items())
    ]
    unit = monitor.model.robot.unit("effort")
    layout = {"xaxis": {"type": "category"}, "yaxis": axis(f"threshold [{unit}]"), "barmode": "group"}
    return Figure(label="Thresholds", data=data, layout=layout)


def _joint_figure(found: Contacts, time: Array, j: int) -> Figure:
    joint = found.monitor.model.robot.joints[j]
    residual, threshold = found.residual[:, j], found.threshold[:, j]
    rows = _extremes(residual)
    data: list[dict[str, Any]] = [line(numbers(time[rows]), numbers(residual[rows]), "residual", "@measured", meta="residual")]
    if np.all(np.isfinite(threshold)):
        rows = _extremes(threshold)
        shared: dict[str, Any] = {"meta": "threshold", "hoverinfo": "skip", "line": {"width": 1.0, "dash": "dot"}}
        data += [line(numbers(time[rows]), numbers(sign * threshold[rows]), "threshold", "@predicted", **shared) for sign in (1.0, -1.0)]
    layout = {
        "title": {"text": plain(joint.name)},
        "xaxis": axis("time [s]"),
        "yaxis": axis(f"from outside [{joint.units.effort}]"),
        "shapes": _stripes(found, time, joint.name),
        "showlegend": False,
    }
    return Figure(label=f"Residual of {joint.name}", data=data, layout=layout, height=250, small=True)


def _distance_figure(found: Contacts, time: Array) -> Figure:
    rows, level = _extremes(found.distance), found.monitor.distance_level
    data = [
        line(numbers(time[rows]), numbers(found.distance[rows]), "distance", "@measured", meta="residual"),
        line(
            numbers(time[[0, -1]]),
            [level, level],
            "threshold",
            "@predicted",
            meta="threshold",
            hoverinfo="skip",
            line={"width": 1.0, "dash": "dot"},
        ),
    ]
    layout = {
        "title": {"text": "All joints together"},
        "xaxis": axis("time [s]"),
        "yaxis": axis("distance"),
        "shapes": _stripes(found, time, ""),
        "showlegend": False,
    }
    return Figure(label="Distance of all residuals together", data=data, layout=layout, height=250, small=True)


def _stripes(found: Contacts, time: Array, joint: str) -> list[dict[str, Any]]:
    """The contacts; those that a joint felt most are darker."""
    shift = dict(zip(found.starts, (time[start] - found.time[start] for start in found.starts), strict=True))
    return [
        {
            "type": "rect",
            "xref": "x",
            "yref": "paper",
            "x0": start,
            "x1": start + max(event.duration, 0.002),
            "y0": 0.0,
            "y1": 1.0,
            "line": {"width": 1, "color": "@bad"},
            "fillcolor": "@bad",
            "opacity": 0.35 if event.joint == joint else 0.12,
        }
        for event, start in _event_times(found, shift)
    ]


def _event_times(found: Contacts, shift: dict[int, float]) -> list[tuple[Any, float]]:
    """Each contact with its beginning on the axis of the picture."""
    placed: list[tuple[Any, float]] = []
    for event, row in zip(found.events, found.rows, strict=True):
        start = max(start for start in found.starts if start <= row)
        placed.append((event, event.time + shift[start]))
    return placed


def _extremes(values: Array) -> IntArray:
    """Rows that a picture needs: the least and the largest of each of its columns, in order."""
    if len(values) <= 2 * _COLUMNS:
        return np.arange(len(values))
    edges = np.linspace(0, len(values), _COLUMNS + 1).astype(int)
    found = [start + pick(values[start:stop]) for start, stop in pairwise(edges.tolist()) for pick in (np.argmin, np.argmax)]
    return np.unique(np.asarray(found, dtype=np.int64))
