"""URDF: the numbers of the user's own file replaced, byte for byte the same elsewhere; without such a file, a complete one.

Inertias are written in the axes of their links (rpy 0 0 0). Viscous friction is <dynamics damping>, Coulomb friction <dynamics friction>.
A URDF knows no capsule, so each is a cylinder with a ball at both ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.native_output import catch_native_errors
from dynident.core.xml import NewElement, XmlElement, XmlText, element
from dynident.errors import require
from dynident.exports.export_model import AttachedBody, ExportModel, unused_name
from dynident.exports.formats.description import (
    DescriptionFormat,
    InverseDynamics,
    JointFrameBody,
    base_name,
    bodies_in_joint_frames,
    capsules,
    complete_note,
    tool_in_joint_frame,
    unheld_notes,
)
from dynident.exports.formats.original import Original, gravity_at_root, locked_positions, place_in_source, share_out
from dynident.exports.friction import ExpressedFriction, JointAttributes
from dynident.exports.proof import DisagreementError
from dynident.exports.target import Exported
from dynident.robots.body import ENDLESS
from dynident.robots.formats.inertial_text import link_inertial, set_inertials
from dynident.robots.formats.source_tree import SourceTree
from dynident.robots.formats.urdf import read_urdf
from dynident.robots.geometry.surfaces import frame_along
from dynident.robots.kinematics import translation, xyz_rpy_from_pose
from dynident.robots.parameters import PARAMETERS_PER_LINK, link_inertia
from dynident.robots.robot import STANDARD_GRAVITY, Joint, JointType, Robot

#: Fields of joints and of a robot that URDF has no place for.
UNHELD = ("position", "acceleration", "jerk", "home", "floor")
ATTRIBUTES = JointAttributes("URDF", friction=("damping", "friction"))


class UrdfFormat(DescriptionFormat):
    """URDF, proven by Pinocchio."""

    target, suffix, root, engine, attributes = "urdf", ".urdf", "robot", "Pinocchio", ATTRIBUTES

    def notes(self, robot: Robot) -> list[str]:
        g = robot.gravity
        if np.allclose(g, STANDARD_GRAVITY, rtol=2e-3, atol=1e-9):
            return []
        run = f"the run's is ({g[0]:.6g}, {g[1]:.6g}, {g[2]:.6g}) m/s² in the base frame"
        return [f"URDF has no gravity; {run}, so mount the robot accordingly"]

    def patch(self, text: XmlText, model: ExportModel, held: ExpressedFriction, original: Original) -> list[str]:
        shares, notes = share_out(model.robot, model.parameters, original.tree)
        set_inertials(original.path, text, shares)
        for i, name in enumerate(model.robot.joint_names):
            joint = require(text.root.child("joint", name), f"joint {name!r} of the file")  # the file matches the robot
            _set_dynamics(text, joint, held.of_joint(i), held.zero)
        if model.payload is not None:
            parent, pose = place_in_source(model.robot.links[model.payload.link], model.payload.pose)
            text.add_first(text.root, [line for item in _attached(model.payload, parent, pose) for line in item.lines()])
        return notes

    def complete(self, model: ExportModel, held: ExpressedFriction, comment: str) -> tuple[str, list[str]]:
        robot = model.robot
        bodies = bodies_in_joint_frames(robot, model.parameters)
        items = [_link(base_name(robot), np.zeros(PARAMETERS_PER_LINK), *_collisions(robot, -1))]
        for i, body in enumerate(bodies):
            items += [_link(body.link.name, body.parameters, *_collisions(robot, i)), _moving_joint(body, held.of_joint(i))]
        if (tool := tool_in_joint_frame(robot)) is not None:
            name = unused_name("tool", robot.link_names)
            items += [element("link", name=name), _fixed_joint(robot.links[-1].name, name, tool)]
        if (payload := model.payload) is not None:
            carrier = robot.links[payload.link]
            items += _attached(payload, carrier.name, carrier.placement @ payload.pose)
        notes = [
            complete_note(robot, "URDF"),
            *unheld_notes(robot, "URDF", UNHELD, robot.apart),
        ]
        if not all(math.isfinite(limit) for joint in robot.joints for limit in (joint.velocity, joint.effort)):
            notes.append(f"limits that the robot's description doesn't give are {ENDLESS:g} in the URDF")
        return _document(robot.name, comment, *items), notes

    def fragment(self, body: AttachedBody, parent: str, pose: Array, gravity: Array, comment: str) -> str:
        return _document("payload", comment, element("link", name=parent), *_attached(body, parent, pose))

    def read(self, exported: Exported) -> SourceTree:
        return read_urdf("the exported model", exported.main.decode("utf-8"))

    def load(self, robot: Robot, exported: Exported, tree: SourceTree) -> tuple[InverseDynamics, dict[str, Array]]:
        pin: Any = import_module("pinocchio")
        engine = _build_engine(pin, exported.main.decode("utf-8"))
        engine.gravity = pin.Motion(gravity_at_root(robot, tree), np.zeros(3))
        data, q, v, a = engine.createData(), pin.neutral(engine), np.zeros(engine.nv), np.zeros(engine.nv)
        for name, position in locked_positions(robot, tree).items():
            _set_position(engine, q, name, position)
        places = [engine.joints[engine.getJointId(name)].idx_v for name in robot.joint_names]

        def torques(positions: Array, velocities: Array, accelerations: Array) -> Array:
            for name, position in zip(robot.joint_names, positions, strict=True):
                _set_position(engine, q, name, position)
            v[places], a[places] = velocities, accelerations
            return pin.rnea(engine, data, q, v, a)[places]

        return torques, {name: np.asarray(getattr(engine, name))[places] for name in ATTRIBUTES.friction}


EXPORTER = UrdfFormat().exporter(help="Write a URDF: the original with its numbers replaced.", name="a URDF")


def _build_engine(pin: Any, text: str) -> Any:
    """Pinocchio's model. The last error that its parser prints is the reason for a refusal; other messages are dropped."""
    printed: list[str] = []
    try:
        with catch_native_errors(printed):
            return pin.buildModelFromXML(text)
    except ValueError as error:
        reasons = [line.removeprefix("Error:").strip() for line in printed if line.startswith("Error:")] or [str(error)]
        raise DisagreementError("Pinocchio refuses the exported model", reasons[-1].rstrip(".")) from None


