# pyright: basic
"""A page that shows a trajectory against its limits: a row per joint; position, velocity, acceleration and torque."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from dynident.core.arrays import Array
    from dynident.excitation import Design, Limits

#: Samples of the plotted curves.
_POINTS = 501
_BLUE, _RED = "#1f77b4", "#d62728"


def trajectory_page(design: Design, limits: Limits) -> str:
    """The HTML text, complete in itself."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    time = np.linspace(0.0, design.trajectory.duration, _POINTS)
    columns = _columns(design, limits, time)
    joints = design.trajectory.joints
    figure = make_subplots(
        rows=len(joints),
        cols=len(columns),
        shared_xaxes=True,
        vertical_spacing=0.1 / len(joints),
        horizontal_spacing=0.05,
        column_titles=[title for title, _, _ in columns],
        row_titles=list(joints),
    )
    for c, (title, values, ranges) in enumerate(columns, start=1):
        for j in range(len(joints)):
            curve = go.Scatter(x=time, y=values[:, j], mode="lines", line={"color": _BLUE}, name=f"{title}, {joints[j]}")
            figure.add_trace(curve, row=j + 1, col=c)
            for bound in ranges[j]:
                if np.isfinite(bound):
                    figure.add_hline(y=float(bound), line={"color": _RED, "dash": "dash", "width": 1}, row=j + 1, col=c)  # pyright: ignore[reportArgumentType]
        figure.update_xaxes(title_text="time [s]", row=len(joints), col=c)
    heading = f"{design.base.robot.name}: condition number {design.condition_number:.2f}; dashed: the limits"
    figure.update_layout(title=heading, showlegend=False, height=160 * len(joints) + 120, template="plotly_white")
    return figure.to_html(include_plotlyjs=True, full_html=True)


def _columns(design: Design, limits: Limits, time: Array) -> list[tuple[str, Array, Any]]:
    """Title, values (N, n) and (lower, upper) of each joint, for everything that has a curve."""
    from dynident.dynamics import inverse_dynamics

    motion = design.trajectory.sample(time)
    robot = design.base.robot
    columns = [
        (f"position [{robot.unit('position')}]", motion.q, limits.position),
        (f"velocity [{robot.unit('velocity')}]", motion.dq, _both_sides(limits.velocity)),
        (f"acceleration [{robot.unit('acceleration')}]", motion.ddq, _both_sides(limits.acceleration)),
    ]
    if robot.parameters is not None:
        efforts = inverse_dynamics(robot, robot.parameters, *motion)
        columns.append((f"torque [{robot.unit('effort')}]", efforts, _both_sides(limits.effort)))
    return columns


def _both_sides(limit: Array) -> Array:
    return np.column_stack([-limit, limit])
