"""What every registered export target promises. A new line in the registry is enough to be tested here."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

from dynident import inverse_dynamics, load_robot
from dynident.errors import InputError
from dynident.export import EXPORTERS, ExportModel, InfeasibleError, export
from dynident.export.formats.yaml_file import parameters_from_yaml
from dynident.parameters import from_com
from tests.export_models import model_of
from tests.oracles.machines import states


@pytest.fixture(params=sorted(EXPORTERS))
def target(request: pytest.FixtureRequest) -> str:
    if request.param == "mjcf":
        pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra sim)")
    return request.param


@pytest.fixture(scope="module")
def model() -> ExportModel:
    return model_of(load_robot("spatial_3r"))


def _infeasible(model: ExportModel) -> ExportModel:
    """MuJoCo refuses such a body; only the constraint of a user's own is violated."""
    return replace(model, violations=("total mass is 9 kg, above 8 kg",))


def test_files_have_names_and_content(target, model):
    exported = export(model, target)
    assert exported.target == target
    assert exported.files
    assert all(name and "/" not in name and content for name, content in exported.files.items())
    assert all(note and not note.endswith(".") for note in exported.notes)


def test_output_is_the_same_every_time(target, model):
    assert export(model, target).files == export(model_of(load_robot("spatial_3r")), target).files


def test_another_engine_agrees(target, model):
    proof = export(model, target).comparison
    if EXPORTERS[target].prove is None or (target == "c" and not (shutil.which("gcc") or shutil.which("cc"))):
        assert proof is None
    else:
        assert proof.states == 1000
        assert proof.relative < 1e-12


def test_infeasible_parameters_are_refused(target, model):
    with pytest.raises(InfeasibleError, match=r"above 8 kg.*force") as caught:
        export(_infeasible(model), target)
    assert isinstance(caught.value, InputError)
    parameters = model.parameters.copy()
    parameters[1] = from_com(-1.0, np.zeros(3), np.eye(3))
    with pytest.raises(InfeasibleError, match="negative mass"):
        export(replace(model, parameters=parameters), target)


def test_forced_files_say_that_they_are_infeasible(target, model):
    files = export(_infeasible(model), target, force=True).files.values()
    assert any(b"NOT FEASIBLE: total mass is 9 kg" in content for content in files)


def test_the_files_name_the_tool_and_the_origin_of_the_numbers(target, model):
    content = next(iter(export(model, target).files.values())).decode()
    assert target == "csv" or ("dynident" in content and "a test" in content)  # a table has no place for comments


@pytest.mark.parametrize(("target", "suffix"), [("urdf", ".urdf"), ("mjcf", ".xml"), ("yaml", ".yaml")], indirect=["target"])
def test_our_own_reader_gives_the_same_torques(tmp_path, target, suffix, model):
    path = tmp_path / f"robot{suffix}"
    path.write_bytes(next(iter(export(model, target).files.values())))
    if target == "yaml":
        robot, parameters = model.robot, parameters_from_yaml(path.read_bytes(), model.robot)
    else:
        robot = load_robot(path, gravity=model.robot.gravity)
        parameters = robot.parameters
    q, dq, ddq = states(model.robot)
    expected = inverse_dynamics(model.robot, model.parameters, q, dq, ddq)
    np.testing.assert_allclose(inverse_dynamics(robot, parameters, q, dq, ddq), expected, rtol=1e-11, atol=1e-12)


def test_a_model_without_friction(target, model):
    plain = model_of(model.robot, friction=False)
    assert export(plain, target).files
