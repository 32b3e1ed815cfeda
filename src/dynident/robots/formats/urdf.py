"""URDF as a source tree. The parameter frame of a link is URDF's joint frame, which is also the child link's frame.

Bodies come depth first, branches by the name of their joint, which is the order of Pinocchio and of what is built on it; for a
serial chain that is from base to tip. Meshes need not exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias
from xml.etree.ElementTree import Element

from dynident.core.files import errors_in_file
from dynident.core.xml import parse_xml
from dynident.robots.formats.source_tree import Held, SourceLink, SourceTree, closing_joint
from dynident.robots.formats.urdf_xml import UNMODELLED, Urdf, UrdfJoint, check_urdf
from dynident.robots.robot import Joint, JointType

_Children: TypeAlias = dict[str, list[UrdfJoint]]


def read_urdf(source: str, text: str) -> SourceTree:
    """The links and joints of the text of a URDF. source : where it was read."""
    return tree_of_urdf(source, parse_xml(source, text))


def tree_of_urdf(source: str, content: Element) -> SourceTree:
    """The links and joints of a URDF whose XML has been parsed."""
    urdf = check_urdf(source, content)
    children: _Children = {}
    for joint in sorted(urdf.joints.values(), key=lambda joint: joint.name):
        children.setdefault(joint.parent, []).append(joint)
    root = next(link for link in urdf.links if link not in urdf.joints)
    order = [root, *_below(root, children)]
    index = {name: i for i, name in enumerate(order)}
    with errors_in_file(source):
        links = [SourceLink(name=root, parent=-1, parameters=urdf.inertials.get(root))]
        links += [_link(urdf, urdf.joints[name], index[urdf.joints[name].parent]) for name in order[1:]]
    closures = tuple(
        closing_joint(joint.name, joint.child, urdf.joints[joint.child].name, (index[joint.parent], index[joint.child]))
        for joint in urdf.loops
    )
    return SourceTree(name=urdf.name, source=source, links=tuple(links), closures=closures, notes=urdf.notes)


def _below(link: str, children: _Children) -> Iterator[str]:
    stack = children.get(link, [])[::-1]
    while stack:
        joint = stack.pop()
        yield joint.child
        stack += children.get(joint.child, [])[::-1]


def _link(urdf: Urdf, joint: UrdfJoint, parent: int) -> SourceLink:
    moving = joint.type not in (*UNMODELLED, "fixed")
    several = f"joint {joint.name!r}: a {joint.type} joint moves in several directions and dynident models joints that move in one"
    return SourceLink(
        name=joint.child,
        parent=parent,
        frame=f"joint frame {joint.name}",
        placement=joint.origin,
        joint=_joint(joint) if moving else None,
        held=Held(joint.name, several) if joint.type in UNMODELLED else None,
        coupling=f"mimics joint {joint.mimic.joint!r}" if moving and joint.mimic else "",
        leader=joint.mimic,
        parameters=urdf.inertials.get(joint.child),
    )


def _joint(joint: UrdfJoint) -> Joint:
    return Joint(
        name=joint.name,
        type=JointType(joint.type),
        axis=joint.axis,
        position=joint.position,
        velocity=joint.velocity,
        effort=joint.effort,
    )
