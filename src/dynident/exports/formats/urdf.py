"""URDF: the numbers of the user's own file replaced, byte for byte the same elsewhere; without such a file, a complete one.

Inertias are written in the axes of their links (rpy 0 0 0). Viscous friction is <dynamics damping>, Coulomb friction <dynamics friction>.
A URDF knows no capsule, so each is a cylinder with a ball at both ends. Gravity other than the standard one stands in the element for
MuJoCo that a URDF may have, <mujoco><option gravity>.
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
from dynident.exports.export_model import AttachedBody, ExportModel
from dynident.exports.formats.description import (
    DescriptionFormat,
    FixedLink,
    InverseDynamics,
    JointFrameBody,
    as_capsule,
    bodies_in_joint_frames,
    complete_note,
    links_of_body,
    lumped_names,
    mesh_address,
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
from dynident.robots.parameters import link_inertia
from dynident.robots.robot import STANDARD_GRAVITY, Joint, JointType, LinkShape, Robot, ShapeKind, ShapeRole

#: Fields of joints and of a robot that URDF has no place for.
UNHELD = ("acceleration", "jerk", "home", "floor")
ATTRIBUTES = JointAttributes("URDF", friction=("damping", "friction"))


class UrdfFormat(DescriptionFormat):
    """URDF, proven by Pinocchio."""

    target, suffix, root, engine, attributes = "urdf", ".urdf", "robot", "Pinocchio", ATTRIBUTES

    def patch(self, text: XmlText, model: ExportModel, held: ExpressedFriction, original: Original) -> list[str]:
        shares, notes = share_out(model.robot, model.parameters, original.tree)
        set_inertials(original.path, text, shares)
        for i, name in enumerate(model.robot.joint_names):
            joint = require(text.root.child("joint", name), f"joint {name!r} of the file")  # the file matches the robot
            _set_dynamics(text, joint, held.of_joint(i), held.zero)
        if model.payload is not None:
            parent, pose = place_in_source(model.robot.links[model.payload.link], model.payload.pose)
            text.add_first(text.root, [line for item in _attached(model.payload, parent, pose) for line in item.lines()])
        there, ours = original.tree.gravity, gravity_at_root(model.robot, original.tree)
        if not np.allclose(ours, there, rtol=0.0, atol=1e-9):
            numbers = " and ".join(f"({x:.6g}, {y:.6g}, {z:.6g})" for x, y, z in (ours, there))
            notes.append(f"the run's gravity and the file's are {numbers} m/s²; the file's stays as it is")
        return notes

    def complete(self, model: ExportModel, held: ExpressedFriction, comment: str) -> tuple[str, list[str]]:
        robot = model.robot
        items: list[NewElement] = []
        if not np.array_equal(robot.gravity, STANDARD_GRAVITY):
            items.append(element("mujoco", element("option", gravity=robot.gravity)))
        bodies = bodies_in_joint_frames(robot, model.parameters)
        unwritten: list[str] = []
        for i in range(-1, robot.n):
            head, *fixed = links_of_body(model, i, lambda _: True)
            items.append(_link(head, unwritten))
            items += [_moving_joint(bodies[i], held.of_joint(i))] if i >= 0 else []
            following = [joint.name for joint in robot.joints if joint.parent == i] or [f"{link.name}_joint" for link in fixed[-1:]]
            for link in fixed:
                items += [_link(link, unwritten), _fixed_joint(head.name, link.name, link.placement, before=min(following))]
        if (payload := model.payload) is not None:
            carrier = robot.links[payload.link]
            items += _attached(payload, carrier.name, carrier.placement @ payload.pose)
        lumped = lumped_names(model, lambda _: True)
        notes = [
            complete_note(robot, "URDF"),
            *unheld_notes(robot, "URDF", UNHELD, robot.apart, shapes=unwritten, lumped=lumped),
        ]
        g = robot.gravity
        if not np.allclose(g, STANDARD_GRAVITY, rtol=2e-3, atol=1e-9):
            numbers = f"({g[0]:.6g}, {g[1]:.6g}, {g[2]:.6g}) m/s²"
            notes.append(f"gravity is {numbers} in the base frame; of the readers of URDF only MuJoCo and dynident take it from the file")
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


def _link(link: FixedLink, unwritten: list[str]) -> NewElement:
    """A <link>; one without mass has no <inertial>. unwritten : gets its name where it has shapes for which URDF has no element."""
    shapes = [list(_shapes(shape)) for shape in link.shapes]
    unwritten += [link.name] if not all(shapes) else []
    inertial = [link_inertial(link_inertia(link.parameters, link.name))] if np.any(link.parameters) else []
    return element("link", *inertial, *(line for lines in shapes for line in lines), name=link.name)


def _shapes(shape: LinkShape) -> Iterator[str]:
    """The <collision> or <visual> elements of a shape, each in a line; none where there is no element for it."""
    tag = "visual" if shape.role is ShapeRole.VISUAL else "collision"
    for pose, form in _forms(shape):
        yield str(element(tag, _origin(pose), element("geometry", form)))


def _forms(shape: LinkShape) -> Iterator[tuple[Array, NewElement]]:
    """Elements for a shape, with their poses in the link's frame."""
    match shape.kind:
        case ShapeKind.BOX:
            yield shape.pose, element("box", size=shape.size)
        case ShapeKind.CYLINDER:
            yield shape.pose, element("cylinder", radius=shape.size[0], length=shape.size[1])
        case ShapeKind.MESH:
            scale = {} if shape.size == (1.0, 1.0, 1.0) else {"scale": shape.size}
            yield shape.pose, NewElement("mesh", {"filename": mesh_address(shape.text)} | scale)
        case _ if (capsule := as_capsule(shape)) is not None:
            start, end, radius = capsule
            length = float(np.linalg.norm(end - start))
            yield _at(shape.pose, start), element("sphere", radius=radius)
            if length > 0.0:
                middle = _at(shape.pose, 0.5 * (start + end))
                middle[:3, :3] = middle[:3, :3] @ frame_along(end - start)
                yield _at(shape.pose, end), element("sphere", radius=radius)
                yield middle, element("cylinder", radius=radius, length=length)
        case _:
            return


