"""A URDF's XML: what it says, checked, and inertials as text, written new or changed in place.

Other parsers tell the console, not the caller, what they dislike: urdfdom drops an <inertial> with a number that it can't
read and goes on without. So every number is checked here, and each complaint names the file, the place and the remedy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from dynident.core.arrays import Array, check_unique
from dynident.core.files import errors_in_file
from dynident.core.xml import XmlElement, XmlText, element_name, number_text
from dynident.errors import FileError, require
from dynident.parameters import INERTIA_NAMES, ROUNDING, LinkInertia, from_com, inertia_tensor
from dynident.robots.body import LARGEST_LENGTH
from dynident.robots.formats.source_tree import Leader
from dynident.robots.kinematics import pose_from_xyz_rpy
from dynident.robots.robot import JointType

_MOVING = tuple(kind.value for kind in JointType)
#: URDF demands limits; this stands for one that is not known.
UNKNOWN_LIMIT = 1e9
#: Kinds of joints that a file may have beside the chain, but that are not modelled.
UNMODELLED = ("floating", "planar")
_ALLOWED = ", ".join((*_MOVING, *UNMODELLED, "fixed"))
_INERTIA = tuple(f"i{element}" for element in INERTIA_NAMES)


class UrdfJoint(NamedTuple):
    """What is read from a <joint> itself."""

    name: str
    type: str
    parent: str
    child: str
    origin: Array  #: (4, 4) pose of the joint frame in the parent link
    axis: Array  #: (3,) as written; Joint normalises it
    position: tuple[float, float]  #: limits [rad | m], infinite where there are none
    velocity: float
    effort: float
    mimic: Leader | None


class Urdf(NamedTuple):
    """What a URDF says.

    joints : by child link                 Those of a tree: the first of each link's.
    loops : tuple of UrdfJoint             Further joints of links that have one already; they close loops.
    inertials : (10,) by link              In the link's own frame; links without an <inertial> are absent.
    notes : tuple of str                   What was read in another way than it is written.
    """

    name: str
    links: tuple[str, ...]
    joints: dict[str, UrdfJoint]
    loops: tuple[UrdfJoint, ...]
    inertials: dict[str, Array]
    notes: tuple[str, ...]


def check_urdf(path: str | Path, root: Element) -> Urdf:
    """Everything that is read from the file, checked."""
    if root.tag != "robot":
        raise FileError(path, f"the root element is <{root.tag}>; <robot> was expected")
    if any("xacro" in element.tag for element in root.iter()):
        raise FileError(path, "contains xacro macros; read the .xacro file itself, or expand it first: xacro robot.urdf.xacro > robot.urdf")
    links = [element_name(path, link) for link in root.findall("link")]
    if not links:
        raise FileError(path, "has no <link>; check that it is a robot's URDF (a xacro file that only defines macros has none)")
    joints = [_joint(path, element, links) for element in root.findall("joint")]
    if not joints:
        raise FileError(path, "has no <joint>; at least one joint that moves is needed")
    with errors_in_file(path):
        check_unique("link", links)
        check_unique("joint", [joint.name for joint in joints])
    by_child: dict[str, UrdfJoint] = {}
    for joint in joints:
        by_child.setdefault(joint.child, joint)
    _check_tree(path, links, by_child)
    inertials = {element_name(path, link): _inertial(path, link) for link in root.findall("link")}
    return Urdf(
        name=root.get("name") or Path(path).stem,
        links=tuple(links),
        joints=by_child,
        loops=tuple(joint for joint in joints if by_child[joint.child] is not joint),
        inertials={name: parameters for name, parameters in inertials.items() if parameters is not None},
        notes=tuple(_notes(path, root)),
    )


def _notes(path: str | Path, root: Element) -> Iterator[str]:
    if not root.get("name"):
        yield f"the file gives the robot no name; it is called {Path(path).stem!r} after the file"
    for element in root.findall("joint"):
        low, high = _limits(path, element)
        if low > high:
            yield f"joint {element.get('name')!r} has its lower limit above its upper; they are read as [{high:g}, {low:g}]"
    negative = [joint.get("name", "") for joint in root.findall("joint") if _has_negative_friction(path, joint)]
    if negative:
        yield f"the friction or damping of {', '.join(negative)} is negative, which simulators refuse; it is not used here"
    blank = [link.get("name", "") for link in root.findall("link") if any(_is_blank(element) for element in link.findall("inertial/*"))]
    if blank:
        yield (
            f"numbers in the inertials of {', '.join(blank)} have blanks or line breaks beside them; other readers of URDF "
            f"drop such inertials without a word, so engines disagree: remove the blanks"
        )


def _has_negative_friction(path: str | Path, joint: Element) -> bool:
    numbers = read_numbers(path, f"joint {joint.get('name')!r}", joint.find("dynamics"), optional=("damping", "friction"))
    return any(float(value[0]) < 0.0 for value in numbers.values())


def _is_blank(element: Element) -> bool:
    """Whether a single number has blanks around it, at which urdfdom's parser stops."""
    return any(element.get(name, "").strip() != element.get(name, "") for name in ("value", *_INERTIA))


