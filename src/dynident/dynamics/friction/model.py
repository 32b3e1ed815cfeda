"""What a friction model is: one formula per parameter, so that a joint's friction torque is linear in its parameters.

A model belongs to no robot. It turns the motion of joints into k columns of each:

    torque[i, j] = columns[i, j, :] @ parameters[j, :]

Everything that the rest of the package asks of a model it asks here. A new model gives `name`, `parameters` and `terms`, declares
its symmetry and whether it is dissipative, and has the rest from `FrictionModel`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array
from dynident.errors import InputError, Remedy, ShapeError, ValueRangeError
from dynident.robots.robot import Joint, JointType

#: Temperature at which what depends on it is as if there were no such dependence [°C].
REFERENCE_TEMPERATURE = 25.0
#: What stays when the motion is reversed (an offset), as a share of what friction can be: published tables of four arms (Panda, TX40,
#: UR10, WAM; 26 joints) have offsets of 0.18 times the Coulomb friction in the median, 0.46 times in the root mean square.
OFFSET_SHARE = 1.0 / 3.0


class Motion(NamedTuple):
    """How joints move, and what else friction may depend on; (N, n) each, or variables of code that is generated.

    Attributes
    ----------
    q, dq, ddq
        Position, velocity, acceleration [rad | m, per second, per second²].
    load : (N, n) or None
        Torque that a joint transmits to its link [N·m | N].
    temperature : (N, n) or None
        Of a joint [°C].
    """

    q: Any
    dq: Any
    ddq: Any
    load: Any = None
    temperature: Any = None

    @staticmethod
    def steady(velocity: ArrayLike) -> Motion:
        """Constant velocity (N, n) through position zero, without load, at the reference temperature."""
        dq = np.asarray(velocity, dtype=float)
        still = np.zeros_like(dq)
        return Motion(still, dq, still, still, np.full_like(dq, REFERENCE_TEMPERATURE))


#: What a motion is asked for under the name of a field.
_FIELDS = {"q": "position", "dq": "velocity", "ddq": "acceleration", "load": "load", "temperature": "temperature"}
#: What to do where a motion has none of what a model needs.
_LACKING = {
    "load": Remedy("give the torque that each joint transmits, such as the measured effort, as load of the motion"),
    "temperature": Remedy("name the columns that hold it, such as {columns}", columns={"temperature": "temperature*"}),
}


class Symmetry(Enum):
    """What happens to the torque when the motion is reversed, (dq, ddq) -> (-dq, -ddq) with all else as it is."""

    ODD = "changes its sign"
    EVEN = "stays the same"
    NONE = "changes in another way"


class JointUnit(NamedTuple):
    """A unit for the two kinds of joint; continuous joints are revolute."""

    revolute: str
    prismatic: str

    def of(self, joint: JointType) -> str:
        return self.prismatic if joint is JointType.PRISMATIC else self.revolute

    @property
    def in_brackets(self) -> str:
        """ " [rad/s | m/s]", empty for a number."""
        both = self.revolute if self.revolute == self.prismatic else f"{self.revolute} | {self.prismatic}"
        return f" [{both}]" if both else ""


TORQUE = JointUnit("N·m", "N")
TORQUE_PER_VELOCITY = JointUnit("N·m·s/rad", "N·s/m")
INERTIA = JointUnit("kg·m²", "kg")
VELOCITY = JointUnit("rad/s", "m/s")
POSITION = JointUnit("rad", "m")
NUMBER = JointUnit("", "")


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter that the torque is linear in, and what is known about it beforehand.

    Attributes
    ----------
    name : str
        Letters; that of joint 3 is called name3 in tables, constraints and files.
    symbol : str
        What the papers call it, where that is something else.
    unit : JointUnit
        Of the torque per unit of its column.
    nonnegative : bool
        Whether a negative value is impossible. None: as far as the model is dissipative.
    typical : float
        Of an ordinary arm, as a share of the joint's effort limit; None where none can be said.
    attributes : dict
        The joint attribute that means it, per description format: {"URDF": "damping"}. Others can't hold it.
    reason : str
        Why the others can't: what they have no attribute for.
    lost : str
        What even these attributes have no place for.
    motion : str
        The motion that shows it, as advice to "these joints".
    negative : str
        What a negative value would be.
    """

    name: str
    symbol: str = ""
    unit: JointUnit = TORQUE
    nonnegative: bool | None = None
    typical: float | None = None
    attributes: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    reason: str = ""
    lost: str = ""
    motion: str = "move these joints over their whole range of speeds"
    negative: str = "friction that drives the motion"


