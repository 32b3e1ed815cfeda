"""What a description format can hold of the joints' friction, and the sentences about what it can't."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.export.model import ExportModel


@dataclass(frozen=True)
class Held:
    """values : by attribute, (n,) one number per joint; zero : attributes that the model says are zero, where a file has them;
    notes : what is left out or changed."""

    values: Mapping[str, Array]
    zero: tuple[str, ...]
    notes: tuple[str, ...]

    def of_joint(self, i: int) -> dict[str, float]:
        """The attributes of joint i."""
        return {name: float(column[i]) for name, column in self.values.items()}


def held_friction(model: ExportModel, attributes: Mapping[str, str], format_name: str) -> Held:
    """The friction terms that a format has an attribute for ({"viscous": "damping"}); negative values are written as zero.

    What the model has no term for is part of its other numbers, or zero: a file's own friction or armature would count twice.
    Without a friction model the file's friction stays, but not its armature, which the identified inertia contains.
    """
    values: dict[str, Array] = {}
    notes: list[str] = []
    joints = model.robot.joint_names
    for kind, (term, numbers) in model.friction_terms().items():
        if kind not in attributes:
            for name, column in zip(term.parameter_names, numbers.T, strict=True):
                notes.append(f"{format_name} can't hold {kind} ({name}: {_listing(joints, column)}), so it is left out")
            continue
        column = numbers[:, 0]
        negative = [joint for joint, value in zip(joints, column, strict=True) if value < 0.0]
        if negative:
            notes.append(f"{attributes[kind]} of {', '.join(negative)} would be negative, which simulators refuse, so it is 0")
        if kind == "smooth_coulomb":
            notes.append(f"{attributes[kind]} is Coulomb friction with a jump at rest; the model's smooth passage through zero is left out")
        values[attributes[kind]] = np.maximum(column, 0.0)
    told = set(attributes.values()) if model.friction is not None else {attributes[kind] for kind in attributes if kind == "armature"}
    return Held(values, tuple(sorted(told - set(values))), tuple(notes))


def _listing(joints: tuple[str, ...], values: Array) -> str:
    return ", ".join(f"{joint} {value:.6g}" for joint, value in zip(joints, values, strict=True))
