"""SDF, the part of it that an arm needs: links with inertials and shapes, joints with axes and limits, frames, gravity.

Poses are read as SDFormat 1.7 and later define them: of a link in the model, of a joint in its child link, of either in whatever
`relative_to` names. What is beyond (several models, nested or included ones, other kinds of joints) is refused by name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import errors_in_file
from dynident.core.xml import element_name, parse_xml
from dynident.errors import FileError
from dynident.robots.body import ENDLESS
from dynident.robots.formats.source_tree import SourceLink, SourceTree, spring_notes
from dynident.robots.formats.xml_shapes import read_shapes
from dynident.robots.formats.xml_tree import DescribedJoint, XmlValues, first_by_child, link_tree, read_joints, read_links
from dynident.robots.kinematics import inverse_pose
from dynident.robots.packages import Surroundings
from dynident.robots.robot import STANDARD_GRAVITY, Joint, JointType

_MODEL, _WORLD = "__model__", "world"
_MOVING = {"revolute": JointType.REVOLUTE, "continuous": JointType.CONTINUOUS, "prismatic": JointType.PRISMATIC}
#: Joints that move in several directions, which are accepted beside the chain.
_SEVERAL = ("ball", "universal", "revolute2", "screw", "gearbox")


def read_sdf(source: str, text: str, around: Surroundings) -> SourceTree:
    """The links and joints of the one model in the text of an SDF file. source : where it was read; around : where it is."""
    root = parse_xml(source, text)
    if root.tag != "sdf":
        raise FileError(source, f"the root element is <{root.tag}>; <sdf> was expected")
    world = root.find("world")
    model = _one_model(source, root, world)
    elements = read_links(source, model)
    joints = read_joints(source, model, {*elements, _WORLD}, ends=("parent", "child"), moving=_MOVING, several=_SEVERAL)
    frames = _Frames(source, model, elements, joints)
    links = {name: _link(frames, name, link, around) for name, link in elements.items()}
    if any(_WORLD in (joint.parent, joint.child) for joint in joints):  # the root, where a joint names it
        links.setdefault(_WORLD, SourceLink(name=_WORLD, parent=-1))
    by_child = first_by_child(joints)
    return link_tree(
        source,
        links,
        [_placed(frames, joint, by_child) for joint in joints],
        name=model.get("name") or "robot",
        gravity=XmlValues(source, "", root if world is None else world).numbers("gravity", 3, STANDARD_GRAVITY),
        notes=tuple(spring_notes([joint.name for joint in joints if joint.values.number("axis/dynamics/spring_stiffness", 0.0)])),
    )


def _one_model(source: str, root: Element, world: Element | None) -> Element:
    models = root.findall("model") if world is None else world.findall("model")
    with_joints = [model for model in models if model.find("joint") is not None]
    if len(with_joints) != 1:
        names = ", ".join(model.get("name", "?") for model in with_joints or models) or "none"
        raise FileError(source, f"one <model> with joints was expected, and there are: {names}; keep one of them")
    model = with_joints[0]
    for tag in ("include", "model"):
        if model.find(tag) is not None:
            raise FileError(source, f"its model has an <{tag}> inside, which is not read; write it out (gz sdf -p does that)")
    return model


class _Frames:
    """Poses of links, joints and frames in the model, which may be given in one another."""

    def __init__(self, source: str, model: Element, links: Mapping[str, Element], joints: Sequence[DescribedJoint]) -> None:
        self.source = source
        self.elements = {name: (element, _MODEL) for name, element in links.items()}  # and the frame of its pose unless it names one
        self.elements |= {joint.name: (joint.values.element, joint.child) for joint in joints}
        for element in model.findall("frame"):
            self.elements[element_name(source, element)] = (element, element.get("attached_to") or _MODEL)
        self.poses: dict[str, Array] = {_MODEL: np.eye(4), _WORLD: np.eye(4)}

    def pose(self, name: str) -> Array:
        """Of a link, joint or frame in the model."""
        chain: dict[str, tuple[str, Array]] = {}  # without recursion, so that a chain of frames may have any length
        at = name
        while at not in self.poses:
            if at not in self.elements:
                raise FileError(self.source, f"a pose is relative to {at!r}, which the model doesn't have")
            if at in chain:
                raise FileError(self.source, f"poses are relative to each other in a circle: {' > '.join([*chain, at][-8:])}")
            chain[at] = self._own(*self.elements[at])
            at = chain[at][0]
        for link, (other, pose) in reversed(chain.items()):
            self.poses[link] = self.poses[other] @ pose
        return self.poses[name]

    def pose_of(self, element: Element, usual: str) -> Array:
        """Of anything that has a <pose>, in the model; usual : the frame that it is given in unless it names one."""
        other, pose = self._own(element, usual)
        return self.pose(other) @ pose

    def _own(self, element: Element, usual: str) -> tuple[str, Array]:
        """The frame that a pose is given in, and the pose there."""
        pose_element = element.find("pose")
        other = usual if pose_element is None else pose_element.get("relative_to") or pose_element.get("frame") or usual
        return other, _pose(XmlValues(self.source, f"{element.tag} {element.get('name') or usual!r}", element))


def _placed(frames: _Frames, joint: DescribedJoint, by_child: Mapping[str, DescribedJoint]) -> DescribedJoint:
    """The joint with what it is and where."""

    def at(link: str) -> Array:
        """Where a link's parameter frame is in the model: at its joint."""
        return frames.pose(by_child[link].name if link in by_child else link)

    element = joint.values.element.find("axis")
    axis = None if element is None else joint.values._replace(element=element)
    if axis is None and joint.kind in _MOVING:
        raise joint.values.error(f"a {joint.kind} joint needs an <axis>")
    return joint._replace(
        placement=inverse_pose(at(joint.parent)) @ at(joint.child),
        own=inverse_pose(at(joint.child)) @ frames.pose(joint.child),
        joint=_joint(joint, axis, frames) if axis is not None and joint.kind in _MOVING else None,
        leader=None if axis is None else axis.leader(),
    )


