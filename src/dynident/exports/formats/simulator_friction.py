"""What a description format can hold of the joints' friction, and the sentences about what it can't."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.exports.export_model import ExportModel


@dataclass(frozen=True)
class ExpressedFriction:
    """values : by attribute, (n,) one number per joint; zero : attributes that the model says are zero, where a file has them;
    notes : what is left out or changed."""

    values: Mapping[str, Array]
    zero: tuple[str, ...]
    notes: tuple[str, ...]

    def of_joint(self, i: int) -> dict[str, float]:
        """The attributes of joint i."""
        return {name: float(column[i]) for name, column in self.values.items()}


@dataclass(frozen=True)
class JointAttributes:
    """What a description format can say of a joint. friction, inertia : its attributes for friction and for the rotor's inertia."""

    format_name: str
    friction: tuple[str, ...]
    inertia: tuple[str, ...] = ()


def express_friction(model: ExportModel, known: JointAttributes) -> ExpressedFriction:
    """The friction parameters that a format has an attribute for; negative values are written as zero.

    What the model has no term for is part of its other numbers, or zero: a file's own friction or armature would count twice.
    Without a friction model the file's friction stays, but not its armature, which the identified inertia contains.
    """
    values: dict[str, Array] = {}
    notes: list[str] = []
    joints = model.robot.joint_names
    for part, numbers in model.friction_terms():
        for parameter, column in zip(part.parameters, numbers.T, strict=True):
            attribute = parameter.attributes.get(known.format_name)
            if attribute is None:
                what = f"{known.format_name} can't hold {part.name} ({parameter.name}: {_listing(joints, column)})"
                reason = f" because it has no attribute for {parameter.reason}," if parameter.reason else ""
                notes.append(f"{what},{reason} so it is left out")
                continue
            negative = [joint for joint, value in zip(joints, column, strict=True) if value < 0.0]
            if negative:
                notes.append(f"{attribute} of {', '.join(negative)} would be negative, which simulators refuse, so it is 0")
            if parameter.lost:
                notes.append(f"{attribute} has no place for {parameter.lost}, so that is left out")
            values[attribute] = values.get(attribute, 0.0) + np.maximum(column, 0.0)
    said = known.inertia if model.friction is None else (*known.friction, *known.inertia)
    return ExpressedFriction(values, tuple(sorted(set(said) - set(values))), tuple(notes))


def _listing(joints: tuple[str, ...], values: Array) -> str:
    return ", ".join(f"{joint} {value:.6g}" for joint, value in zip(joints, values, strict=True))