def _joint(path: str | Path, element: Element, links: list[str]) -> UrdfJoint:
    name, kind = element_name(path, element), element.get("type", "")
    place = f"joint {name!r}"
    if kind not in (*_MOVING, *UNMODELLED, "fixed"):
        raise FileError(path, f"unknown joint type {kind!r}; allowed: {_ALLOWED}", place=place)
    limit = element.find("limit")
    if limit is None and kind in ("revolute", "prismatic"):
        raise FileError(path, f"a {kind} joint needs a <limit> with lower, upper, effort and velocity", place=place)
    most = read_numbers(path, place, limit, required=("effort", "velocity"), infinite=True)
    ends = [_attribute(element, end, "link") for end in ("parent", "child")]
    for end, link in zip(("parent", "child"), ends, strict=True):
        if link not in links:
            raise FileError(path, f"its <{end}> is link {link!r}, which the file doesn't define", place=place)
    axis = read_numbers(path, place, element.find("axis"), optional=("xyz",), length=3).get("xyz", np.array([1.0, 0.0, 0.0]))
    limits = _limits(path, element)
    return UrdfJoint(
        name=name,
        type=kind,
        parent=str(ends[0]),
        child=str(ends[1]),
        origin=read_origin(path, place, element),
        axis=axis,
        position=(min(limits), max(limits)),
        velocity=_most(most, "velocity"),
        effort=_most(most, "effort"),
        mimic=_mimic(path, place, element),
    )


def _most(numbers: dict[str, Array], name: str) -> float:
    """A limit that must be written, so that a huge one stands for none."""
    value = float(numbers[name][0]) if numbers else math.inf
    return math.inf if value >= UNKNOWN_LIMIT else value


def _mimic(path: str | Path, place: str, joint: Element) -> Leader | None:
    leader = _attribute(joint, "mimic", "joint")
    if leader is None:
        return None
    numbers = read_numbers(path, place, joint.find("mimic"), optional=("multiplier", "offset"))
    return Leader(
        leader, *(float(numbers[name][0]) if name in numbers else usual for name, usual in (("multiplier", 1.0), ("offset", 0.0)))
    )


def _limits(path: str | Path, joint: Element) -> tuple[float, float]:
    """Lower and upper as written, 0 where the <limit> leaves one out; infinite for a joint that turns on."""
    found = read_numbers(path, f"joint {joint.get('name')!r}", joint.find("limit"), optional=("lower", "upper"), infinite=True)
    if joint.get("type") == JointType.CONTINUOUS.value:
        return -math.inf, math.inf
    return float(found.get("lower", np.zeros(1))[0]), float(found.get("upper", np.zeros(1))[0])


def _inertial(path: str | Path, link: Element) -> Array | None:
    """(10,) parameters in the link frame, None without an <inertial>."""
    inertial = link.find("inertial")
    if inertial is None:
        return None
    place = f"link {link.get('name')!r}"
    numbers: dict[str, Array] = {}
    for tag, required in (("mass", ("value",)), ("inertia", _INERTIA)):
        element = inertial.find(tag)
        if element is None:
            raise FileError(path, f"its <inertial> has no <{tag}>; give one, or remove the <inertial>", place=place)
        numbers |= read_numbers(path, place, element, required=required)
    origin = read_origin(path, place, inertial)
    R, tensor = origin[:3, :3], inertia_tensor([numbers[name][0] for name in _INERTIA])
    return from_com(numbers["value"][0], origin[:3, 3], R @ tensor @ R.T)


def read_origin(path: str | Path, place: str, element: Element) -> Array:
    """(4, 4) pose of the <origin> in an element; the identity without one."""
    found = read_numbers(path, place, element.find("origin"), optional=("xyz", "rpy"), length=3)
    if "xyz" in found and np.abs(found["xyz"]).max() > LARGEST_LENGTH:
        raise FileError(
            path, f"its <origin> is {np.abs(found['xyz']).max():.3g} m away, farther than any robot reaches; check it", place=place
        )
    return pose_from_xyz_rpy(found.get("xyz", np.zeros(3)), found.get("rpy", np.zeros(3)))


