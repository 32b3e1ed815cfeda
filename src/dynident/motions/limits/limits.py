"""What a robot must not exceed: joint positions, velocities, accelerations and torques, and where its links may go."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array, set_frozen
from dynident.errors import DynidentError, ShapeError, UnknownNameError, ValueRangeError
from dynident.motions.limits.torque import FACTOR, TorqueBound, exact_torque, nominal_torque
from dynident.robots.kinematics import link_poses
from dynident.robots.robot import Robot

#: Name of the tool frame in workspace limits; other frames are called as their links.
TOOL = "tool"
#: Least distance between links, and from the floor and the sides of boxes, unless another is given [m].
CLEARANCE = 0.02


class LimitError(DynidentError):
    """No motion can keep the limits.

    Attributes
    ----------
    limit : str
        What stops it ("velocity limit of joint 'elbow'").
    also : tuple of str
        Other limits that stop it too.
    """

    def __init__(self, limit: str, message: str, *, remedy: str = "", also: tuple[str, ...] = ()) -> None:
        self.limit, self.also = limit, also
        super().__init__(f"{limit} {message}", remedy=remedy)


@dataclass(frozen=True, kw_only=True, eq=False)
class Box:
    """A region that some links must stay in as a whole, in the base frame.

    Attributes
    ----------
    frames : tuple of str
        Link names, or "tool" for the point of the tool; empty means all links and the tool.
    lower, upper : (3,) array
        Corners [m]; infinite where the region is open.
    name : str
        How a report calls it.
    """

    lower: Array
    upper: Array
    frames: tuple[str, ...] = ()
    name: str = "workspace box"

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            remedy = "give numbers, or leave the direction open"
            corner = check_array(f"{name} of {self.name}", getattr(self, name), (3,), "(3,) = x, y, z", infinite=True, remedy=remedy)
            set_frozen(self, name, corner)
        object.__setattr__(self, "frames", tuple(self.frames))


@dataclass(frozen=True, kw_only=True, eq=False)
class Limits:
    """What a trajectory must keep; infinite where there is no limit.

    Attributes
    ----------
    position : (n, 2) array
        Lower and upper positions, margins already taken off [rad | m].
    velocity, acceleration, effort : (n,) array
        Largest absolute values [rad/s, rad/s², N·m | m/s, m/s², N].
    boxes : tuple of Box
        Where links and the tool must stay.
    floor : float
        Height in the base frame that all moving links and the tool stay above [m].
    jerk : (n,) array
        Largest rates of the accelerations [rad/s³ | m/s³]; infinite by default.
    clearance : float or None
        Least distance between links that are not neighbours, from the floor and from the sides of boxes [m]; None: links may touch each
        other, and the sides.
    torque : TorqueBound or None
        What a motion may need of `effort`; None: the description's links exactly, without friction.
    """

    position: Array
    velocity: Array
    acceleration: Array
    effort: Array
    boxes: tuple[Box, ...] = ()
    floor: float = -np.inf
    clearance: float | None = CLEARANCE
    torque: TorqueBound | None = None
    jerk: Array = field(default_factory=lambda: np.array(np.inf))

    def __post_init__(self) -> None:
        n = np.size(self.velocity)
        if np.ndim(self.jerk) == 0:
            object.__setattr__(self, "jerk", np.full(n, float(self.jerk)))
        for name, shape in (("position", (n, 2)), *((name, (n,)) for name in ("velocity", "acceleration", "effort", "jerk"))):
            values, expected = getattr(self, name), f"{shape} = one per joint"
            set_frozen(self, name, check_array(f"{name} limits", values, shape, expected, infinite=True, remedy="give numbers"))
        object.__setattr__(self, "boxes", tuple(self.boxes))

    @cached_property
    def centred_position(self) -> tuple[Array, Array]:
        """(n,) middle and half of each joint's range [rad | m]; 0 and infinite where it has none."""
        middle = np.where(np.isfinite(self.position), self.position, 0.0).sum(axis=1) / 2.0
        return middle, (self.position[:, 1] - self.position[:, 0]) / 2.0

    def torque_bound(self, robot: Robot) -> TorqueBound | None:
        """What bounds the torques of a motion; None where they have no limit, or nothing is known of them."""
        bound = self.torque or exact_torque(robot)
        return bound if np.any(np.isfinite(self.effort)) and bound.applies(robot) else None


