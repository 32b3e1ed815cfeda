# pyright: basic
"""MJCF through MuJoCo (extra `sim`).

MuJoCo moves a body by T(anchor) · motion(axis, q - ref) · T(-anchor), one factor per joint. The parameter frame of a
link is therefore the body frame translated to the anchor of its joint (axes of the body frame). A body with several
joints becomes a chain whose intermediate links have no mass. Only what the dynamics needs is compiled: meshes are
read only where an inertia has to come from them. Inertials are kept as the file writes them (`mjcf_inertial`), so that
one that MuJoCo refuses can be looked at. What a file includes and asks for can be of any size, so MuJoCo reads it in a process of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import check_utf8_name, errors_in_file
from dynident.core.isolation import read_apart
from dynident.core.native_output import silence_mujoco
from dynident.core.xml import parse_xml
from dynident.errors import FileError, import_optional
from dynident.robots.formats.mjcf_inertial import Inertials, body_name, is_static, pose, take_inertials
from dynident.robots.formats.mjcf_shapes import MjcfShapes, read_mjcf_shapes, strip_files
from dynident.robots.formats.mjcf_sizes import check_sizes
from dynident.robots.formats.source_tree import Closure, Held, Leader, SourceLink, SourceTree, spring_notes
from dynident.robots.kinematics import joint_motion, translation
from dynident.robots.link_shapes import LinkShape, ShapeKind
from dynident.robots.packages import Surroundings
from dynident.robots.parameters import change_of_frame
from dynident.robots.robot import Joint, JointType

#: What MuJoCo raises at a file that it can't read or compile, or for which there is too little memory.
DAMAGE = (ValueError, RuntimeError, MemoryError)

Model: TypeAlias = Any  # mujoco.MjModel, which has no types; MuJoCo itself is imported when a file is read


def read_mjcf(path: str, text: str, around: Surroundings | None = None, *, folder: str = "") -> SourceTree:
    """The bodies and joints of the text of an MJCF; its root link is MuJoCo's world body.

    path : its file, where its includes are;  around : where it is, None where nobody needs its shapes;  folder : of meshes, where the text
    is in no file.
    """
    import_optional("mujoco", "reading MJCF")
    check_utf8_name(f"{path}{folder}", "MuJoCo")
    root = parse_xml(path, text)
    if root.tag != "mujoco":
        raise FileError(path, f"the root element is <{root.tag}>; <mujoco> was expected")
    _check_numbers(path, root)
    check_sizes(path, root, folder or None)
    return read_apart(_read, Path(path), text, folder, root, around)


def _read(file: Path, text: str, folder: str, root: Element, around: Surroundings | None) -> SourceTree:
    mj, path = import_module("mujoco"), str(file)
    with silence_mujoco(mj), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about inertias, which are judged here
        model, inertials = _compile(mj, path, text, folder)
        shapes = MjcfShapes({}) if around is None else _shapes(mj, path, text, folder, around)
    parameters, changes = inertials.parameters(mj, model)
    with errors_in_file(path):
        links = tuple(_links(mj, model, parameters, shapes.by_body))
        closures = tuple(_closures(mj, model, {link.name: i for i, link in enumerate(links)}))
    gravity_off = bool(model.opt.disableflags & int(mj.mjtDisableBit.mjDSBL_GRAVITY))
    return SourceTree(
        name=root.get("model") or Path(path).stem,
        source=str(path),
        links=links,
        closures=closures,
        gravity=np.zeros(3) if gravity_off else np.array(model.opt.gravity),
        apart=shapes.apart,
        notes=(*_notes(root, model, links), *changes),
    )


#: Larger numbers, which nothing has, are as good as infinite: their squares overflow.
_LARGEST = 1e100
#: Attributes that hold the name of something, which may be nan or inf.
_NAMES = frozenset(
    {"name", "model", "class", "childclass", "joint", "joint1", "joint2", "body", "body1", "body2", "site", "target", "tendon", "geom"}
    | {"geom1", "geom2", "mesh", "material", "texture", "file", "actuator", "prefix", "jointinparent"}
)


def _check_numbers(path: str | Path, root: Element) -> None:
    """MuJoCo reads NaN as a number and writes a log file about it; limits alone may be infinite."""
    for element in root.iter():
        for attribute, text in element.attrib.items():
            if attribute in _NAMES:
                continue
            try:
                values = np.array([float(word) for word in text.split()])
            except ValueError:  # a name, a file, a keyword
                continue
            if np.any(np.isnan(values)) or (np.any(np.abs(values) > _LARGEST) and "range" not in attribute):
                named = f" name={element.get('name')!r}" if element.get("name") else ""
                raise FileError(path, f"has {attribute}={text!r}; finite numbers were expected", place=f"<{element.tag}{named}>")


def _compile(mj: Any, path: str, text: str, folder: str) -> tuple[Model, Inertials]:
    try:
        spec = _specification(mj, path, text, folder)
    except DAMAGE as error:
        raise FileError(path, f"can't be read as MJCF: {sentence(error)}") from None
    rescaled = spec.compiler.settotalmass > 0  # then the mass of the base counts too
    inertials = take_inertials(mj, spec)
    strip_assets(mj, spec, keep_base=rescaled)
    try:
        return spec.compile(), inertials
    except DAMAGE as error:
        problem = sentence(error)
    for geom in spec.geoms:  # what is left of the meshes is there because an inertia needs it
        mesh = next((mesh for mesh in spec.meshes if mesh.name == geom.meshname), None)
        if mesh is not None and "opening file" in problem and mesh.file in problem:
            raise FileError(
                path,
                f"mesh file {mesh.file!r} is missing and the inertia of body {geom.parent.name!r} would come from it; "
                f"add the mesh, or give the body an <inertial>",
            )
    raise FileError(path, f"MuJoCo can't compile it: {problem}")


def _specification(mj: Any, path: str, text: str, folder: str) -> Any:
    in_file = not folder and Path(path).is_file()
    spec = mj.MjSpec.from_file(path) if in_file else mj.MjSpec.from_string(text)
    if folder:
        spec.modelfiledir = folder
    return spec


def _shapes(mj: Any, path: str, text: str, folder: str, around: Surroundings) -> MjcfShapes:
    try:
        return read_mjcf_shapes(mj, _specification(mj, path, text, folder), around)
    except DAMAGE as error:  # it matters only to those who ask for shapes
        problem = f"MuJoCo cannot read the shapes of the file: {sentence(error)}"
        return MjcfShapes({"world": (LinkShape(kind=ShapeKind.UNKNOWN, text=problem),)})


def strip_assets(mj: Any, spec: Any, *, keep_base: bool) -> None:
    """Remove what the dynamics doesn't need, so that missing mesh and texture files don't matter."""
    strip_files(spec)
    from_geoms = spec.compiler.inertiafromgeom == mj.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    wrapped = {step.target.name for tendon in spec.tendons for step in tendon.path if step.target is not None}
    for element in [*spec.pairs, *spec.numerics]:
        spec.delete(element)
    for geom in list(spec.geoms):
        body = geom.parent
        needed = from_geoms or not body.explicitinertial or (geom.name and geom.name in wrapped)
        if not needed or (is_static(spec, body) and not keep_base):
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in [mesh for mesh in spec.meshes if mesh.name not in used]:
        spec.delete(mesh)


def _held(mj: Any, model: Model, j: int) -> Held | None:
    """A joint that moves in several directions."""
    word = {int(mj.mjtJoint.mjJNT_FREE): "free", int(mj.mjtJoint.mjJNT_BALL): "ball"}.get(int(model.jnt_type[j]))
    if word is None:
        return None
    body = body_name(model, model.jnt_bodyid[j])
    several = f"a {word} joint moves in several directions and dynident models hinge and slide joints"
    return Held(_joint_name(model, j), f"body {body!r}: {several}")


def _closures(mj: Any, model: Model, index: dict[str, int]) -> Iterator[Closure]:
    """What ties bodies beside the joints; index : the source link that stands for a body."""
    for e in range(model.neq):
        kind = mj.mjtEq(int(model.eq_type[e])).name.removeprefix("mjEQ_").lower()
        if not model.eq_active0[e] or kind == "joint":
            continue
        bodies = _tied_bodies(mj, model, e)
        why = f"equality {model.eq(e).name!r}: a {kind} constraint closes a loop and dynident models trees"
        for body in bodies[1:]:
            yield Closure((index[body_name(model, bodies[0])], index[body_name(model, body)]), why)


def _tied_bodies(mj: Any, model: Model, e: int) -> list[int]:
    """The bodies that an equality other than between joints ties to each other."""
    ends = [int(model.eq_obj1id[e]), int(model.eq_obj2id[e])]
    kind = int(model.eq_objtype[e])
    if kind == int(mj.mjtObj.mjOBJ_BODY):
        return [max(end, 0) for end in ends]
    if kind == int(mj.mjtObj.mjOBJ_SITE):
        return [int(model.site_bodyid[end]) for end in ends]
    if int(model.eq_type[e]) == int(mj.mjtEq.mjEQ_TENDON):
        return [body for end in ends if end >= 0 for body in _tendon_bodies(mj, model, end)]
    return [0, model.nbody - 1]  # a flexible body: whatever the chain, its last body is not rigid


def _tendon_bodies(mj: Any, model: Model, tendon: int) -> list[int]:
    first, bodies = int(model.tendon_adr[tendon]), list[int]()
    for w in range(first, first + int(model.tendon_num[tendon])):
        kind, obj = int(model.wrap_type[w]), int(model.wrap_objid[w])
        if kind == int(mj.mjtWrap.mjWRAP_JOINT):
            bodies.append(int(model.jnt_bodyid[obj]))
        elif kind == int(mj.mjtWrap.mjWRAP_SITE):
            bodies.append(int(model.site_bodyid[obj]))
    return bodies


def _links(mj: Any, model: Model, parameters: dict[int, Array], shapes: Mapping[str, tuple[LinkShape, ...]]) -> Iterator[SourceLink]:
    """The world, then every body; `last` is the source link that stands for a body, `offset` its anchor in the body."""
    coupled = _couplings(mj, model)
    last, offset, count = {0: 0}, {0: np.zeros(3)}, 1
    yield SourceLink(name=body_name(model, 0), parent=-1, shapes=shapes.get(body_name(model, 0), ()))
    for b in range(1, model.nbody):
        above = int(model.body_parentid[b])
        name, parent = body_name(model, b), last[above]
        placement = translation(-offset[above]) @ pose(mj, model.body_pos[b], model.body_quat[b])
        anchor = np.zeros(3)
        joints = range(model.body_jntadr[b], model.body_jntadr[b] + model.body_jntnum[b])
        for j in joints:
            held, here = _held(mj, model, j), np.array(model.jnt_pos[j])
            joint, own_name, final = None if held else _joint(mj, model, j), _joint_name(model, j), j == joints[-1]
            # joint angles count from ref, where the body is as it is written
            rest = np.eye(4) if joint is None else joint_motion(joint, -float(model.qpos0[model.jnt_qposadr[j]]))
            why, leader = coupled.get(j, ("", None))
            yield SourceLink(
                name=name if final else f"{name}/{own_name}",
                parent=parent,
                frame=f"body frame {name} at the anchor of {own_name}",
                placement=placement @ translation(here - anchor) @ rest,
                own=translation(-here),
                joint=joint,
                held=held,
                coupling=why,
                leader=leader,
                parameters=_at(here, parameters.get(b)) if final else np.zeros(10),
                shapes=shapes.get(name, ()) if final else (),
            )
            parent, placement, anchor, count = count, np.eye(4), here, count + 1
        if not joints:
            frame = f"body frame {name}"
            yield SourceLink(
                name=name, parent=parent, frame=frame, placement=placement, parameters=parameters.get(b), shapes=shapes.get(name, ())
            )
            count += 1
        last[b], offset[b] = count - 1, anchor


def _joint(mj: Any, model: Model, j: int) -> Joint:
    slide = bool(model.jnt_type[j] == int(mj.mjtJoint.mjJNT_SLIDE))
    limited = bool(model.jnt_limited[j])
    return Joint(
        name=_joint_name(model, j),
        type=JointType.PRISMATIC if slide else (JointType.REVOLUTE if limited else JointType.CONTINUOUS),
        axis=np.array(model.jnt_axis[j]),
        position=tuple(model.jnt_range[j]) if limited else (-np.inf, np.inf),
        effort=_effort(mj, model, j),
        friction=_friction(model, j),
    )


def _friction(model: Model, j: int) -> tuple[float, float] | None:
    """Coulomb and viscous friction; None where the joint has neither."""
    dof = int(model.jnt_dofadr[j])
    coulomb, viscous = float(model.dof_frictionloss[dof]), float(np.ravel(model.dof_damping[dof])[0])
    return (coulomb, viscous) if coulomb or viscous else None


def _effort(mj: Any, model: Model, j: int) -> float:
    """The joint's actuatorfrcrange, else what its actuators' forceranges allow together; infinite when unknown."""
    if model.jnt_actfrclimited[j]:
        return float(np.abs(model.jnt_actfrcrange[j]).max())
    total, limited = 0.0, False
    for a in range(model.nu):
        on_joint = int(model.actuator_trntype[a]) in (int(mj.mjtTrn.mjTRN_JOINT), int(mj.mjtTrn.mjTRN_JOINTINPARENT))
        if on_joint and model.actuator_trnid[a, 0] == j:
            if not model.actuator_forcelimited[a]:
                return np.inf
            total, limited = total + float(np.abs(model.actuator_forcerange[a]).max() * abs(model.actuator_gear[a, 0])), True
    return total if limited else np.inf


def _at(anchor: Array, parameters: Array | None) -> Array | None:
    """(10,) parameters in the body frame translated to `anchor`."""
    return None if parameters is None else change_of_frame(translation(-anchor)) @ parameters


def _couplings(mj: Any, model: Model) -> dict[int, tuple[str, Leader | None]]:
    """Joint -> why it can't be free and the joint that it goes with, for the joints of an active <equality><joint>."""
    coupled: dict[int, tuple[str, Leader | None]] = {}
    for e in range(model.neq):
        if model.eq_active0[e] and model.eq_type[e] == int(mj.mjtEq.mjEQ_JOINT):
            first, second = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
            if second < 0:
                coupled[first] = ("is held by an equality constraint", None)
                continue
            offset, ratio = (float(value) for value in model.eq_data[e, :2])  # first = offset + ratio · second + ...
            names = _joint_name(model, first), _joint_name(model, second)
            coupled[first] = (f"is coupled to joint {names[1]!r}", Leader(names[1], ratio, offset))
            back = Leader(names[0], 1.0 / ratio, -offset / ratio) if ratio else Leader(names[0])
            coupled[second] = (f"is coupled to joint {names[0]!r}", back)
    return coupled


def _notes(root: Element, model: Model, links: tuple[SourceLink, ...]) -> Iterator[str]:
    if root.find(".//attach") is not None:
        yield "inertials of attached models are as they are written; what those models ask MuJoCo's compiler to correct is not done"
    if np.any(model.dof_armature > 0):
        yield "the file gives joints an armature (rotor inertia); it is not part of the link parameters and is left out"
    yield from spring_notes([_joint_name(model, j) for j in range(model.njnt) if np.any(model.jnt_stiffness[j])])
    if np.any(model.body_gravcomp != 0):
        yield "the file compensates gravity on some bodies (gravcomp); the gravity here is the uncompensated one"
    massless = [link.name for link in links if link.joint is not None and link.name.endswith(f"/{link.joint.name}")]
    if massless:
        yield f"bodies with several joints are chains of links without mass: {', '.join(massless)}"


def _joint_name(model: Model, j: int) -> str:
    return model.joint(j).name or f"joint{j}"


def sentence(error: Exception) -> str:
    lines = (" ".join(line.split()) for line in str(error).splitlines())
    return ", ".join(line.removeprefix("XML Error: ").removeprefix("Error: ") for line in lines if line)