def _joint(joint: DescribedJoint, axis: XmlValues, frames: _Frames) -> Joint:
    direction, xyz = axis.numbers("xyz", 3, (0.0, 0.0, 1.0)), axis.element.find("xyz")
    if xyz is not None and (xyz.get("expressed_in") or axis.text("use_parent_model_frame") in ("1", "true")):
        given = frames.pose(xyz.get("expressed_in") or _MODEL)
        direction = frames.pose(joint.name)[:3, :3].T @ given[:3, :3] @ direction
    low, high = axis.number("limit/lower", -math.inf, infinite=True), axis.number("limit/upper", math.inf, infinite=True)
    velocity, effort = (axis.number(f"limit/{name}", math.inf, infinite=True) for name in ("velocity", "effort"))
    kind = _MOVING[joint.kind]
    if kind is JointType.CONTINUOUS or (low <= -ENDLESS and high >= ENDLESS):
        low, high, kind = -math.inf, math.inf, JointType.CONTINUOUS if kind is JointType.REVOLUTE else kind
    with errors_in_file(axis.file):
        return Joint(
            name=joint.name,
            type=kind,
            axis=direction,
            position=(low, high),
            velocity=math.inf if velocity < 0.0 else velocity,  # a negative limit is none, as SDFormat says
            effort=math.inf if effort < 0.0 else effort,
            friction=axis.friction(),
        )


def _link(frames: _Frames, name: str, link: Element, around: Surroundings) -> SourceLink:
    """Its parameters are None without an <inertial>; numbers that are left out there are SDFormat's."""
    values, inertial = XmlValues(frames.source, f"link {name!r}", link), link.find("inertial")
    parameters = None
    if inertial is not None:
        written = values._replace(element=inertial)
        parameters = written.inertia(written.number("mass", 1.0), _pose(written), np.eye(3))

    def pose(item: Element) -> Array:
        return inverse_pose(frames.pose(name)) @ frames.pose_of(item, name)

    shapes = tuple(read_shapes(values, pose=pose, around=around, usual=True))
    return SourceLink(name=name, parent=-1, parameters=parameters, shapes=shapes)


def _pose(values: XmlValues) -> Array:
    """(4, 4) of the <pose> in an element, x y z roll pitch yaw; the identity without one."""
    pose = values.element.find("pose")
    if pose is not None and (pose.get("rotation_format", "euler_rpy") != "euler_rpy" or pose.get("degrees", "false") not in ("false", "0")):
        raise values.error("its pose is written in degrees or as a quaternion; roll, pitch and yaw in rad are read")
    numbers = values.numbers("pose", 6, np.zeros(6).tolist())
    return values.pose("<pose>", numbers[:3], numbers[3:])
