"""Inertials in the text of a URDF or MJCF: written new, or changed in place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dynident.core.arrays import Array
from dynident.core.xml import NewElement, XmlElement, XmlText, element
from dynident.errors import FileError, require
from dynident.robots.formats.mjcf_inertial import FULL_INERTIA
from dynident.robots.kinematics import pose_from_xyz_rpy
from dynident.robots.parameters import ROUNDING, LinkInertia, link_inertia

#: Elements that put one MJCF together from several texts.
_COMPOSITION = ("include", "attach", "replicate")


def set_inertials(path: str | Path, text: XmlText, parameters: Mapping[str, Array | None], *, keep_axes: bool = False) -> None:
    """Give the named links of a URDF, or bodies of an MJCF, these parameters (10,) in their own frames; None or zeros for no inertia.

    Numbers that are these already are not touched. FileError for a name that the file lacks. An MJCF is checked by `check_editable` first.

    keep_axes : whether a URDF's inertias are written in the axes of the file's <origin>, or in the links' own, with rpy 0 0 0.
    """
    mjcf = text.root.tag == "mujoco"
    elements = text.root.all("body") if mjcf else (child for child in text.root.children if child.tag == "link")
    holders = {element.attributes.get("name", ""): element for element in elements}
    for name, values in parameters.items():
        body = link_inertia(np.zeros(10) if values is None else values, name)
        if name in holders and mjcf:
            _set_body(text, holders[name], body)
        elif name in holders:
            _set_link(text, holders[name], body, keep_axes=keep_axes)
        elif body.mass or np.any(body.inertia):
            remedy = "name the bodies, and give each one joint" if mjcf else "give the file that the robot was read from"
            raise FileError(path, f"has no <{'body' if mjcf else 'link'}> named {name!r} to hold its inertia; {remedy}")


def link_inertial(body: LinkInertia) -> NewElement:
    """An <inertial> of a URDF, in the axes of its link."""
    tensor = {f"i{name}": value for name, value in body.elements.items()}
    return element("inertial", _origin(body), element("mass", value=body.mass), element("inertia", **tensor))


def body_inertial(body: LinkInertia) -> NewElement:
    """An <inertial> of an MJCF, in the axes of its body."""
    numbers = _full_inertia(body.inertia)
    # MuJoCo takes the full form only when it is positive definite, and a body without mass has zeros
    tensor = {"fullinertia": numbers} if any(numbers) else {"diaginertia": "0 0 0"}
    return NewElement("inertial", {"pos": body.com, "mass": body.mass} | tensor)


def check_editable(path: str | Path, root: XmlElement) -> None:
    """FileError where inertials in the text of an MJCF are not those that MuJoCo would use."""
    for tag in _COMPOSITION:
        if next(root.all(tag), None) is not None:
            raise FileError(path, f"has <{tag}>, so its bodies are not all in this text; write the model out as one file first")
    for compiler in root.all("compiler"):
        for attribute, harmless in (("settotalmass", ("-1",)), ("inertiafromgeom", ("false", "auto"))):
            value = compiler.attributes.get(attribute, harmless[0])
            if value not in harmless:
                problem = f'its <compiler {attribute}="{value}"> makes MuJoCo replace the inertias that would be written; remove it'
                raise FileError(path, problem)


def _set_link(text: XmlText, link: XmlElement, body: LinkInertia, *, keep_axes: bool) -> None:
    inertial = link.child("inertial")
    if not (body.mass or np.any(body.inertia)):
        if inertial is not None:
            text.remove(inertial)
        return
    if inertial is None:
        text.add_first(link, link_inertial(body).lines())
        return
    origin, mass, tensor = (inertial.child(tag) for tag in ("origin", "mass", "inertia"))
    mass, tensor = require(mass, "<mass> of an <inertial>"), require(tensor, "<inertia> of an <inertial>")  # the reader checked them
    if origin is None:
        text.add_first(inertial, _origin(body).lines())
    else:
        turned = {"rpy": [0.0, 0.0, 0.0]} if "rpy" in origin.attributes and not keep_axes else {}
        text.set_numbers(origin, {"xyz": body.com.tolist()} | turned, rounding=ROUNDING)
        if keep_axes:
            rpy = [float(word) for word in origin.attributes.get("rpy", "0 0 0").split()]
            R = pose_from_xyz_rpy([0.0, 0.0, 0.0], rpy)[:3, :3]
            body = body._replace(inertia=R.T @ body.inertia @ R)
    text.set_numbers(mass, {"value": [body.mass]}, rounding=ROUNDING * abs(body.mass))
    text.set_numbers(tensor, {f"i{name}": [value] for name, value in body.elements.items()}, rounding=body.rounding)


def _set_body(text: XmlText, body: XmlElement, inertial: LinkInertia) -> None:
    """A body that lost its inertia to another keeps an <inertial> of zeros, for without one MuJoCo takes it from the geoms."""
    existing = body.child("inertial")
    if existing is None:
        text.add_first(body, body_inertial(inertial).lines())
    elif set(existing.attributes) == {"pos", "mass", "fullinertia"} and np.any(inertial.inertia):
        text.set_numbers(existing, {"pos": inertial.com.tolist(), "mass": [inertial.mass]}, rounding=ROUNDING)
        text.set_numbers(existing, {"fullinertia": _full_inertia(inertial.inertia)}, rounding=inertial.rounding)
    else:
        text.replace(existing, str(body_inertial(inertial)))


def _origin(body: LinkInertia) -> NewElement:
    return element("origin", xyz=body.com, rpy="0 0 0")


def _full_inertia(inertia: Array) -> list[float]:
    """MuJoCo's order: xx, yy, zz, xy, xz, yz."""
    return [float(inertia[place]) for place in FULL_INERTIA]
