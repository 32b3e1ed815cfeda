"""A push: a force on the robot from outside, as a hand or an obstacle gives it, while the motion goes on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, check_array, check_positive
from dynident.errors import UnknownNameError, ValueRangeError
from dynident.robots.kinematics import joint_points, link_poses
from dynident.robots.robot import JointType, Robot


@dataclass(frozen=True, kw_only=True)
class Push:
    """A constant force on a point of a link for a while.

    Attributes
    ----------
    start, duration : float
        [s] since the motion began.
    force : (3,)
        In base axes [N].
    link : str
        The link that is pushed; by default the one that carries the tool.
    point : (3,)
        In the link's parameter frame [m]; by default the tool's origin, on another link halfway to the next joint.
    """

    start: float
    duration: float
    force: tuple[float, float, float]
    link: str = ""
    point: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        check_positive("duration of a push", self.duration, "s")
        if not (np.isfinite(self.start) and self.start >= 0.0):
            raise ValueRangeError("start of a push", f"is {self.start}; a time since the motion began [s] was expected")
        for name in ("force", "point"):
            if getattr(self, name) is not None:
                check_array(f"{name} of a push", getattr(self, name), (3,), "(3,) = (x, y, z)")

    def acts_at(self, time: float) -> bool:
        return self.start <= time < self.start + self.duration

    def effort(self, robot: Robot, q: Array) -> Array:
        """(n,) what the push does in the joints at positions q (n,): Jᵀ force [N·m | N]."""
        body, point = self._place(robot)
        poses = link_poses(robot, q)
        p = poses[body, :3, :3] @ point + poses[body, :3, 3]
        effort = np.zeros(robot.n)
        for j in robot.ancestors(body):
            joint = robot.joints[j]
            frame = joint.placement if joint.parent < 0 else poses[joint.parent] @ joint.placement
            axis = frame[:3, :3] @ joint.axis
            moved = axis if joint.type is JointType.PRISMATIC else np.cross(axis, p - frame[:3, 3])
            effort[j] = moved @ np.asarray(self.force)
        return effort

    def _place(self, robot: Robot) -> tuple[int, Array]:
        """Index of the link, and the point in its frame."""
        if self.link and self.link not in robot.link_names:
            raise UnknownNameError("link", self.link, robot.link_names)
        body = robot.link_names.index(self.link) if self.link else robot.n - 1
        if self.point is not None:
            return body, np.asarray(self.point, dtype=float)
        start, ends = joint_points(robot, body)
        middle = np.mean([start, ends[-1] if ends else start], axis=0)
        return body, robot.tool[:3, 3] if body == robot.n - 1 else middle
