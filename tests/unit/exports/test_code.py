"""Generated C and Python: every function against ours, warnings are errors, names and comments are harmless."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.core.names import identifier
from dynident.dynamics import coriolis_vector, gravity, inverse_dynamics, mass_matrix, torque_regressor
from dynident.dynamics.friction import FRICTION_MODELS, FrictionModel, Motion, Parameter, SmoothCoulomb, friction_model, friction_torque
from dynident.errors import InputError
from dynident.exports import EXPORTERS, ExportModel, export
from dynident.exports.code.c99 import CLibrary
from dynident.exports.code.graph import Graph
from dynident.exports.target import Request
from dynident.robots import link_poses
from tests.export_models import model_of
from tests.oracles.machines import machine, states

GCC = shutil.which("gcc")
needs_gcc = pytest.mark.skipif(GCC is None, reason="gcc is not installed")
ROBOTS = ("panda", "kuka_lwr4", "branched_tree", "prismatic")


def expected(model: ExportModel, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> dict[str, tuple[tuple, np.ndarray]]:
    """Arguments and result of every function."""
    robot, p = model.robot, model.parameters
    return {
        "mass_matrix": ((q,), mass_matrix(robot, p, q)),
        "coriolis_vector": ((q, dq), coriolis_vector(robot, p, q, dq)),
        "gravity_vector": ((q,), gravity(robot, p, q)),
        "inverse_dynamics": ((q, dq, ddq), inverse_dynamics(robot, p, q, dq, ddq)),
        "friction": ((q, dq, ddq), friction_torque(model.friction, model.friction_parameters, Motion(q, dq, ddq))),
        "regressor": ((q, dq, ddq), torque_regressor(robot, q, dq, ddq)),
        "jacobian": ((q,), np.array([_jacobian(robot, row) for row in q])),
    }


def _jacobian(robot, q: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """By central differences of the tool's pose."""
    J = np.empty((6, robot.n))
    R = (link_poses(robot, q)[-1] @ robot.tool)[:3, :3]
    for j, unit in enumerate(step * np.eye(robot.n)):
        change = (link_poses(robot, q + unit)[-1] - link_poses(robot, q - unit)[-1]) @ robot.tool / (2 * step)
        W = change[:3, :3] @ R.T
        J[:, j] = [*change[:3, 3], W[2, 1], W[0, 2], W[1, 0]]
    return J


@needs_gcc
@pytest.mark.parametrize("name", ROBOTS)
def test_every_c_function_is_ours(tmp_path, name):
    model = model_of(machine(name))
    library = CLibrary.compile(EXPORTERS["c"].write(model, Request()), tmp_path, model, GCC)
    q, dq, ddq = states(model.robot, samples=20)
    for function, (arguments, results) in expected(model, q, dq, ddq).items():
        actual = np.array([library(function, *row) for row in zip(*arguments, strict=True)]).reshape(results.shape)
        np.testing.assert_allclose(actual, results, rtol=1e-10, atol=1e-8 if function == "jacobian" else 1e-11, err_msg=function)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_python_function_is_ours_for_one_sample_and_for_many(name):
    model = model_of(machine(name))
    module: dict = {}
    exec(export(model, "python").main, module)  # noqa: S102
    q, dq, ddq = states(model.robot, samples=20)
    for function, (arguments, results) in expected(model, q, dq, ddq).items():
        tolerance = 1e-8 if function == "jacobian" else 1e-11
        np.testing.assert_allclose(module[function](*arguments), results, rtol=1e-10, atol=tolerance, err_msg=function)
        np.testing.assert_allclose(module[function](*(row[3] for row in arguments)), results[3], rtol=1e-10, atol=tolerance)


def test_the_python_module_needs_numpy_alone(tmp_path):
    source = export(model_of(load_robot("panda")), "python").main.decode()
    imports = [line for line in source.splitlines() if line.startswith(("import", "from"))]
    assert imports == ["import numpy as np"]


