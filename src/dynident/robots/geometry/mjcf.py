# pyright: basic
"""Shapes of an MJCF: its geoms; those that touch nothing are for the eye."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from dynident.core.isolation import read_apart
from dynident.core.native_output import silence_mujoco
from dynident.errors import FileError, import_optional
from dynident.robots.formats.mjcf import DAMAGE, body_name, sentence
from dynident.robots.formats.mjcf_inertial import pose
from dynident.robots.formats.mjcf_sizes import check_sizes
from dynident.robots.geometry.description import Role, ShapePart
from dynident.robots.geometry.forms import BoxForm, Cylinder, Ellipsoid, Form, Rod
from dynident.robots.geometry.meshes import Mesh, find_problem


@dataclass(frozen=True, eq=False)
class MjcfGeometry:
    """The geoms of a compiled model.

    ignored : pairs of bodies that the file's <exclude> elements let touch.
    by_body : shapes by body and role, and a sentence for each mesh whose file is not there.
    """

    ignored: frozenset[tuple[str, str]]
    by_body: Mapping[tuple[str, Role], list[ShapePart | str]]

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    def parts(self, link: str, role: Role) -> list[ShapePart | str]:
        return self.by_body.get((link, role), [])


def read_mjcf_geometry(source: Path, root: Element) -> MjcfGeometry | str:
    """The geoms of the file, without the meshes that are not there; or a sentence that says why they can't be shown.

    MuJoCo reads in a process of its own, for a mesh can crash it. root : of the file.
    """
    import_optional("mujoco", "showing an MJCF")
    try:
        check_sizes(source, root)
        found = read_apart(_read, source)
    except FileError as error:
        return f"shapes of {source.name} can't be read ({error.message.partition('; ')[0]})"
    if isinstance(found, str):
        return found
    meshes = [
        part.form for parts in found.by_body.values() for part in parts if isinstance(part, ShapePart) and isinstance(part.form, Mesh)
    ]
    problem = next((problem for mesh in meshes if (problem := find_problem(mesh.vertices, mesh.triangles))), "")
    return f"a mesh of {source.name} {problem}" if problem else found


def _read(source: Path) -> MjcfGeometry | str:
    """In the child: all shapes as arrays."""
    mj = import_module("mujoco")
    try:
        spec = mj.MjSpec.from_file(str(source))
        spec.compiler.boundmass = spec.compiler.boundinertia = 1e-9  # a body whose mesh is lost may have no mass left
        lost = _drop_lost_meshes(spec, source)
        with silence_mujoco(mj):
            model = spec.compile()
    except DAMAGE as error:
        return f"MuJoCo can't show the file: {sentence(error)}"
    by_body: dict[tuple[str, Role], list[ShapePart | str]] = {}
    for body, role, file in lost:
        by_body.setdefault((body_name(model, int(body.id)), role), []).append(f"mesh {file!r} was not found")
    for g in range(model.ngeom):
        form = _form(mj, model, g)
        if form is not None:
            key = body_name(model, int(model.geom_bodyid[g])), _role(model.geom_contype[g], model.geom_conaffinity[g])
            by_body.setdefault(key, []).append(ShapePart(form, pose(mj, model.geom_pos[g], model.geom_quat[g])))
    signatures = (int(signature) for signature in model.exclude_signature)
    pairs = ((body_name(model, s >> 16), body_name(model, s & 0xFFFF)) for s in signatures)
    return MjcfGeometry(frozenset((min(pair), max(pair)) for pair in pairs), by_body)


def _form(mj: Any, model: Any, g: int) -> Form | None:
    """None for a plane and a field of heights, which no link is made of."""
    kinds = mj.mjtGeom
    kind, (a, b, c) = int(model.geom_type[g]), (float(size) for size in model.geom_size[g])
    if kind == int(kinds.mjGEOM_BOX):
        return BoxForm((2.0 * a, 2.0 * b, 2.0 * c))
    if kind == int(kinds.mjGEOM_SPHERE):
        return Rod(a)
    if kind == int(kinds.mjGEOM_CAPSULE):
        return Rod(a, 2.0 * b)
    if kind == int(kinds.mjGEOM_CYLINDER):
        return Cylinder(a, 2.0 * b)
    if kind == int(kinds.mjGEOM_ELLIPSOID):
        return Ellipsoid((a, b, c))
    if kind == int(kinds.mjGEOM_MESH):
        m = int(model.geom_dataid[g])
        vertices = model.mesh_vert[model.mesh_vertadr[m] :][: model.mesh_vertnum[m]]
        faces = model.mesh_face[model.mesh_faceadr[m] :][: model.mesh_facenum[m]]
        return Mesh(np.array(vertices, dtype=float), np.array(faces, dtype=np.int64))
    return None


def _drop_lost_meshes(spec: Any, source: Path) -> list[tuple[Any, Role, str]]:
    """The bodies, roles and files of geoms that were taken out because their mesh is not there; textures and fields of heights go too."""
    folder = source.parent / (spec.meshdir or "")
    for geom in [geom for geom in spec.geoms if geom.hfieldname]:  # no link is made of these
        spec.delete(geom)
    for field in list(spec.hfields):
        spec.delete(field)
    gone = {mesh.name: mesh.file for mesh in spec.meshes if mesh.file and not (folder / mesh.file).is_file()}
    lost: list[tuple[Any, Role, str]] = [
        (geom.parent, _role(geom.contype, geom.conaffinity), gone[geom.meshname]) for geom in spec.geoms if geom.meshname in gone
    ]
    for geom in [geom for geom in spec.geoms if geom.meshname in gone]:
        spec.delete(geom)
    for mesh in [mesh for mesh in spec.meshes if mesh.name in gone]:
        spec.delete(mesh)
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for texture in list(spec.textures):
        spec.delete(texture)
    return lost


def _role(contype: int, conaffinity: int) -> Role:
    return "collision" if contype or conaffinity else "visual"
