"""Problems and run folders as files: exact, complete, and never half of one run and half of another."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save

from dynident import regression
from dynident.core.records import write_record
from dynident.dynamics.friction import SmoothCoulomb, Viscous, combine, linear
from dynident.errors import FileError, InputError
from dynident.regression import build_problem
from dynident.regression.uncertainty.losses import Huber
from dynident.robots import load_robot, robot_to_dict
from dynident.runs import load_problem, read_estimate, read_problem, save_problem, write_result
from dynident.runs.folder import NOT_DONE, MissingStageError
from dynident.runs.stages import StageOrigin
from tests.facts import about, raises
from tests.logs import synthetic_log, synthetic_samples
from tests.unit.robots.test_serialize import assert_same

KEYS = {
    "schema",
    "robot",
    "source",
    "route",
    "status",
    "rank",
    "condition_number",
    "coefficients",
    "friction",
    "friction_choice",
    "vendor_model",
    "friction_shapes",
    "residual",
    "samples",
}
KEYS |= {"cross_validation", "preprocessing", "reached_speeds", "doubts", "notes", "versions", "seed", "provenance", "files", "made_from"}


def log_problem(**options):
    options = {"friction": linear(), "cutoff": None, **options}
    return build_problem(load_robot("planar_2r"), synthetic_log(noise=0.1), **options)


def controller_problem(**options):
    return build_problem(load_robot("spatial_3r"), synthetic_samples(noise=1e-3), **options)


PROBLEMS = {
    "log": log_problem,
    "filtered": lambda: log_problem(cutoff=5.0),
    "known": lambda: log_problem(known={"fo1": 0.1, "J2zz": 0.2}, friction=combine(Viscous(), SmoothCoulomb(0.1), linear().models[2])),
    "extra": lambda: log_problem(extra={"spring": synthetic_log().q}),
    "controller": controller_problem,
    "gravity": lambda: controller_problem(equations="gravity"),
}


@pytest.fixture(params=sorted(PROBLEMS))
def problem(request):
    return PROBLEMS[request.param]()


def test_a_problem_comes_back_to_the_last_bit(problem, tmp_path):
    save_problem(problem, tmp_path / "problem.safetensors")
    loaded = load_problem(tmp_path / "problem.safetensors")
    assert loaded.rows == ()
    for name in ("robot", "friction", "equations", "columns", "independent", "grouping", "known"):
        assert_same_or_equal(getattr(problem.base, name), getattr(loaded.base, name))
    for name in ("groups", "factors", "counts", "samples", "source", "notes"):
        assert_same_or_equal(getattr(problem, name), getattr(loaded, name))
    assert loaded.processing == problem.processing


def assert_same_or_equal(a, b):
    if isinstance(a, dict):
        assert a == b
    else:
        assert_same(a, b)


def test_a_loaded_problem_fits_identically(problem, tmp_path):
    save_problem(problem, tmp_path / "problem.safetensors")
    loaded = load_problem(tmp_path / "problem.safetensors")
    a, b = (regression.estimate(each, drop_above_percent=None) for each in (problem, loaded))
    np.testing.assert_array_equal(a.values, b.values)
    np.testing.assert_array_equal(a.kept, b.kept)
    assert a.residuals.relative_percent == b.residuals.relative_percent
    np.testing.assert_array_equal(a.covariance, b.covariance)
    np.testing.assert_array_equal(a.std, b.std)
    assert a.notes == b.notes


def test_robust_losses_fit_the_rows_that_were_kept_and_need_the_data_without_them(tmp_path):
    save_problem(filtered := log_problem(cutoff=5.0), tmp_path / "problem.safetensors")
    loaded = regression.estimate(load_problem(tmp_path / "problem.safetensors"), loss=Huber())
    np.testing.assert_array_equal(loaded.values, regression.estimate(filtered, loss=Huber()).values)
    save_problem(log_problem(cutoff=None), tmp_path / "problem.safetensors")
    with raises(InputError, "file"):
        regression.estimate(load_problem(tmp_path / "problem.safetensors"), loss=Huber())


def test_rows_that_are_too_many_are_not_stored(tmp_path, monkeypatch):
    monkeypatch.setattr("dynident.regression.problem.LARGEST_FILTERED", 10)
    problem = log_problem(cutoff=5.0)
    save_problem(problem, tmp_path / "problem.safetensors")
    loaded = load_problem(tmp_path / "problem.safetensors")
    assert loaded.filtered is None
    a, b = regression.estimate(problem), regression.estimate(loaded)
    np.testing.assert_array_equal(a.std, b.std)
    assert about(b.notes, "rows", "correlation")


@pytest.mark.parametrize("cutoff", [None, 5.0])
def test_merging_loaded_problems_is_merging_problems(tmp_path, cutoff):
    robot, log = load_robot("planar_2r"), synthetic_log(noise=0.1)
    parts = [build_problem(robot, log.part(*part), friction=linear(), cutoff=cutoff) for part in ((0, 0.5), (0.5, 1))]
    for number, part in enumerate(parts):
        save_problem(part, tmp_path / f"{number}.safetensors")
    loaded = load_problem(tmp_path / "0.safetensors").merge(load_problem(tmp_path / "1.safetensors"))
    both = replace(parts[0].merge(parts[1]), parts=())  # weights per recording need the rows, which a file doesn't have
    np.testing.assert_array_equal(regression.estimate(loaded).values, regression.estimate(both).values)
    np.testing.assert_array_equal(regression.estimate(loaded).covariance, regression.estimate(both).covariance)
    half = load_problem(tmp_path / "0.safetensors").merge(parts[1])
    np.testing.assert_array_equal(regression.estimate(half).covariance, regression.estimate(both).covariance)
    if cutoff is None:  # else the filter loses what is around the cut
        whole = regression.estimate(build_problem(robot, log, friction=linear(), cutoff=None))
        np.testing.assert_allclose(regression.estimate(loaded).values, whole.values, rtol=1e-9, atol=1e-12)


def test_problem_files_that_are_none(tmp_path):
    with raises(FileError, "such", file=str(tmp_path / "missing.safetensors")):
        load_problem(tmp_path / "missing.safetensors")
    (tmp_path / "text.safetensors").write_text("text")
    np.savez(tmp_path / "other.npz", q=np.zeros(3))
    (tmp_path / "bare.safetensors").write_bytes(save({"q": np.zeros(3)}))
    for name in ("text.safetensors", "other.npz", "bare.safetensors"):
        with raises(FileError, "damaged", "save_problem", file=str(tmp_path / name)):
            load_problem(tmp_path / name)
    write_record(tmp_path / "robot.safetensors", load_robot("planar_2r"))
    with pytest.raises(FileError, match="'Robot'; expected Problem"):
        load_problem(tmp_path / "robot.safetensors")


def test_an_estimate_comes_back(problem, tmp_path):
    estimate = regression.estimate(problem)
    write_result(tmp_path / "run", estimate)
    read = read_estimate(tmp_path / "run")
    for name in ("values", "covariance", "kept", "singular_values", "dropped", "residuals", "status", "notes", "blocks"):
        assert_same(getattr(estimate, name), getattr(read, name))
    for name in ("independent", "grouping", "columns", "robot", "friction", "equations"):
        assert_same(getattr(estimate.base, name), getattr(read.base, name))
    assert dict(read.base.known) == dict(estimate.base.known)
    assert read.summary == estimate.summary
    assert str(read) == str(estimate)
    np.testing.assert_array_equal(read_problem(tmp_path / "run").factors[0], problem.factors[0])
    assert json.loads((tmp_path / "run" / "robot.json").read_text()) == json.loads(json.dumps(robot_to_dict(estimate.base.robot)))


def strict_json(path):
    def refuse(token):
        raise AssertionError(f"{token} is not standard JSON")

    return json.loads(path.read_text(), parse_constant=refuse)


def test_estimate_json_has_the_documented_keys(problem, tmp_path):
    estimate = regression.estimate(problem)
    write_result(tmp_path, estimate, origin=StageOrigin(seed=7))
    content = strict_json(tmp_path / "estimate.json")
    assert content.keys() == KEYS
    assert content["schema"] == "dynident/estimate/1"
    assert content["route"] == ("classical" if problem.base.equations == "torque" else "controller")
    assert content["seed"] == 7
    assert {"dynident", "numpy"} <= content["versions"].keys()
    assert content["residual"].keys() == {"relative_percent", "rms_per_joint", "relative_percent_per_joint"}
    assert list(content["residual"]["rms_per_joint"]) == [group.name for group in problem.groups]
    common = {"name", "expression", "symbolic", "value", "std", "noise_std", "block_std", "relative_std_percent", "unit", "kept"}
    for i, item in enumerate(content["coefficients"]):
        assert item.keys() == common | (set() if item["kept"] else {"reason"})
        if item["kept"]:
            assert item["value"] == estimate.values[i]
            assert item["std"] == estimate.std[i]
            assert item["noise_std"] == estimate.noise_std[i]
            assert item["block_std"] == (None if estimate.block_std is None else estimate.block_std[i])
    assert len(content["friction"]) == (problem.base.robot.n if problem.base.friction else 0)


def test_dropped_coefficients_keep_the_numbers_they_were_dropped_with(tmp_path):
    problem = build_problem(load_robot("planar_2r"), synthetic_log(noise=30.0), friction=linear(), cutoff=None)
    estimate = regression.estimate(problem, drop_above_percent=30.0)
    weak = [item for item in estimate.dropped if np.isfinite(item.std)]
    assert weak
    write_result(tmp_path, estimate)
    content = strict_json(tmp_path / "estimate.json")["coefficients"]
    for item in weak:
        written = content[item.index]
        assert (written["kept"], written["value"], written["std"]) == (False, item.value, item.std)
        assert written["relative_std_percent"] > 30
        assert "above 30 %" in written["reason"]


def test_what_is_not_determined_is_null(tmp_path):
    log = synthetic_log()
    still = type(log)(
        time=log.time, q=log.q * [1, 0], dq=log.dq * [1, 0], ddq=log.ddq * [1, 0], effort=log.effort, effort_kind=log.effort_kind
    )
    problem = build_problem(load_robot("planar_2r"), still, friction=linear(), cutoff=None)
    estimate = regression.estimate(problem)
    write_result(tmp_path, estimate)
    content = strict_json(tmp_path / "estimate.json")
    undetermined = {item["name"] for item in content["coefficients"] if item["std"] is None}
    assert {"fv2", "fc2"} <= undetermined
    assert all(item["value"] is None for item in content["coefficients"] if item["name"] in undetermined)
    assert about(content["notes"], "joint", 2, "never")
    assert str(read_estimate(tmp_path)) == str(estimate)


def test_a_write_that_fails_leaves_the_old_run_and_one_that_is_interrupted_while_it_renames_the_new_one(tmp_path, monkeypatch):
    problem = log_problem()
    estimate = regression.estimate(problem)
    run = tmp_path / "deep" / "run"
    write_result(run, estimate)
    before = {file.name: file.read_bytes() for file in run.iterdir()}
    monkeypatch.setattr(os, "fsync", _raise_full)
    with raises(FileError, "space"):
        write_result(run, estimate)
    assert {file.name: file.read_bytes() for file in run.iterdir()} == before
    with raises(FileError, "space"):
        write_result(tmp_path / "new" / "run", estimate)
    assert not (tmp_path / "new").exists()
    monkeypatch.undo()
    replaced = []
    real = os.replace

    def press_ctrl_c(source, target):
        replaced.append(os.path.basename(target))
        if len(replaced) == 2:
            signal.raise_signal(signal.SIGINT)
        real(source, target)

    monkeypatch.setattr(os, "replace", press_ctrl_c)
    other = regression.estimate(problem, noise="uniform")
    with pytest.raises(KeyboardInterrupt):
        write_result(run, other)
    assert replaced == ["estimate.safetensors", "estimate.json", "robot.json"]
    monkeypatch.undo()
    np.testing.assert_array_equal(read_estimate(run).values, other.values)
    assert not [file for file in os.listdir(run) if file.startswith(".")]


def _raise_full(_):
    raise OSError(28, "No space left on device")


def test_a_folder_that_is_no_run(tmp_path):
    with raises(MissingStageError, "identify", file=str(tmp_path / "missing"), reason=NOT_DONE):
        read_estimate(tmp_path / "missing")
    with raises(MissingStageError, "estimate.safetensors", "identify", reason=NOT_DONE):
        read_estimate(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="is a file"):
        read_estimate(tmp_path / "file")
    with pytest.raises(FileError, match="is a file"):
        write_result(tmp_path / "file", regression.estimate(log_problem()))
