"""MJCF: the inertials, armature, damping and frictionloss of the user's own file replaced; without such a file, a complete one.

MuJoCo's own writer (MjSpec.to_xml) rounds to six digits, so the text is edited here and compiled by MuJoCo in the proof.
A file that is put together from others (include, attach, replicate) can't be edited as one text and is refused.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dynident.core.names import file_stem
from dynident.core.native_output import silence_mujoco
from dynident.core.xml import XmlText
from dynident.errors import FileError, import_optional
from dynident.exports.export_model import ExportModel
from dynident.exports.formats.attached import place_in_source
from dynident.exports.formats.complete import attached_lines, complete_mjcf
from dynident.exports.formats.original import check_match, inertials, locked_positions, replace_comment, share_out
from dynident.exports.friction import ExpressedFriction, JointAttributes, express_friction
from dynident.exports.proof import check_numbers, compare, gravity_at_root, main_file, read_back
from dynident.exports.target import Comparison, DisagreementError, Exported, Exporter, Original, Request, States
from dynident.robots.formats.mjcf_text import check_editable, set_body_inertial
from dynident.robots.formats.source_tree import SourceTree
from dynident.robots.load import read_xml

ATTRIBUTES = JointAttributes("MJCF", friction=("damping", "frictionloss"), inertia=("armature",))


def write_mjcf(model: ExportModel, request: Request) -> Exported:
    """The patched original, or a complete MJCF where there is none."""
    held = express_friction(model, ATTRIBUTES)
    about = [model.headline(), *filter(None, [request.warning])]
    if request.original is None:
        text, more = complete_mjcf(model, held, [f"{sentence}." for sentence in (*about, *held.notes)])
        return Exported(target="mjcf", files={f"{file_stem(model.robot.name)}.xml": text.encode()}, notes=(*more, *held.notes))
    content, lumping = _patch(model, held, request.original, about)
    path = Path(request.original.path)
    return Exported(target="mjcf", files={path.name: content}, folder=str(path.parent), notes=(*lumping, *held.notes))


def prove_mjcf(model: ExportModel, exported: Exported, states: States) -> Comparison:
    """MuJoCo on the exported MJCF."""
    from dynident.robots.formats.mjcf import strip_assets

    mj, content = import_optional("mujoco", "exporting MJCF"), main_file(exported)
    tree = read_back(content, exported.folder)
    spec = mj.MjSpec.from_string(content.decode("utf-8"))
    spec.modelfiledir = exported.folder or "."
    strip_assets(mj, spec, keep_base=False)
    try:
        with silence_mujoco(mj):
            engine = spec.compile()
    except ValueError as error:
        raise DisagreementError(f"MuJoCo refuses the exported model, so nothing was written: {' '.join(str(error).split())}") from None
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
    held = express_friction(model, ATTRIBUTES)
    names = (*ATTRIBUTES.friction, *ATTRIBUTES.inertia)
    actual = {name: np.asarray(getattr(engine, f"dof_{name}")).reshape(engine.nv, -1)[places, 0] for name in names}
    check_numbers("MuJoCo", model.robot, held, actual)
    return compare("MuJoCo", model, states, torques)


EXPORTER = Exporter(
    name="mjcf",
    help="Write an MJCF, likewise.",
    write=write_mjcf,
    prove=prove_mjcf,
    bodies=True,
    original="mujoco",
    original_name="an MJCF",
    attaches=True,
)


def _patch(model: ExportModel, held: ExpressedFriction, original: Original, about: list[str]) -> tuple[bytes, tuple[str, ...]]:
    text = XmlText(original.content)
    check_editable(original.path, text.root)
    tree = read_xml(original.path)
    check_match(model.robot, tree)
    shares = share_out(model.robot, model.parameters, inertials(tree))
    notes = [*shares.notes, *_gravity_note(model, tree)]
    bodies = {body.attributes.get("name", ""): body for body in text.root.all("body")}
    for name, parameters in shares.parameters.items():
        if name in bodies:
            set_body_inertial(text, bodies[name], parameters, name)
        elif parameters is not None and np.any(parameters):
            raise FileError(original.path, f"has no <body> named {name!r} to hold its inertia; name the bodies, and give each one joint")
    if model.payload is not None:
        parent, pose = place_in_source(model.robot.links[model.payload.link], model.payload.pose)
        if parent not in bodies:
            raise FileError(original.path, f"has no <body> named {parent!r} to hold the payload; name the bodies")
        text.add_first(bodies[parent], attached_lines(model.payload, pose))
    notes += _set_joints(text, model, held, original)
    replace_comment(text, [*about, *notes, *held.notes])
    return text.result(), tuple(notes)


def _set_joints(text: XmlText, model: ExportModel, held: ExpressedFriction, original: Original) -> list[str]:
    """Write the joints' numbers. What the model says is zero is written only where the file, or a default of it, says otherwise."""
    spec = import_optional("mujoco", "exporting MJCF").MjSpec.from_file(original.path)
    elements = {element.attributes.get("name", ""): element for element in text.root.all("joint")}
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


def _gravity_note(model: ExportModel, tree: SourceTree) -> list[str]:
    ours, theirs = model.robot.gravity, tree.gravity
    at_root = bool(model.robot.base_sources) and model.robot.base_sources[0] == tree.links[0].name
    if not at_root or np.allclose(ours, theirs, rtol=2e-3, atol=1e-9):
        return []
    return [f"the run's gravity is ({ours[0]:.6g}, {ours[1]:.6g}, {ours[2]:.6g}) m/s², and the file's stays as it is"]
