"""Pictures of a design: a row per joint with position, velocity, acceleration and torque against their limits; static positions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.dynamics import inverse_dynamics
from dynident.motions.design.design import Design
from dynident.motions.design.experiment import Experiment
from dynident.motions.design.static_design import StaticDesign
from dynident.motions.documents import worst_coefficient
from dynident.motions.trajectories.trajectory import Trajectory
from dynident.reports.figures import Figure, axis, figure, level, line, numbers, plain, stripe

#: Samples of the plotted curves.
_POINTS = 801
#: Where torques are only known to lie between two curves.
_ENDS: list[tuple[str, str, dict[str, Any]]] = [
    ("least torque that may be needed", "@line1", {"meta": "least"}),
    ("largest", "@line2", {"meta": "largest"}),
]


def design_figures(design: Design) -> Iterator[Figure]:
    """One per joint and quantity, joint by joint; dashed are the limits. Of the torque, the least and the largest that may be needed.

    Of a design that is driven from rest to rest all of it is shown, the way there and back on grey.
    """
    time = np.linspace(0.0, _driven(design).duration, _POINTS)
    curves = dict(_curves(design, time))
    for j, joint in enumerate(design.base.robot.joints):
        for name, (values, ranges) in curves.items():
            title = f"{joint.name}: {name} [{getattr(joint.units, name)}]"
            kinds = _ENDS if len(values) > 1 else [(title, "@predicted", dict[str, Any]())]
            data = [line(time, value[:, j], label, colour, **kind) for value, (label, colour, kind) in zip(values, kinds, strict=True)]
            limits = [float(end) for end in ranges[j] if np.isfinite(end)]
            shapes = [*(level(end, "@bad", dash="dash") for end in limits), *_shade(design)]
            seen = np.concatenate([*(value[:, j] for value in values), limits])
            room = 0.05 * max(float(np.ptp(seen)), 1e-6)
            y = {"range": [float(seen.min()) - room, float(seen.max()) + room]}
            yield figure(title, data, "time [s]", y, title=title, height=220, beside=len(curves), shapes=shapes, showlegend=False)


def _driven(design: Design) -> Trajectory:
    return design.trajectory if design.drive is None else design.drive.trajectory


def _shade(design: Design) -> list[dict[str, Any]]:
    """Grey behind all that is no whole period, and a line between periods."""
    parts = () if design.drive is None else design.drive.trajectory.parts
    grey = [stripe(part.start, part.stop, "@prior", opacity=0.3, layer="below") for part in parts if not part.period]
    return grey + [
        stripe(part.start, part.start, "@bone", type="line", line={"color": "@bone", "width": 1}, layer="below")
        for part in parts
        if part.period > 1
    ]


def _curves(design: Design, time: Array) -> Iterator[tuple[str, tuple[tuple[Array, ...], Array]]]:
    """Name, one or two curves (N, n), and lower and upper limit of each joint (n, 2), for everything that has a curve."""
    motion, limits, robot = _driven(design).sample(time), design.limits, design.base.robot
    yield "position", ((motion.q,), limits.position)
    yield "velocity", ((motion.dq,), _both_sides(limits.velocity))
    yield "acceleration", ((motion.ddq,), _both_sides(limits.acceleration))
    if (bound := limits.torque_bound(robot)) is not None:
        torques = bound.torques(robot, motion)
        yield "effort", ((torques.lower, torques.upper), _both_sides(limits.effort))
    elif robot.parameters is not None:
        yield "effort", ((inverse_dynamics(robot, robot.parameters, *motion),), _both_sides(limits.effort))


def _both_sides(limit: Array) -> Array:
    return np.column_stack([-limit, limit])


def static_figures(design: StaticDesign) -> Iterator[Figure]:
    """A histogram of each joint's positions."""
    for joint, positions in zip(design.robot.joints, design.q.T, strict=True):
        counts = {"type": "histogram", "x": numbers(positions), "marker": {"color": "@predicted"}, "name": plain(joint.name)}
        label, x = f"Positions of {joint.name}", f"position [{joint.units.position}]"
        yield figure(label, [counts], x, "configurations", title=joint.name, height=240, beside=2)


def experiment_figures(experiment: Experiment) -> Iterator[Figure]:
    """Precision over time, then each trajectory against its limits."""
    steps, goal = experiment.steps, experiment.goal
    if goal.matters.any():
        worst = [worst_coefficient(experiment, step.precision)[1] for step in steps]
        yield _over_time(experiment, "Worst coefficient that matters", worst, goal.precision)
    yield _over_time(experiment, "Torque in other motions", [step.precision.relative_error for step in steps], goal.torque_error)
    for number, design in enumerate(experiment.designs, start=1):
        for item in design_figures(design):
            title = {"text": f"{number}, {item.layout['title']['text']}"}
            yield replace(item, label=f"Trajectory {number}, {item.label}", layout={**item.layout, "title": title})


def _over_time(experiment: Experiment, title: str, shares: list[float], goal: float | None) -> Figure:
    """A share over the time that is driven, both axes logarithmic: driving again is a line of slope -½."""
    time, percent = [step.time for step in experiment.steps], 100.0 * np.array(shares)
    shapes = [] if goal is None else [level(100.0 * goal, "@bad", dash="dash")]
    x, y = axis("driven time [s]", type="log"), axis("relative deviation [%]", type="log")
    data = [line(time, percent, title, "@predicted", mode="lines+markers")]
    heading = title if goal is None else f"{title}; dashed: asked for"
    return figure(f"Precision over time: {title.lower()}", data, x, y, title=heading, height=300, beside=2, shapes=shapes)
