"""The whole chain as one function, from Python and as `dynident fit`."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import dynident
from dynident.data import EffortKind, write_dataset
from dynident.errors import FileError
from dynident.links.constraints.convex import TotalMass
from dynident.links.constraints.terms import FeasibleSet
from dynident.pipeline import SpoiledLogError
from tests.commands import run_here
from tests.logs import synthetic_log, synthetic_samples

ROBOT = "planar_2r"


@pytest.fixture(scope="module")
def log():
    return synthetic_log(ROBOT, samples=2000, noise=0.02)


@pytest.fixture(scope="module")
def other():
    return synthetic_log(ROBOT, samples=1000, noise=0.02, seed=7)


@pytest.fixture(scope="module")
def model(log, other):
    return dynident.fit(ROBOT, log, test=other)


def test_a_fit_is_what_its_steps_are(log, other, model):
    robot = dynident.load_robot(ROBOT)
    estimate = dynident.identify(robot, log)
    links = dynident.retrieve(estimate)
    np.testing.assert_array_equal(model.estimate.values, estimate.values)
    np.testing.assert_array_equal(model.links.x, links.x)
    validation = dynident.validate(estimate, other, links=links)
    assert model.validation.recommended.overall_percent == validation.recommended.overall_percent
    assert model.cross_validation.folds == 5
    assert model.failures == {}


def test_it_tells_a_verdict(model):
    first, second, *_ = model.verdict.lines
    assert model.validation.percent_text in first
    assert f"{model.links.total_mass:.3g} kg" in second
    assert len(model.verdict.lines) <= 5
    assert str(model.verdict.lines[0]) in str(model)
    assert {"parameter", "value", "low", "high", "determined_by"} <= set(model.records()[0])


def test_a_model_is_exported_by_its_suffix(model, tmp_path):
    assert model.export(tmp_path / "better.urdf").target == "urdf"
    again = dynident.load_robot(tmp_path / "better.urdf")
    assert sum(link.parameters[0] for link in again.links) == pytest.approx(model.links.total_mass)
    with pytest.raises(dynident.DynidentError, match="name what to export"):
        model.export(tmp_path / "better.stl")


def test_a_folder_holds_all_stages_a_report_and_a_urdf(log, other, model, tmp_path):
    fitted = dynident.fit(ROBOT, log, test=other, output=tmp_path / "run")
    stored = dynident.load_run(tmp_path / "run")
    np.testing.assert_array_equal(stored.estimate.values, model.estimate.values)
    np.testing.assert_array_equal(stored.parameters.x, model.links.x)
    assert stored.validation is not None
    assert stored.links_validated
    assert "<robot" in (tmp_path / "run/model.urdf").read_text()
    assert fitted.verdict.lines[0] == model.verdict.lines[0]
    assert (tmp_path / "run/report.html").stat().st_size > 1e5


@pytest.mark.parametrize("name", ["model.urdf", "report.html"])
def test_files_of_others_in_the_folder_are_not_replaced(log, name, tmp_path):
    (tmp_path / name).write_text("mine")
    with pytest.raises(FileError, match="not written by dynident"):
        dynident.fit(ROBOT, log, output=tmp_path)
    assert (tmp_path / name).read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 1


def test_contradicting_constraints_leave_the_rest(log):
    heavy = FeasibleSet((TotalMass(500.0, 600.0), TotalMass(1.0, 2.0)))
    model = dynident.fit(ROBOT, log, constraints=heavy)
    assert model.links is None
    assert "retrieve" in model.failures
    assert model.cross_validation is not None
    assert "Links: none" in model.verdict.lines[1]


def test_magnitudes_take_the_route_of_signs():
    log = synthetic_log("pendulum_1r", samples=3000, noise=0.005)
    unsigned = replace(log, effort=np.abs(log.effort), effort_kind=EffortKind.MAGNITUDE)
    model = dynident.fit("pendulum_1r", unsigned)
    assert model.signs is not None
    assert model.links is not None
    signed = np.sign(model.signs.signed.effort[:, 0])
    strong = np.abs(log.effort[:, 0]) > 1.0
    assert len(signed) == len(strong)
    assert np.mean(signed[strong] == np.sign(log.effort[strong, 0])) > 0.999


def test_controller_samples_have_no_folds():
    model = dynident.fit("spatial_3r", synthetic_samples(noise=1e-3))
    assert (model.cross_validation, model.validation) == (None, None)
    assert model.links is not None
    assert model.estimate.base.equations == "controller"


def spoiled(log):
    return replace(log, time=log.time * 20.0, dq=None, ddq=None)


def test_python_refuses_a_spoiled_log_too(log):
    robot, wrong = dynident.load_robot(ROBOT), spoiled(log)
    with pytest.raises(SpoiledLogError) as refused:
        dynident.identify(robot, wrong)
    assert refused.value.findings
    assert "ignore_doctor=True" in refused.value.remedy
    assert dynident.identify(robot, wrong, ignore_doctor=True).residuals.relative_percent > 5.0
    with pytest.raises(SpoiledLogError):
        dynident.fit(robot, wrong)


def test_the_verb_writes_and_tells(log, other, tmp_path):
    write_dataset(log, tmp_path / "log.csv")
    write_dataset(other, tmp_path / "other.csv")
    done = run_here(tmp_path, "fit", ROBOT, "log.csv", "--test", "other.csv", "-o", "run", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert len(document["verdict"]) <= 5
    assert document["failures"] == {}
    command = json.loads((tmp_path / "run/estimate.json").read_text())["provenance"]["command"]
    assert command.startswith("dynident fit planar_2r log.csv")


def test_the_verb_fails_where_there_are_no_links(log, tmp_path):
    write_dataset(log, tmp_path / "log.csv")
    done = run_here(tmp_path, "fit", ROBOT, "log.csv", "-o", "run", "--total-mass", "0.001", "0.002")
    assert done.returncode == 1
    assert "Links: none" in done.stdout
    assert (tmp_path / "run/report.html").is_file()
    assert not (tmp_path / "run/model.urdf").exists()


def test_efforts_of_another_unit_are_not_trusted_however_well_they_are_predicted(log, other, model, tmp_path):
    assert model.trusted
    for name, data in (("log.npz", log), ("other.npz", other)):
        write_dataset(replace(data, effort=10.2 * data.effort), tmp_path / name)
    done = run_here(tmp_path, "fit", ROBOT, "log.npz", "--test", "other.npz", "-o", "run", "--ignore-doctor", "--json")
    assert done.returncode == 1
    (doubt,) = dynident.load_run(tmp_path / "run").estimate.doubts
    told = json.loads(done.stdout)
    assert doubt in told["verdict"][0]
    validation = dynident.load_run(tmp_path / "run").validation
    assert validation.recommended.overall_percent == pytest.approx(model.validation.recommended.overall_percent, rel=0.2)
    assert validation.doubts == (doubt,)
