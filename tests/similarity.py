"""The same robot in another size: masses times a, lengths times b, gravity as it is, and so times times √b (Froude's similarity).

Every quantity of mechanics follows from its unit: torques go with a·b, forces with a, velocities of turning joints with 1/√b. With
powers of four for a and b the factors are powers of two, which change no digit of a number. Or times are as they are, and gravity goes
with b: what knows seconds (windows, the edges of recordings) is then left alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array
from dynident.data import ControllerSamples, Dataset
from dynident.robots.robot import Joint, JointType, Link, Robot, Source


@dataclass(frozen=True)
class Similarity:
    """mass, length : the factors a and b. same_times : whether gravity changes instead of times."""

    mass: float
    length: float
    same_times: bool = False

    @property
    def time(self) -> float:
        return 1.0 if self.same_times else float(np.sqrt(self.length))

    @property
    def gravity(self) -> float:
        return self.length / self.time**2

    @property
    def torque(self) -> float:
        return self.mass * self.length**2 / self.time**2

    @property
    def links(self) -> Array:
        """(10,) the factors of m, mc and J."""
        return self.mass * np.array([1.0, *[self.length] * 3, *[self.length**2] * 6])

    def robot(self, robot: Robot) -> Robot:
        return replace(
            robot,
            joints=tuple(self._joint(joint) for joint in robot.joints),
            links=tuple(self._link(link) for link in robot.links),
            base_pieces=tuple(self._piece(piece) for piece in robot.base_pieces),
            gravity=self.gravity * robot.gravity,
            tool=self._pose(robot.tool),
            floor=self.length * robot.floor,
        )

    def log(self, robot: Robot, log: Dataset) -> Dataset:
        """The motion of the robot in the other size, with the efforts that belong to it."""
        along = self._along(robot)
        assert log.dq is not None
        assert log.ddq is not None
        assert log.effort is not None
        return replace(
            log,
            time=self.time * log.time,
            q=along * log.q,
            dq=along / self.time * log.dq,
            ddq=along / self.time**2 * log.ddq,
            effort=self.torque / along * log.effort,
        )

    def samples(self, robot: Robot, samples: ControllerSamples) -> ControllerSamples:
        """What the controller of the robot in the other size returns; of robots whose joints all turn."""
        return replace(samples, M=self.mass * self.length**2 * samples.M, g=self.torque * samples.g)

    def columns(self, units: tuple[str, ...]) -> Array:
        """(p,) the factors of parameters, by their units."""
        return np.array([self._factor(unit) for unit in units])

    def _factor(self, unit: str) -> float:
        a, b, t, torque = self.mass, self.length, self.time, self.torque
        links = {"kg": a, "kg·m": a * b, "kg·m²": a * b * b}
        friction = {"N·m": torque, "N·m·s/rad": torque * t, "N": torque / b, "N·s/m": torque * t / b**2}
        return (links | friction)[unit]

    def _along(self, robot: Robot) -> Array:
        return np.array([self.length if joint.type is JointType.PRISMATIC else 1.0 for joint in robot.joints])

    def _pose(self, pose: Array) -> Array:
        moved = pose.copy()
        moved[:3, 3] *= self.length
        return moved

    def _joint(self, joint: Joint) -> Joint:
        along = self.length if joint.type is JointType.PRISMATIC else 1.0
        low, high = joint.position
        return replace(
            joint,
            placement=self._pose(joint.placement),
            position=(along * low, along * high),
            velocity=along / self.time * joint.velocity,
            acceleration=along / self.time**2 * joint.acceleration,
            jerk=along / self.time**3 * joint.jerk,
            effort=self.torque / along * joint.effort,
            home=None if joint.home is None else along * joint.home,
        )

    def _link(self, link: Link) -> Link:
        parameters = None if link.parameters is None else self.links * link.parameters
        pieces = tuple(self._piece(piece) for piece in link.pieces)
        return replace(link, placement=self._pose(link.placement), parameters=parameters, pieces=pieces)

    def _piece(self, piece: Source) -> Source:
        parameters = None if piece.parameters is None else self.links * piece.parameters
        shapes = tuple(
            replace(item, points=self.length * item.points, size=tuple(self.length * size for size in item.size)) for item in piece.shapes
        )
        return replace(piece, placement=self._pose(piece.placement), parameters=parameters, shapes=shapes)
