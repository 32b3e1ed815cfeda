"""MJCF: the inertials, armature, damping and frictionloss of the user's own file replaced; without such a file, a complete one.

MuJoCo's own writer (MjSpec.to_xml) rounds to six digits, so the text is edited here and compiled by MuJoCo in the proof.
A file that is put together from others (include, attach, replicate) can't be edited as one text and is refused.
Capsules touch nothing: a simulation is not to change because a description says what its links look like.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from dynident.core.arrays import Array
from dynident.core.native_output import silence_mujoco
from dynident.core.xml import NewElement, XmlText, element
from dynident.errors import FileError, import_optional
from dynident.exports.export_model import AttachedBody, ExportModel
from dynident.exports.formats.description import (
    DescriptionFormat,
    bodies_in_joint_frames,
    capsules,
    complete_note,
    read_back,
    tool_in_joint_frame,
    unused_name,
)
from dynident.exports.formats.original import Original, gravity_at_root, locked_positions, place_in_source, share_out
from dynident.exports.friction import ExpressedFriction, JointAttributes
from dynident.exports.proof import DisagreementError, States
from dynident.exports.target import Exported
from dynident.parameters import link_inertia
from dynident.robots.formats.mjcf import read_mjcf, strip_assets
from dynident.robots.formats.mjcf_text import check_editable, inertial_tag, set_body_inertial
from dynident.robots.robot import Joint, JointType, Robot

ATTRIBUTES = JointAttributes("MJCF", friction=("damping", "frictionloss"), inertia=("armature",))


class MjcfFormat(DescriptionFormat):
    """MJCF, proven by MuJoCo."""

    target, suffix, root, engine, attributes = "mjcf", ".xml", "mujoco", "MuJoCo", ATTRIBUTES

    def patch(self, text: XmlText, model: ExportModel, held: ExpressedFriction, original: Original) -> list[str]:
        check_editable(str(original.path), text.root)
        shares, notes = share_out(model.robot, model.parameters, original.tree)
        bodies = {body.attributes.get("name", ""): body for body in text.root.all("body")}
        for name, parameters in shares.items():
            if name in bodies:
                set_body_inertial(text, bodies[name], parameters, name)
            elif parameters is not None and np.any(parameters):
                raise FileError(
                    original.path, f"has no <body> named {name!r} to hold its inertia; name the bodies, and give each one joint"
                )
        if model.payload is not None:
            parent, pose = place_in_source(model.robot.links[model.payload.link], model.payload.pose)
            if parent not in bodies:
                raise FileError(original.path, f"has no <body> named {parent!r} to hold the payload; name the bodies")
            text.add_first(bodies[parent], _attached(model.payload, pose).lines())
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
        return _document(robot.name, comment, *items), [complete_note(robot, "MJCF")]

    def fragment(self, body: AttachedBody, parent: str, pose: Array, gravity: Array, comment: str) -> str:
        return _document("payload", comment, element("option", gravity=gravity), element("worldbody", _attached(body, pose)))

    def compute(self, model: ExportModel, exported: Exported, states: States) -> tuple[Array, dict[str, Array]]:
        mj, folder = import_optional("mujoco", "exporting MJCF"), exported.folder or "."
        tree = read_back(partial(read_mjcf, folder=folder), exported)
        spec = mj.MjSpec.from_string(exported.main.decode("utf-8"))
        spec.modelfiledir = folder
        strip_assets(mj, spec, keep_base=False)
        try:
            with silence_mujoco(mj):
                engine = spec.compile()
        except ValueError as error:
            raise DisagreementError("MuJoCo refuses the exported model", " ".join(str(error).split())) from None
        engine.opt.gravity[:] = gravity_at_root(model.robot, tree)
        data = mj.MjData(engine)
        for name, position in locked_positions(model.robot, tree).items():
            data.qpos[engine.joint(name).qposadr[0]] = position
        joints = [engine.joint(name) for name in model.robot.joint_names]
        positions, places = [joint.qposadr[0] for joint in joints], [joint.dofadr[0] for joint in joints]
        torques, result = np.empty_like(states[0]), np.empty(engine.nv)
        for row, (q, dq, ddq) in enumerate(zip(*states, strict=True)):
            data.qpos[positions], data.qvel[places], data.qacc[places] = q, dq, ddq
            for step in (mj.mj_kinematics, mj.mj_comPos, mj.mj_comVel):
                step(engine, data)
            mj.mj_rne(engine, data, 1, result)
            torques[row] = result[places]
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
        for attribute in held.zero:
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
        items: list[NewElement | str] = [inertial_tag(link_inertia(body.parameters, body.link.name))] if np.any(body.parameters) else []
        items += [NewElement("joint", {"name": body.joint.name} | _joint(body.joint) | held.of_joint(i)), *_shapes(robot, i)]
        if i == robot.n - 1 and (tool := tool_in_joint_frame(robot)) is not None:
            items.append(_placed("site", unused_name("tool", robot), tool))
        if payload is not None and payload.link == i:
            items.append(_attached(payload, body.link.placement @ payload.pose))
        hanging[body.joint.parent].insert(0, _placed("body", body.link.name, body.placement, *items, *hanging[i]))
    return hanging[-1]


def _attached(body: AttachedBody, pose: Array) -> NewElement:
    """A <body> that has no joint, at this pose of the body around it."""
    return _placed("body", body.name, pose, inertial_tag(link_inertia(body.parameters, body.name)))


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
    """(w, x, y, z) of a rotation: the eigenvector of the largest eigenvalue, which is well-conditioned for every rotation
    (Bar-Itzhack, J. Guidance, Control and Dynamics 23(6), 2000)."""
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [0.0, R[0, 0] - R[1, 1] - R[2, 2], R[1, 0] + R[0, 1], R[0, 2] + R[2, 0]],
            [0.0, 0.0, R[1, 1] - R[0, 0] - R[2, 2], R[2, 1] + R[1, 2]],
            [0.0, 0.0, 0.0, R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    quaternion = np.linalg.eigh(K, UPLO="U")[1][:, -1]
    largest = quaternion[np.argmax(np.abs(quaternion))]
    tidy = np.where(np.abs(quaternion) < 1e-16, 0.0, quaternion)
    return tidy if largest > 0.0 else -tidy
