"""A robot as plain data, for people and other programs; records keep a robot by themselves."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, cast

import numpy as np

from dynident.robots.robot import Robot

SCHEMA = "dynident/robot/2"


def robot_to_dict(robot: Robot) -> dict[str, Any]:
    """Everything about a robot as texts, numbers and lists, ready for standard JSON; an infinite limit is the text "inf" or "-inf".

    Parameters
    ----------
    robot : Robot
        The robot.

    Returns
    -------
    dict
        What robot.json in a run folder holds.
    """
    return {"schema": SCHEMA, **_plain(robot)}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return cast("Any", value).tolist()
    if isinstance(value, tuple):
        return [_plain(item) for item in cast("tuple[Any, ...]", value)]
    if isinstance(value, Enum):
        return value.value
    return str(value) if isinstance(value, float) and math.isinf(value) else value  # JSON has no infinity
