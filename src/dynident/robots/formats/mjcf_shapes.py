# pyright: basic
"""The shapes and pairs of an MJCF: its geoms, and the bodies that it excludes from contact. Geoms that touch nothing are for the eye.

Meshes in files of their own are not read: a ball stands for each of them while MuJoCo compiles the places of the geoms. A mesh that is
part of the model, or that MuJoCo turns or fits a primitive to, is compiled; its hull is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynident.robots.formats.mjcf_inertial import body_name, pose, take_inertials
from dynident.robots.geometry.meshes import find_problem, thin_hull
from dynident.robots.link_shapes import LinkShape, ShapeKind, ShapeRole
from dynident.robots.packages import Surroundings

#: Meshes that can be read without MuJoCo.
_SUFFIXES = (".stl", ".obj")


class MjcfShapes(NamedTuple):
    """by_body : shapes by the name of their body; apart : pairs of bodies that the file's <exclude> elements let touch."""

    by_body: Mapping[str, tuple[LinkShape, ...]]
    apart: tuple[tuple[str, str], ...] = ()


def read_mjcf_shapes(mj: Any, spec: Any, around: Surroundings) -> MjcfShapes:
    """The shapes of a specification, which is changed; ValueError and RuntimeError where MuJoCo cannot compile it."""
    take_inertials(mj, spec)
    spec.compiler.boundmass = spec.compiler.boundinertia = 1e-9  # the balls that stand for meshes may have no mass
    stand_ins = _replace_meshes(mj, spec, around)
    strip_files(spec)
    model = spec.compile()
    meshes = {int(geom.id): mesh for geom, mesh in stand_ins}
    by_body: dict[str, list[LinkShape]] = {}
    for g in range(model.ngeom):
        shape = _shape(mj, model, g, meshes.get(g))
        if shape is not None:
            by_body.setdefault(body_name(model, int(model.geom_bodyid[g])), []).append(shape)
    signatures = (int(signature) for signature in model.exclude_signature)
    pairs = ((body_name(model, s >> 16), body_name(model, s & 0xFFFF)) for s in signatures)
    apart = sorted({(min(pair), max(pair)) for pair in pairs})
    return MjcfShapes({body: tuple(shapes) for body, shapes in by_body.items()}, tuple(apart))


class _MeshFile(NamedTuple):
    """The absolute path of a mesh, or its name where there is no such file; and its scale along its axes."""

    text: str
    scale: tuple[float, ...]


def _replace_meshes(mj: Any, spec: Any, around: Surroundings) -> list[tuple[Any, _MeshFile]]:
    """Every geom whose mesh is left to be read later, made a ball, with that mesh."""
    folder = Surroundings(around.folder / (spec.meshdir or ""))
    kept: dict[str, _MeshFile] = {}
    for mesh in spec.meshes:
        text = folder.find_mesh(mesh.file) if mesh.file else ""
        plain = not np.any(mesh.refpos) and np.array_equal(mesh.refquat, [1.0, 0.0, 0.0, 0.0])
        if mesh.file and (text == mesh.file or (plain and text.lower().endswith(_SUFFIXES))):
            kept[mesh.name] = _MeshFile(text, tuple(float(value) for value in mesh.scale))
    replaced: list[tuple[Any, _MeshFile]] = []
    fitted: set[str] = set()
    for geom in [geom for geom in spec.geoms if geom.meshname in kept]:
        mesh = kept[geom.meshname]
        if geom.type == mj.mjtGeom.mjGEOM_MESH or not Path(mesh.text).is_absolute():
            geom.type, geom.size, geom.meshname = mj.mjtGeom.mjGEOM_SPHERE, [1.0, 0.0, 0.0], ""
            replaced.append((geom, mesh))
        else:
            fitted.add(geom.meshname)
    for mesh in [mesh for mesh in spec.meshes if mesh.name in kept and mesh.name not in fitted]:
        spec.delete(mesh)
    return replaced


def strip_files(spec: Any) -> None:
    """Remove what may name files that are not there, but for meshes, and what refers to these."""
    fields = [geom for geom in spec.geoms if geom.hfieldname]  # no link is made of these
    for element in [*spec.sensors, *spec.keys, *spec.skins, *fields, *spec.hfields]:
        spec.delete(element)
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for texture in list(spec.textures):
        spec.delete(texture)


def _shape(mj: Any, model: Any, g: int, mesh: _MeshFile | None) -> LinkShape | None:
    """None for a plane and a field of heights, which no link is made of."""
    role = ShapeRole.COLLISION if model.geom_contype[g] or model.geom_conaffinity[g] else ShapeRole.VISUAL
    place = pose(mj, model.geom_pos[g], model.geom_quat[g])
    if mesh is not None:
        return LinkShape(kind=ShapeKind.MESH, role=role, pose=place, size=mesh.scale, text=mesh.text)
    kinds, kind = mj.mjtGeom, int(model.geom_type[g])
    a, b, c = (float(size) for size in model.geom_size[g])
    sizes = {
        int(kinds.mjGEOM_BOX): (ShapeKind.BOX, (2.0 * a, 2.0 * b, 2.0 * c)),
        int(kinds.mjGEOM_SPHERE): (ShapeKind.CAPSULE, (a, 0.0)),
        int(kinds.mjGEOM_CAPSULE): (ShapeKind.CAPSULE, (a, 2.0 * b)),
        int(kinds.mjGEOM_CYLINDER): (ShapeKind.CYLINDER, (a, 2.0 * b)),
        int(kinds.mjGEOM_ELLIPSOID): (ShapeKind.ELLIPSOID, (a, b, c)),
    }
    if kind in sizes:
        return LinkShape(kind=sizes[kind][0], role=role, pose=place, size=sizes[kind][1])
    if kind != int(kinds.mjGEOM_MESH):
        return None
    m = int(model.geom_dataid[g])
    vertices = np.array(model.mesh_vert[model.mesh_vertadr[m] :][: model.mesh_vertnum[m]], dtype=float)
    problem = find_problem(vertices, np.zeros((0, 3), dtype=np.int64))
    if problem:
        return LinkShape(kind=ShapeKind.UNKNOWN, role=role, text=f"mesh {model.mesh(m).name!r} {problem}")
    hull = thin_hull(vertices)
    return LinkShape(kind=ShapeKind.HULL, role=role, pose=place, points=hull.points, size=(hull.radius,))
