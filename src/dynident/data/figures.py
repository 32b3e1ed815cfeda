"""Pictures of recorded data: every quantity over time, or the controller's model over the positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.figures import LINES, Figure, axis, join_clocks, line, numbers, plain
from dynident.data.controller_samples import ControllerSamples
from dynident.data.dataset import Dataset

#: Points of a curve; more would make a picture heavy and show nothing new.
_POINTS = 4000


def dataset_figures(data: Dataset) -> tuple[Figure, ...]:
    """Position, velocity, acceleration and effort of all joints, as far as they are there; samples not in use are gaps."""
    effort = data.effort_kind.value if data.effort_kind else "effort"
    kinds = (
        ("position [rad | m]", data.q),
        ("velocity [rad/s | m/s]", data.dq),
        ("acceleration [rad/s² | m/s²]", data.ddq),
        (effort, data.effort),
    )
    return tuple(_over_time(data, title, values) for title, values in kinds if values is not None)


def _over_time(data: Dataset, title: str, values: Array) -> Figure:
    step = max(1, -(-data.samples // _POINTS))
    used = values if data.mask is None else np.where(data.mask, values, np.nan)
    breaks = np.array([k for k in data.starts if k > 0], dtype=int) // step
    time = numbers(np.insert(join_clocks(data.time, data.starts[1:])[::step], breaks, np.nan))
    curves = [
        line(time, numbers(np.insert(used[::step, j], breaks, np.nan)), name, LINES[j % len(LINES)])
        for j, name in enumerate(data.joint_names)
    ]
    layout = {"title": {"text": plain(title)}, "xaxis": axis("time [s]"), "yaxis": axis(plain(title)), "hovermode": "x"}
    return Figure(label=f"{title} over time", data=curves, layout=layout, height=300)


def samples_figures(samples: ControllerSamples) -> tuple[Figure, ...]:
    """The diagonal of M and the vector g, each element over the position of its own joint."""
    found: list[Figure] = []
    if samples.M is not None:
        found.append(_over_position(samples, "inertia Mjj [kg·m² | kg]", np.diagonal(samples.M, axis1=1, axis2=2)))
    if samples.g is not None:
        found.append(_over_position(samples, "gravity [N·m | N]", samples.g))
    return tuple(found)


def _over_position(samples: ControllerSamples, title: str, values: Array) -> Figure:
    step = max(1, -(-samples.samples // _POINTS))
    dots: list[dict[str, Any]] = []
    for j, name in enumerate(samples.joint_names):
        points = {"x": numbers(samples.q[::step, j]), "y": numbers(values[::step, j])}
        marker = {"color": LINES[j % len(LINES)], "size": 4}
        dots.append({"type": "scatter", "mode": "markers", **points, "name": plain(name), "marker": marker})
    layout = {"title": {"text": title}, "xaxis": axis("position of the joint [rad | m]"), "yaxis": axis(title)}
    return Figure(label=f"{title} over the position", data=dots, layout=layout)
