"""Shapes of a URDF: the `collision` and `visual` elements of its links."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from dynident.robots.formats.srdf import Srdf, find_srdf, read_srdf
from dynident.robots.formats.urdf_xml import read_numbers, read_origin
from dynident.robots.geometry.description import Role, ShapePart, check_lengths
from dynident.robots.geometry.forms import BoxForm, Cylinder, Form, Rod
from dynident.robots.geometry.meshes import MeshReader


class UrdfGeometry:
    """The shapes of a URDF. root : its root element."""

    def __init__(self, source: Path, root: Element) -> None:
        self._source, self._meshes = source, MeshReader(source)
        self._name = root.get("name", "")
        self._links = {link.get("name", ""): link for link in root.findall("link")}

    @cached_property
    def _srdf(self) -> Srdf | None:
        """Beside the file."""
        file = find_srdf(self._source, self._name)
        return None if file is None else read_srdf(file)

    @property
    def ignored(self) -> frozenset[tuple[str, str]]:
        return frozenset() if self._srdf is None else self._srdf.separate

    @property
    def notes(self) -> tuple[str, ...]:
        return () if self._srdf is None else (self._srdf.note,)

    def parts(self, link: str, role: Role) -> list[ShapePart | str]:
        found: list[ShapePart | str] = []
        element = self._links.get(link)
        for item in [] if element is None else element.findall(role):
            geometry = item.find("geometry")
            shape = None if geometry is None else next(iter(geometry), None)
            if shape is not None:
                form = self._form(link, shape)
                found.append(form if isinstance(form, str) else ShapePart(form, read_origin(self._source, f"link {link!r}", item)))
        return found

    def _form(self, link: str, shape: Element) -> Form | str:
        def numbers(name: str, length: int = 1) -> list[float]:
            found = read_numbers(self._source, f"link {link!r}", shape, required=(name,), length=length)[name].tolist()
            check_lengths(self._source, link, shape.tag, [abs(value) for value in found] if name == "scale" else found)
            return found

        match shape.tag.rpartition(":")[2]:
            case "box":
                x, y, z = numbers("size", 3)
                return BoxForm((x, y, z))
            case "sphere":
                return Rod(*numbers("radius"))
            case "cylinder":
                return Cylinder(*numbers("radius"), *numbers("length"))
            case "capsule":
                return Rod(*numbers("radius"), *numbers("length"))
            case "mesh":
                scale = np.array(numbers("scale", 3)) if shape.get("scale") is not None else np.ones(3)
                return self._meshes.load(shape.get("filename", ""), scale)
            case other:
                return f"a <{other}> of link {link!r} is no shape that is known"
