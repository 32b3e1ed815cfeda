"""A virtual robot that is driven as a real one is: it stands somewhere, takes a position command per period, and shows its sensors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array
from dynident.dynamics import gravity, mass_matrix
from dynident.motions.simulation.integrate import Physics, substeps
from dynident.motions.simulation.payload import Payload, loaded_parameters
from dynident.motions.simulation.plant import build_plant
from dynident.motions.simulation.sensors import effort_scale
from dynident.motions.simulation.servo import Regulator, Servo
from dynident.motions.simulation.virtual_controller import random_configurations
from dynident.motions.simulation.virtual_robot import CONTROL_RATE, choose_friction, choose_sensors
from dynident.robots.robot import Robot

#: Configurations that the gains and the steps of the physics are chosen for.
_LOOKS = 100
#: Rows of sensor noise that are drawn at once.
_BLOCK = 4096


class SensorReading(NamedTuple):
    """What the sensors of all joints show.

    Attributes
    ----------
    q : (n,) array
        Positions [rad | m].
    dq : (n,) array
        Velocities [rad/s | m/s].
    effort : (n,) array
        Torques or forces [N·m | N].
    """

    q: Array
    dq: Array
    effort: Array


class VirtualArm:
    """The robot of `simulate`, one period after another.

    The servo knows gravity, and takes the velocity of its reference from the commands. Its torque is constant for a period; what
    the sensors show at an instant is extrapolated by half a period, to where a smooth torque would be. Its clock is exact.

    Parameters
    ----------
    robot
        The robot.
    q : (n,) array_like
        Where it stands, at rest [rad | m].
    parameters : (n, 10) array_like
        Linear parameters of the links; by default the nominal ones.
    payload
        What hangs on the flange; None for nothing.
    friction
        Name of a friction model; None for none.
    noise
        Name of a preset of the sensors: none or realistic.
    rate
        Of the commands [Hz].
    seed
        Of the sensors' noise.
    """

    def __init__(
        self,
        robot: Robot,
        q: ArrayLike,
        *,
        parameters: ArrayLike | None = None,
        payload: Payload | None = None,
        friction: str | None = None,
        noise: str = "none",
        rate: float = CONTROL_RATE,
        seed: int = 0,
    ) -> None:
        self.robot, self.rate = robot, rate
        self.parameters = loaded_parameters(robot, parameters, payload)
        looks = random_configurations(robot, _LOOKS, seed=0)
        scale = effort_scale(robot, gravity(robot, self.parameters, looks))
        acting = choose_friction(robot, friction, None, scale)
        plant = build_plant(robot, self.parameters, armature=0.0 if acting is None else acting.inertia)
        M = mass_matrix(robot, self.parameters, looks) + np.diag(plant.inertia)
        self._inertia, self._period = np.diag(plant.inertia), 1.0 / rate
        bandwidth = Servo().stable_bandwidth(M, M, self._period)
        self._regulator = Regulator(bandwidth, self._period, robot.effort_limits, np.zeros(robot.n))
        self.reference = check_array("q", q, (robot.n,), f"({robot.n},) = one per joint").copy()
        steps = substeps(plant, acting, M, M, self._period)
        self._physics = Physics(plant, acting, period=self._period, steps=steps, q=self.reference, dq=np.zeros(robot.n))
        self._torque = self._before = gravity(robot, self.parameters, self.reference)
        self._sensors, self._periods = choose_sensors(noise, scale), 0
        self._streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(3)]
        self._noise = self._draw_noise()

    @property
    def time(self) -> float:
        """[s] since it was switched on."""
        return self._periods * self._period

    def step(self, command: Array) -> SensorReading:
        """Follow a position command (n,) for one period; what the sensors show after it."""
        velocity = (command - self.reference) / self._period
        errors = command - self._physics.motor_q, velocity - self._physics.motor_dq
        S = mass_matrix(self.robot, self.parameters, command) + self._inertia
        torque = self._regulator.torque(*errors, gravity(self.robot, self.parameters, command), S)
        self._physics.advance(torque)
        self.reference, self._before, self._torque = np.array(command, dtype=float), self._torque, torque
        self._periods += 1
        if self._periods % _BLOCK == 0:
            self._noise = self._draw_noise()
        return self.look()

    def look(self) -> SensorReading:
        """What the sensors show now."""
        q_noise, dq_noise, effort_noise = self._noise[:, self._periods % _BLOCK]
        q, step = self._physics.motor_q + q_noise, self._sensors.position_step
        return SensorReading(
            q=step * np.round(q / step) if step > 0.0 else q,
            dq=self._physics.motor_dq + dq_noise,
            effort=self._torque + 0.5 * (self._torque - self._before) + effort_noise,
        )

    def _draw_noise(self) -> Array:
        """(3, block, n) noise of q, dq and effort."""
        levels = (self._sensors.position, self._sensors.velocity, self._sensors.torque)
        shape = (_BLOCK, self.robot.n)
        return np.stack([noise.draw(rng, shape, self._period) for noise, rng in zip(levels, self._streams, strict=True)])
