"""Friction for other programs: as code, and as what a description format can hold of it with the sentences about what it can't.

Code comes from a model's own NumPy formulas, given variables of the generated code where they expect arrays. NumPy hands every function
of single elements that is called with a foreign object to that object (`__array_ufunc__`), so one formula gives columns with arrays,
C with the nodes of a `Graph`, and a line of Python with a `Formula`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from dynident.core.arrays import Array
from dynident.errors import InputError
from dynident.exports.code.graph import Graph, Node
from dynident.exports.export_model import ExportModel
from dynident.friction.model import FrictionModel, Parameter

_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "power": "**"}


class Formula(NDArrayOperatorsMixin):
    """A NumPy formula as text. single : it binds as tightly as a name does."""

    def __init__(self, text: str, *, single: bool = True) -> None:
        self.text = text
        self.single = single

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any) -> Formula:
        sign = _SIGNS.get(ufunc.__name__)
        if sign is not None:
            return Formula(f" {sign} ".join(_factor(value) for value in inputs), single=False)
        return Formula(f"np.{ufunc.__name__}({', '.join(_text(value) for value in inputs)})")


def friction_nodes(model: ExportModel, graph: Graph) -> list[Node]:
    """(n,) friction torque of every joint as an expression of dq and ddq."""
    torques = [graph.node(0.0)] * model.robot.n
    for part, numbers in model.friction_terms():
        for i, row in enumerate(numbers.tolist()):
            for value, term in zip(row, _terms(part, graph.input(f"dq[{i}]"), graph.input(f"ddq[{i}]")), strict=True):
                torques[i] = torques[i] + value * graph.node(term)
    return torques


def friction_formulas(model: FrictionModel) -> Iterator[tuple[Parameter, str]]:
    """Each parameter with its column as a factor in Python."""
    for part in model.parts:
        for parameter, term in zip(part.parameters, _terms(part, Formula("dq"), Formula("ddq")), strict=True):
            yield parameter, _factor(term)


def _factor(value: Formula | float) -> str:
    """Text that can stand beside a sign; a sum or product in parentheses."""
    return _text(value) if not isinstance(value, Formula) or value.single else f"({value.text})"


def _text(value: Formula | float) -> str:
    return value.text if isinstance(value, Formula) else repr(float(value))


def _terms(part: FrictionModel, dq: Node | Formula, ddq: Node | Formula) -> tuple[Any, ...]:
    try:
        return part.terms(dq, ddq)
    except TypeError as error:
        raise InputError(
            f"friction model {part.name!r} can't be written as code ({error}); "
            "its formulas may use + - * / ** and NumPy's functions of single elements, such as np.sign and np.maximum"
        ) from error


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
