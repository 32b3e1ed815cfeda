"""URDF as a source tree. The parameter frame of a link is URDF's joint frame, which is also the child link's frame.

Bodies come depth first, branches by the name of their joint, which is the order of Pinocchio and of what is built on it; for a
serial chain that is from base to tip. Meshes need not exist.

Other parsers tell the console, not the caller, what they dislike: urdfdom drops an <inertial> with a number that it can't
read and goes on without. So every number is checked here, and each complaint names the file, the place and the remedy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import errors_in_file
from dynident.core.xml import parse_xml
from dynident.errors import FileError
from dynident.robots.formats.source_tree import SourceLink, SourceTree
from dynident.robots.formats.srdf import read_apart_pairs
from dynident.robots.formats.xml_shapes import read_shapes
from dynident.robots.formats.xml_tree import XmlValues, link_tree, read_joints, read_links
from dynident.robots.packages import Surroundings
from dynident.robots.parameters import INERTIA_NAMES
from dynident.robots.robot import STANDARD_GRAVITY, Joint, JointType

_MOVING = tuple(kind.value for kind in JointType)
_INERTIA = tuple(f"i{element}" for element in INERTIA_NAMES)


def read_urdf(source: str, text: str, around: Surroundings | None = None) -> SourceTree:
    """The links and joints of the text of a URDF. source : where it was read; around : where it is, None where nobody needs its shapes."""
    content = parse_xml(source, text)
    if content.tag != "robot":
        raise FileError(source, f"the root element is <{content.tag}>; <robot> was expected")
    if any("xacro" in element.tag for element in content.iter()):
        raise FileError(source, "contains xacro macros; read the .xacro file, or expand it first: xacro robot.urdf.xacro > robot.urdf")
    links = read_links(source, content)
    if not links:
        raise FileError(source, "has no <link>; check that it is a robot's URDF (a xacro file that only defines macros has none)")
    if content.find("joint") is None:
        raise FileError(source, "has no <joint>; at least one joint that moves is needed")
    joints = read_joints(source, content, links, ends=("parent/link", "child/link"), moving=_MOVING, several=("floating", "planar"))
    apart, shape_notes = ((), ()) if around is None else read_apart_pairs(around, content.get("name", ""))
    return link_tree(
        source,
        {name: _link(source, name, link, around) for name, link in links.items()},
        [
            joint._replace(
                placement=_origin(joint.values),
                joint=_moving_joint(joint.values, joint.name, joint.kind) if joint.kind in _MOVING else None,
                leader=joint.values.leader(),
            )
            for joint in joints
        ],
        name=content.get("name") or Path(source).stem,
        gravity=_gravity(source, content),
        apart=apart,
        notes=tuple(_notes(source, content)),
        shape_notes=shape_notes,
    )


def _moving_joint(values: XmlValues, name: str, kind: str) -> Joint:
    limits = _limits(values)
    with errors_in_file(values.file):
        return Joint(
            name=name,
            type=JointType(kind),
            axis=values.numbers("axis/xyz", 3, (1.0, 0.0, 0.0)),
            position=(min(limits), max(limits)),
            velocity=values.number("limit/velocity", math.inf, infinite=True),
            effort=values.number("limit/effort", math.inf, infinite=True),
            friction=values.friction(),
        )


def _limits(joint: XmlValues) -> tuple[float, float]:
    """Lower and upper as written, 0 where the <limit> has but the other; infinite where it has neither, and for a joint that turns on.

    URDF says that each is 0 where it is left out, but a joint between 0 and 0 is none that anybody describes.
    """
    lower, upper = (joint.number(f"limit/{end}", 0.0, infinite=True) for end in ("lower", "upper"))
    endless = not _limit_names(joint.element) & {"lower", "upper"} or joint.element.get("type") == JointType.CONTINUOUS.value
    return (-math.inf, math.inf) if endless else (lower, upper)


def _limit_names(joint: Element) -> set[str]:
    """What the <limit> of a joint states."""
    limit = joint.find("limit")
    return set() if limit is None else set(limit.attrib)


def _link(file: str, name: str, link: Element, around: Surroundings | None) -> SourceLink:
    """Its parameters are None without an <inertial>."""
    place, inertial = f"link {name!r}", link.find("inertial")
    parameters, shapes = None, ()
    if inertial is not None:
        values = XmlValues(file, place, inertial)
        parameters = values.inertia(values.number("mass/value"), _origin(values))
    if around is not None:
        shapes = read_shapes(XmlValues(file, place, link), pose=lambda item: _origin(XmlValues(file, place, item)), around=around)
    return SourceLink(name=name, parent=-1, parameters=parameters, shapes=tuple(shapes))


def _origin(values: XmlValues) -> Array:
    """(4, 4) pose of the <origin> in an element; the identity without one."""
    xyz, rpy = (values.numbers(f"origin/{name}", 3, (0.0, 0.0, 0.0)) for name in ("xyz", "rpy"))
    return values.pose("<origin>", xyz, rpy)


def _gravity(file: str, root: Element) -> Array:
    """In the element for MuJoCo that a URDF may have, <mujoco><option gravity>."""
    option = root.find("mujoco/option")
    return np.array(STANDARD_GRAVITY) if option is None else XmlValues(file, "<mujoco>", option).numbers("gravity", 3, STANDARD_GRAVITY)


def _notes(file: str, root: Element) -> Iterator[str]:
    """What was read in another way than it is written."""
    if not root.get("name"):
        yield f"the file gives the robot no name; it is called {Path(file).stem!r} after the file"
    joints = {name: XmlValues(file, f"joint {name!r}", joint) for joint in root.findall("joint") for name in [joint.get("name", "")]}
    for name, joint in joints.items():
        low, high = _limits(joint)
        if low > high:
            yield f"joint {name!r} has its lower limit above its upper; they are read as [{high:g}, {low:g}]"
    unlimited = [name for name, joint in joints.items() if _lacks_limits(joint.element)]
    if unlimited:
        yield f"joints {', '.join(unlimited)} lack a <limit>, or positions, effort or velocity in it; what is missing counts as unlimited"
    negative = [name for name, joint in joints.items() if min(joint.friction() or (0.0, 0.0)) < 0.0]
    if negative:
        yield f"the friction or damping of {', '.join(negative)} is negative, which simulators refuse; it is not used here"
    blank = [link.get("name", "") for link in root.findall("link") if any(_is_blank(element) for element in link.findall("inertial/*"))]
    if blank:
        yield (
            f"numbers in the inertials of {', '.join(blank)} have blanks or line breaks beside them; other readers of URDF "
            f"drop such inertials without a word, so engines disagree: remove the blanks"
        )


def _lacks_limits(joint: Element) -> bool:
    stated = _limit_names(joint)
    complete = {"effort", "velocity"} <= stated and bool(stated & {"lower", "upper"})
    return joint.get("type") in ("revolute", "prismatic") and not complete


def _is_blank(element: Element) -> bool:
    """Whether a single number has blanks around it, at which urdfdom's parser stops."""
    return any(element.get(name, "").strip() != element.get(name, "") for name in ("value", *_INERTIA))
