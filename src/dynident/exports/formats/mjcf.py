"""MJCF: the inertials, armature, damping and frictionloss of the user's own file replaced; without such a file, a complete one.

MuJoCo's own writer (MjSpec.to_xml) rounds to six digits, so the text is edited here and compiled by MuJoCo in the proof.
A file that includes others (include, attach, replicate) can't be edited as one text and is refused.
Shapes that the description says collide do so in MuJoCo too, but for those of the base with the links that move on it, and for pairs that
never touch; capsules of a DH file have no contacts, so that they do not change a simulation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array
from dynident.core.native_output import silence_mujoco
from dynident.core.xml import NewElement, XmlText, element
from dynident.errors import FileError, import_optional
from dynident.exports.export_model import AttachedBody, ExportModel, unused_name
from dynident.exports.formats.description import (
    DescriptionFormat,
    FixedLink,
    InverseDynamics,
    bodies_in_joint_frames,
    complete_note,
    links_of_body,
    lumped_names,
    unheld_notes,
)
from dynident.exports.formats.mjcf_geoms import MeshAsset, geoms, quaternion, usable_meshes
from dynident.exports.formats.original import Original, gravity_at_root, locked_positions, place_in_source, share_out
from dynident.exports.friction import ExpressedFriction, JointAttributes
from dynident.exports.proof import DisagreementError
from dynident.exports.target import Exported
from dynident.robots.body import ENDLESS
from dynident.robots.formats.inertial_text import body_inertial, check_editable, set_inertials
from dynident.robots.formats.mjcf import read_mjcf, strip_assets
from dynident.robots.formats.source_tree import SourceTree
from dynident.robots.kinematics import children
from dynident.robots.parameters import link_inertia
from dynident.robots.robot import Joint, JointType, Robot, ShapeRole
from dynident.robots.verdict import mujoco_refuses

#: Fields of joints and of a robot that MJCF has no place for.
UNHELD = ("velocity", "acceleration", "jerk", "home", "floor")
ATTRIBUTES = JointAttributes("MJCF", friction=("damping", "frictionloss"), inertia=("armature",))


class MjcfFormat(DescriptionFormat):
    """MJCF, proven by MuJoCo."""

    target, suffix, root, engine, attributes = "mjcf", ".xml", "mujoco", "MuJoCo", ATTRIBUTES

    def patch(self, text: XmlText, model: ExportModel, held: ExpressedFriction, original: Original) -> list[str]:
        check_editable(original.path, text.root)
        shares, notes = share_out(model.robot, model.parameters, original.tree)
        set_inertials(original.path, text, shares)
        if model.payload is not None:
            parent, pose = place_in_source(model.robot.links[model.payload.link], model.payload.pose)
            body = next((body for body in text.root.all("body") if body.attributes.get("name") == parent), None)
            if body is None:
                raise FileError(original.path, f"has no <body> named {parent!r} to hold the payload; name the bodies")
            text.add_first(body, _attached(model.payload, pose).lines())
        return [*notes, *_gravity_note(model.robot, original), *_set_joints(text, model, held, original)]

    def complete(self, model: ExportModel, held: ExpressedFriction, comment: str) -> tuple[str, list[str]]:
        robot, unwritten = model.robot, list[str]()
        bodies = [links_of_body(model, i, _usable) for i in range(-1, robot.n)]
        meshes = usable_meshes(shape for links in bodies for link in links for shape in link.shapes)
        assets = [NewElement("mesh", {"name": name, "file": mesh.file, "scale": mesh.scale}) for mesh, name in meshes.items()]
        world = [*_static(bodies[0], meshes, unwritten), *_bodies(model, held, bodies[1:], meshes, unwritten)]
        names = {link.name for links in bodies for link in links}
        pairs = [pair for pair in robot.apart if set(pair) <= names]
        on_base = [link.name for links, joint in zip(bodies[1:], robot.joints, strict=True) if joint.parent < 0 for link in links]
        solid = [link.name for link in bodies[0] if any(shape.role is ShapeRole.COLLISION for shape in link.shapes)]
        excluded = dict.fromkeys([*pairs, *((base, link) for base in solid for link in on_base)])
        items = [
            element("compiler", angle="radian", autolimits="false"),
            element("option", gravity=robot.gravity),
            *([element("asset", *assets)] if assets else []),
            *([element("contact", *(element("exclude", body1=one, body2=other) for one, other in excluded))] if excluded else []),
            element("worldbody", *world),
        ]
        apart = [pair for pair in robot.apart if pair not in pairs]
        lost = unheld_notes(robot, "MJCF", UNHELD, apart, shapes=unwritten, lumped=lumped_names(model, _usable))
        return _document(robot.name, comment, *items), [complete_note(robot, "MJCF"), *_empty_ranges(robot), *lost]

    def fragment(self, body: AttachedBody, parent: str, pose: Array, gravity: Array, comment: str) -> str:
        return _document("payload", comment, element("option", gravity=gravity), element("worldbody", _attached(body, pose)))

    def read(self, exported: Exported) -> SourceTree:
        return read_mjcf("the exported model", exported.main.decode("utf-8"), folder=exported.folder or ".")

    def load(self, robot: Robot, exported: Exported, tree: SourceTree) -> tuple[InverseDynamics, dict[str, Array]]:
        mj = import_optional("mujoco", "exporting MJCF")
        spec = mj.MjSpec.from_string(exported.main.decode("utf-8"))
        spec.modelfiledir = exported.folder or "."
        strip_assets(mj, spec, keep_base=False)
        try:
            with silence_mujoco(mj):
                engine = spec.compile()
        except ValueError as error:
            raise DisagreementError("MuJoCo refuses the exported model", " ".join(str(error).split())) from None
        engine.opt.gravity[:] = gravity_at_root(robot, tree)
        data, result = mj.MjData(engine), np.empty(engine.nv)
        for name, position in locked_positions(robot, tree).items():
            data.qpos[engine.joint(name).qposadr[0]] = position
        joints = [engine.joint(name) for name in robot.joint_names]
        positions, places = [joint.qposadr[0] for joint in joints], [joint.dofadr[0] for joint in joints]

        def torques(q: Array, dq: Array, ddq: Array) -> Array:
            data.qpos[positions], data.qvel[places], data.qacc[places] = q, dq, ddq
            for step in (mj.mj_kinematics, mj.mj_comPos, mj.mj_comVel):
                step(engine, data)
            mj.mj_rne(engine, data, 1, result)
            return result[places]

        names = (*ATTRIBUTES.friction, *ATTRIBUTES.inertia)
        return torques, {name: np.asarray(getattr(engine, f"dof_{name}")).reshape(engine.nv, -1)[places, 0] for name in names}


def _usable(parameters: Array) -> bool:
    return parameters[0] >= 0.0 and not mujoco_refuses(parameters)


EXPORTER = MjcfFormat().exporter(help="Write an MJCF, likewise.", name="an MJCF")


def _set_joints(text: XmlText, model: ExportModel, held: ExpressedFriction, original: Original) -> list[str]:
    """Write the joints' numbers. What the model says is zero is written only where the file, or a default of it, says otherwise."""
    spec = import_optional("mujoco", "exporting MJCF").MjSpec.from_string(original.text)
    elements = {joint.attributes.get("name", ""): joint for joint in text.root.all("joint")}
    cleared: dict[str, list[str]] = {}
    for i, name in enumerate(model.robot.joint_names):
        values, known = held.of_joint(i), spec.joint(name)
        for attribute in (*held.zero, "stiffness"):
            if known is not None and np.any(np.asarray(getattr(known, attribute))):
                values[attribute] = 0.0
                cleared.setdefault(attribute, []).append(name)
        if values and name not in elements:
            raise FileError(original.path, f"has no <joint> named {name!r} to hold its {' and '.join(values)}; name the joints")
        if values:
            text.set_numbers(elements[name], {attribute: [value] for attribute, value in values.items()})
    return [f"the file's {attribute} of {', '.join(names)} is 0 now, because the model has none" for attribute, names in cleared.items()]


