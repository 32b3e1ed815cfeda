"""A complete MJCF of a robot that has none: kinematics, limits, inertias, friction, gravity; no shapes."""

from __future__ import annotations

import math
from xml.sax.saxutils import quoteattr

import numpy as np

from dynident.core.arrays import Array
from dynident.core.xml import comment_text, number_text
from dynident.exports.export_model import ExportModel
from dynident.exports.formats.joint_frames import JointFrameBody, bodies_in_joint_frames, tool_in_joint_frame, unused_name
from dynident.exports.formats.simulator_friction import ExpressedFriction
from dynident.parameters import LinkInertia, link_inertia
from dynident.robots.formats.mjcf_inertial import FULL_INERTIA
from dynident.robots.robot import Joint, JointType


def complete_mjcf(model: ExportModel, held: ExpressedFriction, comment: list[str]) -> tuple[str, list[str]]:
    """The text, and notes about what it doesn't say."""
    robot = model.robot
    bodies = bodies_in_joint_frames(robot, model.parameters)
    lines = [
        f"<mujoco model={quoteattr(robot.name)}>",
        f"  {comment_text(comment)}",
        '  <compiler angle="radian" autolimits="false"/>',
        f'  <option gravity="{number_text(robot.gravity.tolist())}"/>',
        "  <worldbody>",
        *_children(model, bodies, held, -1, "    "),
        "  </worldbody>",
        "</mujoco>",
        "",
    ]
    return "\n".join(lines), ["no MJCF was there to be patched, so the file is complete but has no shapes"]


def inertial_tag(body: LinkInertia) -> str:
    """An <inertial> in the axes of its body."""
    numbers = full_inertia(body.inertia)
    # MuJoCo takes the full form only when it is positive definite, and a body without mass has zeros
    tensor = f'fullinertia="{number_text(numbers)}"' if any(numbers) else 'diaginertia="0 0 0"'
    return f'<inertial pos="{number_text(body.com.tolist())}" mass="{number_text([body.mass])}" {tensor}/>'


def full_inertia(inertia: Array) -> list[float]:
    """MuJoCo's order: xx, yy, zz, xy, xz, yz."""
    return [float(inertia[place]) for place in FULL_INERTIA]


def _children(model: ExportModel, bodies: list[JointFrameBody], held: ExpressedFriction, parent: int, indent: str) -> list[str]:
    lines: list[str] = []
    for i, body in enumerate(bodies):
        if body.joint.parent == parent:
            lines += _body(model, bodies, held, i, indent)
    return lines


def _body(model: ExportModel, bodies: list[JointFrameBody], held: ExpressedFriction, i: int, indent: str) -> list[str]:
    body = bodies[i]
    lines = [f"{indent}<body name={quoteattr(body.link.name)} {_pose(body.placement)}>"]
    if np.any(body.parameters):
        lines.append(f"{indent}  {inertial_tag(link_inertia(body.parameters, body.link.name))}")
    numbers = "".join(f' {name}="{number_text([value])}"' for name, value in held.of_joint(i).items())
    lines.append(f"{indent}  <joint name={quoteattr(body.joint.name)} {_joint(body.joint)}{numbers}/>")
    tool = tool_in_joint_frame(model.robot)
    if i == model.robot.n - 1 and not np.array_equal(tool, np.eye(4)):
        lines.append(f"{indent}  <site name={quoteattr(unused_name('tool', model.robot))} {_pose(tool)}/>")
    return [*lines, *_children(model, bodies, held, i, f"{indent}  "), f"{indent}</body>"]


def _joint(joint: Joint) -> str:
    kind = "slide" if joint.type is JointType.PRISMATIC else "hinge"
    words = [f'type="{kind}"', f'axis="{number_text(joint.axis.tolist())}"']
    if all(math.isfinite(limit) for limit in joint.position):
        words.append(f'limited="true" range="{number_text(list(joint.position))}"')
    if math.isfinite(joint.effort):
        words.append(f'actuatorfrclimited="true" actuatorfrcrange="{number_text([-joint.effort, joint.effort])}"')
    return " ".join(words)


def _pose(pose: Array) -> str:
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
