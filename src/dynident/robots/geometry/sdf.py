"""Shapes of an SDF: the `collision` and `visual` elements of its links."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from dynident.robots.formats.sdf import SdfFrames, read_numbers
from dynident.robots.geometry.description import Role, ShapePart, check_lengths
from dynident.robots.geometry.forms import BoxForm, Cylinder, Ellipsoid, Form, Rod
from dynident.robots.geometry.meshes import MeshReader
from dynident.robots.kinematics import inverse_pose


class SdfGeometry:
    """The shapes of the one model in an SDF. root : its root element."""

    ignored: frozenset[tuple[str, str]] = frozenset()
    notes: tuple[str, ...] = ()

    def __init__(self, source: Path, root: Element) -> None:
        self._source, self._meshes = source, MeshReader(source)
        self._frames = SdfFrames.of_root(str(source), root)

    def parts(self, link: str, role: Role) -> list[ShapePart | str]:
        found: list[ShapePart | str] = []
        element = self._frames.links.get(link)
        for item in [] if element is None else element.findall(role):
            shape = next(iter(item.findall("geometry/*")), None)
            if shape is None or shape.tag in ("empty", "plane"):
                continue
            form = self._form(link, shape)
            in_model = self._frames.pose_of(item, link)
            found.append(form if isinstance(form, str) else ShapePart(form, inverse_pose(self._frames.pose(link)) @ in_model))
        return found

    def _form(self, link: str, shape: Element) -> Form | str:
        def numbers(name: str, length: int, usual: str) -> list[float]:
            found = read_numbers(str(self._source), f"link {link!r}", shape.findtext(name) or usual, length).tolist()
            check_lengths(self._source, link, shape.tag, [abs(value) for value in found] if name == "scale" else found)
            return found

        match shape.tag:
            case "box":
                x, y, z = numbers("size", 3, "1 1 1")
                return BoxForm((x, y, z))
            case "sphere":
                return Rod(numbers("radius", 1, "1")[0])
            case "cylinder":
                return Cylinder(numbers("radius", 1, "1")[0], numbers("length", 1, "1")[0])
            case "capsule":
                return Rod(numbers("radius", 1, "0.5")[0], numbers("length", 1, "1")[0])
            case "ellipsoid":
                x, y, z = numbers("radii", 3, "1 1 1")
                return Ellipsoid((x, y, z))
            case "mesh":
                return self._meshes.load((shape.findtext("uri") or "").strip(), np.array(numbers("scale", 3, "1 1 1")))
            case other:
                return f"a <{other}> of link {link!r} is no shape that is known"