def _at(pose: Array, point: Array) -> Array:
    return pose @ translation(point)


def _moving_joint(body: JointFrameBody, friction: Mapping[str, float]) -> NewElement:
    joint = body.joint
    bounded = any(math.isfinite(limit) for limit in joint.position)
    kind = JointType.CONTINUOUS if joint.type is JointType.REVOLUTE and not bounded else joint.type
    more = [element("axis", xyz=joint.axis), *_limit(joint, kind), *([NewElement("dynamics", friction)] if friction else [])]
    return _joint(joint.name, kind.value, body.parent, body.link.name, body.placement, *more)


def _limit(joint: Joint, kind: JointType) -> Iterator[NewElement]:
    limits = {"effort": joint.effort, "velocity": joint.velocity}
    if kind is not JointType.CONTINUOUS:
        limits |= {"lower": joint.position[0], "upper": joint.position[1]}
    elif not any(map(math.isfinite, limits.values())):
        return
    yield NewElement("limit", {name: max(-ENDLESS, min(ENDLESS, limit)) for name, limit in limits.items()})


def _attached(body: AttachedBody, parent: str, pose: Array) -> list[NewElement]:
    """A <link> and the fixed <joint> that holds it at this pose of the parent."""
    return [_link(FixedLink(body.name, np.eye(4), body.parameters, ()), []), _fixed_joint(parent, body.name, pose)]


def _fixed_joint(parent: str, child: str, pose: Array, *, before: str = "") -> NewElement:
    """before : a joint of the parent that comes later for readers that sort branches by joint; the last link that they find is the tool."""
    name = f"{child}_joint"
    return _joint(name if not before or name <= before else f"0_{name}", "fixed", parent, child, pose)


def _joint(name: str, kind: str, parent: str, child: str, pose: Array, *more: NewElement) -> NewElement:
    ends = element("parent", link=parent), element("child", link=child)
    return NewElement("joint", {"name": name, "type": kind}, (_origin(pose), *ends, *more))


def _origin(pose: Array) -> NewElement:
    xyz, rpy = xyz_rpy_from_pose(pose)
    return element("origin", xyz=xyz, rpy=rpy)
