"""Python: a module that needs NumPy alone, for notebooks. The functions are those of `numpy_template`, the data are the robot's."""

from __future__ import annotations

from importlib import resources
from typing import Any

import numpy as np

from dynident.core.names import identifier, printable
from dynident.exports.export_model import ExportModel
from dynident.exports.friction import array_text, friction_formulas
from dynident.exports.proof import Comparison, States, compare, friction_states
from dynident.exports.target import Exported, Exporter, Request
from dynident.robots.robot import JointType

_BEGIN, _END = "# data begin\n", "# data end\n"


def write_python(model: ExportModel, request: Request) -> Exported:
    """One module."""
    source = resources.files("dynident.exports.code").joinpath("numpy_template.py").read_text(encoding="utf-8")
    functions = source[source.index(_END) + len(_END) :]
    text = "\n".join([*_docstring(model, request), "", *_data(model), "", *_friction(model)]) + "\n" + functions
    return Exported(target="python", files={f"{identifier(model.robot.name)}_model.py": text.encode()})


def prove_python(model: ExportModel, exported: Exported, states: States) -> Comparison:
    """The exported module itself, friction included."""
    module: dict[str, Any] = {}
    exec(compile(exported.main, "exported model", "exec"), module)  # noqa: S102 (text that was made here)
    torques = module["inverse_dynamics"](*states) + module["friction"](*friction_states(model, states))
    return compare("The Python module", model, states, torques, friction=True)


EXPORTER = Exporter(
    name="python", help="Write a Python module that needs NumPy alone.", write=write_python, prove=prove_python, bodies=False
)


def _docstring(model: ExportModel, request: Request) -> list[str]:
    lines = [
        *request.opening(model),
        "",
        "Needs NumPy alone; q, dq, ddq are (n,) for one sample or (..., n) for many.",
        model.units_sentence(),
    ]
    return ['"""' + "\n".join(map(printable, lines)).replace("\\", "/").replace('"', "'"), '"""']


def _data(model: ExportModel) -> list[str]:
    robot = model.robot
    links = " ".join(f"{name} ({frame})," for name, frame in zip(robot.link_names, robot.frame_names, strict=True)).rstrip(",")
    return [
        "import numpy as np",
        "",
        f"NAME = {robot.name!r}",
        f"JOINTS = {robot.joint_names!r}",
        f"PARENTS = {tuple(joint.parent for joint in robot.joints)!r}  # -1 is the base",
        f"PRISMATIC = {tuple(joint.type is JointType.PRISMATIC for joint in robot.joints)!r}",
        f"GRAVITY = {array_text(robot.gravity)}  # in the base frame [m/s²]",
        "# pose of a link in its parent: placement · motion(axis, q) · link placement",
        f"PLACEMENTS = {array_text(np.array([joint.placement for joint in robot.joints]))}",
        f"AXES = {array_text(np.array([joint.axis for joint in robot.joints]))}",
        f"LINK_PLACEMENTS = {array_text(np.array([link.placement for link in robot.links]))}",
        f"TOOL = {array_text(robot.tool)}  # in the last link",
        f"# m, mcx, mcy, mcz, Jxx, Jxy, Jxz, Jyy, Jyz, Jzz of: {printable(links)}",
        f"PARAMETERS = {array_text(model.parameters)}",
    ]


def _friction(model: ExportModel) -> list[str]:
    terms = list(friction_formulas(model))
    constants = [f"{term.constant} = {array_text(term.numbers)}  # {term.unit}" for term in terms]
    words = ["0.0 * dq", *(f"{term.constant} * {term.formula}" for term in terms)]
    arguments = ", ".join(model.friction_inputs)
    loaded = model.friction is not None and "load" in model.friction.needs
    return [
        *constants,
        *([""] if constants else []),
        "",
        f"def friction({arguments}):",
        '    """Friction torques (..., n), to be added to inverse_dynamics."""',
        f"    {arguments} = (np.asarray(values, dtype=float) for values in ({arguments}))",
        *(["    load = inverse_dynamics(q, dq, ddq)"] if loaded else []),
        f"    return {' + '.join(words)}",
        "",
    ]