def _gravity_note(robot: Robot, original: Original) -> list[str]:
    ours, tree = robot.gravity, original.tree
    at_root = bool(robot.base_sources) and robot.base_sources[0] == tree.links[0].name
    if not at_root or np.allclose(ours, tree.gravity, rtol=0.0, atol=1e-9):
        return []
    return [f"the run's gravity is ({ours[0]:.6g}, {ours[1]:.6g}, {ours[2]:.6g}) m/s², and the file's stays as it is"]


def _document(name: str, *children: NewElement | str) -> str:
    return "\n".join([*element("mujoco", *children, model=name).lines(), ""])


def _empty_ranges(robot: Robot) -> Iterator[str]:
    """Limits that MuJoCo refuses, because they leave nothing."""
    still = [joint.name for joint in robot.joints if joint.position[0] == joint.position[1]]
    if still:
        yield f"MuJoCo refuses limits of position that leave nothing, so those of {', '.join(still)} are not in the file"
    weak = [joint.name for joint in robot.joints if joint.effort == 0.0]
    if weak:
        yield f"MuJoCo refuses limits of effort that are zero, so those of {', '.join(weak)} are not in the file"


def _static(links: Sequence[FixedLink], meshes: Mapping[MeshAsset, str], unwritten: list[str]) -> Iterator[NewElement]:
    """The links of the base; to MuJoCo, one that is called world is the world itself."""
    for link in links:
        if link is links[0] and link.name == "world":
            yield from geoms(link, meshes, unwritten)
        else:
            yield _fixed(link._replace(name=unused_name(link.name, ("world",))), meshes, unwritten)


