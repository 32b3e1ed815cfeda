"""Where the links' origins and the tool are, and how far outside their regions."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.excitation.limits.limits import TOOL, Box
from dynident.robots.kinematics import link_poses
from dynident.robots.robot import Robot

#: Step of the central differences in joint positions [rad | m]; the error of a metre-sized robot is 1e-9 m.
_STEP = 1e-5


def frame_positions(robot: Robot, q: Array) -> Array:
    """(N, n + 1, 3) origins of all links' parameter frames in the base frame, the tool last [m]."""
    poses = link_poses(robot, q)
    tool = poses[:, -1] @ robot.tool
    return np.concatenate([poses[..., :3, 3], tool[:, None, :3, 3]], axis=1)


def frame_indices(robot: Robot, box: Box) -> list[int]:
    """Indices of the frames that a box is about, into `frame_positions`."""
    names = (*robot.link_names, TOOL)
    return [names.index(name) for name in box.frames] or list(range(len(names)))


def excess(robot: Robot, boxes: tuple[Box, ...], positions: Array) -> Array:
    """(boxes, N, n + 1) signed distance by which each frame is outside each box [m]: negative inside, -inf for frames it ignores."""
    out = np.full((len(boxes), *positions.shape[:2]), -np.inf)
    for k, box in enumerate(boxes):
        frames = frame_indices(robot, box)
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
