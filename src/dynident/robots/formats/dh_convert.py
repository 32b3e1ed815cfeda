"""Any serial robot as a DH robot: frames from the common normals of successive joint axes (Denavit, Hartenberg 1955).

Joint positions keep their meaning, so torques are unchanged; nominal parameters are carried into the DH frames.
With x_i the common normal from axis i to axis i+1, frame i of the modified convention sits on axis i, frame i of the
standard convention on axis i+1. The last modified frame, the last standard frame, the point where a normal between
parallel axes stands and the sign of one between intersecting axes are free: zeros and small turns are chosen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from math import atan2, cos, pi, sin
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array
from dynident.errors import UnknownNameError, UnsupportedRobotError
from dynident.robots.formats.dh import CONVENTIONS, dh_pose, frame_name
from dynident.robots.kinematics import inverse_pose, link_poses
from dynident.robots.parameters import change_of_frame
from dynident.robots.robot import Joint, Link, Robot

# Axes closer to parallel than this [rad] are written as parallel, with a note: exactly skew, their common normal would
# stand 1/angle away, where inertias lose 1/angle² of their digits. Both errors are about 1e-5 here, at worst.
PARALLEL = 1e-5
# Below this [m | rad] a DH parameter, or a departure from the DH form, is rounding.
TINY = 1e-12
_FORM = 1e-10


class DhRow(NamedTuple):
    """One line of a DH table, at q = 0."""

    a: float
    alpha: float
    d: float
    theta: float


class _Normal(NamedTuple):
    """The common normal of two successive axes: its foot on each, and its direction."""

    start: Array
    end: Array
    x: Array


def to_dh(robot: Robot, convention: str = "modified") -> Robot:
    """The same robot described by DH frames; a tree with branches is refused."""
    if convention not in CONVENTIONS:
        raise UnknownNameError("DH convention", convention, CONVENTIONS)
    check_serial(robot)
    points, axes, snapped = _lines(robot)
    normals = _normals(points, axes)
    frames = (_modified_frames if convention == "modified" else _standard_frames)(points, axes, normals)
    rows = _dh_rows(convention, (inverse_pose(before) @ after for before, after in pairwise(frames)))
    if rows is None:
        raise UnsupportedRobotError("the joint axes lie too far apart for a DH table; choose another base and tip")
    poses = [dh_pose(convention, *row) for row in rows]
    old = link_poses(robot, np.zeros(robot.n))
    moved = [inverse_pose(frames[i + 1]) @ old[i] for i in range(robot.n)]  # old parameter frame in the new one
    joints: list[Joint] = []
    links: list[Link] = []
    for i, (joint, link) in enumerate(zip(robot.joints, robot.links, strict=True)):
        before, after = (poses[i], np.eye(4)) if convention == "modified" else (np.eye(4), poses[i])
        parameters = None if link.parameters is None else change_of_frame(moved[i]) @ link.parameters
        joints.append(replace(joint, placement=frames[0] @ before if i == 0 else before, axis=np.array([0.0, 0.0, 1.0])))
        pieces = tuple(replace(piece, placement=moved[i] @ piece.placement) for piece in link.pieces)
        links.append(replace(link, frame=frame_name(convention, i + 1), placement=after, parameters=parameters, pieces=pieces))
    return replace(robot, joints=tuple(joints), links=tuple(links), tool=moved[-1] @ robot.tool, notes=(*robot.notes, *snapped))


def read_table(robot: Robot, convention: str) -> tuple[Array, list[DhRow]] | None:
    """The base pose and DH table of a robot whose frames already are those of the convention; None when they are not."""
    first, *others = (joint.placement for joint in robot.joints)
    links = [link.placement for link in robot.links]
    poses, identities = (others, links) if convention == "modified" else (links, others)
    rows = _dh_rows(convention, poses)
    along_z = all(np.allclose(joint.axis, (0.0, 0.0, 1.0), rtol=0.0, atol=TINY) for joint in robot.joints)
    if rows is None or not along_z or not all(is_identity(pose) for pose in identities):
        return None
    if convention == "standard":
        return first, rows
    row = dh_row("modified", first)
    return (first, [DhRow(0.0, 0.0, 0.0, 0.0), *rows]) if row is None else (np.eye(4), [row, *rows])


def is_identity(pose: Array) -> bool:
    """No motion, up to rounding."""
    return bool(np.allclose(pose, np.eye(4), rtol=0.0, atol=TINY))


def _dh_rows(convention: str, poses: Iterable[Array]) -> list[DhRow] | None:
    """The row of each pose; None when one of them is not of the DH form."""
    rows = [dh_row(convention, pose) for pose in poses]
    representable = [row for row in rows if row is not None]
    return representable if len(representable) == len(rows) else None


def check_serial(robot: Robot) -> None:
    for i, joint in enumerate(robot.joints):
        if joint.parent != i - 1:
            raise UnsupportedRobotError(
                f"robot {robot.name!r} branches at joint {joint.name!r} and a DH table describes a serial chain; "
                f"choose one with base and tip when loading it"
            )


def dh_row(convention: str, pose: Array) -> DhRow | None:
    """The DH row whose pose this is, tidied; None when the pose is not of the DH form."""
    R, p = pose[:3, :3], pose[:3, 3]
    if convention == "modified":
        alpha, theta = atan2(-R[1, 2], R[2, 2]), atan2(-R[0, 1], R[0, 0])
        row = DhRow(p[0], alpha, cos(alpha) * p[2] - sin(alpha) * p[1], theta)
    else:
        alpha, theta = atan2(R[2, 1], R[2, 2]), atan2(R[1, 0], R[0, 0])
        row = DhRow(cos(theta) * p[0] + sin(theta) * p[1], alpha, p[2], theta)
    tidy = DhRow(_tidy(row.a), tidy_angle(row.alpha), _tidy(row.d), tidy_angle(row.theta))
    return tidy if np.allclose(dh_pose(convention, *tidy), pose, rtol=0.0, atol=_FORM) else None


def tidy_angle(angle: float) -> float:
    """The angle itself, or the multiple of 15° that it is up to rounding."""
    exact = round(angle * 12 / pi) * pi / 12
    return exact if abs(angle - exact) < TINY else float(angle)


def _tidy(length: float) -> float:
    return 0.0 if abs(length) < TINY else float(length)


def _lines(robot: Robot) -> tuple[list[Array], list[Array], list[str]]:
    """A point and the direction of every joint axis in the base frame at q = 0, nearly parallel ones made parallel."""
    poses = link_poses(robot, np.zeros(robot.n))
    points: list[Array] = []
    axes: list[Array] = []
    notes: list[str] = []
    for i, joint in enumerate(robot.joints):
        frame = joint.placement if i == 0 else poses[i - 1] @ joint.placement
        axis = frame[:3, :3] @ joint.axis
        if i > 0:
            angle = float(np.linalg.norm(np.cross(axes[-1], axis)))
            if angle < PARALLEL:
                axis = axes[-1] * np.sign(axes[-1] @ axis)
            if TINY < angle < PARALLEL:
                notes.append(f"axes {i} and {i + 1} are {angle:.1e} rad from parallel; the DH table writes them as parallel")
        points.append(frame[:3, 3])
        axes.append(axis)
    return points, axes, notes


def _normals(points: list[Array], axes: list[Array]) -> list[_Normal]:
    x = _perpendicular(axes[0])
    start = points[0]
    normals: list[_Normal] = []
    for i in range(len(axes) - 1):
        normal = _normal(points[i], axes[i], points[i + 1], axes[i + 1], start, x)
        normals.append(normal)
        start, x = normal.end, normal.x
    return normals


def _normal(p: Array, z: Array, p_next: Array, z_next: Array, start: Array, x_before: Array) -> _Normal:
    """`start` is the previous normal's foot on this axis, used where the normal can stand anywhere."""
    cross = np.cross(z, z_next)
    between = p_next - p
    if np.linalg.norm(cross) < PARALLEL:
        across = p_next - start - ((p_next - start) @ z) * z
        distance = float(np.linalg.norm(across))
        if distance < TINY:  # the same line
            return _Normal(start, start, x_before)
        return _Normal(start, start + across, across / distance)
    square = float(cross @ cross)
    foot = p + (np.cross(between, z_next) @ cross) / square * z
    foot_next = p_next + (np.cross(between, z) @ cross) / square * z_next
    x = cross / np.sqrt(square)
    gap = float((foot_next - foot) @ x)
    if (gap if abs(gap) > TINY else float(x @ x_before)) < 0:
        x = -x
    return _Normal(foot, foot_next, x)


