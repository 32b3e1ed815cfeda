"""Limits from a YAML file: shares of the robot's own limits, other values per joint, and a workspace.

position_margin: 0.02
velocity: 1.5                     # one number for all joints, a list, or {joint: value}
velocity_scale: 0.9               # or shares of the description's limits
position: {joint2: [-1.0, 1.0]}
floor: 0.05
boxes: [{frames: [tool], lower: [-0.6, -0.6, 0.1], upper: [0.8, 0.6, 1.2]}]
clearance: 0.02                   # null: links may touch; floor: null: there is none
torque_factor: 1.3                # links weigh at most this many times what the description says, and at least one such part of it
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from dynident.core.arrays import Array
from dynident.core.fields import Fields, read_fields
from dynident.core.files import errors_in_file
from dynident.motions.limits.limits import Box, Limits, robot_limits, with_torque_factor
from dynident.motions.limits.torque import FACTOR
from dynident.robots.robot import Robot

_NUMBERS = ("position_margin", "velocity_scale", "acceleration_scale", "effort_scale", "jerk_scale", "floor", "clearance", "torque_factor")
#: Of these, a null switches the check off.
_NULL = ("floor", "clearance")
_PER_JOINT = ("velocity", "acceleration", "effort", "jerk")


def read_limits(path: str | Path, robot: Robot) -> Limits:
    """The limits in a YAML file; what it doesn't mention is as `robot_limits` has it.

    Parameters
    ----------
    path
        A YAML file.
    robot
        Whose limits these are.

    Returns
    -------
    Limits
        Of the robot, with what the file changes.

    Raises
    ------
    FileError
        Where it cannot be read, or holds something else.
    """
    fields = read_fields(path)
    fields.only((), ("position", *_PER_JOINT, *_NUMBERS, "boxes"))
    numbers: dict[str, Any] = {
        key: None if key in _NULL and fields.values[key] is None else fields.number(key, infinite=True)
        for key in _NUMBERS
        if fields.has(key)
    }
    boxes = tuple(_box(box, i) for i, box in enumerate(fields.sections("boxes"))) if fields.has("boxes") else ()
    with errors_in_file(path):
        limits = robot_limits(robot, boxes=boxes, **numbers)
        given = {key: _per_joint(fields, key, robot, getattr(limits, key)) for key in _PER_JOINT if fields.has(key)}
        if fields.has("position"):
            given["position"] = _with_margin(limits.position, _position(fields, robot), numbers.get("position_margin", 0.02))
        return with_torque_factor(robot, replace(limits, **given), numbers.get("torque_factor", FACTOR))


def _per_joint(fields: Fields, key: str, robot: Robot, known: Array) -> Array:
    """(n,) The known values with those that the file gives: one for all, one per joint, or by joint name."""
    if not isinstance(fields.values[key], dict):
        return fields.per_joint(key, robot.n, infinite=True)
    section, values = fields.section(key), np.array(known)
    for name in section.values:
        values[robot.joint_index(name)] = section.number(name, infinite=True)
    return values


def _position(fields: Fields, robot: Robot) -> Array:
    """(n, 2) The robot's position limits with those that the file gives, [lower, upper]: for all, per joint, or by joint name."""
    values, given = np.array(robot.position_limits), fields.values["position"]
    if isinstance(given, dict):
        section = fields.section("position")
        for name in section.values:
            values[robot.joint_index(name)] = section.numbers(name, 2, infinite=True)
    elif isinstance(given, list) and any(isinstance(item, list) for item in cast("list[object]", given)):
        rows = fields.rows("position", 2, infinite=True)
        if len(rows) != robot.n:
            raise fields.error("position", f"has {len(rows)} pairs; {robot.n} were expected, one per joint")
        values[:] = rows
    else:
        values[:] = fields.numbers("position", 2, infinite=True)
    return values


def _with_margin(described: Array, given: Array, margin: float) -> Array:
    """The file's own position limits get the margin too, and never widen those of the robot."""
    inner = given + margin * np.array([1.0, -1.0])
    return np.column_stack([np.maximum(described[:, 0], inner[:, 0]), np.minimum(described[:, 1], inner[:, 1])])


def _box(box: Fields, index: int) -> Box:
    """A null is where the box is open."""
    box.only((), ("lower", "upper", "frames", "name"))
    lower, upper = (
        box.numbers(side, 3, [open_] * 3, infinite=True, null=open_) if box.values.get(side, open_) is not None else np.full(3, open_)
        for side, open_ in (("lower", -np.inf), ("upper", np.inf))
    )
    return Box(lower=lower, upper=upper, frames=box.texts("frames"), name=box.text("name", f"workspace box {index + 1}"))
