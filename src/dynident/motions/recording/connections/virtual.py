"""The virtual robot (extra `sim`) as something to record: to try an experiment, and what happens when it goes wrong, without a robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Literal

import numpy as np

from dynident.core.arrays import Array
from dynident.core.options import Options, option
from dynident.data.dataset import EffortKind
from dynident.errors import require
from dynident.motions.limits.limits import robot_limits
from dynident.motions.limits.margins import position_range
from dynident.motions.recording.connection import ConnectionLostError, JointState, ModelAnswer, RobotFaultError, Vendor
from dynident.motions.simulation.virtual_arm import SensorReading, VirtualArm
from dynident.motions.simulation.virtual_controller import VirtualController
from dynident.robots.robot import Robot

#: How far the position that comes with M and g is off, with realistic noise [rad | m].
_POSITION_NOISE = 3e-4


@dataclass(frozen=True, kw_only=True)
class VirtualOptions(Options):
    friction: str = option("linear", "Its friction model, or none")
    noise: Literal["none", "realistic"] = option("realistic", "Of its sensors, none or realistic")
    seed: int = option(0, "Of its noise")
    lose_after: float | None = option(None, "Seconds of motion after which it can't be heard any more, once")
    fail_after: float | None = option(None, "Seconds of motion after which it reports an error")


class VirtualConnection:
    """A `VirtualArm` that stands in the middle of its joint ranges, 1000 cycles per second, as fast as they can be computed."""

    effort_kind = EffortKind.TORQUE

    def __init__(self, robot: Robot, options: VirtualOptions | None = None) -> None:
        self._options = options = options or VirtualOptions()
        friction = None if options.friction == "none" else options.friction
        middle = np.mean(position_range(robot_limits(robot)), axis=0)
        self._arm = VirtualArm(robot, middle, friction=friction, noise=options.noise, seed=options.seed)
        self._moving = self._lost = False
        self._driven, self._loss, self._asked = 0.0, options.lose_after, 0

    @property
    def n(self) -> int:
        return self._arm.robot.n

    @property
    def rate(self) -> float:
        return self._arm.rate

    @property
    def facts(self) -> Mapping[str, Any]:
        options = self._options
        facts = {"noise": options.noise, "friction": options.friction, "seed": options.seed}
        return {"vendor": "virtual", "library": f"mujoco {metadata.version('mujoco')}", **facts}

    def read(self) -> JointState:
        self._require_connection()
        return self._state(self._arm.look())

    def begin(self) -> JointState:
        if self._moving:
            raise RobotFaultError("the virtual robot is in a motion already; end it first")
        state = self.read()
        self._moving = True
        return state

    def step(self, command: Array) -> JointState:
        self._require_motion()
        self._driven += 1.0 / self.rate
        if self._loss is not None and self._driven >= self._loss:
            self._loss, self._lost, self._moving = None, True, False
            self._brake()
            self._require_connection()
        if self._options.fail_after is not None and self._driven >= self._options.fail_after:
            self._brake()
            self._moving = False
            raise RobotFaultError("the virtual robot reports an error, as it was told to")
        return self._state(self._arm.step(command))

    def end(self, command: Array) -> None:
        self._require_motion()
        self._arm.step(command)
        self._moving = False

    def halt(self) -> None:
        self._brake()
        self._moving = False

    def ask_model(self) -> ModelAnswer:
        self._require_connection()
        noise = 0.0 if self._options.noise == "none" else _POSITION_NOISE
        self._asked += 1
        inside = VirtualController(self._arm.robot, self._arm.parameters, position_noise=noise, seed=self._options.seed + self._asked)
        still = np.zeros((1, self.n))
        samples = inside.sample(self._arm.reference[None], still)
        M, g = require(samples.M, "M of the virtual controller"), require(samples.g, "g of the virtual controller")
        return ModelAnswer(q=samples.q[0], dq=still[0], M=M[0], g=g[0], c=None if samples.c is None else samples.c[0])

    def reconnect(self) -> None:
        self._lost = False

    def close(self) -> None:
        self._moving = False

    def _state(self, reading: SensorReading) -> JointState:
        return JointState(time=self._arm.time, q=reading.q, dq=reading.dq, effort=reading.effort, reference=self._arm.reference)

    def _require_connection(self) -> None:
        if self._lost:
            raise ConnectionLostError("the virtual robot can't be heard any more, as it was told to")

    def _require_motion(self) -> None:
        self._require_connection()
        if not self._moving:
            raise RobotFaultError("the virtual robot was not told that a motion begins")

    def _brake(self) -> None:
        """Hold the last command, as a robot's own controller does when nobody speaks to it, until it stands."""
        for _ in range(int(0.5 * self.rate)):
            self._arm.step(self._arm.reference)


def _connect(address: str, robot: Robot, options: VirtualOptions) -> VirtualConnection:
    return VirtualConnection(robot, options)


VENDOR = Vendor(name="virtual", connect=_connect, address="ROBOT", is_description=True, options=VirtualOptions)