def read_numbers(
    path: str | Path,
    place: str,
    element: Element | None,
    *,
    required: tuple[str, ...] = (),
    optional: tuple[str, ...] = (),
    length: int = 1,
    infinite: bool = False,
) -> dict[str, Array]:
    """(length,) numbers of the attributes that are there; FileError for one that is missing or is not numbers."""
    if element is None:
        return {}
    found: dict[str, Array] = {}
    for attribute in (*required, *optional):
        text = element.get(attribute)
        if text is None and attribute in required:
            raise FileError(path, f"its <{element.tag}> has no {attribute}; a number was expected", place=place)
        if text is not None:
            values = _floats(text)
            finite = all(math.isfinite(value) or (infinite and math.isinf(value)) for value in values)
            if len(values) != length or not finite:
                expected = "a finite number was" if length == 1 else f"{length} finite numbers were"
                raise FileError(path, f"its <{element.tag}> has {attribute}={text!r}; {expected} expected", place=place)
            found[attribute] = np.array(values)
    return found


def _floats(text: str) -> list[float]:
    """The numbers of a text, empty when some word is not one."""
    try:
        return [float(word) for word in text.split()]
    except ValueError:
        return []


def _check_tree(path: str | Path, links: list[str], by_child: dict[str, UrdfJoint]) -> None:
    roots = [link for link in links if link not in by_child]
    if len(roots) > 1:
        remedy = "join them with fixed joints"
        raise FileError(path, f"links {', '.join(roots)} have no parent; a tree with one root link was expected ({remedy})")
    children: dict[str, list[str]] = {}
    for child, joint in by_child.items():
        children.setdefault(joint.parent, []).append(child)
    reached, waiting = set[str](), roots
    while waiting:
        reached.update(waiting)
        waiting = [child for link in waiting for child in children.get(link, ()) if child not in reached]
    lost = [link for link in links if link not in reached]
    if lost:
        raise FileError(path, f"links {', '.join(lost)} form a loop; a tree with one root link was expected")


def _attribute(element: Element, child: str, attribute: str) -> str | None:
    found = element.find(child)
    return None if found is None else found.get(attribute)


def inertial_lines(body: LinkInertia) -> list[str]:
    """The lines of an <inertial> in the axes of its link."""
    tensor = " ".join(f'i{name}="{number_text([value])}"' for name, value in body.elements.items())
    return [
        "<inertial>",
        f"  {_origin_tag(body)}",
        f'  <mass value="{number_text([body.mass])}"/>',
        f"  <inertia {tensor}/>",
        "</inertial>",
    ]


def set_inertial(text: XmlText, link: XmlElement, body: LinkInertia, *, keep_axes: bool) -> None:
    """Give a <link> this mass, centre of mass and inertia; numbers that are these already are not touched.

    keep_axes : whether the inertia is written in the axes of the file's <origin>, or in the link's own, with rpy 0 0 0.
    """
    inertial = link.child("inertial")
    if inertial is None:
        text.add_first(link, inertial_lines(body))
        return
    origin, mass, tensor = (inertial.child(tag) for tag in ("origin", "mass", "inertia"))
    mass, tensor = require(mass, "<mass> of an <inertial>"), require(tensor, "<inertia> of an <inertial>")  # the reader checked them
    if origin is None:
        text.add_first(inertial, [_origin_tag(body)])
    else:
        turned = {"rpy": [0.0, 0.0, 0.0]} if "rpy" in origin.attributes and not keep_axes else {}
        text.set_numbers(origin, {"xyz": body.com.tolist()} | turned, rounding=ROUNDING)
        if keep_axes:
            rpy = [float(word) for word in origin.attributes.get("rpy", "0 0 0").split()]
            R = pose_from_xyz_rpy([0.0, 0.0, 0.0], rpy)[:3, :3]
            body = body._replace(inertia=R.T @ body.inertia @ R)
    text.set_numbers(mass, {"value": [body.mass]}, rounding=ROUNDING * abs(body.mass))
    text.set_numbers(tensor, {f"i{name}": [value] for name, value in body.elements.items()}, rounding=body.rounding)


def _origin_tag(body: LinkInertia) -> str:
    return f'<origin xyz="{number_text(body.com.tolist())}" rpy="0 0 0"/>'
