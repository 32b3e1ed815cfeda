"""DH descriptions in YAML: standard (distal) and modified (Craig's proximal) Denavit-Hartenberg, both first-class.

    modified: pose_link_in_parent = Rx(alpha) Tx(a) Rz(theta) Tz(d) · motion(q)     link frame at the joint
    standard: pose_link_in_parent = motion(q) · Rz(theta) Tz(d) Tx(a) Rx(alpha)     link frame at the far end

`theta` and `d` are the offsets at q = 0; a revolute or continuous joint turns about z, a prismatic one moves along z.
The format is described in docs/reference/dh-files.md; every key is checked, an unknown one is an error.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from dynident.core.arrays import Array, check_unique
from dynident.core.fields import Fields
from dynident.core.files import errors_in_file, parse_yaml
from dynident.robots.formats.source_tree import SourceLink, SourceTree
from dynident.robots.kinematics import inverse_pose, pose_from_xyz_rpy, rotation_x, rotation_z, translation
from dynident.robots.link_shapes import LinkShape, capsule_between
from dynident.robots.parameters import INERTIA_NAMES, change_of_frame, from_com, inertia_tensor
from dynident.robots.robot import STANDARD_GRAVITY, Joint, JointType

CONVENTIONS = ("standard", "modified")
#: What a DH file calls the part that doesn't move.
BASE = "base"

_ROW = ("a", "alpha", "d", "theta")
_LIMITS = ("velocity", "acceleration", "effort", "jerk")


def read_dh(source: str, text: str) -> SourceTree:
    """The robot in the text of a DH YAML file; FileError names the file, the place and what was expected."""
    return dh_tree(Fields(source, parse_yaml(source, text)))


def dh_tree(top: Fields) -> SourceTree:
    """The base and the links that the fields of a DH file describe."""
    top.only(("convention", "joints"), ("name", "base", "tool", "gravity", "floor", "inertias", "capsules", "apart", "notes"))
    convention = top.choice("convention", CONVENTIONS)
    rows = top.sections("joints")
    if not rows:
        raise top.error("joints", "is empty; at least one joint is needed")
    base = _pose(top, "base", convention, row_allowed=False)
    links = [SourceLink(name=BASE, parent=-1), *(_link(row, i, convention, base) for i, row in enumerate(rows))]
    with errors_in_file(top.file, "joints"):
        check_unique("joint", [link.joint.name for link in links if link.joint is not None])
        check_unique("link", [link.name for link in links])
    if top.has("inertias"):
        links = _with_inertias(top.section("inertias"), links)
    if top.has("capsules"):
        links = _with_capsules(top.section("capsules"), links)
    return SourceTree(
        name=top.text("name", Path(top.file).stem),
        source=str(top.file),
        links=tuple(links),
        gravity=top.numbers("gravity", 3, STANDARD_GRAVITY),
        tool=_pose(top, "tool", convention, row_allowed=True),
        floor=top.number("floor", 0.0),
        apart=_pairs(top, [link.name for link in links]),
        notes=top.texts("notes"),
    )


def dh_pose(convention: str, a: float, alpha: float, d: float, theta: float) -> Array:
    """(4, 4) pose of one DH row at q = 0, in the convention's order."""
    about_x = rotation_x(alpha) @ translation([a, 0.0, 0.0])
    about_z = rotation_z(theta) @ translation([0.0, 0.0, d])
    return about_x @ about_z if convention == "modified" else about_z @ about_x


def frame_name(convention: str, number: int) -> str:
    """Name of DH frame `number`, counted from 1."""
    return f"{convention} DH frame {number}"


