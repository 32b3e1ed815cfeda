"""URDF: the numbers of the user's own file replaced, byte for byte the same elsewhere; without such a file, a complete one.

Inertias are written in the axes of their links (rpy 0 0 0).
Viscous friction is <dynamics damping>, Coulomb friction <dynamics friction>.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.names import file_stem
from dynident.core.native_output import catch_native_errors
from dynident.core.xml import XmlElement, XmlText
from dynident.errors import FileError, require
from dynident.exports.export_model import ExportModel
from dynident.exports.formats.attached import place_in_source, urdf_lines
from dynident.exports.formats.complete import complete_urdf, dynamics_line
from dynident.exports.formats.original import check_match, inertials, locked_positions, replace_comment, share_out
from dynident.exports.friction import ExpressedFriction, JointAttributes, express_friction
from dynident.exports.proof import check_numbers, compare, gravity_at_root, main_file, read_back
from dynident.exports.target import Comparison, DisagreementError, Exported, Exporter, Original, Request, States
from dynident.parameters import link_inertia
from dynident.robots.formats.urdf_xml import set_inertial
from dynident.robots.load import read_xml
from dynident.robots.robot import STANDARD_GRAVITY, Robot

ATTRIBUTES = JointAttributes("URDF", friction=("damping", "friction"))


def write_urdf(model: ExportModel, request: Request) -> Exported:
    """The patched original, or a complete URDF where there is none."""
    held = express_friction(model, ATTRIBUTES)
    notes = [*_gravity_note(model.robot), *held.notes]
    if request.original is None:
        text, more = complete_urdf(model, held, [f"{sentence}." for sentence in (model.headline(), request.warning, *notes) if sentence])
        return Exported(target="urdf", files={f"{file_stem(model.robot.name)}.urdf": text.encode()}, notes=(*more, *notes))
    content, lumping = _patch(model, held, request.original, [model.headline(), *filter(None, [request.warning]), *notes])
    return Exported(target="urdf", files={Path(request.original.path).name: content}, notes=(*lumping, *notes))


def prove_urdf(model: ExportModel, exported: Exported, states: States) -> Comparison:
    """Pinocchio on the exported URDF."""
    pin: Any = import_module("pinocchio")
    content = main_file(exported)
    engine = _build_engine(pin, content.decode("utf-8"))
    tree = read_back(content)
    engine.gravity = pin.Motion(gravity_at_root(model.robot, tree), np.zeros(3))
    data, locked = engine.createData(), locked_positions(model.robot, tree)
    q = pin.neutral(engine)
    for name, position in locked.items():
        _set_position(engine, q, name, position)
    places = [engine.joints[engine.getJointId(name)].idx_v for name in model.robot.joint_names]
    v, a = np.zeros(engine.nv), np.zeros(engine.nv)
    torques = np.empty_like(states[0])
    for row, (own_q, own_v, own_a) in enumerate(zip(*states, strict=True)):
        for name, position in zip(model.robot.joint_names, own_q, strict=True):
            _set_position(engine, q, name, position)
        v[places], a[places] = own_v, own_a
        torques[row] = pin.rnea(engine, data, q, v, a)[places]
    held = express_friction(model, ATTRIBUTES)
    check_numbers("Pinocchio", model.robot, held, {name: np.asarray(getattr(engine, name))[places] for name in ATTRIBUTES.friction})
    return compare("Pinocchio", model, states, torques)


def _build_engine(pin: Any, text: str) -> Any:
    """Pinocchio's model; what its parser prints about a file that it refuses is the reason, and else nobody's concern."""
    printed: list[str] = []
    try:
        with catch_native_errors(printed):
            return pin.buildModelFromXML(text)
    except ValueError as error:
        reasons = [line.removeprefix("Error:").strip() for line in printed if line.startswith("Error:")] or [str(error)]
        raise DisagreementError(f"Pinocchio refuses the exported model, so nothing was written: {reasons[-1].rstrip('.')}") from None


def _set_position(engine: Any, q: Array, name: str, position: float) -> None:
    joint = engine.joints[engine.getJointId(name)]
    if joint.nq == 2:  # Pinocchio keeps the angle of a continuous joint as (cos, sin)
        q[joint.idx_q : joint.idx_q + 2] = np.cos(position), np.sin(position)
    else:
        q[joint.idx_q] = position


EXPORTER = Exporter(
    name="urdf",
    help="Write a URDF: the original with its numbers replaced.",
    write=write_urdf,
    prove=prove_urdf,
    bodies=True,
    original="robot",
    original_name="a URDF",
    attaches=True,
)


def _gravity_note(robot: Robot) -> list[str]:
    g = robot.gravity
    if np.allclose(g, STANDARD_GRAVITY, rtol=2e-3, atol=1e-9):
        return []
    return [
        f"URDF has no gravity; the run's is ({g[0]:.6g}, {g[1]:.6g}, {g[2]:.6g}) m/s² in the base frame, so mount the robot accordingly"
    ]


def _patch(model: ExportModel, held: ExpressedFriction, original: Original, comment: list[str]) -> tuple[bytes, tuple[str, ...]]:
    tree = read_xml(original.path)
    check_match(model.robot, tree)
    shares = share_out(model.robot, model.parameters, inertials(tree))
    text = XmlText(original.content)
    for name, parameters in shares.parameters.items():
        link = text.root.child("link", name)
        if link is None:
            raise FileError(original.path, f"has no link {name!r}; give the file that the run was made with")
        inertial = link.child("inertial")
        if parameters is not None and np.any(parameters):
            set_inertial(text, link, link_inertia(parameters, name), keep_axes=False)
        elif inertial is not None:
            text.remove(inertial)
    for i, joint in enumerate(model.robot.joint_names):
        element = require(text.root.child("joint", joint), f"joint {joint!r} of the file")  # check_match found it
        _set_dynamics(text, element, held.of_joint(i), held.zero)
    if model.payload is not None:
        parent, pose = place_in_source(model.robot.links[model.payload.link], model.payload.pose)
        text.add_first(text.root, urdf_lines(model.payload, parent, pose))
    replace_comment(text, [*comment, *shares.notes])
    return text.result(), shares.notes


def _set_dynamics(text: XmlText, joint: XmlElement, values: Mapping[str, float], zero: tuple[str, ...]) -> None:
    dynamics = joint.child("dynamics")
    if dynamics is not None:
        zeros = {name: [0.0] for name in zero if name in dynamics.attributes}
        text.set_numbers(dynamics, {name: [value] for name, value in values.items()} | zeros)
    elif values:
        text.add_first(joint, [dynamics_line(values)])
