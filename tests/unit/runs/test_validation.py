"""validation.safetensors and validation.json: there and back, and out of date."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot, regression
from dynident.dynamics.friction import linear
from dynident.regression import build_problem
from dynident.runs import read_result, write_result
from dynident.runs.folder import MissingStageError
from dynident.runs.stages import MOST_SAMPLES, StageOrigin
from dynident.validation import Validation, validate
from tests.facts import raises
from tests.logs import synthetic_log

KEYS = {
    "schema",
    "robot",
    "source",
    "identified_from",
    "samples",
    "rows_per_joint",
    "equations",
    "recommended",
    "advice",
    "doubts",
    "links_hold",
    "fit",
    "units",
    "relative_percent",
    "rms_per_joint",
    "mse_per_joint",
    "relative_percent_per_joint",
    "r_squared_per_joint",
    "nominal",
    "models",
    "band",
    "worst",
    "folds",
    "preprocessing",
    "notes",
    "provenance",
    "seen_by_fit",
    "files",
    "made_from",
    "versions",
}


@pytest.fixture
def made(tmp_path: Path) -> Validation:
    log = synthetic_log(noise=0.3, samples=9000)
    problem = build_problem(load_robot("planar_2r"), log, friction=linear(), cutoff=None)
    estimate = regression.estimate(problem)
    write_result(tmp_path, estimate)
    return validate(estimate, synthetic_log(noise=0.3, samples=9000, seed=4), folds=2)


@pytest.fixture
def run(tmp_path: Path, made: Validation) -> Path:
    write_result(tmp_path, made, origin=StageOrigin(command="by hand"))
    return tmp_path


def test_the_document(run):
    content = json.loads((run / "validation.json").read_text())
    assert set(content) == KEYS
    assert content["schema"] == "dynident/validation/2"
    assert content["recommended"] in ("coefficients", "nominal")
    assert content["links_hold"] is None  # there are none
    assert content["equations"] == 18_000
    assert content["fit"]["cross_validated"]["std_percent"] > 0.0
    assert content["models"][0]["relative_percent"] == content["relative_percent"]
    assert content["nominal"]["model"] == "nominal"
    joints = list(load_robot("planar_2r").joint_names)
    for name in ("rms_per_joint", "relative_percent_per_joint", "r_squared_per_joint", "units"):
        assert list(content[name]) == joints
    assert len(content["folds"]["relative_percent"]) == 2
    assert content["provenance"]["command"] == "by hand"
    assert content["provenance"]["recordings"][0]["ranges"] == [[0, 9000, 9000]]
    assert content["seen_by_fit"] == 0.0


def test_there_and_back(run, made):
    read = read_result(run, Validation)
    assert read.joints == made.joints
    assert str(read) == str(made)
    for a, b in zip(made.models, read.models, strict=True):
        np.testing.assert_array_equal(a.rms, b.rms)
        assert (a.grade, a.joint_grades, a.percent_text, a.wide_percent) == (b.grade, b.joint_grades, b.percent_text, b.wide_percent)
    assert read.band.departures == made.band.departures
    np.testing.assert_array_equal(read.coverage_percent, made.coverage_percent)
    assert read.folds.percent_text == made.folds.percent_text
    for item in read.series:
        assert len(item.time) <= MOST_SAMPLES
        assert set(item.predicted) == set(made.series[0].predicted)
    np.testing.assert_array_equal(read.series[0].measured, made.series[0].measured[::3])


def test_another_identification_makes_it_out_of_date(run):
    problem = build_problem(load_robot("planar_2r"), synthetic_log(noise=0.1, seed=7), friction=linear(), cutoff=None)
    write_result(run, regression.estimate(problem))
    with raises(MissingStageError, "estimate.safetensors", file=str(run / "validation.safetensors")):
        read_result(run, Validation)


def test_what_is_missing_is_named(tmp_path):
    with raises(MissingStageError, "identify", file=str(tmp_path / "nowhere")):
        read_result(tmp_path / "nowhere", Validation)
    with raises(MissingStageError, "validate"):
        read_result(tmp_path, Validation)