@needs_gcc
def test_c_neither_allocates_nor_warns_and_works_in_cpp(tmp_path):
    exported = export(model_of(load_robot("planar_2r"), friction=False), "c")
    for name, content in exported.files.items():
        (tmp_path / name).write_bytes(content)
    strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wshadow", "-std=c99", "-O2", "-c"]
    subprocess.run([GCC, *strict, "planar_2r_model.c", "-o", "model.o"], cwd=tmp_path, check=True)
    symbols = subprocess.run(["nm", "-u", "model.o"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()
    assert {symbol for symbol in symbols if len(symbol) > 1} <= {"sin", "cos", "sincos", "_GLOBAL_OFFSET_TABLE_"}
    if shutil.which("g++"):
        (tmp_path / "use.cpp").write_text('#include "planar_2r_model.h"\nint main() { return PLANAR_2R_JOINTS - 2; }\n')
        subprocess.run(["g++", "-Wall", "-Werror", "use.cpp", "model.o", "-lm", "-o", "use"], cwd=tmp_path, check=True)
        subprocess.run([tmp_path / "use"], check=True)


@pytest.mark.skipif(shutil.which("cmake") is None or GCC is None, reason="cmake or gcc is not installed")
def test_the_cmake_file_builds_a_library(tmp_path):
    for name, content in export(model_of(load_robot("planar_2r")), "c").files.items():
        (tmp_path / name).write_bytes(content)
    subprocess.run(["cmake", "-S", ".", "-B", "build"], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", "build"], cwd=tmp_path, check=True, capture_output=True)
    assert list((tmp_path / "build").glob("libplanar_2r_model.*"))


@pytest.mark.parametrize("name", sorted(FRICTION_MODELS))
def test_friction_as_code_is_ours(name):
    robot, friction = load_robot("planar_2r"), friction_model(name)
    values = np.random.default_rng(0).uniform(0.1, 1.0, (2, len(friction.parameter_names)))
    model = ExportModel(robot=robot, parameters=robot.parameters, friction=friction, friction_parameters=values)
    for target in ("python", "c"):
        comparison = export(model, target).comparison
        assert comparison is None or comparison.relative < 1e-12


def test_the_shape_of_smooth_friction_is_kept():
    robot = load_robot("planar_2r")
    model = ExportModel(robot=robot, parameters=robot.parameters, friction=SmoothCoulomb(0.3), friction_parameters=np.ones((2, 1)))
    assert b"np.tanh(dq / 0.3)" in export(model, "python").main


@dataclass(frozen=True)
class Rich(FrictionModel):
    """Every sign and function that a formula may have; brackets matter in most of it."""

    name = "rich"
    parameters = tuple(Parameter(name=f"f{letter}") for letter in "abcde")

    def terms(self, motion):
        dq, ddq = motion.dq, motion.ddq
        stribeck = np.exp(-(np.abs(dq / 0.3) ** 1.5)) * np.sign(dq)
        return (
            stribeck,
            (dq - 0.5 * ddq) * (dq + 2.0) / (1.0 + dq * dq) - np.float64(0.25) * dq,
            np.maximum(np.sqrt(abs(dq)), 0.5) - np.minimum(dq, -ddq),
            1.0 - (dq - (ddq - 2.0)) - np.log1p(np.power(dq, 2)),
            np.arctan(dq) + np.sin(dq) * np.cos(ddq) / np.tanh(2.0 + np.abs(ddq)),
        )


@pytest.mark.parametrize("target", ["python", "c"])
def test_formulas_keep_their_meaning_as_code(target):
    robot = load_robot("planar_2r")
    values = np.random.default_rng(0).uniform(0.1, 1.0, (2, 5))
    model = ExportModel(robot=robot, parameters=robot.parameters, friction=Rich(), friction_parameters=values)
    comparison = export(model, target).comparison
    assert comparison is None or comparison.relative < 1e-12


@pytest.mark.parametrize("formula", [lambda dq: np.where(dq > 0, 1.0, 0.0), np.cbrt], ids=["where", "cbrt"])
def test_a_friction_model_without_code_is_named(formula):
    class Stribeck(SmoothCoulomb):
        name = "stribeck"

        def terms(self, motion):
            return (formula(motion.dq),)

    robot = load_robot("planar_2r")
    model = ExportModel(robot=robot, parameters=robot.parameters, friction=Stribeck(), friction_parameters=np.ones((2, 1)))
    with pytest.raises(InputError, match="'stribeck'"):
        export(model, "c")


def test_names_from_files_can_not_break_the_code(tmp_path: Path):
    robot = replace(load_robot("planar_2r"), name='3 "arms" */ int main();\\')
    model = replace(model_of(robot), provenance='"""\nimport os */')
    for target in ("python", "c"):
        assert export(model, target).comparison is not None or GCC is None
    assert identifier(robot.name) == "robot_3_arms_int_main"


def test_equal_expressions_are_one_node_and_constants_fold():
    graph = Graph()
    x, y = graph.input("x"), graph.input("y")
    assert x * y is y * x
    assert x + y is y + x
    assert -(x - y) is y - x
    assert (-x) * y is -(x * y)
    assert x * 0.0 is graph.node(0.0)
    assert x * 1.0 is x
    assert -2.0 * x is -(2.0 * x)
    assert x + (-y) is x - y
    assert x - x is graph.node(0.0)
    assert graph.node(2.0) * 3.0 is graph.node(6.0)
    assert 0.0 - x is -x
    assert graph.negative(-x) is x