def _modified_frames(points: list[Array], axes: list[Array], normals: list[_Normal]) -> list[Array]:
    """Frames 0 to n: frame 0 is the base frame when a DH row leads from it to frame 1, else frame 1 itself."""
    frames = [_frame(normal.start, normal.x, axis) for normal, axis in zip(normals, axes[:-1], strict=True)]
    if normals:
        frames.append(_frame(normals[-1].end, normals[-1].x, axes[-1]))
    else:
        frames.append(_frame(points[0], _perpendicular(axes[0]), axes[0]))
    return [np.eye(4) if dh_row("modified", frames[0]) is not None else frames[0], *frames]


def _standard_frames(points: list[Array], axes: list[Array], normals: list[_Normal]) -> list[Array]:
    """Frames 0 to n: frame 0 on axis 1 at the point nearest to the base's origin, frame n is frame n-1."""
    nearest = points[0] - (points[0] @ axes[0]) * axes[0]
    frames = [_frame(nearest, _perpendicular(axes[0]), axes[0])]
    frames += [_frame(normal.end, normal.x, axis) for normal, axis in zip(normals, axes[1:], strict=True)]
    return [*frames, frames[-1]]


def _frame(origin: Array, x: Array, z: Array) -> Array:
    T = np.eye(4)
    T[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    T[:3, 3] = origin
    return T


def _perpendicular(z: Array) -> Array:
    """The base frame's x axis made perpendicular to z; its y axis where z is along x."""
    seed = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = seed - (seed @ z) * z
    return x / np.linalg.norm(x)
