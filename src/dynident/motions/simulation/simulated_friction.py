"""Friction as a simulation applies it: a model without its jump at rest, with the parameters of each joint."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array
from dynident.dynamics.friction import FrictionModel, Motion, Smoothed, friction_torque
from dynident.dynamics.friction.laws import THRESHOLD
from dynident.dynamics.friction.smoothed import BESIDE_REST
from dynident.errors import InputError
from dynident.robots.robot import Robot


@dataclass(frozen=True, kw_only=True, eq=False)
class SimulatedFriction:
    """A smoothed model with the parameters of each joint, as the simulation applies it.

    Attributes
    ----------
    model : Smoothed
        Without a jump at rest.
    parameters : (n, k) array
        Row j holds those of joint j.
    inertia : (n,) array
        What the model adds per acceleration (armature); the simulation counts it as inertia.
    """

    model: Smoothed
    parameters: Array
    inertia: Array

    @staticmethod
    def of(robot: Robot, model: FrictionModel, parameters: ArrayLike, *, threshold: float = THRESHOLD) -> SimulatedFriction:
        if model.shared:
            raise InputError(f"friction model {model.name!r} has motors that turn several joints, which the simulation does not know")
        shape = (robot.n, len(model.parameter_names))
        theta = check_array("friction_parameters", parameters, shape, f"{shape} = (joints, {', '.join(model.parameter_names)})").copy()
        smoothed = model if isinstance(model, Smoothed) else Smoothed(model, threshold)
        return SimulatedFriction(model=smoothed, parameters=theta, inertia=_inertia(smoothed, theta))

    @property
    def loaded(self) -> bool:
        """Whether it depends on the torque that the joints transmit."""
        return "load" in self.model.needs

    def torque(self, motion: Motion) -> Array:
        """(N, n) friction torque [N·m | N], what goes with acceleration included."""
        return friction_torque(self.model, self.parameters, motion)

    def tangent(self, motion: Motion) -> tuple[Array, Array]:
        """Torque (n,) of a motion (n,) and its slope over the velocity (n,), both without acceleration; what a step of the physics
        needs."""
        # the jump of all terms together, nothing checked and nothing made twice: this runs a hundred thousand times
        smoothed = self.model
        step, around, still, rows = self._constants
        beside = motion.dq + around
        at = Motion(motion.q, beside, still, motion.load, motion.temperature)
        first, *others = map(np.multiply, smoothed.model.terms(at), rows)
        torque = sum(others, first)
        jump = self._total_jump(at) if smoothed.needs else self._constant_jump
        below, here, above = torque - jump * (np.sign(beside) - np.tanh(beside / smoothed.threshold))
        return here, (above - below) / (2.0 * step)

    @cached_property
    def _constants(self) -> tuple[float, Array, Array, list[Array]]:
        """Step of the velocity, and of shape (3, n), which needs no broadcasting: velocities around one, accelerations, parameters."""
        step, still = 1e-3 * self.model.threshold, np.zeros((3, len(self.parameters)))
        return step, still + step * _AROUND + BESIDE_REST, still, [still + parameters for parameters in self.parameters.T]

    @cached_property
    def _constant_jump(self) -> Array:
        return self._total_jump(Motion.steady(np.zeros((1, len(self.parameters))))) + np.zeros((3, len(self.parameters)))

    def _total_jump(self, motion: Motion) -> Array:
        """(n,) or (N, n) half the jump of the torque at rest."""
        return np.asarray(
            sum(jump * parameters for jump, parameters in zip(self.model.jumps(motion), self.parameters.T, strict=True)), dtype=float
        )


_AROUND = np.array([[-1.0], [0.0], [1.0]])


def typical_friction(robot: Robot, model: FrictionModel, scale: ArrayLike) -> Array:
    """Friction parameters of an ordinary arm, which the model knows as shares of the effort limits.

    Parameters
    ----------
    robot
        The robot.
    model
        Friction model.
    scale : (n,) array_like
        The joints' effort limits [N·m | N].

    Returns
    -------
    array
        (n, k) parameters.
    """
    shares = [parameter.typical for parameter in model.parameters if parameter.typical is not None]
    unknown = [parameter.name for parameter in model.parameters if parameter.typical is None]
    if unknown:
        raise InputError(f"friction model {model.name!r} has no typical values for {', '.join(unknown)}; give friction parameters")
    typical = np.multiply.outer(np.broadcast_to(np.asarray(scale, dtype=float), (robot.n,)), np.array(shares))
    has = [[name in model.of_joint(j).parameter_names for name in model.parameter_names] for j in range(robot.n)]
    return np.where(has, typical, 0.0)


def _inertia(model: Smoothed, theta: Array) -> Array:
    """(n,) torque per unit of acceleration; a model must be linear in it, the same at every velocity."""
    n = len(theta)
    velocity = np.repeat([0.0, 1.0, 0.0, 1.0, 0.0], n).reshape(5, n)
    acceleration = np.repeat([0.0, 0.0, 1.0, 1.0, -2.0], n).reshape(5, n)
    at = friction_torque(model, theta, Motion.steady(velocity)._replace(ddq=acceleration))
    jump = at[2] - at[0]
    if not (np.allclose(at[3] - at[1], jump, atol=1e-12) and np.allclose(at[4] - at[0], -2.0 * jump, atol=1e-12)):
        raise InputError(f"friction model {model.model.name!r} is not linear in the acceleration, so it can't be simulated")
    return jump
