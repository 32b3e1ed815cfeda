"""Shapes as URDF and SDF write them: the names of both are the same, only the numbers stand elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

from dynident.core.arrays import Array
from dynident.errors import DynidentError
from dynident.robots.formats.xml_tree import XmlValues
from dynident.robots.link_shapes import LinkShape, ShapeKind, ShapeRole
from dynident.robots.packages import Surroundings

#: SDFormat's numbers where a shape leaves them out, by element and name; 1 elsewhere.
_USUAL = {("capsule", "radius"): 0.5}


def read_shapes(link: XmlValues, *, pose: Callable[[Element], Array], around: Surroundings, usual: bool = False) -> Iterator[LinkShape]:
    """The shapes of a link. pose : of a <collision> or <visual> in its own frame; usual : whether SDFormat's numbers are those left out."""
    for role in (ShapeRole.COLLISION, ShapeRole.VISUAL):
        for item in link.element.findall(role.value):
            form = next(iter(item.findall("geometry/*")), None)
            if form is None:
                continue
            tag = form.tag.rpartition("}")[2].rpartition(":")[2]
            try:
                if tag not in ("empty", "plane"):
                    yield _shape(link._replace(element=form), tag, role, pose(item), around, usual)
            except DynidentError as error:  # it matters only to those who ask for shapes
                message = error.message.removeprefix(f"{link.file}, {link.place}: ")
                yield LinkShape(kind=ShapeKind.FAULTY, role=role, text=f"{link.file}, {link.place}, <{tag}>: {message}")


def _shape(form: XmlValues, tag: str, role: ShapeRole, pose: Array, around: Surroundings, usual: bool) -> LinkShape:
    def numbers(name: str, length: int = 1) -> list[float]:
        return form.numbers(name, length, [_USUAL.get((tag, name), 1.0)] * length if usual else None).tolist()

    def make(kind: ShapeKind, *size: float, text: str = "") -> LinkShape:
        return LinkShape(kind=kind, role=role, pose=pose, size=size, text=text)

    match tag:
        case "box":
            return make(ShapeKind.BOX, *numbers("size", 3))
        case "sphere":
            return make(ShapeKind.CAPSULE, *numbers("radius"), 0.0)
        case "capsule" | "cylinder":
            return make(ShapeKind(tag), *numbers("radius"), *numbers("length"))
        case "ellipsoid":
            return make(ShapeKind.ELLIPSOID, *numbers("radii", 3))
        case "mesh":
            name = form.element.get("filename") or form.text("uri") or ""
            scale = numbers("scale", 3) if form.text("scale") is not None else (1.0, 1.0, 1.0)
            return make(ShapeKind.MESH, *scale, text=around.find_mesh(name))
        case other:
            return LinkShape(kind=ShapeKind.UNKNOWN, role=role, text=f"a <{other}> of {form.place} is no shape that is known")
