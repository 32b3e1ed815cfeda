"""New inertial numbers in the text of a URDF: only those of the links that changed, and comments stay where they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.parsers import expat

from dynident.core.arrays import Array
from dynident.errors import FileError
from dynident.parameters import INERTIA_ELEMENTS, INERTIA_NAMES, to_com
from dynident.robots.kinematics import pose_from_xyz_rpy

_TAG = re.compile(rb"""<[^>"']*(?:"[^"]*"[^>"']*|'[^']*'[^>"']*)*>""")


def with_inertials(path: str | Path, text: str, parameters: Mapping[str, Array]) -> str:
    """The text with other numbers in the <inertial> of the named links; (10,) in the link's own frame.

    The rotation of the inertial's frame stays, so mass, xyz and the six elements of the inertia are all that is written.
    """
    content = text.encode("utf-8")
    tags = _inertial_tags(content)
    edits: list[tuple[int, int, bytes]] = []
    for name, values in parameters.items():
        if name not in tags:
            raise FileError(path, f"link {name!r} has no <inertial> to write to")
        edits += _edits(content, tags[name], values)
    for start, stop, new in sorted(edits, reverse=True):
        content = content[:start] + new + content[stop:]
    return content.decode("utf-8")


def _inertial_tags(content: bytes) -> dict[str, dict[str, tuple[int, dict[str, str]]]]:
    """By link: where its tags inertial, mass, origin and inertia begin, and their attributes."""
    found: dict[str, dict[str, tuple[int, dict[str, str]]]] = {}
    stack: list[str] = []
    link = ""
    parser = expat.ParserCreate("utf-8")

    def opened(tag: str, attributes: dict[str, Any]) -> None:
        nonlocal link
        stack.append(tag)
        if stack == ["robot", "link"]:
            link = attributes.get("name", "")
        if stack[:3] == ["robot", "link", "inertial"] and len(stack) <= 4:
            found.setdefault(link, {}).setdefault(tag, (parser.CurrentByteIndex, attributes))

    def closed(_: str) -> None:
        stack.pop()

    parser.StartElementHandler, parser.EndElementHandler = opened, closed
    parser.Parse(content, True)
    return found


def _edits(content: bytes, tags: dict[str, tuple[int, dict[str, str]]], values: Array) -> list[tuple[int, int, bytes]]:
    mass, com, inertia = to_com(values)
    rpy = [float(word) for word in tags["origin"][1].get("rpy", "0 0 0").split()] if "origin" in tags else [0.0, 0.0, 0.0]
    R = pose_from_xyz_rpy([0.0, 0.0, 0.0], rpy)[:3, :3]
    turned = R.T @ inertia @ R
    new = {
        "mass": {"value": repr(float(mass))},
        "inertia": {f"i{name}": repr(float(turned[place])) for name, place in zip(INERTIA_NAMES, INERTIA_ELEMENTS, strict=True)},
        "origin": {"xyz": " ".join(repr(float(c)) for c in com)},
    }
    edits: list[tuple[int, int, bytes]] = []
    for tag, attributes in new.items():
        if tag in tags:
            start, stop, old = _tag_at(content, tags[tag][0])
            edits.append((start, stop, _with_attributes(old, attributes)))
        else:
            _, stop, _ = _tag_at(content, tags["inertial"][0])
            edits.append((stop, stop, _with_attributes(b"<origin/>", attributes)))
    return edits


def _tag_at(content: bytes, start: int) -> tuple[int, int, bytes]:
    match = _TAG.match(content, start)
    assert match is not None  # noqa: S101 (the parser found a tag here)
    return start, match.end(), match.group()


def _with_attributes(tag: bytes, attributes: Mapping[str, str]) -> bytes:
    for name, value in attributes.items():
        pattern = re.compile(rb"""(\s""" + name.encode() + rb"""\s*=\s*)("[^"]*"|'[^']*')""")
        tag, count = pattern.subn(lambda match, new=value: match.group(1) + b'"' + new.encode() + b'"', tag, count=1)
        if count == 0:
            tag = re.sub(rb"\s*(/?>)$", f' {name}="{value}"'.encode() + rb"\1", tag)
    return tag
