"""Friction that a simulation can integrate: any friction model, without its jump at rest.

A model whose torque jumps at rest by 2 J (Coulomb: J = fc) is used as

    smooth(dq) = model(dq) - J · (sign(dq) - tanh(dq / threshold))

which removes the jump, leaves a model without one as it is, and changes nothing at speeds well above the threshold
(1e-4 of J at five thresholds, 4e-9 at ten). For Coulomb friction it is the model smooth_coulomb.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.errors import InputError, ShapeError, ValueRangeError
from dynident.friction import FrictionModel, Symmetry, checked_motion, friction_torque
from dynident.robots.robot import Robot

#: Velocity at which 76 % of a jump at rest is reached [rad/s | m/s]; that of the model smooth_coulomb.
THRESHOLD = 0.02

#: Where the two sides of a jump at rest are looked at, as a share of the threshold.
_BESIDE_REST = 1e-9

#: Typical parameters by name: shares of a joint's effort limit, per rad/s where they go with velocity.
_TYPICAL = {"fv": 0.005, "fc": 0.005, "fo": 0.001}


@dataclass(frozen=True)
class Smoothed:
    """A friction model without its jump at rest; itself a friction model with the same parameters."""

    model: FrictionModel
    threshold: float = THRESHOLD

    def __post_init__(self) -> None:
        if not (np.isfinite(self.threshold) and self.threshold > 0.0):
            raise ValueRangeError("threshold", f"is {self.threshold}; it must be a positive velocity [rad/s | m/s]")

    @property
    def name(self) -> str:
        return f"smoothed {self.model.name}"

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return self.model.parameter_names

    @property
    def units(self) -> tuple[str, ...]:
        return self.model.units

    @property
    def symmetry(self) -> Symmetry:
        return self.model.symmetry

    @property
    def dissipative(self) -> bool:
        return self.model.dissipative

    def columns(self, velocity: ArrayLike, acceleration: ArrayLike) -> Array:
        dq, ddq = checked_motion(velocity, acceleration)
        missing = np.sign(dq) - np.tanh(dq / self.threshold)
        return self.model.columns(dq, ddq) - self.jump(dq.shape[1]) * missing[..., None]

    def jump(self, n: int) -> Array:
        """(1, n, k) half the model's jump at rest, per unit of each parameter."""
        beside = np.full((1, n), _BESIDE_REST * self.threshold)
        still = np.zeros_like(beside)
        return 0.5 * (self.model.columns(beside, still) - self.model.columns(-beside, still))


@dataclass(frozen=True, kw_only=True, eq=False)
class JointFriction:
    """A smoothed model with the parameters of each joint, as the simulation applies it.

    parameters : (n, k)   Row j holds those of joint j.
    inertia : (n,)        What the model adds per acceleration (armature); the simulation counts it as inertia.
    """

    model: Smoothed
    parameters: Array
    inertia: Array

    @staticmethod
    def of(robot: Robot, model: FrictionModel, parameters: ArrayLike, *, threshold: float = THRESHOLD) -> JointFriction:
        theta = np.array(parameters, dtype=float)
        expected = (robot.n, len(model.parameter_names))
        if theta.shape != expected:
            raise ShapeError("friction_parameters", theta.shape, f"{expected} = (joints, {', '.join(model.parameter_names)})")
        if not np.all(np.isfinite(theta)):
            raise ValueRangeError("friction_parameters", "contains NaN or infinity")
        smooth = model if isinstance(model, Smoothed) else Smoothed(model, threshold)
        return JointFriction(model=smooth, parameters=theta, inertia=_inertia(smooth, theta))

    def torque(self, velocity: Array, acceleration: Array) -> Array:
        """(N, n) friction torque [N·m | N], what goes with acceleration included."""
        return friction_torque(self.model, self.parameters, velocity, acceleration)

    def tangent(self, velocity: Array) -> tuple[Array, Array]:
        """Torque (n,) at a velocity (n,) and its slope (n,), both without acceleration; what a step of the physics needs."""
        smooth = self.model
        step = 1e-3 * smooth.threshold
        beside = velocity + step * _AROUND
        # the jump is known already: `torque` would look for it again, a hundred thousand times
        raw = (smooth.model.columns(beside, np.zeros_like(beside)) * self.parameters).sum(axis=-1)
        below, here, above = raw - self._jump * (np.sign(beside) - np.tanh(beside / smooth.threshold))
        return here, (above - below) / (2.0 * step)

    @cached_property
    def _jump(self) -> Array:
        return (self.model.jump(len(self.parameters)) * self.parameters).sum(axis=-1)


_AROUND = np.array([[-1.0], [0.0], [1.0]])


def typical_friction(robot: Robot, model: FrictionModel, scale: ArrayLike) -> Array:
    """(n, k) parameters of an ordinary arm: fv and fc 0.5 %, fo 0.1 % of `scale` (n,), the joints' effort limits [N·m | N]."""
    unknown = [name for name in model.parameter_names if name not in _TYPICAL]
    if unknown:
        raise InputError(f"friction model {model.name!r} has no typical values for {', '.join(unknown)}; give friction parameters")
    shares = np.array([_TYPICAL[name] for name in model.parameter_names])
    return np.multiply.outer(np.broadcast_to(np.asarray(scale, dtype=float), (robot.n,)), shares)


def _inertia(model: Smoothed, theta: Array) -> Array:
    """(n,) torque per unit of acceleration; a model must be linear in it, the same at every velocity."""
    n = len(theta)
    velocity = np.repeat([0.0, 1.0, 0.0, 1.0, 0.0], n).reshape(5, n)
    acceleration = np.repeat([0.0, 0.0, 1.0, 1.0, -2.0], n).reshape(5, n)
    at = friction_torque(model, theta, velocity, acceleration)
    found = at[2] - at[0]
    if not (np.allclose(at[3] - at[1], found, atol=1e-12) and np.allclose(at[4] - at[0], -2.0 * found, atol=1e-12)):
        raise InputError(f"friction model {model.model.name!r} is not linear in the acceleration, so it can't be simulated")
    return found
