"""The <geom> elements of a complete MJCF, and the meshes that MuJoCo takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynident.core.arrays import Array
from dynident.core.isolation import ReaderApart
from dynident.core.native_output import silence_mujoco
from dynident.core.xml import NewElement, element
from dynident.errors import FileError, import_optional
from dynident.exports.export_model import unused_name
from dynident.exports.formats.description import FixedLink, as_capsule
from dynident.robots.robot import LinkShape, ShapeKind, ShapeRole

#: Meshes that MuJoCo reads.
_MESHES = (".stl", ".obj")


class MeshAsset(NamedTuple):
    """A mesh that MuJoCo reads: the absolute path of its file, and its scale along its axes."""

    file: str
    scale: tuple[float, ...]


def usable_meshes(shapes: Iterable[LinkShape]) -> dict[MeshAsset, str]:
    """The meshes that MuJoCo compiles, each with a name. They are compiled apart, for their files can be anything."""
    files = dict.fromkeys(MeshAsset(shape.text, shape.size) for shape in shapes if shape.kind is ShapeKind.MESH)
    names: dict[MeshAsset, str] = {}
    reader = ReaderApart(_compile_mesh)
    try:
        for mesh in files:
            path = Path(mesh.file)
            if path.is_absolute() and path.suffix.lower() in _MESHES and path.is_file() and _compiles(reader, mesh):
                names[mesh] = unused_name(path.stem, names.values())
    finally:
        reader.close()
    return names


def _compiles(reader: ReaderApart[None], mesh: MeshAsset) -> bool:
    try:
        reader(Path(mesh.file), mesh.scale)
    except FileError:
        return False
    return True


def _compile_mesh(file: Path, scale: tuple[float, ...]) -> None:
    """FileError where MuJoCo takes no geom of such a mesh."""
    mj: Any = import_optional("mujoco", "exporting MJCF")
    asset = element("asset", NewElement("mesh", {"name": "mesh", "file": str(file), "scale": scale}))
    world = element("worldbody", element("geom", type="mesh", mesh="mesh", mass="0"))
    try:
        with silence_mujoco(mj):
            mj.MjModel.from_xml_string(str(element("mujoco", asset, world)))
    except (ValueError, RuntimeError, MemoryError) as error:
        raise FileError(file, f"MuJoCo can't read it: {' '.join(str(error).split())}") from None


def geoms(link: FixedLink, meshes: Mapping[MeshAsset, str], unwritten: list[str]) -> Iterator[NewElement]:
    """The <geom> elements of a link. unwritten : gets its name where it has shapes for which there are none."""
    for shape in link.shapes:
        form = _form(shape, meshes)
        if form is None:
            unwritten += [link.name] if link.name not in unwritten else []
            continue
        touching = {} if shape.role is ShapeRole.COLLISION else {"contype": "0", "conaffinity": "0"}
        place = {} if "fromto" in form or "pos" in form else {"pos": shape.pose[:3, 3], "quat": quaternion(shape.pose[:3, :3])}
        yield NewElement("geom", form | place | touching | {"mass": "0"})


def _form(shape: LinkShape, meshes: Mapping[MeshAsset, str]) -> dict[str, Any] | None:
    """The attributes of a <geom> that say what it is; None where there are none for a shape."""
    match shape.kind:
        case ShapeKind.BOX:
            return {"type": "box", "size": 0.5 * np.array(shape.size)}
        case ShapeKind.CYLINDER:
            return {"type": "cylinder", "size": [shape.size[0], 0.5 * shape.size[1]]}
        case ShapeKind.ELLIPSOID:
            return {"type": "ellipsoid", "size": shape.size}
        case ShapeKind.MESH if (mesh := MeshAsset(shape.text, shape.size)) in meshes:
            return {"type": "mesh", "mesh": meshes[mesh]}
        case _ if (capsule := as_capsule(shape)) is not None:
            start, end, radius = capsule
            ends = [shape.pose[:3, :3] @ point + shape.pose[:3, 3] for point in (start, end)]
            if np.any(start != end):
                return {"type": "capsule", "size": radius, "fromto": np.concatenate(ends)}
            return {"type": "sphere", "size": radius, "pos": ends[0]}
        case _:
            return None


def quaternion(R: Array) -> Array:
    """(w, x, y, z) of a rotation, the largest of which is positive."""
    from scipy.spatial.transform import Rotation  # here, because importing SciPy takes long

    quaternion = Rotation.from_matrix(R).as_quat(scalar_first=True)
    return quaternion * np.sign(quaternion[np.argmax(np.abs(quaternion))]) + 0.0  # no -0
