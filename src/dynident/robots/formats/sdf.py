"""SDF, the part of it that an arm needs: links with inertials, joints with axes and limits, frames, gravity.

Poses are read as SDFormat 1.7 and later define them: of a link in the model, of a joint in its child link, of either in whatever
`relative_to` names. What is beyond (several models, nested or included ones, other kinds of joints) is refused by name.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from dynident.core.arrays import Array, check_unique
from dynident.core.files import errors_in_file
from dynident.core.xml import element_name, parse_xml
from dynident.errors import FileError
from dynident.parameters import INERTIA_NAMES, change_of_frame, from_com, inertia_tensor
from dynident.robots.body import LARGEST_LENGTH
from dynident.robots.formats.source_tree import Held, Leader, SourceLink, SourceTree, closing_joint
from dynident.robots.kinematics import inverse_pose, pose_from_xyz_rpy
from dynident.robots.robot import STANDARD_GRAVITY, Joint, JointType

_MODEL, _WORLD = "__model__", "world"
_MOVING = {"revolute": JointType.REVOLUTE, "continuous": JointType.CONTINUOUS, "prismatic": JointType.PRISMATIC}
#: Joints that move in several directions, which are accepted beside the chain.
_SEVERAL = ("ball", "universal", "revolute2", "screw", "gearbox")
#: A limit that stands for none.
_ENDLESS = 1e15


class _SdfJoint(NamedTuple):
    name: str
    type: str
    parent: str
    child: str
    element: Element


def read_sdf(source: str, text: str) -> SourceTree:
    """The links and joints of the one model in the text of an SDF file. source : where it was read."""
    root = parse_xml(source, text)
    if root.tag != "sdf":
        raise FileError(source, f"the root element is <{root.tag}>; <sdf> was expected")
    world = root.find("world")
    model = _one_model(source, root, world)
    joints = [_read_joint(source, element) for element in model.findall("joint")]
    with errors_in_file(source):
        check_unique("link", [element_name(source, element) for element in model.findall("link")])
        check_unique("joint", [joint.name for joint in joints])
    frames = SdfFrames(source, model, joints)
    links = frames.links
    by_child: dict[str, _SdfJoint] = {}
    for joint in joints:
        for end in (joint.parent, joint.child):
            if end not in links and end != _WORLD:
                raise FileError(source, f"names link {end!r}, which the model doesn't have", place=f"joint {joint.name!r}")
        by_child.setdefault(joint.child, joint)
    gravity = None if world is None else world.findtext("gravity")
    tree = _links(source, links, by_child, frames)
    index = {link.name: i for i, link in enumerate(tree)}
    loops = [joint for joint in joints if by_child[joint.child] is not joint]
    return SourceTree(
        name=model.get("name") or "robot",
        source=source,
        links=tree,
        closures=tuple(
            closing_joint(joint.name, joint.child, by_child[joint.child].name, (index[joint.parent], index[joint.child])) for joint in loops
        ),
        gravity=np.array(STANDARD_GRAVITY) if gravity is None else read_numbers(source, "gravity", gravity, 3),
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


def _read_joint(source: str, element: Element) -> _SdfJoint:
    name, kind = element_name(source, element), element.get("type", "")
    if kind not in (*_MOVING, *_SEVERAL, "fixed"):
        allowed = ", ".join((*_MOVING, *_SEVERAL, "fixed"))
        raise FileError(source, f"unknown joint type {kind!r}; allowed: {allowed}", place=f"joint {name!r}")
    ends = [(element.findtext(end) or "").strip() for end in ("parent", "child")]
    if not all(ends):
        raise FileError(source, "needs a <parent> and a <child>", place=f"joint {name!r}")
    return _SdfJoint(name, kind, ends[0], ends[1], element)


class SdfFrames:
    """Poses of links, joints and frames in the model, which may be given in one another."""

    def __init__(self, source: str, model: Element, joints: list[_SdfJoint]) -> None:
        self.source = source
        self.links = {element_name(source, element): element for element in model.findall("link")}
        self.elements: dict[str, tuple[Element, str]] = {}  # and the frame that its pose is in unless it says otherwise
        for name, element in self.links.items():
            self.elements[name] = (element, _MODEL)
        for joint in joints:
            self.elements[joint.name] = (joint.element, joint.child)
        for element in model.findall("frame"):
            self.elements[element_name(source, element)] = (element, element.get("attached_to") or _MODEL)

    @staticmethod
    def of_root(source: str, root: Element) -> SdfFrames:
        """The frames of the one model below the root element."""
        model = _one_model(source, root, root.find("world"))
        return SdfFrames(source, model, [_read_joint(source, element) for element in model.findall("joint")])

    def pose(self, name: str, seen: tuple[str, ...] = ()) -> Array:
        if name in (_MODEL, _WORLD):
            return np.eye(4)
        if name not in self.elements:
            raise FileError(self.source, f"a pose is relative to {name!r}, which the model doesn't have")
        if name in seen:
            raise FileError(self.source, f"poses are relative to each other in a circle: {' > '.join((*seen, name))}")
        element, usual = self.elements[name]
        return self.pose_of(element, usual, (*seen, name))

    def pose_of(self, element: Element, usual: str, seen: tuple[str, ...] = ()) -> Array:
        """Of anything that has a <pose>, in the model; usual : the frame that it is given in unless it names one."""
        own = element.find("pose")
        other = usual if own is None else own.get("relative_to") or own.get("frame") or usual
        return self.pose(other, seen) @ read_pose(self.source, element.get("name") or usual, own)


def _links(source: str, links: Mapping[str, Element], by_child: Mapping[str, _SdfJoint], frames: SdfFrames) -> tuple[SourceLink, ...]:
    """Depth first, branches by name; the world is the root where a joint names it, else the one link that hangs on nothing."""
    roots = [name for name in links if name not in by_child]
    on_world = any(joint.parent == _WORLD for joint in by_child.values())
    if len(roots) + on_world != 1:
        names = ", ".join([*roots, *([_WORLD] if on_world else [])]) or "none, for they form a loop"
        raise FileError(source, f"one link that no joint moves was expected, and there are: {names}")
    root = _WORLD if on_world else roots[0]
    found = [SourceLink(name=root, parent=-1, parameters=None if on_world else _inertial(source, root, links[root]))]
    index = {root: 0}
    at = {root: frames.pose(root)}  # where the link's parameter frame is in the model: at its joint
    for joint in _from_root(root, by_child):
        at[joint.child] = frames.pose(joint.name)
        index[joint.child] = len(found)
        link_in_joint = inverse_pose(at[joint.child]) @ frames.pose(joint.child)
        own, leader = _inertial(source, joint.child, links[joint.child]), _leader(source, joint)
        found.append(
            SourceLink(
                name=joint.child,
                parent=index[joint.parent],
                frame=f"joint frame {joint.name}",
                placement=inverse_pose(at[joint.parent]) @ at[joint.child],
                own=link_in_joint,
                joint=_joint(source, joint, frames) if joint.type in _MOVING else None,
                held=_held(joint),
                coupling="" if leader is None else f"mimics joint {leader.joint!r}",
                leader=leader,
                parameters=None if own is None else change_of_frame(link_in_joint) @ own,
            )
        )
    lost = [name for name in links if name not in index]
    if lost:
        raise FileError(source, f"links {', '.join(lost)} form a loop; a tree was expected")
    return tuple(found)


def _from_root(root: str, by_child: Mapping[str, _SdfJoint]) -> Iterator[_SdfJoint]:
    stack = [root]
    while stack:
        link = stack.pop()
        if link != root:
            yield by_child[link]
        below = sorted((joint for joint in by_child.values() if joint.parent == link), key=lambda joint: joint.name, reverse=True)
        stack += [joint.child for joint in below]


def _joint(source: str, joint: _SdfJoint, frames: SdfFrames) -> Joint:
    place = f"joint {joint.name!r}"
    axis = joint.element.find("axis")
    if axis is None:
        raise FileError(source, f"a {joint.type} joint needs an <axis>", place=place)
    xyz = axis.find("xyz")
    direction = np.array([0.0, 0.0, 1.0]) if xyz is None else read_numbers(source, place, xyz.text or "", 3)
    if xyz is not None and (xyz.get("expressed_in") or (axis.findtext("use_parent_model_frame") or "").strip() in ("1", "true")):
        given = frames.pose(xyz.get("expressed_in") or _MODEL)
        direction = frames.pose(joint.name)[:3, :3].T @ given[:3, :3] @ direction
    limits = {name: _limit(source, place, axis.findtext(f"limit/{name}")) for name in ("lower", "upper", "effort", "velocity")}
    kind = _MOVING[joint.type]
    low, high = (-math.inf if math.isinf(limits["lower"]) else limits["lower"]), limits["upper"]
    endless = kind is JointType.CONTINUOUS or (math.isinf(low) and math.isinf(high))
    return Joint(
        name=joint.name,
        type=JointType.CONTINUOUS if kind is JointType.REVOLUTE and endless else kind,
        axis=direction,
        position=(-math.inf, math.inf) if endless else (low, high),
        velocity=abs(limits["velocity"]),
        effort=abs(limits["effort"]),
    )


def _limit(source: str, place: str, text: str | None) -> float:
    """Infinite where there is none; Gazebo writes 1e16 or -1 for that as well."""
    if text is None:
        return math.inf
    value = float(read_numbers(source, place, text, 1, infinite=True)[0])
    return math.inf if abs(value) >= _ENDLESS else value


def _held(joint: _SdfJoint) -> Held | None:
    if joint.type not in _SEVERAL:
        return None
    return Held(
        joint.name, f"joint {joint.name!r}: a {joint.type} joint is not modelled; dynident models joints that move in one direction"
    )


def _leader(source: str, joint: _SdfJoint) -> Leader | None:
    mimic = joint.element.find("axis/mimic")
    if mimic is None:
        return None
    usual = (("multiplier", "1"), ("offset", "0"))
    ratio, offset = (float(read_numbers(source, f"joint {joint.name!r}", mimic.findtext(name) or text, 1)[0]) for name, text in usual)
    return Leader(mimic.get("joint", ""), ratio, offset)


def _inertial(source: str, name: str, link: Element) -> Array | None:
    """(10,) parameters in the link's own frame; None without an <inertial>."""
    inertial = link.find("inertial")
    if inertial is None:
        return None
    place = f"link {name!r}"
    pose = read_pose(source, place, inertial.find("pose"))
    mass = float(read_numbers(source, place, inertial.findtext("mass") or "1", 1)[0])
    usual = ("1", "0", "0", "1", "0", "1")  # SDFormat's defaults
    elements = [
        float(read_numbers(source, place, inertial.findtext(f"inertia/i{element}") or text, 1)[0])
        for element, text in zip(INERTIA_NAMES, usual, strict=True)
    ]
    R = pose[:3, :3]
    return from_com(mass, pose[:3, 3], R @ inertia_tensor(elements) @ R.T)


def read_pose(source: str, place: str, element: Element | None) -> Array:
    """(4, 4) of x y z roll pitch yaw; the identity without one."""
    if element is None or not (element.text or "").strip():
        return np.eye(4)
    if element.get("rotation_format", "euler_rpy") != "euler_rpy" or element.get("degrees", "false") not in ("false", "0"):
        raise FileError(source, "its pose is written in degrees or as a quaternion; roll, pitch and yaw in rad are read", place=place)
    numbers = read_numbers(source, place, element.text or "", 6)
    if np.abs(numbers[:3]).max() > LARGEST_LENGTH:
        raise FileError(
            source, f"its pose is {np.abs(numbers[:3]).max():.3g} m away, farther than any robot reaches; check it", place=place
        )
    return pose_from_xyz_rpy(numbers[:3], numbers[3:])


def read_numbers(source: str, place: str, text: str, length: int, *, infinite: bool = False) -> Array:
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) != length or any(math.isnan(value) or (math.isinf(value) and not infinite) for value in values):
        raise FileError(source, f"has {text.strip()!r} where {length} finite number{'s' * (length > 1)} were expected", place=place)
    return np.array(values)
