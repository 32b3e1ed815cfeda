"""A complete URDF of a robot that has none: kinematics, limits, inertias, friction; no shapes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from xml.sax.saxutils import quoteattr

import numpy as np

from dynident.core.arrays import Array
from dynident.core.xml import comment_text, number_text
from dynident.exports.export_model import ExportModel
from dynident.exports.formats.joint_frames import JointFrameBody, base_name, bodies_in_joint_frames, tool_in_joint_frame, unused_name
from dynident.exports.formats.simulator_friction import ExpressedFriction
from dynident.parameters import link_inertia
from dynident.robots.formats.urdf_text import inertial_lines
from dynident.robots.kinematics import xyz_rpy_from_pose
from dynident.robots.robot import Joint, JointType

#: URDF demands limits; this stands for one that is not known.
UNKNOWN_LIMIT = 1e9


def complete_urdf(model: ExportModel, held: ExpressedFriction, comment: list[str]) -> tuple[str, list[str]]:
    """The text, and notes about what it doesn't say."""
    robot = model.robot
    notes = ["no URDF was there to be patched, so the file is complete but has no shapes"]
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(robot.name)}>", f"  {comment_text(comment)}"]
    lines.append(f"  <link name={quoteattr(base_name(robot))}/>")
    unknown = False
    for i, body in enumerate(bodies_in_joint_frames(robot, model.parameters)):
        lines += link_lines(body.link.name, body.parameters)
        lines += _joint_lines(body, held.of_joint(i))
        unknown |= not all(math.isfinite(limit) for limit in (body.joint.velocity, body.joint.effort))
    tool = tool_in_joint_frame(robot)
    if not np.array_equal(tool, np.eye(4)):
        lines += _tool_lines(robot.links[-1].name, unused_name("tool", robot), tool)
    if unknown:
        notes.append(f"limits that the robot's description doesn't give are {UNKNOWN_LIMIT:g} in the URDF")
    return "\n".join([*lines, "</robot>", ""]), notes


def link_lines(name: str, parameters: Array) -> list[str]:
    """A <link>; one without mass has no <inertial>."""
    if not np.any(parameters):
        return [f"  <link name={quoteattr(name)}/>"]
    lines = inertial_lines(link_inertia(parameters, name))
    return [f"  <link name={quoteattr(name)}>", *(f"    {line}" for line in lines), "  </link>"]


def dynamics_line(values: Mapping[str, float]) -> str:
    words = [f'{name}="{number_text([value])}"' for name, value in values.items()]
    return f"<dynamics {' '.join(words)}/>"


def _joint_lines(body: JointFrameBody, friction: Mapping[str, float]) -> list[str]:
    joint = body.joint
    kind = JointType.CONTINUOUS if joint.type is JointType.REVOLUTE and not _is_bounded(joint) else joint.type
    return [
        f"  <joint name={quoteattr(joint.name)} type={quoteattr(kind.value)}>",
        f"    {_origin(body.placement)}",
        f"    <parent link={quoteattr(body.parent)}/>",
        f"    <child link={quoteattr(body.link.name)}/>",
        f'    <axis xyz="{number_text(joint.axis.tolist())}"/>',
        *_limit_lines(joint, kind),
        *([f"    {dynamics_line(friction)}"] if friction else []),
        "  </joint>",
    ]


def _limit_lines(joint: Joint, kind: JointType) -> list[str]:
    limits = {"effort": joint.effort, "velocity": joint.velocity}
    if kind is JointType.CONTINUOUS and not all(math.isfinite(limit) for limit in limits.values()):
        return []
    if kind is not JointType.CONTINUOUS:
        limits |= {"lower": joint.position[0], "upper": joint.position[1]}
    words = [f'{name}="{number_text([max(-UNKNOWN_LIMIT, min(UNKNOWN_LIMIT, limit))])}"' for name, limit in limits.items()]
    return [f"    <limit {' '.join(words)}/>"]


def _tool_lines(last: str, tool: str, pose: Array) -> list[str]:
    return [
        f"  <link name={quoteattr(tool)}/>",
        f'  <joint name={quoteattr(f"{tool}_joint")} type="fixed">',
        f"    {_origin(pose)}",
        f"    <parent link={quoteattr(last)}/>",
        f"    <child link={quoteattr(tool)}/>",
        "  </joint>",
    ]


def _origin(pose: Array) -> str:
    xyz, rpy = xyz_rpy_from_pose(pose)
    return f'<origin xyz="{number_text(xyz.tolist())}" rpy="{number_text(rpy.tolist())}"/>'


def _is_bounded(joint: Joint) -> bool:
    return all(math.isfinite(limit) for limit in joint.position)