def _bodies(
    model: ExportModel, held: ExpressedFriction, links: Sequence[Sequence[FixedLink]], meshes: Mapping[MeshAsset, str], unwritten: list[str]
) -> list[NewElement]:
    """The bodies on the base, with all that hangs on them. The tool's frame is that of the last body.

    MuJoCo refuses moving bodies without mass, so a link that is only between two joints becomes part of the next body, which has both.
    """
    robot, payload = model.robot, model.payload
    hanging: dict[int, list[NewElement]] = {i: [] for i in range(-1, robot.n)}
    bodies = bodies_in_joint_frames(robot, model.parameters)
    merged: dict[int, _Moving] = {}  # what is written in place of a link between two joints, by that link
    for i in reversed(range(robot.n)):
        body, (head, *fixed) = bodies[i], links[i]
        words = {"name": body.joint.name} | _joint(body.joint) | held.of_joint(i)
        if (moving := merged.get(i)) is not None:
            R, p = moving.pose[:3, :3], moving.pose[:3, 3]
            words |= {"axis": R.T @ body.joint.axis, "pos": -R.T @ p}
            moving = moving._replace(joints=[NewElement("joint", words), *moving.joints])
        else:
            items = [*geoms(head, meshes, unwritten)]
            if payload is not None and payload.link == i:
                items.append(_attached(payload, body.link.placement @ payload.pose))
            items += [*(_fixed(link, meshes, unwritten) for link in fixed), *hanging[i]]
            moving = _Moving(body.link.name, np.eye(4), _inertial(head), [NewElement("joint", words)], items)
        moving = moving._replace(pose=body.placement @ moving.pose)
        if body.joint.parent >= 0 and is_between_joints(model, body.joint.parent):
            merged[body.joint.parent] = moving
        else:
            whole = _placed("body", moving.name, moving.pose, *moving.inertial, *moving.joints, *moving.items)
            hanging[body.joint.parent].insert(0, whole)
    return hanging[-1]


class _Moving(NamedTuple):
    """A moving body. pose : (4, 4) of its frame, at rest, in the frame of the joint, or of the parent, that is looked at."""

    name: str
    pose: Array
    inertial: list[NewElement]
    joints: list[NewElement]
    items: list[NewElement]


def is_between_joints(model: ExportModel, body: int) -> bool:
    """Whether a link has no mass, no shape and nothing fixed to it, and moves one other link: a part of a joint that turns several ways."""
    link, payload = model.robot.links[body], model.payload
    bare = not np.any(model.parameters[body]) and len(link.pieces) == 1 and not link.pieces[0].shapes
    return bare and len(children(model.robot)[body]) == 1 and (payload is None or payload.link != body)


def _fixed(link: FixedLink, meshes: Mapping[MeshAsset, str], unwritten: list[str]) -> NewElement:
    """A <body> that has no joint."""
    return _placed("body", link.name, link.placement, *_inertial(link), *geoms(link, meshes, unwritten))


def _inertial(link: FixedLink) -> list[NewElement]:
    return [body_inertial(link_inertia(link.parameters, link.name))] if np.any(link.parameters) else []


def _attached(body: AttachedBody, pose: Array) -> NewElement:
    """A <body> that has no joint, at this pose of the body around it."""
    return _placed("body", body.name, pose, body_inertial(link_inertia(body.parameters, body.name)))


def _joint(joint: Joint) -> dict[str, str | list[float]]:
    words: dict[str, str | list[float]] = {
        "type": "slide" if joint.type is JointType.PRISMATIC else "hinge",
        "axis": joint.axis.tolist(),
    }
    if any(math.isfinite(limit) for limit in joint.position) and joint.position[0] < joint.position[1]:
        words |= {"limited": "true", "range": np.clip(joint.position, -ENDLESS, ENDLESS).tolist()}
    if 0.0 < joint.effort < math.inf:
        words |= {"actuatorfrclimited": "true", "actuatorfrcrange": [-joint.effort, joint.effort]}
    return words


def _placed(tag: str, name: str, pose: Array, *children: NewElement | str) -> NewElement:
    """A <body> or <site> at a pose."""
    return NewElement(tag, {"name": name, "pos": pose[:3, 3], "quat": quaternion(pose[:3, :3])}, children)
