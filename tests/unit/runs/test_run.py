"""Whole runs: what was saved comes back, and what is old, mixed or damaged is told in one sentence."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.core import records
from dynident.dynamics.friction import linear
from dynident.errors import FileError, InputError, UnknownNameError
from dynident.links.samples import PosteriorSamples
from dynident.regression import build_problem, estimate
from dynident.regression.friction.refit import FrictionRefit
from dynident.routes.payload import PayloadEstimate
from dynident.routes.signs import SignRecovery
from dynident.runs import (
    MissingStageError,
    RunFolder,
    Stage,
    load_run,
    read_estimate,
    read_parameters,
    read_result,
    save_run,
    write_result,
)
from dynident.runs.folder import NOT_DONE
from tests.facts import raises
from tests.logs import synthetic_log
from tests.whole_run import all_stages


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("saved") / "deep" / "run"
    save_run(folder, **all_stages(), seed=3)
    return folder


@pytest.fixture
def run(saved, tmp_path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "run"))


def test_what_was_saved_comes_back(run):
    """Bit by bit in tests/contracts/test_stages.py."""
    made, found = all_stages(), load_run(run)
    assert {name: str(getattr(found, name)) for name in made} == {name: str(result) for name, result in made.items()}
    assert found.results == tuple(getattr(found, stage.key) for stage in Stage)
    for name in ("signs", "friction", "payload"):
        assert [figure.data for figure in getattr(found, name).figures()] == [figure.data for figure in made[name].figures()]
    assert (found.signs.estimate, found.friction.estimate, found.signs.links) == (found.estimate, found.estimate, found.parameters)
    np.testing.assert_array_equal(estimate(found.problem).std, made["estimate"].std)
    assert dict(found.missing) == {}
    assert found.stale == ()
    assert found.links_validated
    assert {document["schema"] for document in found.documents.values()} == {stage.document_kind.SCHEMA for stage in Stage}
    assert found.documents[Stage.ESTIMATE]["seed"] == found.documents[Stage.PARAMETERS]["seed"] == 3


def test_every_stage_is_opened_once(run, monkeypatch):
    opened: list[str] = []
    real = records._open

    def count(path: Path, remedy: str, arrays: bool):
        opened.append(path.name)
        return real(path, remedy, arrays)

    monkeypatch.setattr(records, "_open", count)
    load_run(run)
    assert sorted(opened) == sorted(stage.file for stage in Stage)


def test_stages_that_were_not_done_are_told(tmp_path):
    save_run(tmp_path, replace(all_stages()["estimate"], problem=None))
    found = load_run(tmp_path)
    assert (found.signs, found.parameters, found.validation, found.samples, found.torque_spread, found.payload) == (None,) * 6
    assert found.friction is None
    assert found.monitor is None
    assert set(found.missing) == {Stage.PARAMETERS, Stage.VALIDATION, Stage.SAMPLES}  # a log that has signs needs none
    commands = {FrictionRefit: "friction SOURCE DATA -o {}", SignRecovery: "signs ROBOT DATA -o {}", PayloadEstimate: "payload {} DATA"}
    for kind, command in commands.items():
        with raises(MissingStageError, reason=NOT_DONE) as raised:
            read_result(tmp_path, kind)
        assert raised.value.remedy == f"make it with: dynident {command.format(tmp_path)}"
    assert set(found.missing.values()) == {NOT_DONE}
    with raises(FileError, "data", "identify", file=str(tmp_path / Stage.ESTIMATE.file)):
        _ = found.problem


def test_another_identification_makes_the_rest_stale(run):
    other = build_problem(load_robot("planar_2r"), synthetic_log(noise=0.2, seed=8), friction=linear())
    write_result(run, estimate(other))
    found = load_run(run)
    assert (found.signs, found.parameters, found.validation, found.payload, found.friction, found.monitor) == (None,) * 6
    assert set(found.missing.values()) == {"This step was not done with estimate.safetensors as it is now."}
    for stage in set(Stage) - {Stage.ESTIMATE}:
        with raises(MissingStageError, Stage.ESTIMATE.file, file=str(run / stage.file)):
            read_result(run, stage.kind)
    write_result(run, all_stages()["estimate"])  # the same again, to the last bit
    assert dict(load_run(run).missing) == {}


def test_other_link_parameters_are_not_those_that_were_validated(run):
    links = all_stages()["parameters"]
    write_result(run, replace(links, x=1.001 * links.x))
    found = load_run(run)
    assert found.parameters is not None
    assert found.validation is not None
    assert not found.links_validated
    assert dict(found.missing) == {Stage.SAMPLES: "This step was not done with parameters.safetensors as it is now."}
    with raises(MissingStageError, Stage.PARAMETERS.file, "sample", file=str(run / Stage.SAMPLES.file)):
        read_result(run, PosteriorSamples)


def test_a_stage_is_known_by_the_class_of_its_result(tmp_path):
    with raises(InputError, "Path", "Estimate, SignRecovery, LinkParameters"):
        read_result(tmp_path, Path)
    with pytest.raises(UnknownNameError) as raised:
        save_run(tmp_path, all_stages()["estimate"], links=all_stages()["parameters"])
    assert (raised.value.name, raised.value.known) == ("links", tuple(stage.key for stage in Stage))
    assert list(tmp_path.iterdir()) == []


def test_the_stages_of_another_run_belong_to_another_estimate(run, tmp_path):
    save_run(tmp_path / "other", **all_stages(noise=0.2, seed=8))
    for stage in Stage:
        if stage is Stage.ESTIMATE:
            continue
        shutil.copy(tmp_path / "other" / stage.file, run)
        found = RunFolder(run).find(stage)
        assert isinstance(found, MissingStageError)
        assert found.file == str(run / stage.file)


def test_what_was_read_is_what_a_result_is_made_from(run):
    """Though another process writes another estimate meanwhile."""
    folder = RunFolder(run)
    read_estimate(folder)
    write_result(run, all_stages(noise=0.2, seed=8)["estimate"])
    write_result(folder, all_stages()["parameters"])
    with raises(MissingStageError, Stage.ESTIMATE.file, file=str(run / Stage.PARAMETERS.file)):
        read_parameters(run)


def test_a_folder_of_an_older_version_is_one_sentence(tmp_path):
    (tmp_path / "estimate.json").write_text("{}")
    np.savez(tmp_path / "estimate.npz", values=np.zeros(3))
    with raises(MissingStageError, "older", file=str(tmp_path / "estimate.npz")) as raised:
        load_run(tmp_path)
    assert raised.value.remedy == f"make it with: dynident identify ROBOT DATA -o {tmp_path}"


def test_a_document_that_is_not_of_its_record_is_named(run):
    digest = RunFolder(run).digest(Stage.ESTIMATE)
    (run / "estimate.json").write_text((run / "estimate.json").read_text().replace(digest, "0" * 64))
    (run / "validation.json").write_text("{")
    (run / "samples.json").unlink()
    found = load_run(run)
    assert found.stale == ("estimate.json", "validation.json", "samples.json")
    assert all(name in str(found) for name in found.stale)
    assert dict(found.missing) == {}  # documents are for people, and never read back


def test_a_process_that_ends_between_two_records_leaves_results_that_are_out_of_date(tmp_path, monkeypatch):
    """Those of the new estimate come first, and don't belong to the old one."""
    save_run(tmp_path, **all_stages())
    old, replaced = all_stages()["estimate"], list[str]()
    real = os.replace

    def end(source: str, target: str) -> None:
        if Path(target).name == Stage.ESTIMATE.file:
            raise OSError(5, "killed")
        replaced.append(Path(target).name)
        real(source, target)

    monkeypatch.setattr(os, "replace", end)
    with pytest.raises(FileError, match="killed"):
        save_run(tmp_path, **all_stages(noise=0.2, seed=8))
    assert replaced
    found = load_run(tmp_path)
    np.testing.assert_array_equal(found.estimate.values, old.values)
    assert found.results == (found.estimate,)
    assert set(found.missing) == {Stage.PARAMETERS, Stage.VALIDATION, Stage.SAMPLES}
    monkeypatch.undo()
    save_run(tmp_path, **all_stages(noise=0.2, seed=8))
    assert dict(load_run(tmp_path).missing) == {}
