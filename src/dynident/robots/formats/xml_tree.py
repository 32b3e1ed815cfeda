"""What URDF and SDF have in common: numbers and poses with their place in the file, inertials, and links and joints that make a tree."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from dynident.core.arrays import Array, check_unique
from dynident.core.files import errors_in_file
from dynident.core.kinds import shorten
from dynident.core.xml import element_name
from dynident.errors import FileError
from dynident.robots.formats.source_tree import Closure, Held, Leader, SourceLink, SourceTree
from dynident.robots.kinematics import pose_from_xyz_rpy
from dynident.robots.parameters import INERTIA_ELEMENTS, INERTIA_NAMES, change_of_frame, from_com, inertia_tensor
from dynident.robots.pose import LARGEST_LENGTH
from dynident.robots.robot import Joint


class XmlValues(NamedTuple):
    """The numbers of an element: "limit/effort" is the 3 of URDF's <limit effort="3"/> and of SDF's <limit><effort>3</effort></limit>.

    place : where the element is, "joint 'elbow'".
    """

    file: str
    place: str
    element: Element

    def text(self, path: str) -> str | None:
        """What stands there; None where nothing does."""
        parent, _, name = path.rpartition("/")
        holder = self.element.find(parent) if parent else self.element
        if holder is None or name in holder.attrib:
            return None if holder is None else holder.attrib[name]
        return (holder.findtext(name) or "").strip() or None

    def numbers(self, path: str, length: int, usual: Sequence[float] | None = None, *, infinite: bool = False) -> Array:
        """(length,) finite numbers; FileError for anything else. usual : where nothing stands; None where it must."""
        text, (parent, _, name) = self.text(path), path.rpartition("/")
        if text is None and usual is not None:
            return np.array(usual, dtype=float)
        if text is None:
            there = not parent or self.element.find(parent) is not None
            holder, lacking = (parent, name) if there else ("", f"<{parent}>")
            raise self.error(f"its <{holder or self.element.tag}> has no {lacking}; a number was expected")
        try:
            values = [float(word) for word in text.split()]
        except ValueError:
            values = []
        if len(values) != length or not all(math.isfinite(value) or (infinite and math.isinf(value)) for value in values):
            expected = "a finite number was" if length == 1 else f"{length} finite numbers were"
            raise self.error(f"its <{parent or self.element.tag}> has {name}={shorten(text.strip())}; {expected} expected")
        return np.array(values)

    def number(self, path: str, usual: float | None = None, *, infinite: bool = False) -> float:
        """The number that stands there."""
        return float(self.numbers(path, 1, None if usual is None else [usual], infinite=infinite)[0])

    def pose(self, name: str, xyz: Array, rpy: Array) -> Array:
        """(4, 4) pose; FileError for one that is farther away than any robot reaches. name : of what has it, "<origin>"."""
        farthest = float(np.abs(xyz).max())
        if farthest > LARGEST_LENGTH:
            raise self.error(f"its {name} is {farthest:.3g} m away, farther than any robot reaches; check it")
        return pose_from_xyz_rpy(xyz, rpy)

    def inertia(self, mass: float, pose: Array, usual: Array | None = None) -> Array:
        """(10,) parameters of a link in its own frame. pose : (4, 4) of its inertial; usual : (3, 3) for what is left out."""
        places = zip(INERTIA_NAMES, INERTIA_ELEMENTS, strict=True)
        elements = [self.number(f"inertia/i{name}", None if usual is None else float(usual[place])) for name, place in places]
        R = pose[:3, :3]
        return from_com(mass, pose[:3, 3], R @ inertia_tensor(elements) @ R.T)

    def friction(self) -> tuple[float, float] | None:
        """Coulomb and viscous friction of a joint; None where it has neither."""
        coulomb, viscous = "dynamics/friction", "dynamics/damping"
        stated = self.text(coulomb) is not None or self.text(viscous) is not None
        return (self.number(coulomb, 0.0), self.number(viscous, 0.0)) if stated else None

    def leader(self) -> Leader | None:
        """The joint that a joint mimics."""
        name = self.text("mimic/joint")
        return None if name is None else Leader(name, self.number("mimic/multiplier", 1.0), self.number("mimic/offset", 0.0))

    def error(self, problem: str) -> FileError:
        """About this element."""
        return FileError(self.file, problem, place=self.place)


class DescribedJoint(NamedTuple):
    """A joint of a file, between links by their names.

    kind : its type in the file;  values : what the file says of it;  held, joint, leader : as in `SourceLink`.
    placement : (4, 4) of the joint frame at q = 0, which is the child's parameter frame, in the parent's parameter frame.
    own : (4, 4) of the child's own frame in its parameter frame.
    """

    name: str
    kind: str
    parent: str
    child: str
    values: XmlValues
    held: Held | None
    placement: Array = np.eye(4)
    own: Array = np.eye(4)
    joint: Joint | None = None
    leader: Leader | None = None


def read_links(file: str, model: Element) -> dict[str, Element]:
    """The links of a model by name; FileError where a name is there twice."""
    links = model.findall("link")
    with errors_in_file(file):
        check_unique("link", [element_name(file, link) for link in links])
    return {element_name(file, link): link for link in links}


def read_joints(
    file: str, model: Element, links: Collection[str], *, ends: Sequence[str], moving: Collection[str], several: Collection[str]
) -> list[DescribedJoint]:
    """The joints of a model, which have no places yet.

    ends : where the names of a joint's parent and child stand;  moving, several : kinds of joints that move in one direction, and of
    those that are accepted beside the chain.
    """
    joints: list[DescribedJoint] = []
    for element in model.findall("joint"):
        name, kind = element_name(file, element), element.get("type", "")
        values = XmlValues(file, f"joint {name!r}", element)
        if kind not in (*moving, *several, "fixed"):
            raise values.error(f"unknown joint type {kind!r}; allowed: {', '.join((*moving, *several, 'fixed'))}")
        parent, child = (values.text(end) for end in ends)
        for end, link in (("parent", parent), ("child", child)):
            if link not in links:
                raise values.error(f"its <{end}> is link {link!r}, which the file doesn't define")
        why = f"joint {name!r}: a {kind} joint moves in several directions and dynident models joints that move in one"
        joints.append(DescribedJoint(name, kind, str(parent), str(child), values, Held(name, why) if kind in several else None))
    with errors_in_file(file):
        check_unique("joint", [joint.name for joint in joints])
    return joints


def first_by_child(joints: Sequence[DescribedJoint]) -> dict[str, DescribedJoint]:
    """The joint that each link hangs on: of several the first, for the others close loops."""
    return {joint.child: joint for joint in reversed(joints)}


def link_tree(file: str, links: Mapping[str, SourceLink], joints: Sequence[DescribedJoint], **attributes: Any) -> SourceTree:
    """The tree of links, depth first and branches by the name of their joint.

    links : by name, each in its own frame as if it were the root; attributes : further ones of the tree.
    """
    by_child = first_by_child(joints)
    roots = [link for link in links if link not in by_child]
    if len(roots) > 1:
        problem = f"links {', '.join(roots)} have no parent; a tree with one root link was expected"
        raise FileError(file, problem, remedy="join them with fixed joints")
    order = list(_walk(roots, by_child))
    lost = [link for link in links if link not in order]
    if lost:
        raise FileError(file, f"links {', '.join(lost)} form a loop; a tree with one root link was expected")
    index = {name: i for i, name in enumerate(order)}
    children = [_hang(links[name], by_child[name], index[by_child[name].parent]) for name in order[1:]]
    closures = [_closing(joint, by_child[joint.child].name, index) for joint in joints if by_child[joint.child] is not joint]
    return SourceTree(source=file, links=(links[order[0]], *children), closures=tuple(closures), **attributes)


def _walk(roots: Sequence[str], by_child: Mapping[str, DescribedJoint]) -> Iterator[str]:
    children: dict[str, list[str]] = {}
    for joint in sorted(by_child.values(), key=lambda joint: joint.name, reverse=True):
        children.setdefault(joint.parent, []).append(joint.child)
    stack = list(roots)
    while stack:
        link = stack.pop()
        yield link
        stack += children.get(link, [])


def _hang(link: SourceLink, joint: DescribedJoint, parent: int) -> SourceLink:
    """The link on its joint, in whose frame its parameters are then."""
    return replace(
        link,
        parent=parent,
        frame=f"joint frame {joint.name}",
        placement=joint.placement,
        own=joint.own,
        joint=joint.joint,
        held=joint.held,
        coupling=f"mimics joint {joint.leader.joint!r}" if joint.joint is not None and joint.leader is not None else "",
        leader=joint.leader,
        parameters=None if link.parameters is None else change_of_frame(joint.own) @ link.parameters,
    )


def _closing(joint: DescribedJoint, first: str, index: Mapping[str, int]) -> Closure:
    """The loop that a joint closes because its child link hangs on another joint, the first, already."""
    why = f"joint {joint.name!r}: link {joint.child!r} is the child of joint {first!r} too, which closes a loop, and dynident models trees"
    return Closure((index[joint.parent], index[joint.child]), why)
