"""Friction for other programs: as code, and as what a description format can hold of it with the sentences about what it can't.

Code comes from a model's own NumPy formulas, given variables of the generated code where they expect arrays. NumPy hands every function
of single elements that is called with a foreign object to that object (`__array_ufunc__`), so one formula gives columns with arrays,
C with the nodes of a `Graph`, and a line of Python with a `Formula`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from dynident.core.arrays import Array, BoolArray
from dynident.core.linear_algebra import constrained_least_squares
from dynident.dynamics.friction.dissipation import braking_factors
from dynident.dynamics.friction.model import FrictionModel, Motion, Symmetry
from dynident.errors import InputError, require
from dynident.exports.code.graph import Graph, Node
from dynident.exports.export_model import ExportModel

#: Speeds of each direction over which friction is fitted that a format can't hold as it is.
SPEEDS = 50
#: A fitted number below this share of the largest friction is zero.
_ROUNDING = 1e-9
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


def friction_nodes(model: ExportModel, graph: Graph, motion: Motion) -> list[Node]:
    """(n,) friction torque of every joint as an expression. motion : lists of n nodes."""
    torques = [graph.node(0.0)] * model.robot.n
    if model.friction is None or model.friction_parameters is None:
        return torques
    for i in range(model.robot.n):
        values = model.friction.values_of(i, model.friction_parameters[i])
        for part in model.friction.of_joint(i).parts:
            if part.mixing is None:
                for name, term in zip(part.parameter_names, _terms(part, Motion(*(nodes[i] for nodes in motion))), strict=True):
                    torques[i] = torques[i] + values[name] * graph.node(term)
    for part, numbers in model.friction_terms():
        if part.mixing is not None:
            for i in np.flatnonzero(numbers).tolist():
                (term,) = _terms(part, Motion(*(_mix(graph, nodes, part.mixing[:, i]) for nodes in motion[:3])))
                torques[i] = torques[i] + float(numbers[i, 0]) * graph.node(term)
    return torques


def _mix(graph: Graph, nodes: Sequence[Node], shares: Array) -> Node:
    """The motion of a motor that several joints turn."""
    mixed = graph.node(0.0)
    for k in np.flatnonzero(shares).tolist():
        mixed = mixed + float(shares[k]) * nodes[k]
    return mixed


class FrictionTerm(NamedTuple):
    """One term of the friction torque in Python. constant : name of its numbers; numbers : (n,) of the joints; formula : their factor."""

    constant: str
    unit: str
    numbers: Array
    formula: str


def friction_formulas(model: ExportModel) -> Iterator[FrictionTerm]:
    """Every term of the friction torque. Shape constants that differ from joint to joint are arrays of numbers."""
    motion, taken = Motion(*(Formula(name) for name in Motion._fields)), set[str]()
    for part, numbers in model.friction_terms():
        terms = zip(part.parameter_names, part.unit_texts(model.robot.joints), numbers.T, _terms(part, part.see(motion)), strict=True)
        for name, unit, column, term in terms:
            # joints with other models may share the name of a parameter
            constant = f"FRICTION_{name}" if name not in taken else f"FRICTION_{name}_OF_{part.name}"
            taken.add(name)
            yield FrictionTerm(constant.upper(), unit, column, _factor(term))


def _factor(value: Formula | Array | float) -> str:
    """Text that can stand beside a sign; a sum or product in parentheses."""
    return _text(value) if not isinstance(value, Formula) or value.single else f"({value.text})"


def _text(value: Formula | Array | float) -> str:
    if isinstance(value, Formula):
        return value.text
    return array_text(value) if isinstance(value, np.ndarray) else repr(float(value))


def array_text(values: Array) -> str:
    """An array whose numbers come back to the last bit."""
    if values.ndim == 1:
        return f"np.array({(values + 0.0).tolist()!r})"
    rows = [f"    {(row + 0.0).tolist()!r}," for row in values]
    return "\n".join(["np.array([", *rows, "])"])


def _terms(part: FrictionModel, motion: Motion) -> tuple[Any, ...]:
    try:
        return part.terms(motion)
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
    """What a description format can say of a joint. friction : its attributes for viscous and for Coulomb friction, neither of which can
    be negative; inertia : for the rotor's inertia."""

    format_name: str
    friction: tuple[str, str]
    inertia: tuple[str, ...] = ()


