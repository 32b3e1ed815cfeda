"""Pictures of a payload: its numbers with their intervals and what was declared, and what it does to the joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.core.figures import Figure, axis, numbers, plain
from dynident.payload.quantities import NAMES, UNITS
from dynident.payload.result import PayloadEstimate
from dynident.payload.tables import effort_records

_BELOW = {"orientation": "h", "y": -0.15, "yanchor": "top", "x": 0}


def payload_figures(payload: PayloadEstimate) -> tuple[Figure, ...]:
    """Mass, centre of mass and inertia each on an axis of its own, then the efforts."""
    parts = (("Mass", slice(0, 1)), ("Centre of mass", slice(1, 4)), ("Inertia about the centre of mass", slice(4, 10)))
    return (*(_quantity_figure(payload, title, part) for title, part in parts), effort_figure(payload))


def _quantity_figure(payload: PayloadEstimate, title: str, part: slice) -> Figure:
    names, unit, values = [plain(name.rpartition(" ")[2]) for name in NAMES[part]], UNITS[part][0], payload.values[part]
    low, high = np.where(np.isfinite(payload.intervals[part]), payload.intervals[part], values[:, None]).T
    data: list[dict[str, Any]] = []
    for told, name, colour in ((True, "identified", "@predicted"), (False, "not told by the data", "@prior")):
        chosen = [k for k in range(len(names)) if bool(payload.told[part][k]) is told]
        if not chosen:
            continue
        bars = {
            "type": "data",
            "symmetric": False,
            "array": numbers((high - values)[chosen]),
            "arrayminus": numbers((values - low)[chosen]),
        }
        points = {"x": [names[k] for k in chosen], "y": numbers(values[chosen])}
        data.append({"type": "scatter", "mode": "markers", **points, "error_y": bars, "name": name, "marker": {"color": colour, "size": 8}})
    if payload.declared is not None and part.stop <= 4:
        stated = np.array([payload.declared.mass, *payload.declared.com])[part]
        mark = {"symbol": "diamond-open", "size": 11, "color": "@nominal", "line": {"width": 2}}
        data.append({"type": "scatter", "mode": "markers", "x": names, "y": numbers(stated), "name": "declared", "marker": mark})
    order = {"type": "category", "categoryorder": "array", "categoryarray": names}
    layout = {
        "title": {"text": f"{title} [{unit}]"},
        "xaxis": order,
        "yaxis": axis(f"[{unit}]"),
        "showlegend": part.start == 0,
        "legend": _BELOW,
    }
    return Figure(label=title, data=data, layout=layout, height=300, small=True, beside=3)


def effort_figure(payload: PayloadEstimate) -> Figure:
    """RMS effort of each joint for the payload, and the error of a controller that believes what was declared."""
    records = effort_records(payload)
    joints = [plain(item["joint"]) for item in records]
    data: list[dict[str, Any]] = [
        {
            "type": "bar",
            "x": joints,
            "y": numbers([item["rms"] for item in records]),
            "name": "of the payload",
            "marker": {"color": "@predicted"},
        }
    ]
    if payload.declared is not None:
        errors = numbers([item["error_rms"] for item in records])
        data.append({"type": "bar", "x": joints, "y": errors, "name": "error of what was declared", "marker": {"color": "@nominal"}})
    title = {"text": "Effort along the loaded log"}
    layout = {
        "title": title,
        "xaxis": {"type": "category"},
        "yaxis": axis(f"RMS [{payload.robot.unit('effort')}]"),
        "barmode": "group",
        "legend": _BELOW,
    }
    return Figure(label="Effort along the loaded log", data=data, layout=layout)
