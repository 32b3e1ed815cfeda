"""What every registered export target promises. A new line in the registry is enough to be tested here."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from dynident import load_robot, regression
from dynident.core.options import Options, declared_options, option
from dynident.dynamics import inverse_dynamics
from dynident.errors import InputError
from dynident.exports import EXPORTERS, Comparison, DisagreementError, Exported, ExportModel, InfeasibleModelError, export
from dynident.exports.formats.tables import parameters_from_yaml
from dynident.exports.proof import States
from dynident.exports.target import Exporter, Request
from dynident.links import PhysicalConsistency, build_retrieval, prior_to_robot, solve_retrieval, two_step
from dynident.regression import build_problem
from dynident.robots.parameters import from_com
from dynident.runs import read_estimate, write_result
from tests.export_models import model_of
from tests.logs import synthetic_log
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
    with pytest.raises(InfeasibleModelError) as caught:
        export(_infeasible(model), target)
    assert isinstance(caught.value, InputError)
    assert caught.value.violations == _infeasible(model).violations
    assert caught.value.remedy.arguments == {"force": True}
    parameters = model.parameters.copy()
    parameters[1] = from_com(-1.0, np.zeros(3), np.eye(3))
    with pytest.raises(InfeasibleModelError) as caught:
        export(replace(model, parameters=parameters), target)
    (violation,) = caught.value.violations
    assert model.robot.link_names[1] in violation


def test_forced_files_say_that_they_are_infeasible(target, model):
    files = export(_infeasible(model), target, force=True).files.values()
    assert any(b"NOT FEASIBLE: total mass is 9 kg" in content for content in files)


def test_the_files_name_the_tool_and_the_origin_of_the_numbers(target, model):
    content = export(model, target).main.decode()
    assert target == "csv" or ("dynident" in content and "a test" in content)  # a table has no place for comments


@pytest.mark.parametrize(("target", "suffix"), [("urdf", ".urdf"), ("mjcf", ".xml"), ("yaml", ".yaml")], indirect=["target"])
def test_our_own_reader_gives_the_same_torques(tmp_path, target, suffix, model):
    path = tmp_path / f"robot{suffix}"
    path.write_bytes(export(model, target).main)
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


def test_options_of_targets_have_help_and_names_of_their_own():
    own = [item for exporter in EXPORTERS.values() for item in declared_options(exporter.options)]
    names = [*EXPORTERS, *(item.name for item in own), "from", "motion", "coefficients", "force", "json", "debug"]
    assert len(set(names)) == len(names), "two options of the command line would have one name"
    assert all(item.help.endswith(".") for item in (*own, *EXPORTERS.values()))


@dataclass(frozen=True, kw_only=True)
class TotalOptions(Options):
    unit: Literal["kg", "g"] = option("kg", "Unit of the total mass.")


def write_total(model: ExportModel, request: Request) -> Exported:
    assert isinstance(request.options, TotalOptions)
    total = model.parameters[:, 0].sum() * {"kg": 1.0, "g": 1e3}[request.options.unit]
    patched = "" if request.original is None else request.original.content.decode()
    return Exported(
        target="total", files={"total.json": json.dumps({"total": total, "warning": request.warning, "from": patched}).encode()}
    )


def weigh(model: ExportModel, exported: Exported, states: States) -> Comparison:
    """A proof of the target's own: a scale."""
    difference = abs(json.loads(exported.files["total.json"])["total"] - model.parameters[:, 0].sum())
    if difference > 1e-9:
        raise DisagreementError("the scale shows another mass")
    return Comparison(engine="The scale", states=len(states[0]), largest=difference, unit="kg", relative=0.0)


@pytest.fixture
def total(monkeypatch: pytest.MonkeyPatch) -> None:
    """A target that nobody but this test knows, registered as a new line in the registry would."""
    exporter = Exporter(
        name="total",
        help="Write the total mass.",
        write=write_total,
        prove=weigh,
        bodies=True,
        folder=True,
        guard=_refuse_scales,
        original="scale",
        original_name="a scale's log",
        options=TotalOptions,
    )
    monkeypatch.setitem(EXPORTERS, "total", exporter)


def _refuse_scales(folder: Path) -> None:
    if (folder / "scale").exists():
        raise InputError("there is a scale in the folder")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pendulum") / "run"
    robot = load_robot("pendulum_1r")
    problem = build_problem(robot, synthetic_log(robot, noise=0.01), friction=None, cutoff=None)
    write_result(folder, regression.estimate(problem))
    estimate = read_estimate(folder)
    write_result(
        folder, solve_retrieval(build_retrieval(estimate.base, two_step(estimate), PhysicalConsistency(), prior=prior_to_robot(robot)))
    )
    return folder


@pytest.mark.usefixtures("total")
def test_a_new_target_is_known_everywhere(command, stored, tmp_path):
    _, text = command("export", "--help")
    assert "--total FOLDER Write the total mass." in text
    assert "--unit kg|g Unit of the total mass. [default: kg]" in text
    assert "a scale's log (--total)" in text
    assert command("export", stored)[1].endswith("--csv, --total")
    code, text = command("export", stored, "--total", tmp_path / "new")
    assert (code, "The scale" in text and "1000" in text) == (0, True)
    assert json.loads((tmp_path / "new" / "total.json").read_text())["total"] == pytest.approx(5.0, rel=0.2)


@pytest.mark.usefixtures("total")
def test_a_new_target_brings_its_own_proof_guard_options_and_original(command, stored, tmp_path):
    (tmp_path / "scale").touch()
    log = tmp_path / "log.xml"
    log.write_text("<scale/>")
    assert command("export", stored, "--total", tmp_path) == (2, "dynident: there is a scale in the folder")
    assert command("export", stored, "--total", tmp_path / "new", "--unit", "g") == (
        1,
        "dynident: the scale shows another mass, so nothing was written",
    )
    code, text = command("export", stored, "--total", tmp_path / "n", "--unit", "lb")
    assert (code, "'lb'" in text) == (2, True)
    assert "a scale's log is patched by --total" in command("export", stored, "--csv", tmp_path / "o.csv", "--original", log)[1]
    assert command("export", stored, "--total", tmp_path / "new", "--original", log)[0] == 0
    assert json.loads((tmp_path / "new" / "total.json").read_text())["from"] == "<scale/>"
