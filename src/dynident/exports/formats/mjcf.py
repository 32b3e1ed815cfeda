"""MJCF: the inertials, armature, damping and frictionloss of the user's own file replaced; without such a file, a complete one.

MuJoCo's own writer (MjSpec.to_xml) rounds to six digits, so the text is edited here and compiled by MuJoCo in the proof.
A file that includes others (include, attach, replicate) can't be edited as one text and is refused.
Capsules have no contacts, so that they do not change a simulation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.core.native_output import silence_mujoco
from dynident.core.xml import NewElement, XmlText, element
from dynident.errors import FileError, import_optional
from dynident.exports.export_model import AttachedBody, ExportModel, unused_name
from dynident.exports.formats.description import (
    DescriptionFormat,
    InverseDynamics,
    bodies_in_joint_frames,
    capsules,
    complete_note,
    tool_in_joint_frame,
    unheld_notes,
)
from dynident.exports.formats.original import Original, gravity_at_root, locked_positions, place_in_source, share_out
from dynident.exports.friction import ExpressedFriction, JointAttributes
from dynident.exports.proof import DisagreementError
from dynident.exports.target import Exported
from dynident.robots.formats.inertial_text import body_inertial, check_editable, set_inertials
from dynident.robots.formats.mjcf import read_mjcf, strip_assets
from dynident.robots.formats.source_tree import SourceTree
from dynident.robots.parameters import link_inertia
from dynident.robots.robot import Joint, JointType, Robot

#: Fields of joints and of a robot that MJCF has no place for.
UNHELD = ("position", "velocity", "acceleration", "jerk", "home", "floor")
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
        robot = model.robot
        pairs = [pair for pair in robot.apart if set(pair) <= set(robot.link_names)]
        excluded = [element("exclude", body1=first, body2=second) for first, second in pairs]
        items = [
            element("compiler", angle="radian", autolimits="false"),
            element("option", gravity=robot.gravity),
            *([element("contact", *excluded)] if excluded else []),
            element("worldbody", *_shapes(robot, -1), *_bodies(model, held)),
        ]
        lost = unheld_notes(robot, "MJCF", UNHELD, [pair for pair in robot.apart if pair not in pairs])
        return _document(robot.name, comment, *items), [complete_note(robot, "MJCF"), *lost]

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
    if not at_root or np.allclose(ours, tree.gravity, rtol=2e-3, atol=1e-9):
        return []
    return [f"the run's gravity is ({ours[0]:.6g}, {ours[1]:.6g}, {ours[2]:.6g}) m/s², and the file's stays as it is"]


def _document(name: str, *children: NewElement | str) -> str:
    return "\n".join([*element("mujoco", *children, model=name).lines(), ""])


def _bodies(model: ExportModel, held: ExpressedFriction) -> list[NewElement]:
    """The bodies on the base, with all that hangs on them."""
    robot, payload = model.robot, model.payload
    hanging: dict[int, list[NewElement]] = {i: [] for i in range(-1, robot.n)}
    bodies = bodies_in_joint_frames(robot, model.parameters)
    for i in reversed(range(robot.n)):
        body = bodies[i]
        items: list[NewElement | str] = [body_inertial(link_inertia(body.parameters, body.link.name))] if np.any(body.parameters) else []
        items += [NewElement("joint", {"name": body.joint.name} | _joint(body.joint) | held.of_joint(i)), *_shapes(robot, i)]
        if i == robot.n - 1 and (tool := tool_in_joint_frame(robot)) is not None:
            items.append(_placed("site", unused_name("tool", robot.link_names), tool))
        if payload is not None and payload.link == i:
            items.append(_attached(payload, body.link.placement @ payload.pose))
        hanging[body.joint.parent].insert(0, _placed("body", body.link.name, body.placement, *items, *hanging[i]))
    return hanging[-1]


def _attached(body: AttachedBody, pose: Array) -> NewElement:
    """A <body> that has no joint, at this pose of the body around it."""
    return _placed("body", body.name, pose, body_inertial(link_inertia(body.parameters, body.name)))


def _joint(joint: Joint) -> dict[str, str | list[float]]:
    words: dict[str, str | list[float]] = {
        "type": "slide" if joint.type is JointType.PRISMATIC else "hinge",
        "axis": joint.axis.tolist(),
    }
    if all(math.isfinite(limit) for limit in joint.position):
        words |= {"limited": "true", "range": list(joint.position)}
    if math.isfinite(joint.effort):
        words |= {"actuatorfrclimited": "true", "actuatorfrcrange": [-joint.effort, joint.effort]}
    return words


def _shapes(robot: Robot, body: int) -> Iterator[NewElement]:
    """The <geom> elements of a body, -1 for the base."""
    for start, end, radius in capsules(robot, body):
        place = {"fromto": [*start, *end]} if np.any(start != end) else {"pos": start}
        kind = "capsule" if np.any(start != end) else "sphere"
        yield NewElement("geom", {"type": kind, "size": radius} | place | {"contype": "0", "conaffinity": "0", "mass": "0"})


def _placed(tag: str, name: str, pose: Array, *children: NewElement | str) -> NewElement:
    """A <body> or <site> at a pose."""
    return NewElement(tag, {"name": name, "pos": pose[:3, 3], "quat": _quaternion(pose[:3, :3])}, children)


def _quaternion(R: Array) -> Array:
    """(w, x, y, z) of a rotation, the largest of which is positive."""
    from scipy.spatial.transform import Rotation  # here, because importing SciPy takes long

    quaternion = Rotation.from_matrix(R).as_quat(scalar_first=True)
    return quaternion * np.sign(quaternion[np.argmax(np.abs(quaternion))]) + 0.0  # no -0
