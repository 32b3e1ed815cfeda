"""Limits from a YAML file: shares of the robot's own limits, other values per joint, and a workspace.

position_margin: 0.02
velocity: 1.5                     # one number for all joints, a list, or {joint: value}
velocity_scale: 0.9               # or shares of the description's limits
position: {joint2: [-1.0, 1.0]}
floor: 0.05
boxes: [{frames: [tool], lower: [-0.6, -0.6, 0.1], upper: [0.8, 0.6, 1.2]}]
clearance: 0.02
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import read_yaml
from dynident.errors import FileError, InputError
from dynident.excitation.limits.limits import Box, Limits, robot_limits
from dynident.robots.robot import Robot

_NUMBERS = ("position_margin", "velocity_scale", "acceleration_scale", "effort_scale", "floor", "clearance")
_PER_JOINT = ("position", "velocity", "acceleration", "effort")
_KEYS = (*_PER_JOINT, *_NUMBERS, "boxes")


def read_limits(path: str | Path, robot: Robot) -> Limits:
    """The limits in a YAML file; what it doesn't mention is as `robot_limits` has it."""
    content = read_yaml(path)
    for key in content:
        if key not in _KEYS:
            raise FileError(path, f"no limit named {key!r}; known: {', '.join(_KEYS)}")
    try:
        off = "clearance" in content and content["clearance"] is None  # links may touch
        numbers: dict[str, Any] = {
            key: _number(content[key], key) for key in _NUMBERS if key in content and not (off and key == "clearance")
        }
        numbers |= {"clearance": None} if off else {}
        boxes = tuple(_box(entry, i) for i, entry in enumerate(_list(content.get("boxes", []), "boxes")))
        limits = robot_limits(robot, boxes=boxes, **numbers)
        own = {key: _per_joint(robot, getattr(limits, key), content[key], key) for key in _PER_JOINT if key in content}
        if "position" in own:
            own["position"] = _with_margin(limits.position, own["position"], numbers.get("position_margin", 0.02))
        return replace(limits, **own)
    except InputError as error:
        raise FileError(path, str(error)) from None


def _per_joint(robot: Robot, known: Array, value: object, key: str) -> Array:
    """The robot's values with those that the file gives: all, one per joint, or by joint name."""
    values = np.array(robot.position_limits if key == "position" else known)
    if isinstance(value, Mapping):
        for name, entry in cast("Mapping[str, object]", value).items():
            values[robot.joint_index(name)] = _entry(entry, f"{key} of {name}", key)
        return values
    if isinstance(value, list) and not (key == "position" and _is_pair(cast("object", value))):
        entries = cast("list[object]", value)
        if len(entries) != robot.n:
            raise InputError(f"{key} has {len(entries)} entries; {robot.n} were expected, one per joint")
        return np.array([_entry(entry, f"{key}[{j}]", key) for j, entry in enumerate(entries)])
    values[:] = _entry(cast("object", value), key, key)
    return values


def _with_margin(described: Array, given: Array, margin: float) -> Array:
    """The file's own position limits get the margin too, and never widen those of the robot."""
    inner = given + margin * np.array([1.0, -1.0])
    return np.column_stack([np.maximum(described[:, 0], inner[:, 0]), np.minimum(described[:, 1], inner[:, 1])])


def _entry(value: object, name: str, key: str) -> float | list[float]:
    if key != "position":
        return _number(value, name)
    if not _is_pair(value):
        raise InputError(f"{name} is {value!r}; two numbers were expected, [lower, upper]")
    return [_number(part, name) for part in cast("Sequence[object]", value)]


def _is_pair(value: object) -> bool:
    parts = cast("list[object]", value) if isinstance(value, list) else []
    return len(parts) == 2 and not any(isinstance(part, list) for part in parts)


def _box(entry: object, index: int) -> Box:
    place = f"boxes[{index}]"
    if not isinstance(entry, Mapping):
        raise InputError(f"{place} is {entry!r}; a mapping with lower, upper and frames was expected")
    box = cast("Mapping[str, object]", entry)
    for key in box:
        if key not in ("lower", "upper", "frames", "name"):
            raise InputError(f"{place} has no {key!r}; known: lower, upper, frames, name")
    lower, upper = (_corner(box.get(side), f"{place}.{side}", open_) for side, open_ in (("lower", -np.inf), ("upper", np.inf)))
    frames = tuple(str(name) for name in _list(box.get("frames", []), f"{place}.frames"))
    return Box(lower=lower, upper=upper, frames=frames, name=str(box.get("name", f"workspace box {index + 1}")))


def _corner(value: object, name: str, open_: float) -> Array:
    if value is None:
        return np.full(3, open_)
    numbers = _list(value, name)
    if len(numbers) != 3:
        raise InputError(f"{name} has {len(numbers)} entries; 3 were expected (x, y, z), null where it is open")
    return np.array([open_ if number is None else _number(number, name) for number in numbers])


def _list(value: object, name: str) -> list[object]:
    if not isinstance(value, list):
        raise InputError(f"{name} is {value!r}; a list was expected")
    return cast("list[object]", value)


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or np.isnan(value):
        raise InputError(f"{name} is {value!r}; a number was expected")
    return float(value)