def robot_limits(
    robot: Robot,
    *,
    position_margin: float = 0.02,
    velocity_scale: float = 0.9,
    acceleration_scale: float = 0.9,
    effort_scale: float = 0.9,
    jerk_scale: float = 0.9,
    boxes: tuple[Box, ...] = (),
    floor: float | Literal["mounting"] | None = "mounting",
    clearance: float | None = CLEARANCE,
    torque_factor: float = FACTOR,
) -> Limits:
    """The limits of the robot's description, with a margin to the position limits [rad | m] and shares of the others.

    The defaults leave a controller something to work with, and keep links apart and above the plane that the robot is mounted on.

    Parameters
    ----------
    robot
        The robot.
    position_margin
        Distance to every position limit [rad | m].
    velocity_scale, acceleration_scale, effort_scale, jerk_scale
        Share of each limit that may be used.
    boxes
        Regions that links must stay in, in the base frame.
    floor
        Height in the base frame [m]; None: there is no floor.
    clearance
        Least distance of links from each other, from the floor and from the boxes' sides [m].
    torque_factor
        Links may weigh so many times what the description says, or that part of it.

    Returns
    -------
    Limits
        All of them, for `design_trajectory` and `check_motion`.
    """
    shares = {"velocity": velocity_scale, "acceleration": acceleration_scale, "effort": effort_scale, "jerk": jerk_scale}
    for name, scale in shares.items():
        if not (np.isfinite(scale) and scale >= 0.0):
            raise ValueRangeError(f"{name}_scale", f"is {scale}; a share such as 0.9 was expected")
    frames = (*robot.link_names, TOOL)
    for name in (frame for box in boxes for frame in box.frames):
        if name not in frames:
            raise UnknownNameError("frame", name, frames)
    limits = Limits(
        position=robot.position_limits + position_margin * np.array([1.0, -1.0]),
        velocity=_scale(robot.velocity_limits, velocity_scale),
        acceleration=_scale(robot.acceleration_limits, acceleration_scale),
        effort=_scale(robot.effort_limits, effort_scale),
        jerk=_scale(robot.jerk_limits, jerk_scale),
        boxes=boxes,
        floor=_floor(robot, floor),
        clearance=clearance,
    )
    return with_torque_factor(robot, limits, torque_factor)


def with_torque_factor(robot: Robot, limits: Limits, factor: float) -> Limits:
    """The same limits, with torques for links that are known to a factor, and friction (`NominalTorque`)."""
    return replace(limits, torque=nominal_torque(robot, factor=factor, effort=limits.effort, velocity=limits.velocity))


def require_usable(robot: Robot, limits: Limits, start: ArrayLike | None = None) -> None:
    """LimitError for limits that leave no motion at all; ValueRangeError where a limit is needed and missing."""
    if len(limits.velocity) != robot.n:
        raise ShapeError("limits", limits.velocity.shape, f"({robot.n},) = one per joint of {robot.name}")
    for j, joint in enumerate(robot.joints):
        low, high = limits.position[j]
        if not low < high:
            raise LimitError(f"position limit of joint {joint.name!r}", f"leaves no room: {low:.4g} to {high:.4g} with the margin")
        if np.isfinite(low) != np.isfinite(high) or (joint.type == "prismatic" and not np.isfinite(low)):
            raise ValueRangeError(f"position limit of joint {joint.name!r}", "is infinite; give it one in the limits")
        for name in ("velocity", "acceleration", "effort", "jerk"):
            if (value := float(getattr(limits, name)[j])) <= 0.0:
                raise LimitError(f"{name} limit of joint {joint.name!r}", f"is {value:g}, so the joint can't move")
        if not np.isfinite(limits.velocity[j]):
            raise ValueRangeError(f"velocity limit of joint {joint.name!r}", "is not in the robot's description; give it in the limits")
    if limits.floor > max(robot.floor, 0.0):
        raise LimitError("floor", f"at {limits.floor:g} m is above the base of the robot, at {max(robot.floor, 0.0):g} m")
    if limits.clearance is not None and not 0.0 <= limits.clearance < np.inf:
        raise ValueRangeError("clearance", f"is {limits.clearance:g}; a distance such as 0.02 m was expected")
    if start is not None:
        _require_inside(robot, limits, np.asarray(start, dtype=float))


def _require_inside(robot: Robot, limits: Limits, start: Array) -> None:
    if start.shape != (robot.n,) or not np.all(np.isfinite(start)):
        raise ShapeError("start", start.shape, f"({robot.n},) = one finite position per joint")
    for j, joint in enumerate(robot.joints):
        low, high = limits.position[j]
        if not low <= start[j] <= high:
            raise LimitError(f"position limit of joint {joint.name!r}", f"({low:.4g} to {high:.4g}) excludes the start, {start[j]:.4g}")


def _floor(robot: Robot, floor: float | Literal["mounting"] | None) -> float:
    if floor is None:
        return -np.inf
    return robot.floor if isinstance(floor, str) else floor


def _scale(limits: Array, scale: float) -> Array:
    """Infinite stays infinite, whatever its share (0 · ∞ is NaN)."""
    with np.errstate(over="ignore"):  # which is no limit then
        return np.where(np.isfinite(limits), limits * scale, np.inf if scale > 0.0 else 0.0)


def frame_positions(robot: Robot, q: Array) -> Array:
    """(N, n + 1, 3) origins of all links' parameter frames in the base frame, the tool last [m]."""
    poses = link_poses(robot, q)
    tool = poses[:, -1] @ robot.tool
    return np.concatenate([poses[..., :3, 3], tool[:, None, :3, 3]], axis=1)
