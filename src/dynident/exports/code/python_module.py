"""Python: a module that needs NumPy alone, for notebooks. The functions are those of `numpy_template`, the data are the robot's."""

from __future__ import annotations

from importlib import resources
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.exports.code.c99 import c_name
from dynident.exports.export_model import ExportModel
from dynident.exports.friction import friction_formulas
from dynident.exports.proof import compare, main_file
from dynident.exports.target import Comparison, Exported, Exporter, Request, States
from dynident.robots.robot import JointType

_BEGIN, _END = "# data begin\n", "# data end\n"


def write_python(model: ExportModel, request: Request) -> Exported:
    """One module."""
    source = resources.files("dynident.exports.code").joinpath("numpy_template.py").read_text(encoding="utf-8")
    functions = source[source.index(_END) + len(_END) :]
    text = "\n".join([*_docstring(model, request), "", *_data(model), "", *_friction(model)]) + "\n" + functions
    return Exported(target="python", files={f"{c_name(model.robot.name)}_model.py": text.encode()})


def prove_python(model: ExportModel, exported: Exported, states: States) -> Comparison:
    """The exported module itself, friction included."""
    module: dict[str, Any] = {}
    exec(compile(main_file(exported), "exported model", "exec"), module)  # noqa: S102 (text that was made here)
    torques = module["inverse_dynamics"](*states) + module["friction"](*states[1:])
    return compare("The Python module", model, states, torques, friction=True)


EXPORTER = Exporter(
    name="python", help="Write a Python module that needs NumPy alone.", write=write_python, prove=prove_python, bodies=False
)


def _docstring(model: ExportModel, request: Request) -> list[str]:
    lines = [
        f"{model.headline()}.",
        *([f"{request.warning}."] if request.warning else []),
        "",
        "Needs NumPy alone; q, dq, ddq are (n,) for one sample or (..., n) for many.",
        model.units_sentence(),
    ]
    return ['"""' + "\n".join(lines).replace("\\", "/").replace('"', "'"), '"""']


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
        f"GRAVITY = {_array(robot.gravity)}  # in the base frame [m/s²]",
        "# pose of a link in its parent: placement · motion(axis, q) · link placement",
        f"PLACEMENTS = {_array(np.array([joint.placement for joint in robot.joints]))}",
        f"AXES = {_array(np.array([joint.axis for joint in robot.joints]))}",
        f"LINK_PLACEMENTS = {_array(np.array([link.placement for link in robot.links]))}",
        f"TOOL = {_array(robot.tool)}  # in the last link",
        f"# m, mcx, mcy, mcz, Jxx, Jxy, Jxz, Jyy, Jyz, Jzz of: {' '.join(links.split())}",
        f"PARAMETERS = {_array(model.parameters)}",
    ]


def _friction(model: ExportModel) -> list[str]:
    constants: list[str] = []
    words = ["0.0 * dq"]
    if model.friction is not None and model.friction_parameters is not None:
        units = model.friction.unit_texts(model.robot.joints)
        for (parameter, formula), unit, numbers in zip(friction_formulas(model.friction), units, model.friction_parameters.T, strict=True):
            name = f"FRICTION_{parameter.name.upper()}"
            constants.append(f"{name} = {_array(numbers)}  # {unit}")
            words.append(f"{name} * {formula}")
    return [
        *constants,
        *([""] if constants else []),
        "",
        "def friction(dq, ddq):",
        '    """Friction torques (..., n), to be added to inverse_dynamics."""',
        "    dq, ddq = np.asarray(dq, dtype=float), np.asarray(ddq, dtype=float)",
        f"    return {' + '.join(words)}",
        "",
    ]


def _array(values: Array) -> str:
    """An array whose numbers come back to the last bit."""
    if values.ndim == 1:
        return f"np.array({(values + 0.0).tolist()!r})"
    rows = [f"    {(row + 0.0).tolist()!r}," for row in values]
    return "\n".join(["np.array([", *rows, "])"])
