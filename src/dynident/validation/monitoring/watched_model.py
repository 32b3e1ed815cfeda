"""The model that a robot is watched with: its momentum, the rate at which that changes by itself, and how far friction may be off.

With p = (M + A) dq, where A is the inertia of the rotors, and without anything that touches the robot,

    dp/dt = effort + C(q, dq)ᵀ dq - g(q) - friction(q, dq),

so that no acceleration is needed. A noisy velocity near rest tells neither the sign nor the size of friction: it is taken in the middle of
what it is at both ends of the velocity's uncertainty, and may be off by half the difference. Friction that depends on the load of a joint
takes the measured effort for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from dynident.core.arrays import Array, freeze
from dynident.core.records import Shape
from dynident.dynamics import mass_matrix, momentum
from dynident.dynamics.friction.model import REFERENCE_TEMPERATURE, FrictionModel, Motion, friction_torque
from dynident.errors import InputError, ShapeError
from dynident.links.result import LinkParameters
from dynident.regression.estimate import Estimate
from dynident.robots.parameters import link_rows
from dynident.robots.robot import Robot

#: What is watched with.
COEFFICIENTS, LINKS, NOMINAL = "coefficients", "links", "nominal"


class Balance(NamedTuple):
    """What the observer compares; (N, n) each.

    momentum : [N·m·s | N·s].
    rate : of the momentum where nothing touches the robot [N·m | N].
    doubt : by how much the friction is uncertain because the velocity is [N·m | N].
    inertia : (N, n, n) momentum per velocity, rotors included.
    """

    momentum: Array
    rate: Array
    doubt: Array
    inertia: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class WatchedModel:
    """A robot with the numbers of its links and its friction.

    Attributes
    ----------
    robot : Robot
        The robot, whose own parameters are not used.
    parameters : (n, 10) array
        Linear parameters of the links, in the robot's named frames.
    friction : FrictionModel or None
        Friction model; None for none.
    friction_parameters : (n, k) array or None
        Of `friction`, row j for joint j.
    name : str
        What the numbers are: "links", "coefficients", "nominal".
    """

    robot: Robot
    parameters: Annotated[Array, Shape("n 10")]
    friction: FrictionModel | None = None
    friction_parameters: Annotated[Array, Shape("n k")] | None = None
    name: str = LINKS

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", freeze(link_rows(self.parameters, self.robot.link_names)))
        if (self.friction is None) != (self.friction_parameters is None):
            raise InputError("friction and friction_parameters belong together; give both or none")
        if self.friction is not None and self.friction_parameters is not None:
            expected = (self.robot.n, len(self.friction.parameter_names))
            if self.friction_parameters.shape != expected:
                raise ShapeError("friction_parameters", self.friction_parameters.shape, f"{expected} = (joints, parameters)")

    @staticmethod
    def of(estimate: Estimate, links: LinkParameters | None = None) -> WatchedModel:
        """The link parameters where there are some, else the coefficients."""
        base = estimate.base
        if base.columns.of_extra:
            raise InputError("the model has columns of its own, which a robot's motion doesn't tell; identify it without them")
        if links is not None:
            friction = links.friction_parameters
            return WatchedModel(
                robot=base.robot,
                parameters=links.parameters,
                friction=None if friction is None else links.base.friction,
                friction_parameters=friction,
            )
        return WatchedModel(
            robot=base.robot,
            parameters=estimate.link_part,
            friction=base.friction,
            friction_parameters=estimate.friction_parameters,
            name=COEFFICIENTS,
        )

    @property
    def needs_temperature(self) -> bool:
        return self.friction is not None and "temperature" in self.friction.needs

    @cached_property
    def rotors(self) -> Array:
        """(n, n) A: what friction's terms of the acceleration (rotor inertia, also of motors that turn several joints) are per unit."""
        n = self.robot.n
        still, units = np.zeros((n, n)), np.eye(n)
        return freeze(
            (self.friction_torque(Motion(still, still, units, still)) - self.friction_torque(Motion(still, still, still, still))).T
        )

    def balance(self, q: Array, dq: Array, effort: Array, *, blur: Array, temperature: Array | None = None) -> Balance:
        """At samples (N, n). blur : (n,) by how much a measured velocity may be off [rad/s | m/s]."""
        if self.needs_temperature and temperature is None:
            raise InputError("the friction depends on the temperature of the joints, which was not given; give it with the other columns")
        links, still = momentum(self.robot, self.parameters, q, dq), np.zeros_like(dq)
        value = links.value + dq @ self.rotors.T
        inertia = mass_matrix(self.robot, self.parameters, q) + self.rotors
        if self.friction is None:
            return Balance(value, effort + links.drift, still, inertia)
        above, below = (self.friction_torque(Motion(q, dq + shift, still, effort, temperature)) for shift in (blur, -blur))
        return Balance(value, effort + links.drift - 0.5 * (above + below), 0.5 * np.abs(above - below), inertia)

    def friction_torque(self, motion: Motion) -> Array:
        """(N, n) friction torques; zero without friction [N·m | N]. A temperature that was not given is the usual one."""
        if self.friction is None or self.friction_parameters is None:
            return np.zeros_like(motion.dq)
        if motion.temperature is None:
            motion = motion._replace(temperature=np.full_like(motion.dq, REFERENCE_TEMPERATURE))
        return friction_torque(self.friction, self.friction_parameters, motion)
