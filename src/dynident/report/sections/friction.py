"""Friction curves over what the links leave unexplained (Fig. 4 of the Panda paper)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.friction.model import friction_torque
from dynident.regression.tables import friction as friction_records
from dynident.report.blocks import Block, Cell, Figure, Grid, Section, Text
from dynident.report.figures import axis, line, numbers, plain
from dynident.robots.robot import JointType
from dynident.runs.run import Run, Stage
from dynident.validation.models import COEFFICIENTS, RIGID

#: Points of a cloud; more would only make the page heavy.
_POINTS = 1200
_CURVE = 401


def _blocks(run: Run) -> Iterator[Block]:
    estimate = run.estimate
    if estimate.base.friction is None:
        yield Text(
            "The identification had no friction model. What friction there is shows in the clouds, and is missing from the predictions."
        )
    elif run.validation is None:
        yield Text(
            f"Without a validation there is no cloud of residuals behind the curves; make it with: {Stage.VALIDATION.command(run.folder)}"
        )
    else:
        yield Text("Each dot is a moment: measured torque minus what the links explain. The line is the friction model at constant speed.")
    if estimate.base.friction is not None or run.validation is not None:
        for j in range(estimate.base.robot.n):
            yield _joint(run, j)
    if estimate.base.friction is not None:
        yield _table(run)


SECTION = Section(key="friction", title="Friction", stage=Stage.ESTIMATE, blocks=_blocks)


def _joint(run: Run, j: int) -> Figure:
    joint = run.estimate.base.robot.joints[j]
    prismatic = joint.type is JointType.PRISMATIC
    data: list[dict[str, Any]] = []
    reach = 1.0
    if run.validation is not None:
        series = run.validation.series[j]
        key = COEFFICIENTS + RIGID if COEFFICIENTS + RIGID in series.predicted else COEFFICIENTS
        step = max(1, -(-len(series.time) // _POINTS))
        velocity, left = series.velocity[::step], series.error(key)[::step]
        reach = max(1.05 * float(np.abs(series.velocity).max()), 1e-6)
        cloud = {"color": "@cloud", "size": 3.5, "opacity": 0.55}
        data.append({"type": "scatter", "mode": "markers", "x": numbers(velocity), "y": numbers(left), "name": "residual", "marker": cloud})
    curve = _curve(run, j, reach)
    if curve is not None:
        data.append(line(numbers(curve[0]), numbers(curve[1]), "friction model", "@predicted", line={"width": 2.2}))
    layout = {
        "title": {"text": plain(joint.name)},
        "xaxis": axis("velocity [m/s]" if prismatic else "velocity [rad/s]"),
        "yaxis": axis("friction [N]" if prismatic else "friction [N·m]"),
        "showlegend": False,
    }
    return Figure(label=f"Friction of {joint.name}", data=data, layout=layout, height=250, small=True)


def _curve(run: Run, j: int, reach: float) -> tuple[Array, Array] | None:
    """Velocities and the friction there at constant speed; None without a model."""
    estimate = run.estimate
    parameters = estimate.friction_parameters
    if estimate.base.friction is None or parameters is None:
        return None
    velocity = np.linspace(-reach, reach, _CURVE)
    motion = np.zeros((_CURVE, estimate.base.robot.n))
    motion[:, j] = velocity
    return velocity, friction_torque(estimate.base.friction, parameters, motion, np.zeros_like(motion))[:, j]


def _table(run: Run) -> Grid:
    model = run.estimate.base.friction
    assert model is not None  # noqa: S101 (the caller has seen to it)
    dropped = {run.estimate.base.names[item.index] for item in run.estimate.dropped}
    rows: list[tuple[tuple[Cell, ...], bool]] = []
    for j, item in enumerate(friction_records(run.estimate), start=1):
        cells = [Cell(text=item.joint)]
        for name, value in item.parameters.items():
            text = "grouped" if value is None else "dropped" if f"{name}{j}" in dropped else f"{value:.4f}"
            cells.append(Cell(text=text, sort=value, badge="" if value is not None and text != "dropped" else "dim"))
        rows.append((tuple(cells), False))
    headings = ("joint", *(f"{name} [{unit}]" for name, unit in zip(model.parameter_names, model.units, strict=True)))
    return Grid(title=f"Friction ({model.name})", headings=headings, rows=tuple(rows), left=frozenset({0}))
