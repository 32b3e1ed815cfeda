"""What the compiled kernels need to know of a robot, as plain arrays.

A link's pose in its parent is affine in (1, cos q, sin q, q) whatever the joint and wherever its parameter frame
sits, so one formula without branches serves revolute and prismatic joints, URDF, and both DH conventions.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dynident.core.arrays import Array, freeze
from dynident.robots.kinematics import skew
from dynident.robots.robot import Joint, JointType, Link, Robot


@lru_cache(maxsize=64)
def joint_constants(robot: Robot) -> Array:
    """(n, 45) the pose terms and the screw of every joint."""
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
