"""A robot as plain data and back, every field to the last bit: results carry their robot along, whose file may move."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, cast

import numpy as np

from dynident.errors import InputError
from dynident.robots.body import Capsule
from dynident.robots.robot import Joint, Link, Robot, Source

SCHEMA = "dynident/robot/1"
#: Fields that files of earlier versions lack; their defaults hold then.
_LATER = ("floor", "apart", "capsules", "jerk", "home")


def robot_to_dict(robot: Robot) -> dict[str, Any]:
    """Everything about a robot as texts, numbers and lists, ready for standard JSON; an infinite limit is the text "inf" or "-inf".

    Parameters
    ----------
    robot : Robot
        The robot.

    Returns
    -------
    dict
        As `robot_from_dict` takes it.
    """
    return {"schema": SCHEMA, **_plain(robot)}


def robot_from_dict(data: Mapping[str, Any]) -> Robot:
    """The robot that `robot_to_dict` wrote.

    Parameters
    ----------
    data : mapping
        What `robot_to_dict` returned, or what JSON made of it.

    Returns
    -------
    Robot
        The same robot.
    """
    schema = data.get("schema")
    if schema != SCHEMA:
        raise InputError(f"the robot's schema is {schema!r}; this version of dynident reads {SCHEMA!r}")
    try:
        links = [{**link, "pieces": [_source(piece) for piece in link["pieces"]]} for link in data["links"]]
        parts = {
            "joints": [_make(Joint, joint) for joint in data["joints"]],
            "links": [_make(Link, link) for link in links],
            "base_pieces": [_source(piece) for piece in data["base_pieces"]],
        }
        return _make(Robot, {**data, **parts})
    except KeyError as error:
        raise InputError(f"the robot lacks the key {error}; it must be as robot_to_dict writes it") from None
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"the robot is not as robot_to_dict writes it: {error}") from None


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


def _source(piece: Mapping[str, Any]) -> Source:
    return _make(Source, {**piece, "capsules": [_make(Capsule, capsule) for capsule in piece.get("capsules", ())]})


def _make(kind: type[Any], data: Mapping[str, Any]) -> Any:
    """The dataclass, which checks and converts its fields itself; none but those of later versions may be left out."""
    return kind(**{field.name: data[field.name] for field in fields(kind) if field.name in data or field.name not in _LATER})