@dataclass(frozen=True, kw_only=True)
class ShapeConstant:
    """A constant that the torque is not linear in: the model's field of that name.

    Attributes
    ----------
    name : str
        Of the field.
    symbol
        What the papers call it, where that is something else.
    unit : JointUnit
        Of the constant.
    default : float
        Where no value is given.
    lower, upper
        Where to look for it.
    fixed
        It is known from elsewhere (a gear ratio) or a matter of choice, and not fitted unless that is asked for.
    """

    name: str
    symbol: str = ""
    unit: JointUnit
    default: float
    lower: float
    upper: float
    fixed: bool = False


def label(item: Parameter | ShapeConstant) -> str:
    """How tables call a constant: "fsig (φ1)", with the name that the papers give it."""
    return f"{item.name} ({item.symbol})" if item.symbol else item.name


class SharedParameter(NamedTuple):
    """A parameter of one joint that acts on several: that of a motor that turns them. Joints are counted from 0."""

    joint: int
    name: str
    acts_on: tuple[int, ...]


class FrictionModel(ABC):
    """A joint friction model that is linear in its k parameters.

    Attributes
    ----------
    name : str
        The name in the registry.
    parameters : (k,)
        One joint's parameters.
    shapes : tuple
        Constants that it is not linear in; those of a combination are its parts'.
    symmetry : Symmetry
        The contract suite checks it.
    dissipative : bool
        With parameters >= 0 the model only takes energy out of the motion: torque · dq >= 0. Checked too.
    needs : frozenset
        What it uses of a motion beside q, dq and ddq: "load", "temperature". Its jump at rest may depend on these, and on nothing else.
    joints : int or None
        How many joints it is for; None for any number.
    shared : tuple
        Parameters that act on joints beside their own.
    mixing : (n, n) array
        What its terms see is motion @ mixing, where joints turn a motor together; None: the joint's own motion.
    """

    name: str
    parameters: tuple[Parameter, ...]
    shapes: tuple[ShapeConstant, ...] = ()
    symmetry: Symmetry = Symmetry.NONE
    dissipative: bool = False
    needs: frozenset[str] = frozenset()
    joints: int | None = None
    shared: tuple[SharedParameter, ...] = ()
    mixing: Array | None = None

    @abstractmethod
    def terms(self, motion: Motion) -> tuple[Any, ...]:
        """(k,) the column of each parameter as a formula of a joint's motion.

        motion.dq and its other fields are arrays here, but names of variables when the formula is written as C or Python: use
        + - * / and functions of NumPy that work element by element, such as np.sign(motion.dq); a constant column is a plain number.
        """

    def columns(self, motion: Motion) -> Array:
        """Regressor columns (N, n, k); zero where a joint's own model has no such parameter."""
        checked = self._check_motion(motion)
        phi = np.empty((*checked.dq.shape, len(self.parameters)))
        for k, term in zip(range(len(self.parameters)), self.terms(self.see(checked)), strict=True):
            phi[..., k] = term
        return phi

    def see(self, motion: Motion) -> Motion:
        """What its terms are evaluated at, of the motion of all joints."""
        return motion if self.mixing is None else Motion(*(np.matmul(values, self.mixing) for values in motion[:3]))

    def shared_columns(self, motion: Motion) -> Array:
        """(N, n, shared) the columns of the shared parameters in the rows of all joints, their own included."""
        return np.zeros((*np.shape(motion.dq), 0))

    def of_joint(self, joint: int) -> FrictionModel:
        """The model of one joint, from 0."""
        return self

    def _check_motion(self, motion: Motion) -> Motion:
        """The motion as float arrays of one shape (N, n), with all that the model needs."""
        remedy = "remove those samples first"
        dq = check_array("velocity", motion.dq, (None, self.joints), f"(N, {self.joints or 'n'}) = (samples, joints)", remedy=remedy)
        expected = f"{dq.shape}, the shape of velocity = (samples, joints)"
        checked: dict[str, Array] = {"dq": dq}
        for name in ("q", "ddq", *sorted(self.needs)):
            values = getattr(motion, name)
            if values is None:
                raise InputError(f"friction model {self.name!r} needs the {_FIELDS[name]} of the joints", remedy=_LACKING[name])
            checked[name] = check_array(_FIELDS[name], values, dq.shape, expected, remedy=remedy)
        return Motion(**checked)

    @property
    def parts(self) -> tuple[FrictionModel, ...]:
        """The single models whose torques add up to this one's."""
        return (self,)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """(k,) names of one joint's parameters, such as fv."""
        return tuple(parameter.name for parameter in self.parameters)

    def units_of(self, joint: JointType) -> tuple[str, ...]:
        """(k,) units of the parameters for that kind of joint."""
        return tuple(parameter.unit.of(joint) for parameter in self.parameters)

    @property
    def nonnegative(self) -> tuple[bool, ...]:
        """(k,) whether a parameter can't be negative."""
        return tuple(
            part.dissipative if parameter.nonnegative is None else parameter.nonnegative
            for part in self.parts
            for parameter in part.parameters
        )

    @property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """(k,) what happens to each parameter's torque when the motion is reversed."""
        return tuple(part.symmetry for part in self.parts for _ in part.parameters)

    @property
    def shape_names(self) -> tuple[str, ...]:
        """Names of the shape constants of its parts, fixed ones too, each once."""
        return tuple(self._shapes)

    @property
    def _shapes(self) -> dict[str, ShapeConstant]:
        return {shape.name: shape for part in self.parts for shape in part.shapes}

    def headings(self, joints: Iterable[Joint], *, shapes: bool = False) -> tuple[str, ...]:
        """(k,) a table's heading per parameter, "fv [N·m·s/rad]" or "fsig (φ1) [N·m]"; shapes : one per shape constant after these."""
        kinds = _kinds(joints)
        items = (*self.parameters, *(self._shapes.values() if shapes else ()))
        return tuple(f"{label(item)} [{unit}]" if (unit := _unit_text(item.unit, kinds)) else label(item) for item in items)

    def unit_texts(self, joints: Iterable[Joint]) -> tuple[str, ...]:
        """(k,) the units of parameters of all these joints, "N·m or N" where both kinds are among them."""
        kinds = _kinds(joints)
        return tuple(_unit_text(parameter.unit, kinds) for parameter in self.parameters)

    def values_of(self, joint: int, row: ArrayLike) -> dict[str, float]:
        """A joint's own parameters by name, out of its row (k,) of a table of all."""
        names = self.of_joint(joint).parameter_names
        named = zip(self.parameter_names, np.asarray(row, dtype=float).tolist(), strict=True)
        return {name: value for name, value in named if name in names}

    def change_laws(self, change: Callable[[FrictionModel], FrictionModel]) -> FrictionModel:
        """The model with another law of friction wherever it has one: in joints, and in motors that turn several."""
        return change(self)

    def shapes_by_name(self) -> dict[str, float]:
        """The shape constants that a single joint's model has; of parts that share a name the last one's."""
        return {shape.name: float(getattr(part, shape.name)) for part in self.parts for shape in part.shapes}

    def split(self, parameters: Array) -> tuple[tuple[FrictionModel, Array], ...]:
        """The parts, each with its own columns of `parameters` (n, k)."""
        ends = np.cumsum([len(part.parameters) for part in self.parts])
        return tuple(zip(self.parts, np.split(parameters, ends[:-1], axis=1), strict=True))


