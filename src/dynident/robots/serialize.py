"""A robot as plain data and back, every field to the last bit: results carry their robot along, whose file may move."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.errors import InputError
from dynident.robots.robot import Joint, JointType, Link, Robot, Source

SCHEMA = "dynident/robot/1"
_LIMITS = ("velocity", "acceleration", "effort")


def robot_to_dict(robot: Robot) -> dict[str, Any]:
    """Everything about a robot as texts, numbers and lists, ready for standard JSON; an infinite limit is the text "inf" or "-inf"."""
    return {
        "schema": SCHEMA,
        "name": robot.name,
        "gravity": robot.gravity.tolist(),
        "tool": robot.tool.tolist(),
        "joints": [_joint_to_dict(joint) for joint in robot.joints],
        "links": [_link_to_dict(link) for link in robot.links],
        "base_pieces": [_source_to_dict(piece) for piece in robot.base_pieces],
        "notes": list(robot.notes),
        "source": robot.source,
    }


def robot_from_dict(data: Mapping[str, Any]) -> Robot:
    """The robot that `robot_to_dict` wrote."""
    schema = data.get("schema")
    if schema != SCHEMA:
        raise InputError(f"the robot's schema is {schema!r}; this version of dynident reads {SCHEMA!r}")
    try:
        return Robot(
            name=data["name"],
            gravity=np.array(data["gravity"], dtype=float),
            tool=np.array(data["tool"], dtype=float),
            joints=tuple(_joint_from_dict(joint) for joint in data["joints"]),
            links=tuple(_link_from_dict(link) for link in data["links"]),
            base_pieces=tuple(_source_from_dict(piece) for piece in data["base_pieces"]),
            notes=tuple(data["notes"]),
            source=data["source"],
        )
    except KeyError as error:
        raise InputError(f"the robot lacks the key {error}; it must be as robot_to_dict writes it") from None
    except (TypeError, ValueError) as error:
        raise InputError(f"the robot is not as robot_to_dict writes it: {error}") from None


def _joint_to_dict(joint: Joint) -> dict[str, Any]:
    return {
        "name": joint.name,
        "type": joint.type.value,
        "parent": joint.parent,
        "placement": joint.placement.tolist(),
        "axis": joint.axis.tolist(),
        "position": [_limit(limit) for limit in joint.position],
        **{name: _limit(getattr(joint, name)) for name in _LIMITS},
    }


def _joint_from_dict(data: Mapping[str, Any]) -> Joint:
    low, high = data["position"]
    return Joint(
        name=data["name"],
        type=JointType(data["type"]),
        parent=data["parent"],
        placement=np.array(data["placement"], dtype=float),
        axis=np.array(data["axis"], dtype=float),
        position=(float(low), float(high)),
        velocity=float(data["velocity"]),
        acceleration=float(data["acceleration"]),
        effort=float(data["effort"]),
    )


def _link_to_dict(link: Link) -> dict[str, Any]:
    return {
        "name": link.name,
        "frame": link.frame,
        "placement": link.placement.tolist(),
        "parameters": _numbers(link.parameters),
        "pieces": [_source_to_dict(piece) for piece in link.pieces],
    }


def _link_from_dict(data: Mapping[str, Any]) -> Link:
    return Link(
        name=data["name"],
        frame=data["frame"],
        placement=np.array(data["placement"], dtype=float),
        parameters=_array(data["parameters"]),
        pieces=tuple(_source_from_dict(piece) for piece in data["pieces"]),
    )


def _source_to_dict(piece: Source) -> dict[str, Any]:
    return {"name": piece.name, "placement": piece.placement.tolist(), "parameters": _numbers(piece.parameters)}


def _source_from_dict(data: Mapping[str, Any]) -> Source:
    return Source(name=data["name"], placement=np.array(data["placement"], dtype=float), parameters=_array(data["parameters"]))


def _limit(value: float) -> float | str:
    """JSON has no infinity."""
    return value if math.isfinite(value) else "inf" if value > 0 else "-inf"


def _numbers(values: Array | None) -> list[float] | None:
    return None if values is None else values.tolist()


def _array(values: list[float] | None) -> Array | None:
    return None if values is None else np.array(values, dtype=float)
