"""Complete descriptions of a robot that has none, URDF or MJCF: kinematics, limits, inertias, friction, capsules, in MJCF gravity.

To both formats a link's frame is the frame of the joint that moves it. Where a robot's parameter frames are elsewhere (standard DH:
at the link's far end), the parameters are carried over.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

import numpy as np

from dynident.core.arrays import Array
from dynident.core.xml import comment_text, number_text
from dynident.exports.export_model import AttachedBody, ExportModel
from dynident.exports.formats.capsules import mjcf_pairs, mjcf_shapes, shapes_sentence, unheld_by_urdf, urdf_shapes
from dynident.exports.friction import ExpressedFriction
from dynident.parameters import PARAMETERS_PER_LINK, change_of_frame, link_inertia
from dynident.robots.formats.mjcf_text import inertial_tag
from dynident.robots.formats.urdf_xml import UNKNOWN_LIMIT, inertial_lines
from dynident.robots.kinematics import xyz_rpy_from_pose
from dynident.robots.robot import Joint, JointType, Link, Robot


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


def complete_urdf(model: ExportModel, held: ExpressedFriction, comment: list[str]) -> tuple[str, list[str]]:
    """The text, and notes about what it doesn't say."""
    robot = model.robot
    notes = [f"no URDF was there to be patched, so the file is {shapes_sentence(robot)}", *unheld_by_urdf(robot)]
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(robot.name)}>", f"  {comment_text(comment)}"]
    lines += link_lines(base_name(robot), np.zeros(PARAMETERS_PER_LINK), urdf_shapes(robot, -1))
    unknown = False
    for i, body in enumerate(bodies_in_joint_frames(robot, model.parameters)):
        lines += link_lines(body.link.name, body.parameters, urdf_shapes(robot, i))
        lines += _joint_lines(body, held.of_joint(i))
        unknown |= not all(math.isfinite(limit) for limit in (body.joint.velocity, body.joint.effort))
    tool = tool_in_joint_frame(robot)
    if not np.array_equal(tool, np.eye(4)):
        name = unused_name("tool", robot)
        lines += [f"  <link name={quoteattr(name)}/>", *fixed_lines(robot.links[-1].name, name, tool)]
    if model.payload is not None:
        carrier, body = robot.links[model.payload.link], model.payload
        lines += [*link_lines(body.name, body.parameters), *fixed_lines(carrier.name, body.name, carrier.placement @ body.pose)]
    if unknown:
        notes.append(f"limits that the robot's description doesn't give are {UNKNOWN_LIMIT:g} in the URDF")
    return "\n".join([*lines, "</robot>", ""]), notes


def link_lines(name: str, parameters: Array, shapes: list[str] | None = None) -> list[str]:
    """A <link>; one without mass has no <inertial>."""
    lines = inertial_lines(link_inertia(parameters, name)) if np.any(parameters) else []
    lines += shapes or []
    if not lines:
        return [f"  <link name={quoteattr(name)}/>"]
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


def fixed_lines(parent: str, child: str, pose: Array) -> list[str]:
    """The fixed <joint> that holds a link at this pose of another."""
    return [
        f'  <joint name={quoteattr(f"{child}_joint")} type="fixed">',
        f"    {_origin(pose)}",
        f"    <parent link={quoteattr(parent)}/>",
        f"    <child link={quoteattr(child)}/>",
        "  </joint>",
    ]


def _origin(pose: Array) -> str:
    xyz, rpy = xyz_rpy_from_pose(pose)
    return f'<origin xyz="{number_text(xyz.tolist())}" rpy="{number_text(rpy.tolist())}"/>'


def _is_bounded(joint: Joint) -> bool:
    return all(math.isfinite(limit) for limit in joint.position)


