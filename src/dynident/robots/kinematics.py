"""Poses in one place: rotations about the axes, xyz/rpy, joint motion, where every link is at a joint position, how far an arm reaches."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import atan2, copysign, hypot, pi

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_samples, freeze
from dynident.robots.robot import Joint, JointType, Link, Robot

# cos(π/2) is 6e-17 in floating point; below this a sine or cosine is noise, and quarter turns come out exact.
_NOISE = 1e-15
#: The reach of arms that are measured in metres [m].
_ARM = (0.4, 4.0)
#: Longer strokes of a sliding joint [m] are placeholders for limits that nobody knows.
LONGEST_STROKE = 100.0


def rotation_x(angle: float) -> Array:
    """(4, 4) pose: rotation about x [rad]."""
    return axis_rotation(np.array([1.0, 0.0, 0.0]), angle)


def rotation_z(angle: float) -> Array:
    """(4, 4) pose: rotation about z [rad]."""
    return axis_rotation(np.array([0.0, 0.0, 1.0]), angle)


def axis_rotation(axis: Array, angle: ArrayLike) -> Array:
    """(..., 4, 4) pose: rotation by each `angle` (...) [rad] about the unit vector `axis` (3,), by Rodrigues' formula."""
    turn = np.asarray(angle, dtype=float)[..., None, None]
    c, s = (np.where(np.abs(value) < _NOISE, 0.0, value) for value in (np.cos(turn), np.sin(turn)))
    T = np.zeros((*turn.shape[:-2], 4, 4))
    T[..., :3, :3] = c * np.eye(3) + s * skew(axis) + (1.0 - c) * np.outer(axis, axis)
    T[..., 3, 3] = 1.0
    return T


def skew(a: Array) -> Array:
    """(3, 3) [a]×, with [a]× b = a × b."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def translation(xyz: ArrayLike) -> Array:
    """(..., 4, 4) pose: translation by `xyz` (..., 3) [m]."""
    p = np.asarray(xyz, dtype=float)
    T = np.zeros((*p.shape[:-1], 4, 4))
    T[...] = np.eye(4)
    T[..., :3, 3] = p
    return T


def pose_from_xyz_rpy(xyz: ArrayLike, rpy: ArrayLike) -> Array:
    """(4, 4) pose with R = Rz(yaw) Ry(pitch) Rx(roll), URDF's convention; rpy (3,) is roll, pitch, yaw [rad]."""
    roll, pitch, yaw = (float(angle) for angle in np.asarray(rpy, dtype=float))
    turn = rotation_z(yaw) @ axis_rotation(np.array([0.0, 1.0, 0.0]), pitch) @ rotation_x(roll)
    return translation(xyz) @ turn


def xyz_rpy_from_pose(pose: Array) -> tuple[Array, Array]:
    """The inverse of `pose_from_xyz_rpy`; at a pitch of ±90°, where roll and yaw are one rotation, roll is 0."""
    R = pose[:3, :3]
    if hypot(R[0, 0], R[1, 0]) < 1e-12:
        pitch = copysign(pi / 2, -R[2, 0])
        return pose[:3, 3].copy(), np.array([0.0, pitch, atan2(-R[0, 1], R[1, 1])])
    return pose[:3, 3].copy(), np.array([atan2(R[2, 1], R[2, 2]), atan2(-R[2, 0], hypot(R[0, 0], R[1, 0])), atan2(R[1, 0], R[0, 0])])


#: Angles this near [rad] to a multiple of 90° are that multiple, rounded when a file was written (1.5708, 3.1416).
_ROUNDED = 2e-5


def rounded_joints(robot: Robot) -> tuple[str, ...]:
    """Names of joints that stand at nearly, but not exactly, right angles in their parents."""
    pairs = zip(robot.joints, robot.links, strict=True)
    return tuple(joint.name for joint, link in pairs if any(_snap(pose) is not pose for pose in (joint.placement, link.placement)))


def with_right_angles(robot: Robot) -> Robot:
    """The robot with angles that were rounded in its file made right again; itself where none were."""
    if not rounded_joints(robot):
        return robot
    joints = tuple(replace(joint, placement=_snap(joint.placement)) for joint in robot.joints)
    return replace(robot, joints=joints, links=tuple(replace(link, placement=_snap(link.placement)) for link in robot.links))


def _snap(pose: Array) -> Array:
    """The pose with roll, pitch and yaw that are nearly multiples of 90° made so; the same object where none is."""
    xyz, rpy = xyz_rpy_from_pose(pose)
    right = np.round(rpy / (0.5 * pi)) * 0.5 * pi
    near = np.abs(rpy - right) <= _ROUNDED
    if np.all(np.abs(rpy - right)[near] <= 1e-12):
        return pose
    return pose_from_xyz_rpy(xyz, np.where(near, right, rpy))


def inverse_pose(pose: Array) -> Array:
    """The inverse of a (..., 4, 4) pose."""
    R_inverse = np.swapaxes(pose[..., :3, :3], -1, -2)
    T = np.zeros_like(pose)
    T[..., :3, :3] = R_inverse
    T[..., :3, 3] = -np.einsum("...ij,...j->...i", R_inverse, pose[..., :3, 3])
    T[..., 3, 3] = 1.0
    return T


