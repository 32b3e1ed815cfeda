"""A robot to look at: one page with its shapes, frames, centres of mass and inertias, a slider per joint, and a motion that plays."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
from jinja2.utils import htmlsafe_json_dumps

from dynident.core.arrays import Array
from dynident.core.files import finite_or_none
from dynident.data.dataset import Dataset
from dynident.errors import InputError
from dynident.reports.figures import numbers
from dynident.reports.packed import asset
from dynident.reports.page import Page, environment
from dynident.reports.robot_figures import ellipsoid, shown_position
from dynident.robots.kinematics import arm_reach, joint_constants
from dynident.robots.robot import JointType, Robot
from dynident.robots.shapes import Shape, robot_shapes, solid_shape
from dynident.robots.solids import robot_solids

#: Samples of a motion that the page keeps at most; between them positions are interpolated.
_MOST_SAMPLES = 4000


def view(
    robot: Robot, *, parameters: Array | None = None, motion: Dataset | None = None, solids: bool = False, inertias: bool = True
) -> Page:
    """The robot in the browser.

    parameters : (n, 10)   Identified links, drawn beside the nominal ones.
    inertias : bool        Whether the nominal inertias are drawn.
    motion : Dataset       A trajectory or a log of the robot's joints, in its order, which the page plays; effort is shown too.
    solids : bool          Show what is kept apart when a motion is planned, beside what the links look like.
    """
    if motion is not None and motion.n != robot.n:
        raise InputError(f"the motion has {motion.n} joints and robot {robot.name!r} has {robot.n}; give one of this robot")
    shapes, notes = robot_shapes(robot)
    kept_apart = robot_solids(robot) if solids else None
    if kept_apart is not None:
        notes = tuple(dict.fromkeys([*notes, f"solids are {kept_apart.source}", *kept_apart.notes]))
    content = {
        "joints": [_joint(robot, i) for i in range(robot.n)],
        "q": numbers(shown_position(robot)),
        "reach": arm_reach(robot),
        "floor": robot.floor,
        "shapes": [_shape(shape) for shape in shapes],
        "solids": [] if kept_apart is None else [_shape(solid_shape(solid)) for solid in kept_apart.solids],
        "nominal": _bodies(robot, robot.parameters if inertias else None),
        "identified": _bodies(robot, parameters),
        "motion": None if motion is None else _motion(robot, motion),
        "notes": [*robot.notes, *notes],
    }
    text = htmlsafe_json_dumps(content, dumps=json.dumps, allow_nan=False, separators=(",", ":"))
    html = (
        environment()
        .get_template("view.html")
        .render(title=robot.name, source=robot.source, style=asset("page.css") + asset("view.css"), script=asset("view.js"), content=text)
    )
    return Page(f"{robot.name}: view", html)


def _shape(shape: Shape) -> dict[str, Any]:
    return {
        "body": shape.body,
        "drawn": shape.drawn,
        "points": _packed(shape.vertices, "<f4"),
        "triangles": _packed(shape.triangles, "<u4"),
    }


def _joint(robot: Robot, i: int) -> dict[str, Any]:
    joint, turn = robot.joints[i], robot.joints[i].type is not JointType.PRISMATIC
    low, high = robot.drawn_range[i].tolist()
    return {
        "name": joint.name,
        "link": robot.links[i].name,
        "parent": joint.parent,
        "turns": turn,
        "range": [low, high],
        "limits": [finite_or_none(value) for value in (*joint.position, joint.velocity, joint.acceleration, joint.effort)],
        "units": [joint.units.position, joint.units.velocity, joint.units.effort],
        "constants": numbers(joint_constants(robot)[i]),
    }


def _bodies(robot: Robot, parameters: Array | None) -> list[dict[str, Any] | None]:
    """Per link its mass, centre, semi-axes and their directions; None without mass."""
    found: list[dict[str, Any] | None] = []
    for row in np.zeros((robot.n, 10)) if parameters is None else parameters:
        solid = ellipsoid(row)
        found.append(
            None
            if solid is None
            else {"mass": float(row[0]), "centre": numbers(solid[0]), "axes": numbers(solid[1]), "directions": numbers(solid[2].ravel())}
        )
    return found


def _motion(robot: Robot, motion: Dataset) -> dict[str, Any]:
    """Samples, and how much of each limit the whole motion leaves."""
    dq = motion.dq if motion.dq is not None else np.gradient(motion.q, motion.time, axis=0)
    step = max(1, -(-len(motion.time) // _MOST_SAMPLES))
    part = slice(None, None, step)
    limits = {
        "velocity": (np.abs(dq), robot.velocity_limits),
        "effort": (motion.effort, np.array([joint.effort for joint in robot.joints])),
    }
    reserve: dict[str, list[float | None]] = {"position": _position_reserve(robot, motion.q)}
    for name, (values, limit) in limits.items():
        if values is not None:
            reserve[name] = [
                finite_or_none(1.0 - float(np.abs(values[:, i]).max()) / limit[i]) if limit[i] > 0 else None for i in range(robot.n)
            ]
    return {
        "source": motion.source,
        "time": numbers(motion.time[part] - motion.time[0]),
        "q": _packed(motion.q[part], "<f4"),
        "dq": _packed(dq[part], "<f4"),
        "effort": None if motion.effort is None else _packed(motion.effort[part], "<f4"),
        "reserve": reserve,
    }


def _position_reserve(robot: Robot, q: Array) -> list[float | None]:
    """Distance to the nearer position limit as a share of half the range; None where there is no limit."""
    found: list[float | None] = []
    for (low, high), lowest, highest in zip(robot.position_limits, q.min(axis=0), q.max(axis=0), strict=True):
        half = 0.5 * (high - low)
        found.append(finite_or_none(float(min(lowest - low, high - highest) / half)) if np.isfinite(half) and half > 0.0 else None)
    return found


def _packed(values: Any, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")