def complete_mjcf(model: ExportModel, held: ExpressedFriction, comment: list[str]) -> tuple[str, list[str]]:
    """The text, and notes about what it doesn't say."""
    robot = model.robot
    bodies = bodies_in_joint_frames(robot, model.parameters)
    lines = [
        f"<mujoco model={quoteattr(robot.name)}>",
        f"  {comment_text(comment)}",
        '  <compiler angle="radian" autolimits="false"/>',
        f'  <option gravity="{number_text(robot.gravity.tolist())}"/>',
        *mjcf_pairs(robot),
        "  <worldbody>",
        *(f"    {line}" for line in mjcf_shapes(robot, -1)),
        *_children(model, bodies, held, -1, "    "),
        "  </worldbody>",
        "</mujoco>",
        "",
    ]
    return "\n".join(lines), [f"no MJCF was there to be patched, so the file is {shapes_sentence(robot)}"]


def _children(model: ExportModel, bodies: list[JointFrameBody], held: ExpressedFriction, parent: int, indent: str) -> list[str]:
    lines: list[str] = []
    for i, body in enumerate(bodies):
        if body.joint.parent == parent:
            lines += _body(model, bodies, held, i, indent)
    return lines


def _body(model: ExportModel, bodies: list[JointFrameBody], held: ExpressedFriction, i: int, indent: str) -> list[str]:
    body = bodies[i]
    lines = [f"{indent}<body name={quoteattr(body.link.name)} {pose_attributes(body.placement)}>"]
    if np.any(body.parameters):
        lines.append(f"{indent}  {inertial_tag(link_inertia(body.parameters, body.link.name))}")
    numbers = "".join(f' {name}="{number_text([value])}"' for name, value in held.of_joint(i).items())
    lines.append(f"{indent}  <joint name={quoteattr(body.joint.name)} {_joint(body.joint)}{numbers}/>")
    lines += [f"{indent}  {line}" for line in mjcf_shapes(model.robot, i)]
    tool = tool_in_joint_frame(model.robot)
    if i == model.robot.n - 1 and not np.array_equal(tool, np.eye(4)):
        lines.append(f"{indent}  <site name={quoteattr(unused_name('tool', model.robot))} {pose_attributes(tool)}/>")
    if model.payload is not None and model.payload.link == i:
        lines += [f"{indent}  {line}" for line in attached_lines(model.payload, body.link.placement @ model.payload.pose)]
    return [*lines, *_children(model, bodies, held, i, f"{indent}  "), f"{indent}</body>"]


def attached_lines(body: AttachedBody, pose: Array) -> list[str]:
    """A <body> that has no joint, at this pose of the body around it."""
    return [
        f"<body name={quoteattr(body.name)} {pose_attributes(pose)}>",
        f"  {inertial_tag(link_inertia(body.parameters, body.name))}",
        "</body>",
    ]


def _joint(joint: Joint) -> str:
    kind = "slide" if joint.type is JointType.PRISMATIC else "hinge"
    words = [f'type="{kind}"', f'axis="{number_text(joint.axis.tolist())}"']
    if all(math.isfinite(limit) for limit in joint.position):
        words.append(f'limited="true" range="{number_text(list(joint.position))}"')
    if math.isfinite(joint.effort):
        words.append(f'actuatorfrclimited="true" actuatorfrcrange="{number_text([-joint.effort, joint.effort])}"')
    return " ".join(words)


def pose_attributes(pose: Array) -> str:
    """pos and quat of a <body> or <site>."""
    return f'pos="{number_text(pose[:3, 3].tolist())}" quat="{number_text(_quaternion(pose[:3, :3]).tolist())}"'


def _quaternion(R: Array) -> Array:
    """(w, x, y, z) of a rotation: the eigenvector of the largest eigenvalue, which is well-conditioned for every rotation
    (Bar-Itzhack, J. Guidance, Control and Dynamics 23(6), 2000)."""
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [0.0, R[0, 0] - R[1, 1] - R[2, 2], R[1, 0] + R[0, 1], R[0, 2] + R[2, 0]],
            [0.0, 0.0, R[1, 1] - R[0, 0] - R[2, 2], R[2, 1] + R[1, 2]],
            [0.0, 0.0, 0.0, R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    quaternion = np.linalg.eigh(K, UPLO="U")[1][:, -1]
    largest = quaternion[np.argmax(np.abs(quaternion))]
    tidy = np.where(np.abs(quaternion) < 1e-16, 0.0, quaternion)
    return tidy if largest > 0.0 else -tidy
