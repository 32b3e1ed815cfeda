"""Pictures of a design: a row per joint with position, velocity, acceleration and torque against their limits; static positions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.dynamics import inverse_dynamics
from dynident.excitation.design import Design
from dynident.excitation.documents import worst_coefficient
from dynident.excitation.experiment import Experiment
from dynident.excitation.static_design import StaticDesign
from dynident.excitation.trajectories.trajectory import Trajectory
from dynident.reports.figures import Figure, axis, figure, line, numbers, plain

#: Samples of the plotted curves.
_POINTS = 801


def design_figures(design: Design) -> tuple[Figure, ...]:
    """One per joint and quantity, joint by joint; dashed are the limits. Of the torque, the least and the largest that may be needed.

    Of a design that is driven from rest to rest all of it is shown, the way there and back on grey.
    """
    time = np.linspace(0.0, _shown(design).duration, _POINTS)
    curves = dict(_curves(design, time))
    figures: list[Figure] = []
    for j, joint in enumerate(design.base.robot.joints):
        for name, (values, ranges) in curves.items():
            title = f"{joint.name}: {name} [{getattr(joint.units, name)}]"
            shown = _against_limits(title, numbers(time), [value[:, j] for value in values], ranges[j], len(curves))
            shown.layout["shapes"] += _shade(design)
            figures.append(shown)
    return tuple(figures)


def _shown(design: Design) -> Trajectory:
    return design.trajectory if design.drive is None else design.drive.trajectory


def _shade(design: Design) -> list[dict[str, Any]]:
    """Grey behind all that is no whole period, and a line between periods."""
    parts = () if design.drive is None else design.drive.trajectory.parts
    area = {"yref": "y domain", "xref": "x", "y0": 0, "y1": 1, "layer": "below"}
    grey = [
        {**area, "type": "rect", "x0": part.start, "x1": part.stop, "fillcolor": "@prior", "opacity": 0.3, "line": {"width": 0}}
        for part in parts
        if not part.period
    ]
    thin = {"color": "@bone", "width": 1}
    return grey + [{**area, "type": "line", "x0": part.start, "x1": part.start, "line": thin} for part in parts if part.period > 1]


def _curves(design: Design, time: Array) -> Iterator[tuple[str, tuple[tuple[Array, ...], Array]]]:
    """Name, one or two curves (N, n), and lower and upper limit of each joint (n, 2), for everything that has a curve."""
    motion, limits, robot = _shown(design).sample(time), design.limits, design.base.robot
    yield "position", ((motion.q,), limits.position)
    yield "velocity", ((motion.dq,), _both_sides(limits.velocity))
    yield "acceleration", ((motion.ddq,), _both_sides(limits.acceleration))
    if (bound := limits.torque_bound(robot)) is not None:
        torques = bound.torques(robot, motion)
        yield "effort", ((torques.lower, torques.upper), _both_sides(limits.effort))
    elif robot.parameters is not None:
        yield "effort", ((inverse_dynamics(robot, robot.parameters, *motion),), _both_sides(limits.effort))


def _against_limits(title: str, time: list[float | None], curves: list[Array], ends: Array, columns: int) -> Figure:
    dashed = {"color": "@bad", "dash": "dash", "width": 1}
    shapes: list[dict[str, Any]] = [
        {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "y0": float(end), "y1": float(end), "line": dashed}
        for end in ends
        if np.isfinite(end)
    ]
    seen = [*np.concatenate(curves), *(end for end in ends if np.isfinite(end))]
    room = 0.05 * max(float(np.ptp(seen)), 1e-6)
    y = {"range": [float(min(seen)) - room, float(max(seen)) + room]}
    names = [(title, "@predicted")] if len(curves) == 1 else [("least that may be needed", "@line1"), ("largest", "@line2")]
    lines = [line(time, numbers(values), name, colour) for values, (name, colour) in zip(curves, names, strict=True)]
    return figure(title, lines, "time [s]", y, title=title, height=220, beside=columns, shapes=shapes)


def static_figures(design: StaticDesign) -> tuple[Figure, ...]:
    """A histogram of each joint's positions."""
    figures: list[Figure] = []
    for j, joint in enumerate(design.robot.joints):
        counts = {"type": "histogram", "x": numbers(design.q[:, j]), "marker": {"color": "@predicted"}, "name": plain(joint.name)}
        label, x = f"Positions of {joint.name}", f"position [{joint.units.position}]"
        figures.append(figure(label, [counts], x, "configurations", title=joint.name, height=240, small=True))
    return tuple(figures)


def _both_sides(limit: Array) -> Array:
    return np.column_stack([-limit, limit])


def experiment_figures(experiment: Experiment) -> tuple[Figure, ...]:
    """Precision over time, then each trajectory against its limits."""
    steps, goal = experiment.steps, experiment.goal
    found = [_over_time(experiment, "Torque in other motions", [step.precision.relative_error for step in steps], goal.torque_error)]
    if goal.matters.any():
        worst = [worst_coefficient(experiment, step.precision)[1] for step in steps]
        found.insert(0, _over_time(experiment, "Worst coefficient that matters", worst, goal.precision))
    return (*found, *(_numbered(item, i) for i, design in enumerate(experiment.designs, start=1) for item in design_figures(design)))


def _over_time(experiment: Experiment, title: str, shares: list[float], goal: float | None) -> Figure:
    """A share over the time that is driven, both axes logarithmic: driving again is a line of slope -½."""
    time = numbers([step.time for step in experiment.steps])
    dashed = {"color": "@bad", "dash": "dash", "width": 1}
    across = {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "line": dashed}
    shapes = [] if goal is None else [across | {"y0": 100.0 * goal, "y1": 100.0 * goal}]
    x, y = axis("driven time [s]", type="log"), axis("relative deviation [%]", type="log")
    data = [line(time, numbers([100.0 * share for share in shares]), title, "@predicted", mode="lines+markers")]
    heading = f"{title}; dashed: asked for" if goal is not None else title
    return figure(f"Precision over time: {title.lower()}", data, x, y, title=heading, height=300, small=True, shapes=shapes)


def _numbered(item: Figure, number: int) -> Figure:
    """With the number of its trajectory."""
    title = {"text": f"{number}, {item.layout['title']['text']}"}
    return replace(item, label=f"Trajectory {number}, {item.label}", layout={**item.layout, "title": title})
