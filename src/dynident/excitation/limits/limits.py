"""What a robot must not exceed: joint positions, velocities, accelerations and torques, and where its links may go."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array, set_frozen
from dynident.errors import DynidentError, ShapeError, UnknownNameError, ValueRangeError
from dynident.excitation.limits.torque import FACTOR, TorqueBound, exact_torque, nominal_torque
from dynident.robots.kinematics import link_poses
from dynident.robots.robot import Robot

#: Name of the tool frame in workspace limits; other frames are called as their links.
TOOL = "tool"
#: Step of the central differences in joint positions [rad | m]; the error of a metre-sized robot is 1e-9 m.
_STEP = 1e-5


class LimitError(DynidentError):
    """No motion can keep the limits. Attributes: `limit`, what stops it ("velocity limit of joint 'elbow'")."""

    def __init__(self, limit: str, message: str, *, remedy: str = "") -> None:
        self.limit = limit
        super().__init__(f"{limit} {message}", remedy=remedy)


@dataclass(frozen=True, kw_only=True, eq=False)
class Box:
    """A region that the origins of some frames must stay in, in the base frame.

    frames : tuple of str   Link names, or "tool"; empty means all links and the tool.
    lower, upper : (3,)     Corners [m]; infinite where the region is open.
    name : str              How a report calls it.
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

    position : (n, 2)       Lower and upper positions, margins already taken off [rad | m].
    velocity, acceleration, effort : (n,)   Largest absolute values [rad/s, rad/s², N·m | m/s, m/s², N].
    boxes : tuple of Box    Where link origins and the tool must stay.
    floor : float           Height in the base frame that the base, all link origins and the tool stay above [m].
    jerk : (n,)             Largest rates of the accelerations [rad/s³ | m/s³]; infinite by default.
    clearance : float or None   Least distance between links that are not neighbours [m]; None: self-collision is not looked at.
    torque : TorqueBound or None   What a motion may need of `effort`; None: the description's links exactly, without friction.
    """

    position: Array
    velocity: Array
    acceleration: Array
    effort: Array
    boxes: tuple[Box, ...] = ()
    floor: float = -np.inf
    clearance: float | None = None
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

    def torque_bound(self, robot: Robot) -> TorqueBound | None:
        """What bounds the torques of a motion; None where they have no limit, or nothing is known of them."""
        bound = self.torque or exact_torque(robot)
        return bound if np.any(np.isfinite(self.effort)) and bound.applies(robot) else None

    @property
    def regions(self) -> tuple[Box, ...]:
        """The boxes, and the floor as one."""
        if self.floor == -np.inf:
            return self.boxes
        above = Box(lower=np.array([-np.inf, -np.inf, self.floor]), upper=np.full(3, np.inf), name="floor")
        return (*self.boxes, above)


def robot_limits(
    robot: Robot,
    *,
    position_margin: float = 0.02,
    velocity_scale: float = 0.9,
    acceleration_scale: float = 0.9,
    effort_scale: float = 0.9,
    jerk_scale: float = 0.9,
    boxes: tuple[Box, ...] = (),
    floor: float = -np.inf,
    clearance: float | None = 0.0,
    torque_factor: float = FACTOR,
) -> Limits:
    """The limits of the robot's description, with a margin to the position limits [rad | m] and shares of the others.

    The defaults leave a controller something to work with. Links must not touch where the description has their geometry.
    torque_factor : links may weigh so many times what the description says, or that part of it.
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
        floor=floor,
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
    if limits.floor > 0.0:
        raise LimitError("floor", f"at {limits.floor:g} m is above the base of the robot, at 0 m")
    if start is not None:
        _require_inside(robot, limits, np.asarray(start, dtype=float))


def _require_inside(robot: Robot, limits: Limits, start: Array) -> None:
    if start.shape != (robot.n,) or not np.all(np.isfinite(start)):
        raise ShapeError("start", start.shape, f"({robot.n},) = one finite position per joint")
    for j, joint in enumerate(robot.joints):
        low, high = limits.position[j]
        if not low <= start[j] <= high:
            raise LimitError(f"position limit of joint {joint.name!r}", f"({low:.4g} to {high:.4g}) excludes the start, {start[j]:.4g}")


def _scale(limits: Array, scale: float) -> Array:
    """Infinite stays infinite, whatever its share (0 · ∞ is NaN)."""
    return np.where(np.isfinite(limits), limits * scale, np.inf if scale > 0.0 else 0.0)


def frame_positions(robot: Robot, q: Array) -> Array:
    """(N, n + 1, 3) origins of all links' parameter frames in the base frame, the tool last [m]."""
    poses = link_poses(robot, q)
    tool = poses[:, -1] @ robot.tool
    return np.concatenate([poses[..., :3, 3], tool[:, None, :3, 3]], axis=1)


def excess(robot: Robot, boxes: tuple[Box, ...], positions: Array) -> Array:
    """(boxes, N, n + 1) signed distance by which each frame is outside each box [m]: negative inside, -inf for frames it ignores."""
    out = np.full((len(boxes), *positions.shape[:2]), -np.inf)
    names = (*robot.link_names, TOOL)
    for k, box in enumerate(boxes):
        frames = [names.index(name) for name in box.frames or names]
        seen = positions[:, frames]
        out[k][:, frames] = np.maximum(box.lower - seen, seen - box.upper).max(axis=-1)
    return out


def position_jacobian(robot: Robot, q: Array) -> Array:
    """(N, n + 1, 3, n) derivative of `frame_positions` by the joint positions, from central differences."""
    N, n = q.shape
    steps = _STEP * np.repeat(np.eye(n), N, axis=0)
    ahead = frame_positions(robot, np.tile(q, (n, 1)) + steps)
    behind = frame_positions(robot, np.tile(q, (n, 1)) - steps)
    return np.moveaxis(((ahead - behind) / (2.0 * _STEP)).reshape(n, N, n + 1, 3), 0, -1)
