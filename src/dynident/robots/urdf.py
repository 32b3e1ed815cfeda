# pyright: basic
"""URDF through Pinocchio; what Pinocchio doesn't keep (which links have inertials, mimic) is read from the XML itself.

The parameter frame of a link is URDF's joint frame, which is also the child link's frame. Bodies come in Pinocchio's
order: depth first, branches by name; for a serial chain that is from base to tip.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
import pinocchio as pin

from dynident._typing import Array
from dynident.errors import FileError, InputError, UnsupportedRobotError
from dynident.files import read_text
from dynident.parameters import from_pinocchio
from dynident.robots.kinematics import inverse_pose
from dynident.robots.robot import Joint, JointType
from dynident.robots.tree import SourceLink, SourceTree
from dynident.robots.xml import parse_xml

_MOVING = tuple(kind.value for kind in JointType)
_REFUSED = ("floating", "planar")
_ALLOWED = ", ".join((*_MOVING, "fixed"))


def read_urdf(path: str | Path) -> SourceTree:
    """The links and joints of a URDF file. Meshes need not exist."""
    text = read_text(path)
    root = parse_xml(path, text)
    joints = _check(path, root)
    try:
        model = pin.buildModelFromXML(text)
    except (RuntimeError, ValueError) as error:
        raise FileError(path, f"can't be read as URDF: {str(error).strip()}; check it with check_urdf") from None
    try:
        links = _links(model, root, joints)
    except InputError as error:
        raise FileError(path, str(error)) from None
    return SourceTree(name=model.name, source=str(path), links=links)


def _check(path: str | Path, root: Element) -> dict[str, Element]:
    """The joint elements by child link, after the checks that turn a parser's complaint into a sentence."""
    if root.tag != "robot":
        raise FileError(path, f"the root element is <{root.tag}>; <robot> was expected")
    if any("xacro" in element.tag for element in root.iter()):
        raise FileError(path, "contains xacro macros; expand them first: xacro robot.urdf.xacro > robot.urdf")
    links = [_name(path, link) for link in root.findall("link")]
    if not links:
        raise FileError(path, "has no <link>; check that it is a robot's URDF")
    by_child: dict[str, Element] = {}
    for joint in root.findall("joint"):
        name = _name(path, joint)
        _check_type(path, name, joint)
        for end in ("parent", "child"):
            element = joint.find(end)
            link = None if element is None else element.get("link")
            if link not in links:
                raise FileError(path, f"its <{end}> is link {link!r}, which the file doesn't define", place=f"joint {name!r}")
            if end == "child" and by_child.setdefault(link, joint) is not joint:
                other = by_child[link].get("name")
                raise FileError(path, f"link {link!r} is the child of joints {other!r} and {name!r}; a tree was expected (no loops)")
    if not by_child:
        raise FileError(path, "has no <joint>; at least one joint that moves is needed")
    _check_tree(path, links, by_child)
    return by_child


def _check_type(path: str | Path, name: str, joint: Element) -> None:
    kind = joint.get("type")
    if kind in _REFUSED:
        raise UnsupportedRobotError(
            f"{path}, joint {name!r}: a {kind} joint moves in several directions and dynident models a fixed base with "
            f"one-directional joints; make it fixed"
        )
    if kind not in (*_MOVING, "fixed"):
        raise FileError(path, f"unknown joint type {kind!r}; allowed: {_ALLOWED}", place=f"joint {name!r}")
    if kind in ("revolute", "prismatic") and joint.find("limit") is None:
        raise FileError(path, f"a {kind} joint needs a <limit> with lower, upper, effort and velocity", place=f"joint {name!r}")


def _check_tree(path: str | Path, links: list[str], by_child: dict[str, Element]) -> None:
    for kind, names in (("link", links), ("joint", [joint.get("name") for joint in by_child.values()])):
        twice = sorted({str(name) for name in names if names.count(name) > 1})
        if twice:
            raise FileError(path, f"{kind} name {twice[0]!r} is used twice; names must be unique")
    roots = [link for link in links if link not in by_child]
    if not roots:
        raise FileError(path, "every link is some joint's child, so the joints form a loop; a tree with one root link was expected")
    if len(roots) > 1:
        raise FileError(
            path, f"links {', '.join(roots)} have no parent; a tree with one root link was expected (join them with fixed joints)"
        )
    reached, todo = set(roots), list(roots)
    while todo:
        link = todo.pop()
        children = [child for child, joint in by_child.items() if joint.find("parent").get("link") == link]
        reached.update(children)
        todo += children
    lost = [link for link in links if link not in reached]
    if lost:
        raise FileError(path, f"links {', '.join(lost)} form a loop; a tree with one root link was expected")


def _name(path: str | Path, element: Element) -> str:
    name = element.get("name")
    if not name:
        raise FileError(path, f"a <{element.tag}> has no name; give it one")
    return name


def _links(model: pin.Model, root: Element, joints: dict[str, Element]) -> tuple[SourceLink, ...]:
    """Pinocchio's bodies as source links. Pinocchio sums a rigid group's inertia onto the link that moves; so do we."""
    bodies = [frame for frame in model.frames if frame.type == pin.FrameType.BODY]
    index = {frame.name: i for i, frame in enumerate(bodies)}
    inertial = {link.get("name") for link in root.findall("link") if link.find("inertial") is not None}
    massive = {frame.parentJoint for frame in bodies if frame.name in inertial}
    links: list[SourceLink] = []
    for frame in bodies:
        element = joints.get(frame.name)
        if element is None:
            links.append(SourceLink(name=frame.name, parent=-1))
            continue
        parent = bodies[index[element.find("parent").get("link")]]
        moving = element.get("type") != "fixed"
        j = frame.parentJoint
        in_body = model.jointPlacements[j] if moving else frame.placement
        mimic = element.find("mimic")
        links.append(
            SourceLink(
                name=frame.name,
                parent=index[parent.name],
                frame=f"joint frame {element.get('name')}",
                placement=inverse_pose(parent.placement.homogeneous) @ in_body.homogeneous,
                joint=_joint(model, j, element) if moving else None,
                coupling="" if mimic is None or not moving else f"mimics joint {mimic.get('joint')!r}",
                parameters=from_pinocchio(model.inertias[j].toDynamicParameters()) if moving and j in massive else None,
            )
        )
    return tuple(links)


def _joint(model: pin.Model, j: int, element: Element) -> Joint:
    kind = JointType(element.get("type"))
    q, v = model.joints[j].idx_q, model.joints[j].idx_v
    continuous = kind is JointType.CONTINUOUS  # Pinocchio keeps its angle as (cos, sin): two positions without limits
    return Joint(
        name=element.get("name"),
        type=kind,
        axis=_axis(element),
        position=(-np.inf, np.inf) if continuous else (model.lowerPositionLimit[q], model.upperPositionLimit[q]),
        velocity=model.upperVelocityLimit[v],
        effort=model.upperEffortLimit[v],
    )


def _axis(element: Element) -> Array:
    """URDF's axis, (1, 0, 0) by default; Joint normalises it."""
    axis = element.find("axis")
    return np.array([float(value) for value in (axis.get("xyz") if axis is not None else "1 0 0").split()])
