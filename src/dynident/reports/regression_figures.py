"""Pictures of what can be identified and what was: groupings, coefficients, their precision, friction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import singular_values
from dynident.dynamics.friction.candidates import friction_additions
from dynident.dynamics.friction.model import Motion, friction_torque
from dynident.regression.coefficients import coefficients
from dynident.regression.equations.base import BaseParameters
from dynident.regression.estimate import Estimate
from dynident.regression.friction.choice import Trial
from dynident.regression.problem import Problem
from dynident.reports.figures import (
    LINES,
    Figure,
    axis,
    band,
    bars,
    categories,
    figure,
    interval,
    level,
    line,
    numbers,
    plain,
    points,
    singular_value_figure,
    thin,
)

if TYPE_CHECKING:
    from dynident.regression.friction.change import JointChange

#: Points of a cloud; more would only make a page heavy.
_POINTS = 1200
_CURVE = 401
_SMALL_NAMES: dict[str, Any] = {"tickangle": -60, "tickfont": {"size": 10}, "showgrid": False}
_COEFFICIENTS: dict[str, Any] = {"height": 340, "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}}
_KEPT = ((True, "kept", "@predicted"), (False, "dropped", "@rigid"))


def estimate_figures(estimate: Estimate) -> tuple[Figure, ...]:
    """Values and precision of the coefficients, then the friction of each joint where there is a model."""
    joints = range(estimate.base.robot.n) if estimate.base.friction is not None else ()
    return _value_figure(estimate), precision_figure(estimate), *(friction_figure(estimate, j) for j in joints)


def _value_figure(estimate: Estimate) -> Figure:
    """Every coefficient with its 95 % interval; a dropped one as it was when it was dropped."""
    data: list[dict[str, Any]] = []
    half = dict(zip(estimate.base.names, estimate.half_interval.tolist(), strict=True))
    for kept, name, colour in _KEPT:
        items = [item for item in coefficients(estimate) if item.kept is kept and item.value is not None]
        names, values = [item.name for item in items], [item.value for item in items]
        texts = [f"{plain(item.expression)} [{item.unit}]" for item in items]
        data.append(points(names, values, name, colour, error_y=interval([half[name] for name in names]), hovertext=texts))
    x = categories(estimate.base.names, **_SMALL_NAMES)
    return figure("Dynamic coefficients with their 95 % intervals", data, x, "value [SI]", **_COEFFICIENTS)


def precision_figure(estimate: Estimate) -> Figure:
    """Relative standard deviation of every coefficient, the best known first."""
    percent = {item: item.relative_std_percent for item in coefficients(estimate) if item.relative_std_percent is not None}
    order, limit = sorted(percent, key=lambda item: percent[item]), estimate.summary.drop_above_percent
    data: list[dict[str, Any]] = []
    for kept, name, colour in _KEPT:
        items = [item for item in order if item.kept is kept]
        data.append(bars([item.name for item in items], [min(max(percent[item], 1e-3), 1e4) for item in items], name, colour))
    rule = "" if limit is None else f" Those above the dashed line ({limit:g} %) were dropped; bars beyond 10 000 % are cut."
    return figure(
        "How well each coefficient is determined",
        data,
        categories([item.name for item in order], **_SMALL_NAMES),
        axis("std [%]", type="log", dtick=1),
        caption=f"Standard deviation of each coefficient in percent of its value.{rule}",
        shapes=[] if limit is None else [level(limit, "@measured", dash="dash")],
        bargap=0.25,
        **_COEFFICIENTS,
    )


def friction_figure(estimate: Estimate, j: int, cloud: tuple[Array, Array] | None = None) -> Figure:
    """Friction of a joint at constant speed, with all laws that were tried where one was chosen.

    cloud : velocities and measured friction there, drawn behind the curves.
    """
    joint = estimate.base.robot.joints[j]
    data: list[dict[str, Any]] = []
    reach = 1.0
    if cloud is not None:
        measured_at, measured = cloud
        shown = thin(len(measured), _POINTS)
        reach = max(1.05 * float(np.abs(measured_at).max()), 1e-6)
        data.append(points(measured_at[shown], measured[shown], "residual", "@cloud", marker={"size": 3.5, "opacity": 0.55}))
    velocity = np.linspace(-reach, reach, _CURVE)
    for trial, colour in zip(_law_trials(estimate, joint.name), LINES[1:], strict=False):
        torque = trial.model.columns(Motion.steady(velocity[:, None]))[:, 0] @ np.array(list(trial.parameters.values()))
        name = trial.model.name
        data.append(line(velocity, torque, name, colour, meta=name, line={"width": 1.1, "dash": "dot"}))
    curve = _friction_curve(estimate, j, velocity)
    if curve is not None:
        if cloud is not None and _follows_position(estimate, j):  # drawn at the position where it passes through the middle of the cloud
            curve = curve + float(np.mean(cloud[1] - np.interp(cloud[0], velocity, curve)))
        data.append(line(velocity, curve, "friction model", "@predicted", meta="friction_model", line={"width": 2.2}))
    return _over_velocity(f"Friction of {joint.name}", data, joint.name, joint.units.velocity, joint.units.effort, showlegend=False)


def change_figure(change: JointChange) -> Figure:
    """Friction of a joint over velocity before and after a refit, with the 95 % interval of the difference around the new one; without
    friction before, that of the new one itself."""
    half = 1.96 * change.std
    data = band(change.speeds, change.after + half, change.after - half, showlegend=False)
    if change.before is not None:
        data.append(line(change.speeds, change.before, "before", "@rigid", line={"width": 2.2, "dash": "dash"}))
    data.append(line(change.speeds, change.after, "now", "@predicted", line={"width": 2.2}))
    return _over_velocity(f"Friction of {change.joint} before and now", data, change.joint, change.speed_unit, change.unit)


def _over_velocity(label: str, data: list[dict[str, Any]], joint: str, speed_unit: str, unit: str, **layout: Any) -> Figure:
    x, y = f"velocity [{speed_unit}]", f"friction [{unit}]"
    return figure(label, data, x, y, title=joint, height=250, beside=3, **layout)


def _law_trials(estimate: Estimate, joint: str) -> list[Trial]:
    """The laws that were tried for a joint, without those that have something on top."""
    if estimate.choice is None:
        return []
    trials = estimate.choice.of_joint(joint)
    on_top = {addition.name for addition in friction_additions()} - {part.name for part in trials[0].model.parts}
    return [trial for trial in trials if not on_top & {part.name for part in trial.model.parts}]


def _follows_position(estimate: Estimate, j: int) -> bool:
    """Whether the friction model of a joint depends on where it is, as a spring does."""
    if estimate.base.friction is None:
        return False
    still, model = Motion.steady(np.zeros((1, 1))), estimate.base.friction.of_joint(j)
    return not np.array_equal(model.columns(still), model.columns(still._replace(q=np.ones((1, 1)))))


def _friction_curve(estimate: Estimate, j: int, velocity: Array) -> Array | None:
    """Friction at constant speed, through position zero and without load; None without a model."""
    parameters = estimate.friction_parameters
    if estimate.base.friction is None or parameters is None:
        return None
    motion = np.zeros((len(velocity), estimate.base.robot.n))
    motion[:, j] = velocity
    return friction_torque(estimate.base.friction, parameters, Motion.steady(motion))[:, j]


def base_figure(base: BaseParameters) -> Figure:
    """The grouping matrix: a row per coefficient, a column per standard parameter that takes part."""
    used = np.flatnonzero(np.any(base.grouping != 0.0, axis=0))
    standard, names = ([plain(name) for name in part] for part in ([base.columns.names[int(k)] for k in used], base.names))
    rows = [numbers(np.where(row == 0.0, np.nan, row)) for row in base.grouping[:, used]]
    grouping = {"type": "heatmap", "x": standard, "y": names, "z": rows, "colorscale": "RdBu", "zmid": 0.0}
    x, y = ({"type": "category", **_SMALL_NAMES, **more} for more in ({}, {"tickangle": 0, "autorange": "reversed"}))
    return figure("What each coefficient is made of", [grouping], x, y, height=140 + 14 * base.rank)


def problem_figure(problem: Problem) -> Figure:
    """How much each direction of the coefficients shows in the data; the last over the first is one over the condition number."""
    values = singular_values(problem.stack_groups(np.ones(len(problem.groups)))[:, :-1])
    return singular_value_figure("Singular values of the stacked regressor", np.maximum(values, 1e-12 * values[0]), "direction")