def joint_motion(joint: Joint, position: ArrayLike) -> Array:
    """(..., 4, 4) pose of the moved joint frame in the joint frame at rest; `position` (...) [rad | m]."""
    if joint.type is JointType.PRISMATIC:
        return translation(np.asarray(position, dtype=float)[..., None] * joint.axis)
    return axis_rotation(joint.axis, position)


def link_poses(robot: Robot, q: ArrayLike) -> Array:
    """Pose of every link's parameter frame in the base frame.

    Parameters
    ----------
    robot : Robot
        The robot.
    q : (N, n) or (n,) array_like
        Joint positions [rad | m].

    Returns
    -------
    (N, n, 4, 4) or (n, 4, 4) array
        [..., i, :, :] is link i's.
    """
    position = check_samples("q", q, robot.n)
    poses = np.empty((*position.shape, 4, 4))
    for i, (joint, link) in enumerate(zip(robot.joints, robot.links, strict=True)):
        before = joint.placement if joint.parent < 0 else poses[..., joint.parent, :, :] @ joint.placement
        poses[..., i, :, :] = before @ joint_motion(joint, position[..., i]) @ link.placement
    return poses


@lru_cache(maxsize=64)
def children(robot: Robot) -> tuple[tuple[int, ...], ...]:
    """The links that hang on each link."""
    children_of: list[list[int]] = [[] for _ in robot.joints]
    for child, joint in enumerate(robot.joints):
        if joint.parent >= 0:
            children_of[joint.parent].append(child)
    return tuple(map(tuple, children_of))


def joint_points(robot: Robot, body: int) -> tuple[Array, list[Array]]:
    """The link's own joint, and its children's joints (the tool's origin for the last link), in the link's parameter frame."""
    pose_link_in_joint = robot.links[body].placement
    start = -pose_link_in_joint[:3, :3].T @ pose_link_in_joint[:3, 3]
    ends = [robot.joints[child].placement[:3, 3] for child in children(robot)[body]]
    if body == robot.n - 1:
        ends.append(robot.tool[:3, 3])
    return start, ends


@lru_cache(maxsize=64)
def arm_reach(robot: Robot) -> float:
    """Length of the longest chain of joints from the base to a tip, strokes of the sliding joints up to `LONGEST_STROKE` included [m]."""
    lengths: list[float] = []
    for body, joint in enumerate(robot.joints):
        start, ends = joint_points(robot, body)
        if joint.parent < 0:
            to_joint = float(np.linalg.norm(joint.placement[:3, 3]))
        else:
            parent_start, _ = joint_points(robot, joint.parent)
            to_joint = lengths[joint.parent] + float(np.linalg.norm(joint.placement[:3, 3] - parent_start))
        low, high = joint.position
        stroke = high - low if joint.type is JointType.PRISMATIC and high - low <= LONGEST_STROKE else 0.0
        tip = float(np.linalg.norm(ends[-1] - start)) if body == robot.n - 1 else 0.0
        lengths.append(to_joint + stroke + tip)
    return max(lengths)


def length_unit(robot: Robot) -> float:
    """The length that a robot is best measured in [m]: a metre for an arm, and for others the power of four that their reach is about.

    Powers of four, and their roots, change no digit of a number. Of a robot whose joints are all in one point, the links tell.
    """
    reach = arm_reach(robot)
    if reach == 0.0 and robot.parameters is not None and np.any(robot.parameters[:, 0] > 0.0):
        mass, inertia = robot.parameters[:, 0].max(), robot.parameters[:, (4, 7, 9)].max()
        reach = float(np.sqrt(inertia / mass))
    low, high = _ARM
    return 1.0 if reach == 0.0 or low <= reach <= high else 4.0 ** round(np.log2(reach) / 2.0)


@lru_cache(maxsize=64)
def joint_constants(robot: Robot) -> Array:
    """(n, 45) the pose terms and the screw of every joint, as compiled and generated code needs them.

    A link's pose in its parent is affine in (1, cos q, sin q, q) whatever the joint and wherever its parameter frame sits, so one
    formula without branches serves revolute and prismatic joints, URDF, and both DH conventions.
    """
    return freeze(np.array([_constants(joint, link) for joint, link in zip(robot.joints, robot.links, strict=True)]))


def _constants(joint: Joint, link: Link) -> Array:
    R_joint, p_joint = joint.placement[:3, :3], joint.placement[:3, 3]
    R_link, p_link = link.placement[:3, :3], link.placement[:3, 3]
    a = joint.axis
    if joint.type is JointType.PRISMATIC:
        turns = (np.eye(3), np.zeros((3, 3)), np.zeros((3, 3)))
        slide = R_joint @ a
        screw = np.concatenate([np.zeros(3), R_link.T @ a])
    else:
        # Rodrigues: motion(q) = a aᵀ + cos q (1 - a aᵀ) + sin q [a]×
        turns = (np.outer(a, a), np.eye(3) - np.outer(a, a), skew(a))
        slide = np.zeros(3)
        screw = np.concatenate([R_link.T @ a, R_link.T @ (skew(a) @ p_link)])
    terms = [np.concatenate([(R_joint @ turn @ R_link).ravel(), R_joint @ turn @ p_link]) for turn in turns]
    terms[0][9:] += p_joint
    return np.concatenate([*terms, slide, screw])