def _set_position(engine: Any, q: Array, name: str, position: float) -> None:
    joint = engine.joints[engine.getJointId(name)]
    if joint.nq == 2:  # Pinocchio keeps the angle of a continuous joint as (cos, sin)
        q[joint.idx_q : joint.idx_q + 2] = np.cos(position), np.sin(position)
    else:
        q[joint.idx_q] = position


def _set_dynamics(text: XmlText, joint: XmlElement, values: Mapping[str, float], zero: tuple[str, ...]) -> None:
    dynamics = joint.child("dynamics")
    if dynamics is not None:
        zeros = {name: [0.0] for name in zero if name in dynamics.attributes}
        text.set_numbers(dynamics, {name: [value] for name, value in values.items()} | zeros)
    elif values:
        text.add_first(joint, NewElement("dynamics", values).lines())


def _document(name: str, *children: NewElement | str) -> str:
    return "\n".join(['<?xml version="1.0"?>', *element("robot", *children, name=name).lines(), ""])


def _link(name: str, parameters: Array, *shapes: str) -> NewElement:
    """A <link>; one without mass has no <inertial>."""
    inertial = [link_inertial(link_inertia(parameters, name))] if np.any(parameters) else []
    return element("link", *inertial, *shapes, name=name)


def _collisions(robot: Robot, body: int) -> Iterator[str]:
    """The <collision> elements of a body, -1 for the base, each in a line."""
    for start, end, radius in capsules(robot, body):
        length = float(np.linalg.norm(end - start))
        middle = translation(0.5 * (start + end))
        middle[:3, :3] = frame_along(end - start)
        ball = element("sphere", radius=radius)
        shapes = [(translation(start), ball)]
        if length > 0.0:
            shapes += [(translation(end), ball), (middle, element("cylinder", radius=radius, length=length))]
        for pose, shape in shapes:
            yield str(element("collision", _origin(pose), element("geometry", shape)))


def _moving_joint(body: JointFrameBody, friction: Mapping[str, float]) -> NewElement:
    joint = body.joint
    bounded = all(math.isfinite(limit) for limit in joint.position)
    kind = JointType.CONTINUOUS if joint.type is JointType.REVOLUTE and not bounded else joint.type
    more = [element("axis", xyz=joint.axis), *_limit(joint, kind), *([NewElement("dynamics", friction)] if friction else [])]
    return _joint(joint.name, kind.value, body.parent, body.link.name, body.placement, *more)


def _limit(joint: Joint, kind: JointType) -> Iterator[NewElement]:
    limits = {"effort": joint.effort, "velocity": joint.velocity}
    if kind is not JointType.CONTINUOUS:
        limits |= {"lower": joint.position[0], "upper": joint.position[1]}
    elif not all(map(math.isfinite, limits.values())):
        return
    yield NewElement("limit", {name: max(-ENDLESS, min(ENDLESS, limit)) for name, limit in limits.items()})


def _attached(body: AttachedBody, parent: str, pose: Array) -> list[NewElement]:
    """A <link> and the fixed <joint> that holds it at this pose of the parent."""
    return [_link(body.name, body.parameters), _fixed_joint(parent, body.name, pose)]


def _fixed_joint(parent: str, child: str, pose: Array) -> NewElement:
    return _joint(f"{child}_joint", "fixed", parent, child, pose)


def _joint(name: str, kind: str, parent: str, child: str, pose: Array, *more: NewElement) -> NewElement:
    ends = element("parent", link=parent), element("child", link=child)
    return NewElement("joint", {"name": name, "type": kind}, (_origin(pose), *ends, *more))


def _origin(pose: Array) -> NewElement:
    xyz, rpy = xyz_rpy_from_pose(pose)
    return element("origin", xyz=xyz, rpy=rpy)
