# pyright: basic
"""Shapes of an MJCF: its geoms; those that touch nothing are for the eye."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.mujoco_warnings import silence_mujoco
from dynident.errors import import_optional
from dynident.robots.formats.mjcf import body_name, sentence
from dynident.robots.formats.mjcf_inertial import pose
from dynident.robots.geometry.description import Part, Role
from dynident.robots.geometry.forms import Box, Cylinder, Ellipsoid, Form, Rod
from dynident.robots.geometry.meshes import Mesh


class MjcfGeometry:
    """The geoms of a compiled model. lost : by body and role, the meshes whose files are not there."""

    def __init__(self, mj: Any, model: Any, lost: dict[tuple[int, Role], list[str]]) -> None:
        self._mj, self._model, self._lost = mj, model, lost
        self._bodies = {body_name(model, b): b for b in range(model.nbody)}

    @property
    def ignored(self) -> frozenset[tuple[str, str]]:
        """Pairs of bodies that the file's <exclude> elements let touch."""
        signatures = (int(signature) for signature in self._model.exclude_signature)
        pairs = ((body_name(self._model, s >> 16), body_name(self._model, s & 0xFFFF)) for s in signatures)
        return frozenset((min(pair), max(pair)) for pair in pairs)

    def parts(self, link: str, role: Role) -> list[Part | str]:
        body, model = self._bodies.get(link), self._model
        if body is None:
            return []
        found: list[Part | str] = list(self._lost.get((body, role), []))
        for g in range(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body]):
            form = self._form(g) if _role(model.geom_contype[g], model.geom_conaffinity[g]) == role else None
            if form is not None:
                found.append(Part(form, pose(self._mj, model.geom_pos[g], model.geom_quat[g])))
        return found

    def _form(self, g: int) -> Form | None:
        """None for a plane and a field of heights, which no link is made of."""
        kinds, model = self._mj.mjtGeom, self._model
        kind, (a, b, c) = int(model.geom_type[g]), (float(size) for size in model.geom_size[g])
        if kind == int(kinds.mjGEOM_BOX):
            return Box((2.0 * a, 2.0 * b, 2.0 * c))
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
            return Mesh((np.array(vertices, dtype=float), np.array(faces, dtype=np.int64)))
        return None


def read_mjcf_geometry(source: Path) -> MjcfGeometry | str:
    """The geoms of the file, without the meshes that are not there; or a sentence that says why MuJoCo can't read it."""
    mj = import_optional("mujoco", "showing an MJCF")
    try:
        spec = mj.MjSpec.from_file(str(source))
        spec.compiler.boundmass = spec.compiler.boundinertia = 1e-9  # a body whose mesh is lost may have no mass left
        lost = _drop_lost_meshes(spec, source)
        with silence_mujoco(mj):
            model = spec.compile()
    except ValueError as error:
        return f"MuJoCo can't show the file: {sentence(error)}"
    return MjcfGeometry(mj, model, _by_body(lost))


def _drop_lost_meshes(spec: Any, source: Path) -> list[tuple[Any, Role, str]]:
    """The bodies, roles and files of geoms that were taken out because their mesh is not there; textures go too."""
    folder = source.parent / (spec.meshdir or "")
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


def _by_body(lost: list[tuple[Any, Role, str]]) -> dict[tuple[int, Role], list[str]]:
    found: dict[tuple[int, Role], list[str]] = {}
    for body, role, file in lost:
        found.setdefault((int(body.id), role), []).append(f"mesh {file!r} was not found")
    return found


def _role(contype: int, conaffinity: int) -> Role:
    return "collision" if contype or conaffinity else "visual"