def _kinds(joints: Iterable[Joint]) -> list[JointType]:
    """One joint type of each kind that occurs, turning ones first."""
    kinds = {joint.type is JointType.PRISMATIC: joint.type for joint in joints}
    return [kinds[sliding] for sliding in sorted(kinds)]


def _unit_text(unit: JointUnit, kinds: Iterable[JointType]) -> str:
    return " or ".join(dict.fromkeys(unit.of(kind) for kind in kinds))


def check_shapes(model: FrictionModel, *, positive: Sequence[str] = ()) -> None:
    """ValueRangeError where a shape constant is no finite number, or not positive where it must be."""
    for shape in model.shapes:
        value = getattr(model, shape.name)
        if not np.isfinite(value) or (shape.name in positive and value <= 0.0):
            expected = "a positive number" if shape.name in positive else "a finite number"
            raise ValueRangeError(
                shape.name, f"of friction model {model.name!r} is {value}; {expected}{shape.unit.in_brackets} was expected"
            )


def friction_torque(model: FrictionModel, parameters: ArrayLike, motion: Motion) -> Array:
    """Friction torque (N, n) [N·m | N], to be added to the rigid-body torque.

    Parameters
    ----------
    model : FrictionModel
        The model.
    parameters : (n, k) array_like
        Row j holds the parameters of joint j, in the order of `model.parameter_names`.
    motion : Motion
        What the friction depends on, (N, n) each.

    Returns
    -------
    (N, n) array
        Torque of each joint [N·m | N].
    """
    phi = model.columns(motion)
    theta = np.asarray(parameters, dtype=float)
    expected = phi.shape[1:]
    if theta.shape != expected:
        raise ShapeError("parameters", theta.shape, f"{expected} = (joints, {', '.join(model.parameter_names)})")
    torque = np.einsum("ijk,jk->ij", phi, theta)
    for (joint, name, acts_on), column in zip(model.shared, np.moveaxis(model.shared_columns(motion), -1, 0), strict=True):
        others = [other for other in acts_on if other != joint]
        torque[:, others] += theta[joint, model.parameter_names.index(name)] * column[:, others]
    return torque