def express_friction(model: ExportModel, known: JointAttributes) -> ExpressedFriction:
    """Friction as far as a format has attributes for it.

    A joint's parameters that have an attribute are written as they are, if none is negative and the others don't show at constant speed.
    Else viscous and Coulomb friction that are not negative are fitted to the joint's friction over the speeds of the log.
    What the model has no term for is part of its other numbers, or zero: a file's own friction or armature would count twice.
    Without a friction model the file's friction stays, but not its armature, which the identified inertia contains.
    """
    values: dict[str, Array] = {}
    notes: list[str] = []
    joints, refit = model.robot.joint_names, _beyond_attributes(model, known)
    for part, numbers in model.friction_terms():
        for parameter, column in zip(part.parameters, numbers.T, strict=True):
            attribute = parameter.attributes.get(known.format_name)
            if attribute is None and not np.any(column):
                continue  # nothing is left out
            if attribute is None:
                what = f"{known.format_name} can't hold {part.name} ({parameter.name}: {_listing(joints, column)})"
                reason = f" because it has no attribute for {parameter.reason}," if parameter.reason else ""
                acts = part.symmetry is not Symmetry.EVEN and np.all(refit[column != 0.0])
                notes.append(f"{what},{reason} so {'another law is fitted' if acts else 'it is left out'}")
                continue
            if parameter.lost:
                notes.append(f"{attribute} has no place for {parameter.lost}, so that is left out")
            if attribute in known.inertia and np.any(column < 0.0):
                negative = ", ".join(joint for joint, value in zip(joints, column, strict=True) if value < 0.0)
                notes.append(f"{attribute} of {negative} would be negative, which simulators refuse, so it is 0")
            values[attribute] = values.get(attribute, 0.0) + np.maximum(column, 0.0)
    if np.any(refit):
        fitted, cost = _fit_attributes(model, refit)
        notes.append(f"{known.format_name} holds viscous and Coulomb friction that are not negative; {cost}")
        for attribute, column in zip(known.friction, fitted.T, strict=True):
            values[attribute] = np.where(refit, column, values.get(attribute, 0.0))
    described = known.inertia if model.friction is None else (*known.friction, *known.inertia)
    return ExpressedFriction(values, tuple(sorted(set(described) - set(values))), tuple(notes))


def _beyond_attributes(model: ExportModel, known: JointAttributes) -> BoolArray:
    """(n,) joints whose friction at constant speed is not what the attributes can say of it."""
    beyond, n = np.zeros(model.robot.n, dtype=bool), model.robot.n
    if model.friction is None or model.friction_parameters is None:
        return beyond
    for j in range(n):
        parameters = {parameter.name: parameter for part in model.friction.of_joint(j).parts for parameter in part.parameters}
        acting = np.any(braking_factors(model.friction, j, _speeds(model, j), n) != 0.0, axis=0)
        for i, slot in np.argwhere(acting & (model.friction_parameters != 0.0)).tolist():
            parameter = parameters.get(model.friction.parameter_names[slot])
            held = i == j and parameter is not None and known.format_name in parameter.attributes
            beyond[j] |= not held or float(model.friction_parameters[i, slot]) < 0.0
    return beyond


def _fit_attributes(model: ExportModel, refit: BoolArray) -> tuple[Array, str]:
    """(n, 2) viscous and Coulomb friction, not negative, nearest to the friction of these joints over the speeds of the log; and what that
    costs, in words."""
    friction, parameters = require(model.friction, "the friction model"), require(model.friction_parameters, "the friction")
    fitted, costs = np.zeros((model.robot.n, 2)), list[str]()
    for j in np.flatnonzero(refit).tolist():
        dq, joint = _speeds(model, j), model.robot.joints[j]
        braking = np.sign(dq) * np.einsum("snk,nk->s", braking_factors(friction, j, dq, model.robot.n), parameters)
        A = np.column_stack([np.abs(dq), np.ones_like(dq)])
        solution = constrained_least_squares(A, braking, np.eye(2))
        fitted[j] = np.where(solution > _ROUNDING * np.abs(braking).max(), solution, 0.0)
        rms = float(np.linalg.norm(A @ fitted[j] - braking)) / np.sqrt(len(dq))
        costs.append(f"{joint.name} {rms:.2g} {joint.units.effort} (up to {float(np.abs(dq).max()):.2g} {joint.units.velocity})")
    unknown = "speeds up to the joints' limits, because those of the log are not known"
    over = unknown if model.reached is None else "the speeds of the log"
    return fitted, f"where a joint's friction is another, both were fitted to it over {over}, which costs, as RMS: {', '.join(costs)}"


def _speeds(model: ExportModel, joint: int) -> Array:
    """(2 s,) velocities of a joint in both directions, evenly up to the largest of the log; else up to its limit, or to 1 rad/s | m/s."""
    limit = model.robot.joints[joint].velocity
    largest = 0.0 if model.reached is None else float(model.reached[joint].max())
    if largest <= 0.0:
        largest = limit if np.isfinite(limit) and limit > 0.0 else 1.0
    forward = largest * np.arange(1, SPEEDS + 1) / SPEEDS
    return np.concatenate([-forward, forward])


def _listing(joints: tuple[str, ...], values: Array) -> str:
    """Of the joints that have such a term; another is zero in the table."""
    return ", ".join(f"{joint} {value:.6g}" for joint, value in zip(joints, values, strict=True) if value != 0.0)
