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
from dynident.reports.figures import numbers, thin
from dynident.reports.html import asset, environment, style
from dynident.reports.page import Page
from dynident.reports.robot_figures import ellipsoid, shown_position
from dynident.robots.kinematics import arm_reach, joint_constants
from dynident.robots.robot import JointType, Robot
from dynident.robots.shapes import BodyTriangles, robot_shapes, solid_shape
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
    template = environment().get_template("view.html")
    return Page(
        f"{robot.name}: view",
        template.render(title=robot.name, source=robot.source, style=style("view.css"), script=asset("view.js"), content=text),
    )


def _shape(shape: BodyTriangles) -> dict[str, Any]:
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
    rows = np.zeros((robot.n, 10)) if parameters is None else parameters
    bodies = [(float(row[0]), ellipsoid(row)) for row in rows]
    return [
        None if body is None else {"mass": mass, **{name: numbers(values) for name, values in body._asdict().items()}}
        for mass, body in bodies
    ]


def _motion(robot: Robot, motion: Dataset) -> dict[str, Any]:
    """Samples, and how much of each limit the whole motion leaves: as a share of it, of positions as a share of half the range."""
    dq = motion.dq if motion.dq is not None else np.gradient(motion.q, motion.time, axis=0)
    low, high = robot.position_limits.T
    parts = [("velocity", dq, robot.velocity_limits), ("effort", motion.effort, np.array([joint.effort for joint in robot.joints]))]
    with np.errstate(invalid="ignore", divide="ignore"):  # where there is no limit
        reserve = {"position": np.minimum(motion.q.min(axis=0) - low, high - motion.q.max(axis=0)) / (0.5 * (high - low))}
        for name, values, limit in parts:
            if values is not None:
                reserve[name] = 1.0 - np.where(limit > 0.0, np.abs(values).max(axis=0), np.nan) / limit
    shown = thin(len(motion.time), _MOST_SAMPLES)
    return {
        "source": motion.source,
        "time": numbers(motion.time[shown] - motion.time[0]),
        "q": _packed(motion.q[shown], "<f4"),
        "dq": _packed(dq[shown], "<f4"),
        "effort": None if motion.effort is None else _packed(motion.effort[shown], "<f4"),
        "reserve": {name: [finite_or_none(share) for share in shares.tolist()] for name, shares in reserve.items()},
    }


def _packed(values: Any, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")
