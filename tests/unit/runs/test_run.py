"""Whole runs: what was saved comes back, and what is old, mixed or damaged is told in one sentence."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import EffortKind
from dynident.errors import FileError
from dynident.feasibility import retrieval_problem, solve_retrieval
from dynident.friction import linear
from dynident.monitoring import contact_monitor
from dynident.payload import Declared, identify_payload
from dynident.regression import build_problem, fit, refit_friction
from dynident.runs import (
    Stage,
    load_run,
    read_friction,
    read_monitor,
    read_parameters,
    read_payload,
    read_problem,
    read_samples,
    read_signs,
    read_validation,
    save_run,
    write_estimate,
    write_parameters,
    write_samples,
)
from dynident.signs import recover_signs
from dynident.validation import validate
from tests.logs import synthetic_log


def retrieved(estimate):
    return solve_retrieval(retrieval_problem(estimate))


@pytest.fixture(scope="module")
def stages():
    problem = build_problem(load_robot("planar_2r"), synthetic_log(noise=0.1), friction=linear(), cutoff=5.0)
    estimate = fit(problem)
    links = retrieved(estimate)
    return problem, estimate, links, validate(estimate, synthetic_log(noise=0.1, seed=4), links=links), links.sample(20)


@pytest.fixture(scope="module")
def recovered(stages):
    """As if the log had come without its signs."""
    log = synthetic_log(noise=0.1)
    unsigned = replace(log, effort=np.abs(log.effort), effort_kind=EffortKind.MAGNITUDE)
    found = recover_signs(load_robot("planar_2r"), unsigned, friction=linear())
    return replace(found, estimate=stages[1], links=stages[2])


def carried(estimate):
    return identify_payload(estimate, synthetic_log(noise=0.1, seed=5), declared=Declared(mass=0.3, com=(0.0, 0.1, 0.0)))


@pytest.fixture(scope="module")
def payload(stages):
    return carried(stages[1])


def refitted(estimate):
    """As if the estimate had got its friction from another log."""
    return replace(refit_friction(estimate, synthetic_log(noise=0.1, seed=6)), estimate=estimate)


@pytest.fixture(scope="module")
def friction(stages):
    return refitted(stages[1])


def watching(estimate, links):
    return contact_monitor(estimate, synthetic_log(noise=0.1, seed=7), links=links)


@pytest.fixture(scope="module")
def monitor(stages):
    return watching(stages[1], stages[2])


@pytest.fixture(scope="module")
def saved(stages, recovered, payload, friction, monitor, tmp_path_factory) -> Path:
    problem, estimate, links, validation, samples = stages
    folder = tmp_path_factory.mktemp("saved") / "deep" / "run"
    made = {"signs": recovered, "parameters": links, "validation": validation, "samples": samples, "payload": payload}
    save_run(folder, estimate, problem=problem, **made, friction=friction, monitor=monitor, seed=3)
    return folder


@pytest.fixture
def run(saved, tmp_path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "run"))


def test_what_was_saved_comes_back(run, stages, recovered, payload, friction, monitor):
    _, estimate, links, validation, samples = stages
    found = load_run(run)
    assert (str(found.estimate), str(found.parameters), str(found.validation)) == (str(estimate), str(links), str(validation))
    assert str(found.samples) == str(samples)
    np.testing.assert_array_equal(found.samples.x, samples.x)
    assert str(found.signs) == str(read_signs(run)) == str(recovered)
    assert found.signs.records() == recovered.records()
    for name in ("soft_signs", "posterior", "threshold"):
        np.testing.assert_array_equal(getattr(found.signs, name), getattr(recovered, name))
    assert [figure.data for figure in found.signs.figures()] == [figure.data for figure in recovered.figures()]
    assert str(found.payload) == str(read_payload(run)) == str(payload)
    assert found.payload.records() == payload.records()
    assert (found.payload.status, found.payload.evidence, found.payload.declared) == (payload.status, payload.evidence, payload.declared)
    np.testing.assert_array_equal(found.payload.effort, payload.effort)
    assert str(found.friction) == str(read_friction(run)) == str(friction)
    assert found.friction.records() == friction.records()
    assert [figure.data for figure in found.friction.figures()] == [figure.data for figure in friction.figures()]
    assert str(found.monitor) == str(read_monitor(run)) == str(monitor)
    assert found.monitor.records() == monitor.records()
    np.testing.assert_array_equal(fit(found.problem).std, estimate.std)
    assert dict(found.missing) == {}
    assert found.links_validated
    assert {document["schema"] for document in found.documents.values()} == {stage.value.schema for stage in Stage}
    assert found.documents[Stage.ESTIMATE]["seed"] == found.documents[Stage.PARAMETERS]["seed"] == 3


def test_stages_that_were_not_done_are_told(tmp_path, stages):
    save_run(tmp_path, replace(stages[1], problem=None))
    found = load_run(tmp_path)
    assert (found.signs, found.parameters, found.validation, found.samples, found.torque_spread, found.payload) == (None,) * 6
    assert found.friction is None
    assert found.monitor is None
    with pytest.raises(FileError, match=r"has no friction\.json, so no friction .* make it with: dynident friction .* DATA"):
        read_friction(tmp_path)
    assert set(found.missing) == {Stage.PARAMETERS, Stage.VALIDATION, Stage.SAMPLES}  # a log that has signs needs none
    with pytest.raises(FileError, match=r"has no signs\.json, so no signs .* make them with: dynident signs ROBOT DATA -o"):
        read_signs(tmp_path)
    with pytest.raises(FileError, match=r"has no payload\.json, so no payload .* make it with: dynident payload .* DATA"):
        read_payload(tmp_path)
    assert set(found.missing.values()) == {"This step has not been done yet."}
    with pytest.raises(FileError, match=r"has no problem\.npz that belongs to its estimate\.json; make it with: dynident identify"):
        _ = found.problem


def test_another_identification_makes_the_rest_stale(run, stages):
    other = build_problem(load_robot("planar_2r"), synthetic_log(noise=0.2, seed=8), friction=linear())
    write_estimate(run, fit(other), other)
    found = load_run(run)
    assert (found.signs, found.parameters, found.validation, found.payload, found.friction, found.monitor) == (None,) * 6
    assert set(found.missing.values()) == {"The robot has been identified again since this step was done."}
    for read in (read_signs, read_parameters, read_validation, read_samples, read_payload, read_friction, read_monitor):
        with pytest.raises(FileError, match="belongs to another estimate than the one in the folder"):
            read(run)
    write_estimate(run, stages[1], stages[0])  # the same again, to the last bit
    assert dict(load_run(run).missing) == {}


def test_an_old_problem_does_not_pass_for_that_of_a_new_estimate(run, stages):
    save_run(run, replace(stages[1], problem=None))
    assert (run / "problem.npz").is_file()
    assert load_run(run).estimate.problem is None
    with pytest.raises(FileError, match=r"no problem\.npz that belongs"):
        read_problem(run)


def test_other_link_parameters_are_not_those_that_were_validated(run, stages):
    links = retrieved(stages[1])
    write_parameters(run, type(links)(**{**vars(links), "x": 1.001 * links.x}))
    found = load_run(run)
    assert found.parameters is not None
    assert found.validation is not None
    assert not found.links_validated
    assert dict(found.missing) == {Stage.SAMPLES: "The link parameters have been retrieved again since this step was done."}
    with pytest.raises(FileError, match=r"belongs to other link parameters than those in the folder; make them with: dynident sample"):
        read_samples(run)


@pytest.mark.parametrize("stage", Stage)
def test_document_and_arrays_of_different_runs_are_not_mixed(run, stage, recovered, tmp_path):
    other = build_problem(load_robot("planar_2r"), synthetic_log(noise=0.2, seed=8), friction=linear())
    estimate = fit(other)
    signs = replace(recovered, estimate=estimate)
    links = retrieved(estimate)
    judged = validate(estimate, synthetic_log(seed=4))
    made = {"signs": signs, "parameters": links, "validation": judged, "samples": links.sample(5), "payload": carried(estimate)}
    made |= {"friction": refitted(estimate), "monitor": watching(estimate, links)}
    save_run(tmp_path / "other", estimate, **made)
    shutil.copy(tmp_path / "other" / stage.value.arrays, run)
    with pytest.raises(FileError, match=rf"{stage.value.arrays}: is not the one that {stage.value.document} was written with"):
        load_run(run)


def test_folders_of_older_versions_are_read(run):
    for stage in Stage:
        file = run / stage.value.document
        content = json.loads(file.read_text())
        del content["files"], content["made_from"]
        file.write_text(json.dumps(content))
    assert dict(load_run(run).missing) == {}
    read_problem(run)


@pytest.mark.parametrize("name", [name for stage in Stage for name in (stage.value.document, stage.value.arrays)])
def test_damage_is_one_sentence(run, name):
    content = (run / name).read_bytes()
    rng = np.random.default_rng(0)
    for stage in Stage:  # as in folders of older versions, where no digest tells it first
        file = run / stage.value.document
        document = json.loads(file.read_text())
        del document["files"]
        file.write_text(json.dumps(document))
    damaged = [b"", b"{", b"[1]", b"\xff\xfe", content[: len(content) // 2], content[: len(content) - 9], b"PK\x03\x04" + content[9:]]
    for place in rng.integers(0, len(content), 30).tolist():
        damaged.append(content[:place] + bytes(rng.integers(0, 256, 8, dtype=np.uint8)) + content[place + 8 :])
    for number, change in enumerate(damaged):
        (run / name).write_bytes(change)
        told = complaint(run)
        assert name in told or (told == "" and number >= 7), "so much damage can't go unnoticed"


def complaint(run: Path) -> str:
    """Of a FileError; any other error fails the test."""
    try:
        load_run(run)
    except FileError as error:
        return str(error)
    return ""


def test_a_result_that_is_read_while_another_process_renames_its_files_is_read_again(stages, tmp_path, monkeypatch):
    """The reader sees the new archive beside the old document; then it waits for the writer, which finishes meanwhile."""
    _, estimate, links, _, samples = stages
    save_run(tmp_path, estimate, parameters=links, samples=samples)
    document = tmp_path / Stage.SAMPLES.value.document
    old = document.read_bytes()
    write_samples(tmp_path, replace(samples, seed=samples.seed + 1))
    new = document.read_bytes()
    document.write_bytes(old)
    waited = []

    def write_meanwhile(folder):
        waited.append(folder)
        document.write_bytes(new)

    monkeypatch.setattr("dynident.runs.stages.wait_for_writer", write_meanwhile)
    assert read_samples(tmp_path).seed == samples.seed + 1
    assert waited == [tmp_path]
