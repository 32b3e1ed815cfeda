"""What a friction model is: one formula per parameter, so that a joint's friction torque is linear in its parameters.

A model belongs to no robot. It turns motion into columns, the same k columns for every joint:

    torque[i, j] = columns[i, j, :] @ parameters[j, :]

Everything that the rest of the package asks of a model it asks here. A new model gives `name`, `parameters` and `terms`, declares
its symmetry and whether it is dissipative, and has the rest from `FrictionModel`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array
from dynident.errors import ShapeError
from dynident.robots.robot import Joint, JointType


class Symmetry(Enum):
    """What happens to the torque when the motion is reversed, (dq, ddq) -> (-dq, -ddq)."""

    ODD = "changes its sign"
    EVEN = "stays the same"
    NONE = "changes in another way"


class Unit(NamedTuple):
    """A unit for the two kinds of joint; continuous joints are revolute."""

    revolute: str
    prismatic: str

    def of(self, joint: JointType) -> str:
        return self.prismatic if joint is JointType.PRISMATIC else self.revolute


TORQUE = Unit("N·m", "N")
TORQUE_PER_VELOCITY = Unit("N·m·s/rad", "N·s/m")
INERTIA = Unit("kg·m²", "kg")
VELOCITY = Unit("rad/s", "m/s")


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter that the torque is linear in, and what is known about it beforehand.

    name : str           Letters; that of joint 3 is called name3 in tables, constraints and files.
    unit : Unit          Of the torque per unit of its column.
    nonnegative : bool   Whether a negative value is impossible. None: as far as the model is dissipative.
    typical : float      Of an ordinary arm, as a share of the joint's effort limit; None where none can be said.
    attributes : dict    The joint attribute that means it, per description format: {"URDF": "damping"}. Others can't hold it.
    reason : str         Why the others can't: what they have no attribute for.
    lost : str           What even these attributes have no place for.
    motion : str         The motion that shows it, as advice to "these joints".
    negative : str       What a negative value would be.
    """

    name: str
    unit: Unit = TORQUE
    nonnegative: bool | None = None
    typical: float | None = None
    attributes: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    reason: str = ""
    lost: str = ""
    motion: str = "move these joints over their whole range of speeds"
    negative: str = "friction that drives the motion"


@dataclass(frozen=True, kw_only=True)
class ShapeConstant:
    """A constant that the torque is not linear in: the model's field of that name. lower, upper : where to look for it."""

    name: str
    unit: Unit
    default: float
    lower: float
    upper: float


class FrictionModel(ABC):
    """A joint friction model that is linear in its k parameters.

    name : str             The name in the registry.
    parameters : (k,)      One joint's parameters.
    shapes : tuple         Constants that it is not linear in; those of a combination are its parts'.
    symmetry : Symmetry    The contract suite checks it.
    dissipative : bool     With parameters >= 0 the model only takes energy out of the motion: torque · dq >= 0. Checked too.
    """

    name: str
    parameters: tuple[Parameter, ...]
    shapes: tuple[ShapeConstant, ...] = ()
    symmetry: Symmetry = Symmetry.NONE
    dissipative: bool = False

    @abstractmethod
    def terms(self, dq: Any, ddq: Any) -> tuple[Any, ...]:
        """(k,) the column of each parameter as a formula of a joint's velocity and acceleration.

        dq and ddq are arrays here, but names of variables when the formula is written as C or Python: use + - * / and functions of
        NumPy that work element by element, such as np.sign(dq); a constant column is a plain number.
        """

    def columns(self, velocity: ArrayLike, acceleration: ArrayLike) -> Array:
        """Regressor columns (N, n, k).

        velocity : (N, n)      Joint velocity [rad/s | m/s].
        acceleration : (N, n)  Joint acceleration [rad/s² | m/s²].
        """
        dq, ddq = _check_motion(velocity, acceleration)
        phi = np.empty((*dq.shape, len(self.parameters)))
        for k, term in zip(range(len(self.parameters)), self.terms(dq, ddq), strict=True):
            phi[..., k] = term
        return phi

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

    def headings(self, joints: Iterable[Joint]) -> tuple[str, ...]:
        """(k,) a table's heading per parameter, "fv [N·m·s/rad]"."""
        return tuple(f"{name} [{unit}]" for name, unit in zip(self.parameter_names, self.unit_texts(joints), strict=True))

    def unit_texts(self, joints: Iterable[Joint]) -> tuple[str, ...]:
        """(k,) the units of parameters of all these joints, "N·m or N" where both kinds are among them."""
        kinds = {joint.type is JointType.PRISMATIC: joint.type for joint in joints}
        return tuple(" or ".join(units) for units in zip(*(self.units_of(kinds[sliding]) for sliding in sorted(kinds)), strict=True))

    def split(self, parameters: Array) -> tuple[tuple[FrictionModel, Array], ...]:
        """The parts, each with its own columns of `parameters` (n, k)."""
        ends = np.cumsum([len(part.parameters) for part in self.parts])
        return tuple(zip(self.parts, np.split(parameters, ends[:-1], axis=1), strict=True))


def friction_torque(model: FrictionModel, parameters: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike) -> Array:
    """Friction torque (N, n) [N·m | N], to be added to the rigid-body torque.

    parameters : (n, k)  Row j holds the parameters of joint j, in the order of `model.parameter_names`.
    """
    phi = model.columns(velocity, acceleration)
    theta = np.asarray(parameters, dtype=float)
    expected = phi.shape[1:]
    if theta.shape != expected:
        raise ShapeError("parameters", theta.shape, f"{expected} = (joints, {', '.join(model.parameter_names)})")
    return np.einsum("ijk,jk->ij", phi, theta)


def _check_motion(velocity: ArrayLike, acceleration: ArrayLike) -> tuple[Array, Array]:
    """Velocity and acceleration as float arrays of one shape (N, n)."""
    dq = check_array("velocity", velocity, (None, None), "(N, n) = (samples, joints)", remedy="remove those samples first")
    expected = f"{dq.shape}, the shape of velocity = (samples, joints)"
    ddq = check_array("acceleration", acceleration, dq.shape, expected, remedy="remove those samples first")
    return dq, ddq
