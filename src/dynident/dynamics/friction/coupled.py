"""Motors that turn several joints, as in many wrists: what a motor feels by itself, its rotor and its friction, acts on all of them.

With motor = R · joint, motor i turns with r_i · joint, r_i = R[i] / R[i, i], seen through the gear of its own joint. Its torque t_i is
r_ij t_i in joint j. What is linear in the motion falls into what joint j feels when it moves alone, which is part of the joint's own
parameters, and what the others' motion adds: Ia_m ddq_k in one joint and Ia_m ddq_j in the other (Gautier, Janot, Vandanjon, "A new
closed-loop output error method for parameter identification of robot dynamics", IEEE TCST 21, 2013, on the wrist of the TX40).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.core.records import Shape
from dynident.dynamics.friction.combined import combine
from dynident.dynamics.friction.model import FrictionModel, Motion, SharedParameter, Symmetry
from dynident.errors import ShapeError, ValueRangeError


@dataclass(frozen=True, eq=False)
class Motor(FrictionModel):
    """One of the parts of a joint's friction, as a motor feels it that turns several joints.

    part : FrictionModel   With one parameter; its own is called like that with an m.
    number : int           Of the motor, from 0.
    reach : (n,)           r: what a torque of the motor is in each joint.
    """

    part: FrictionModel
    number: int
    reach: Array

    def __post_init__(self) -> None:
        (parameters,) = self.part.parameters
        parameter = replace(
            parameters,
            name=f"{parameters.name}m",
            typical=None,
            nonnegative=self.part.dissipative if parameters.nonnegative is None else parameters.nonnegative,
            attributes={},
            reason="a motor that turns several joints",
            motion="move each of the joints that this motor turns while the others stand still, and all together",
        )
        seen = np.repeat(self.reach[:, None], len(self.reach), axis=1)  # column j is what turns the motor, as joint j sees it
        if _is_linear(self.part):
            np.fill_diagonal(seen, 0.0)
        same = {name: getattr(self.part, name) for name in ("shapes", "symmetry", "dissipative", "needs")}
        shapes = {shape.name: getattr(self.part, shape.name) for shape in self.part.shapes}
        name = f"{self.part.name}_of_motor_{self.number + 1}"
        vars(self).update(name=name, parameters=(parameter,), joints=len(self.reach), mixing=seen, **same, **shapes)

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return self.part.terms(motion)

    @property
    def shared_parameter(self) -> SharedParameter:
        return SharedParameter(self.number, self.parameters[0].name, tuple(np.flatnonzero(self.reach).tolist()))

    def column(self, motion: Motion) -> Array:
        """(N, n) torque in every joint per unit of the parameter."""
        return self.reach * self.columns(motion)[..., 0]


@dataclass(frozen=True, eq=False)
class Coupled(FrictionModel):
    """The friction of `model` in every joint, and that of the motors that turn several.

    Attributes
    ----------
    model : FrictionModel
        Friction model of joints and motors alike.
    gears : (n, n) array
        R, motor = R · joint.
    """

    model: FrictionModel
    gears: Annotated[Array, Shape("n n")]

    def __post_init__(self) -> None:
        R = np.asarray(self.gears, dtype=float)
        if R.ndim != 2 or R.shape[0] != R.shape[1] or self.model.joints not in (None, len(R)):
            raise ShapeError("gears", R.shape, f"({self.model.joints or 'n'}, {self.model.joints or 'n'}), a square matrix")
        if not np.all(np.diag(R) != 0.0):
            raise ValueRangeError("gears", f"are zero on the diagonal for joint {int(np.argmin(np.abs(np.diag(R)))) + 1}")
        vars(self).update(gears=R, name=f"{self.model.name}, coupled", joints=len(R))
        of_motors = {parameter.name: parameter for motor in self.motors for parameter in motor.parameters}
        vars(self).update(
            parameters=(*self.model.parameters, *of_motors.values()),
            symmetry=self.model.symmetry if self.model.symmetry is Symmetry.ODD else Symmetry.NONE,
            dissipative=self.model.dissipative,
            needs=self.model.needs,
            shared=tuple(motor.shared_parameter for motor in self.motors),
        )

    @cached_property
    def motors(self) -> tuple[Motor, ...]:
        """What each motor that turns several joints feels, by itself: what reverses with its motion and depends on that alone."""
        motors: list[Motor] = []
        for i, row in enumerate(self.gears / np.diag(self.gears)[:, None]):
            if np.count_nonzero(row) > 1:
                parts = self.model.of_joint(i).parts
                alone = [part for part in parts if part.symmetry is Symmetry.ODD and not part.needs and len(part.parameters) == 1]
                motors += [Motor(part, i, row) for part in alone]
        return tuple(motors)

    def of_joint(self, joint: int) -> FrictionModel:
        model, motors = self.model.of_joint(joint), [motor for motor in self.motors if motor.number == joint]
        return combine(model, *motors) if motors else model

    @property
    def parts(self) -> tuple[FrictionModel, ...]:
        return (*self.model.parts, *self.motors)

    @property
    def nonnegative(self) -> tuple[bool, ...]:
        signs = {name: sign for motor in self.motors for name, sign in zip(motor.parameter_names, motor.nonnegative, strict=True)}
        return (*self.model.nonnegative, *signs.values())

    def change_laws(self, change: Callable[[FrictionModel], FrictionModel]) -> FrictionModel:
        return Coupled(self.model.change_laws(change), self.gears)

    def split(self, parameters: Array) -> tuple[tuple[FrictionModel, Array], ...]:
        """The parts of the model with parameters (n, k), each with what it is multiplied by in every joint."""
        k, places = len(self.model.parameters), {name: slot for slot, name in enumerate(self.parameter_names)}
        of_motors = [(motor, motor.reach * parameters[motor.number, places[motor.parameter_names[0]]]) for motor in self.motors]
        return (*self.model.split(parameters[:, :k]), *((motor, torque[:, None]) for motor, torque in of_motors))

    def columns(self, motion: Motion) -> Array:
        phi = np.zeros((*np.shape(motion.dq), len(self.parameters)))
        phi[..., : len(self.model.parameters)] = self.model.columns(motion)
        for (joint, name, _), column in zip(self.shared, np.moveaxis(self.shared_columns(motion), -1, 0), strict=True):
            phi[:, joint, self.parameter_names.index(name)] = column[:, joint]
        return phi

    def shared_columns(self, motion: Motion) -> Array:
        return np.stack([motor.column(motion) for motor in self.motors], axis=-1)

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return tuple(np.moveaxis(self.columns(motion), -1, 0))


def couple(model: FrictionModel, gears: ArrayLike) -> FrictionModel:
    """The model with what motors feel that turn several joints; the model itself where every motor turns its own.

    Parameters
    ----------
    model : FrictionModel
        Friction of the joints.
    gears : (n, n) array_like
        R of the drives, motor = R · joint.

    Returns
    -------
    FrictionModel
        With terms of the motors.
    """
    R = np.asarray(gears, dtype=float)
    if model.shared or np.count_nonzero(R) == np.count_nonzero(np.diag(R)):
        return model
    coupled = Coupled(model, R)
    return coupled if coupled.motors else model


def _is_linear(part: FrictionModel) -> bool:
    """Whether two motions together have the torques of both."""
    a, b = (Motion(*np.random.default_rng(seed).normal(size=(3, 8, 1))) for seed in (0, 1))
    both = Motion(a.q + b.q, a.dq + b.dq, a.ddq + b.ddq)
    return bool(np.allclose(part.columns(both), part.columns(a) + part.columns(b)))
