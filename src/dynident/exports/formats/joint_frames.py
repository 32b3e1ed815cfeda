"""A robot as URDF and MJCF think of it: a link's frame is the frame of the joint that moves it.

Where a robot's parameter frames are elsewhere (standard DH: at the link's far end), the parameters are carried over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.parameters import change_of_frame
from dynident.robots.robot import Joint, Link, Robot


@dataclass(frozen=True, eq=False)
class JointFrameBody:
    """One joint and its link. placement : pose of the joint frame in the parent's joint frame; parameters : (10,) in its own."""

    joint: Joint
    link: Link
    parent: str
    placement: Array
    parameters: Array


def bodies_in_joint_frames(robot: Robot, parameters: Array) -> list[JointFrameBody]:
    """The bodies in order; the base's name is `base_name(robot)`."""
    found: list[JointFrameBody] = []
    for joint, link, row in zip(robot.joints, robot.links, parameters, strict=True):
        before = np.eye(4) if joint.parent < 0 else robot.links[joint.parent].placement
        parent = base_name(robot) if joint.parent < 0 else robot.links[joint.parent].name
        found.append(JointFrameBody(joint, link, parent, before @ joint.placement, change_of_frame(link.placement) @ row))
    return found


def tool_in_joint_frame(robot: Robot) -> Array:
    """(4, 4) pose of the tool in the last link's joint frame."""
    return robot.links[-1].placement @ robot.tool


def base_name(robot: Robot) -> str:
    """The base link's name: that of the source, else one that no link has."""
    return unused_name(robot.base_sources[0] if robot.base_sources else "base", robot)


def unused_name(name: str, robot: Robot) -> str:
    while name in robot.link_names:
        name += "_link"
    return name
