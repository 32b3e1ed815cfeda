"""Another friction model, or other shape constants, for every joint.

What the joints' models share is evaluated once, with a number per joint for each shape constant, so that this costs as much as one
model of all that occurs.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dynident.core.arrays import Array
from dynident.dynamics.friction.model import FrictionModel, Motion, Parameter, Symmetry
from dynident.errors import ValueRangeError


class _Kind(NamedTuple):
    """A single model that some of the joints have.

    part : FrictionModel   Its shape constants are (n,) where they differ.
    slots : (k_part,)      Places of its parameters among those of all.
    owners : (n,)          1 for the joints that have it, 0 for the others; None where all have.
    """

    part: FrictionModel
    slots: tuple[int, ...]
    owners: Array | None


@dataclass(frozen=True)
class PerJoint(FrictionModel):
    """Joint j has the friction of models[j]; the parameters are all that occur, by name, and a joint may lack some of them.

    Attributes
    ----------
    models : tuple of FrictionModel
        One per joint.
    """

    models: tuple[FrictionModel, ...]

    def __post_init__(self) -> None:
        if not self.models:
            raise ValueRangeError("models", "is empty; a friction model is needed for every joint")
        if any(model.joints is not None for model in self.models):
            raise ValueRangeError("models", "has one that is itself made of a model per joint; give single models and combinations")
        symmetries = {model.symmetry for model in self.models}
        vars(self).update(
            name=" | ".join(dict.fromkeys(model.name for model in self.models)),
            parameters=_union(parameter for model in self.models for parameter in model.parameters),
            symmetry=symmetries.pop() if len(symmetries) == 1 else Symmetry.NONE,
            dissipative=all(model.dissipative for model in self.models),
            needs=frozenset().union(*(model.needs for model in self.models)),
            joints=len(self.models),
        )

    def of_joint(self, joint: int) -> FrictionModel:
        return self.models[joint]

    @property
    def parts(self) -> tuple[FrictionModel, ...]:
        return tuple(kind.part for kind in self._kinds)

    @property
    def nonnegative(self) -> tuple[bool, ...]:
        """(k,) whether a parameter can't be negative in any joint that has it."""
        flags = [dict(zip(model.parameter_names, model.nonnegative, strict=True)) for model in self.models]
        return tuple(all(joint.get(name, True) for joint in flags) for name in self.parameter_names)

    def split(self, parameters: Array) -> tuple[tuple[FrictionModel, Array], ...]:
        """The parts, each with its own columns of `parameters` (n, k), zero for the joints that lack it."""
        parts = [(kind, parameters[:, kind.slots]) for kind in self._kinds]
        return tuple((kind.part, values if kind.owners is None else values * kind.owners[:, None]) for kind, values in parts)

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        """(k,) of all joints at once; code is written from the models of the single joints."""
        terms: list[Any] = [0.0] * len(self.parameters)
        for part, slots, owners in self._kinds:
            for slot, term in zip(slots, part.terms(motion), strict=True):
                terms[slot] = terms[slot] + (term if owners is None else term * owners)
        return tuple(terms)

    @cached_property
    def _kinds(self) -> tuple[_Kind, ...]:
        owners: dict[tuple[object, ...], dict[int, FrictionModel]] = {}
        for joint, model in enumerate(self.models):
            for part in model.parts:
                owners.setdefault(_identity(part), {})[joint] = part
        places = {name: slot for slot, name in enumerate(self.parameter_names)}
        return tuple(
            _Kind(
                _stack(parts, len(self.models)),
                tuple(places[name] for name in next(iter(parts.values())).parameter_names),
                None if len(parts) == len(self.models) else np.isin(np.arange(len(self.models)), list(parts)).astype(float),
            )
            for parts in owners.values()
        )


def _union(parameters: Iterable[Parameter]) -> tuple[Parameter, ...]:
    """Each name once, as it occurs first."""
    union: dict[str, Parameter] = {}
    for parameter in parameters:
        first = union.setdefault(parameter.name, parameter)
        if first.unit != parameter.unit:
            raise ValueRangeError("models", f"have a parameter {parameter.name} in {first.unit.revolute} and in {parameter.unit.revolute}")
    return tuple(union.values())


def _identity(part: FrictionModel) -> tuple[object, ...]:
    """What parts that differ in their shape constants alone have in common."""
    shapes = {shape.name for shape in part.shapes}
    names = [field.name for field in fields(part)] if is_dataclass(part) else []
    fixed = tuple(getattr(part, name) for name in names if name not in shapes)
    return (type(part), part.parameter_names, *fixed)


def _stack(parts: dict[int, FrictionModel], joints: int) -> FrictionModel:
    """One part for all joints, with (n,) shape constants where they differ; joints that lack it have those of another."""
    first = next(iter(parts.values()))
    stacked = copy(first)
    for shape in first.shapes:
        values = [float(getattr(parts.get(joint, first), shape.name)) for joint in range(joints)]
        if len(set(values)) > 1:
            vars(stacked)[shape.name] = np.array(values)  # past the checks, which every single part has passed
    return stacked
