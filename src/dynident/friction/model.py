"""What a friction model is: columns of a regressor, so that a joint's friction torque is linear in its parameters.

A model belongs to no robot. It turns motion into columns, the same k columns for every joint:

    torque[i, j] = columns[i, j, :] @ parameters[j, :]

Shape constants that the torque is not linear in (a threshold) are fields of the model.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.errors import ShapeError, ValueRangeError


class Symmetry(Enum):
    """What happens to the torque when the motion is reversed, (dq, ddq) -> (-dq, -ddq)."""

    ODD = "changes its sign"
    EVEN = "stays the same"
    NONE = "changes in another way"


@runtime_checkable
class FrictionModel(Protocol):
    """A joint friction model that is linear in its k parameters."""

    @property
    def name(self) -> str:
        """The name in the registry."""
        ...

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """(k,) names of one joint's parameters, such as fv."""
        ...

    @property
    def units(self) -> tuple[str, ...]:
        """(k,) units of the parameters for a revolute joint."""
        ...

    @property
    def symmetry(self) -> Symmetry:
        """The declared symmetry; the contract suite checks it."""
        ...

    @property
    def dissipative(self) -> bool:
        """With parameters >= 0 the model only takes energy out of the motion: torque · dq >= 0."""
        ...

    def columns(self, velocity: ArrayLike, acceleration: ArrayLike) -> Array:
        """Regressor columns (N, n, k).

        velocity : (N, n)      Joint velocity [rad/s | m/s].
        acceleration : (N, n)  Joint acceleration [rad/s² | m/s²].
        """
        ...


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


def checked_motion(velocity: ArrayLike, acceleration: ArrayLike) -> tuple[Array, Array]:
    """Velocity and acceleration as float arrays of one shape (N, n); the first line of every model's `columns`."""
    dq, ddq = np.asarray(velocity, dtype=float), np.asarray(acceleration, dtype=float)
    if dq.ndim != 2:
        raise ShapeError("velocity", dq.shape, "(N, n) = (samples, joints)")
    if ddq.shape != dq.shape:
        raise ShapeError("acceleration", ddq.shape, f"{dq.shape}, the shape of velocity = (samples, joints)")
    for name, values in (("velocity", dq), ("acceleration", ddq)):
        if not np.all(np.isfinite(values)):
            raise ValueRangeError(name, "contains NaN or infinity; remove those samples first")
    return dq, ddq