def _link(row: Fields, index: int, convention: str, base: Array) -> SourceLink:
    row.only(("name", "type", *_ROW), ("link", "position", *_LIMITS, "home", "friction"))
    pose = dh_pose(convention, *(row.number(key) for key in _ROW))
    before, after = (pose, np.eye(4)) if convention == "modified" else (np.eye(4), pose)
    type_ = JointType(row.choice("type", [kind.value for kind in JointType]))
    low, high = row.numbers("position", 2, (-np.inf, np.inf), infinite=True)
    if type_ is JointType.CONTINUOUS and row.has("position"):
        raise row.error("position", "a continuous joint has no position limits; remove them or make it revolute")
    velocity, acceleration, effort, jerk = (row.number(limit, np.inf, infinite=True) for limit in _LIMITS)
    friction = row.numbers("friction", 2).tolist() if row.has("friction") else None
    with errors_in_file(row.file, row.place):
        joint = Joint(
            name=row.text("name"),
            type=type_,
            position=(low, high),
            velocity=velocity,
            acceleration=acceleration,
            effort=effort,
            jerk=jerk,
            home=row.number("home") if row.has("home") else None,
            friction=(friction[0], friction[1]) if friction is not None else None,
        )
    return SourceLink(
        name=row.text("link", f"link{index + 1}"),
        parent=index,  # the base is number 0
        frame=frame_name(convention, index + 1),
        placement=base @ before if index == 0 else before,
        after=after,
        joint=joint,
    )


def _pose(top: Fields, key: str, convention: str, *, row_allowed: bool) -> Array:
    """A pose given as xyz and rpy or, where allowed, as a DH row; absent keys are zero."""
    if not top.has(key):
        return np.eye(4)
    pose = top.section(key)
    if row_allowed and any(pose.has(name) for name in _ROW):
        pose.only((), _ROW)
        return dh_pose(convention, *(pose.number(name, 0.0) for name in _ROW))
    pose.only((), ("xyz", "rpy", *(_ROW if row_allowed else ())))
    return pose_from_xyz_rpy(pose.numbers("xyz", 3, (0.0, 0.0, 0.0)), pose.numbers("rpy", 3, (0.0, 0.0, 0.0)))


def _with_inertias(section: Fields, links: list[SourceLink]) -> list[SourceLink]:
    """The links with nominal parameters; a link that the file doesn't list keeps None."""
    section.only(("frame", "about", "links"))
    frame = section.choice("frame", ("link", "joint"))
    about = section.choice("about", ("com", "origin"))
    after = {link.name: link.after for link in links[1:]}
    parameters: dict[str, Array] = {}
    for entry in section.sections("links"):
        entry.only(("name", "mass", "com", "inertia"))
        name = entry.choice("name", list(after))
        if name in parameters:
            raise entry.error("name", f"link {name!r} is listed twice")
        parameters[name] = _parameters(entry, about)
        if frame == "joint":
            parameters[name] = change_of_frame(inverse_pose(after[name])) @ parameters[name]
    return [replace(link, parameters=parameters.get(link.name)) for link in links]


def _with_capsules(section: Fields, links: list[SourceLink]) -> list[SourceLink]:
    """The base and the links with what they look like; one that the file doesn't list has nothing."""
    section.only((), [link.name for link in links])
    shapes = {name: tuple(_capsule(entry) for entry in section.sections(name)) for name in section.values}
    return [replace(link, shapes=shapes.get(link.name, ())) for link in links]


def _capsule(entry: Fields) -> LinkShape:
    """A capsule `from` one point `to` another; a ball where there is one point alone."""
    entry.only(("from", "radius"), ("to",))
    start = entry.numbers("from", 3)
    with errors_in_file(entry.file, entry.place):
        return capsule_between(start, entry.numbers("to", 3, start.tolist()), entry.positive("radius"))


def _pairs(top: Fields, names: list[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of links that never touch."""
    pairs: list[tuple[str, str]] = []
    for i, item in enumerate(top.items("apart") if top.has("apart") else []):
        pair = cast("list[Any]", item) if isinstance(item, list) else []
        if len(pair) != 2 or pair[0] == pair[1] or any(name not in names for name in pair):
            raise top.error(f"apart[{i}]", f"is {item!r}; two of these links were expected: {', '.join(names)}")
        pairs.append((pair[0], pair[1]))
    return tuple(pairs)


def _parameters(entry: Fields, about: str) -> Array:
    mass, com = entry.number("mass"), entry.numbers("com", 3)
    tensor = entry.section("inertia")
    tensor.only(INERTIA_NAMES)
    inertia = inertia_tensor([tensor.number(name) for name in INERTIA_NAMES])
    with np.errstate(over="ignore", invalid="ignore"):  # the robot refuses what no link has
        if about == "com":
            return from_com(mass, com, inertia)
        return from_com(mass, com, np.zeros((3, 3))) * np.array([1.0] * 4 + [0.0] * 6) + from_com(0.0, np.zeros(3), inertia)
