"""C99: the dynamics as straight-line code without allocation, loops, state or dependencies other than libm.

Everything known about the robot is folded into the code, and what is needed twice is computed once (`graph`, `newton_euler`).
Every function is re-entrant: it reads its arguments and writes its result.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dynident.core.arrays import Array
from dynident.core.files import clear_errors, place_below
from dynident.core.names import identifier
from dynident.dynamics.friction.model import Motion
from dynident.errors import FileError
from dynident.exports.code.c99_monitor import monitor_files, prove_monitor
from dynident.exports.code.c_text import c_function, c_header, c_source
from dynident.exports.code.graph import Node
from dynident.exports.code.newton_euler import Dynamics
from dynident.exports.export_model import ExportModel
from dynident.exports.friction import friction_nodes
from dynident.exports.proof import Comparison, DisagreementError, States, compare, friction_states
from dynident.exports.target import Exported, Exporter, Request

#: First line of every CMakeLists.txt that is written here; one without it is the user's own.
CMAKE_MARK = "# Written by dynident"
#: How generated C is compiled, here and in the tests.
C_FLAGS = ("-Wall", "-Wextra", "-Werror", "-std=c99", "-O2")
_NO_MONITOR = "no contact monitor is written, because none has been calibrated with a log of free motion"
_CMAKE = f"""{CMAKE_MARK}
cmake_minimum_required(VERSION 3.10)
project(STEM C)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(STEM SOURCES)
target_include_directories(STEM PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
set_target_properties(STEM PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON POSITION_INDEPENDENT_CODE ON)
target_link_libraries(STEM PUBLIC m)
"""


@dataclass(frozen=True)
class CFunction:
    """One function of the generated code: its inputs (of n numbers each), its result, the comment in the header, and what it computes."""

    name: str
    inputs: tuple[str, ...]
    result: str
    size: int
    comment: str
    nodes: Callable[[Dynamics], list[Node]]

    def signature(self, prefix: str, n: int) -> str:
        arguments = [*(f"const double {name}[{n}]" for name in self.inputs), f"double {self.result}[{self.size}]"]
        return f"void {prefix}_{self.name}({', '.join(arguments)})"


def write_c(model: ExportModel, request: Request) -> Exported:
    """A header and a source of the dynamics, the same of a contact monitor that was calibrated, and a CMakeLists.txt."""
    prefix = identifier(model.robot.name)
    stem = f"{prefix}_model"
    files = {
        f"{stem}.h": _header(model, request, prefix, stem),
        f"{stem}.c": _source(model, prefix, stem),
        **({} if model.monitor is None else monitor_files(model, model.monitor, request)),
    }
    files["CMakeLists.txt"] = _CMAKE.replace("STEM", stem).replace("SOURCES", " ".join(name for name in files if name.endswith(".c")))
    notes = (_NO_MONITOR,) if model.monitor is None else ()
    return Exported(target="c", files={name: text.encode() for name, text in files.items()}, notes=notes)


def prove_c(model: ExportModel, exported: Exported, states: States) -> Comparison | str:
    """The exported C, compiled, where there is a compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return "no C compiler was found (gcc or cc), so the code was not compiled and compared"
    with clear_errors(Path(tempfile.gettempdir())), tempfile.TemporaryDirectory() as folder:
        library = CLibrary.compile(exported, Path(folder), model, compiler)
        rigid = [library("inverse_dynamics", *state) for state in zip(*states, strict=True)]
        if model.monitor is not None:
            prove_monitor(library.library, model, model.monitor, states)
        rows = np.add(rigid, [library("friction", *state) for state in zip(*friction_states(model, states), strict=True)])
    return compare("The compiled C", model, states, rows, friction=True)


def refuse_foreign_cmake(folder: Path) -> None:
    """FileError where the folder belongs to a project of the user's."""
    cmake = place_below(folder, "CMakeLists.txt")
    if cmake.is_file() and not cmake.read_bytes().startswith(CMAKE_MARK.encode()):
        raise FileError(cmake, "is there and was not written by dynident, so it is not replaced; name an empty folder")


EXPORTER = Exporter(
    name="c",
    help="Write C99: dynamics and a calibrated contact monitor, a header and a source each, and a CMakeLists.txt.",
    write=write_c,
    prove=prove_c,
    bodies=False,
    folder=True,
    guard=refuse_foreign_cmake,
)


class CLibrary:
    """Functions of generated C, called from Python."""

    def __init__(self, library: ctypes.CDLL, model: ExportModel) -> None:
        self.functions = {function.name: function for function in c_functions(model)}
        self.library, self.prefix = library, identifier(model.robot.name)

    @classmethod
    def compile(cls, exported: Exported, folder: Path, model: ExportModel, compiler: str) -> CLibrary:
        prefix = identifier(model.robot.name)
        for name, content in exported.files.items():
            (folder / name).write_bytes(content)
        sources = [str(folder / name) for name in exported.files if name.endswith(".c")]
        target = folder / f"lib{prefix}.so"
        command = [compiler, *C_FLAGS, "-shared", "-fPIC", "-o", str(target), *sources, "-lm"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (our own compiler call)
        if run.returncode != 0:
            raise DisagreementError("the generated C can't be compiled", " ".join(run.stderr.split())[:300])
        return cls(ctypes.CDLL(str(target)), model)

    def __call__(self, name: str, *arguments: Array) -> Array:
        """The result, flat."""
        function, pointer = self.functions[name], ctypes.POINTER(ctypes.c_double)
        result = np.empty(function.size)
        arrays = [*(np.ascontiguousarray(argument, dtype=float) for argument in arguments), result]
        getattr(self.library, f"{self.prefix}_{name}")(*(array.ctypes.data_as(pointer) for array in arrays))
        return result


def c_functions(model: ExportModel) -> tuple[CFunction, ...]:
    """What is generated for a model."""
    n, motion = model.robot.n, ("q", "dq", "ddq")

    def friction(dynamics: Dynamics) -> list[Node]:
        q, dq, ddq, temperature = (dynamics.inputs(name) for name in ("q", "dq", "ddq", "temperature"))
        return friction_nodes(model, dynamics.graph, Motion(q, dq, ddq, dynamics.inverse_dynamics(), temperature))

    inertia = "Inertia matrix M(q), row by row [kg m^2 | kg m | kg]."
    rigid = "Torques of the links: M(q) ddq + C(q, dq) dq + g(q), without friction."
    linear = "Y, row by row: Y times the links' ten parameters is inverse_dynamics."
    tool = "Of the tool frame in base axes, row by row: three linear rows, three angular."
    return (
        CFunction("mass_matrix", ("q",), "M", n * n, inertia, Dynamics.mass_matrix),
        CFunction("coriolis_vector", ("q", "dq"), "c", n, "Coriolis and centrifugal torques C(q, dq) dq.", Dynamics.coriolis_vector),
        CFunction("gravity_vector", ("q",), "g", n, "Torques that hold the robot against gravity.", Dynamics.gravity_vector),
        CFunction("inverse_dynamics", motion, "tau", n, rigid, Dynamics.inverse_dynamics),
        CFunction("friction", model.friction_inputs, "tau", n, "Friction torques, to be added to inverse_dynamics.", friction),
        CFunction("regressor", motion, "Y", 10 * n * n, linear, Dynamics.regressor),
        CFunction("jacobian", ("q",), "J", 6 * n, tool, Dynamics.jacobian),
    )


def _header(model: ExportModel, request: Request, prefix: str, stem: str) -> str:
    n, g = model.robot.n, model.robot.gravity
    about = [
        *request.opening(model),
        "",
        model.units_sentence(),
        "Every array is the caller's; nothing is allocated, and every function is re-entrant.",
        f"Gravity in the base frame: ({g[0]:.9g}, {g[1]:.9g}, {g[2]:.9g}) m/s^2.",
        f"Joints: {', '.join(model.robot.joint_names)}.",
        "A link's ten parameters, for the regressor: m, mcx, mcy, mcz, Jxx, Jxy, Jxz, Jyy, Jyz, Jzz, J about the origin of its frame.",
        f"Frames: {', '.join(model.robot.frame_names)}.",
    ]
    declarations = [f"/* {function.comment} */\n{function.signature(prefix, n)};\n" for function in c_functions(model)]
    return c_header(stem, about, "\n".join([f"#define {prefix.upper()}_JOINTS {n}\n", *declarations]))


def _source(model: ExportModel, prefix: str, stem: str) -> str:
    dynamics = Dynamics(model.robot, model.parameters)
    dynamics.inverse_dynamics()  # first, so that in every function what is part of it is numbered in its order
    functions = [
        c_function(function.signature(prefix, model.robot.n), function.inputs, function.nodes(dynamics), function.result)
        for function in c_functions(model)
    ]
    return c_source(stem, model.headline(), *functions)
