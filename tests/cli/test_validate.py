"""`dynident validate` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dynident.data import write_dataset
from tests.cli.test_identify import refused
from tests.logs import synthetic_log, synthetic_samples


@pytest.fixture
def folder(tmp_path: Path, dynident) -> Path:
    write_dataset(synthetic_log(noise=0.5, samples=3000), tmp_path / "log.npz")
    finished = dynident("identify", "planar_2r", "log.npz", "-o", "run", "--train", "0:0.7", "--filter", "6", "--rate", "25")
    assert finished.returncode == 0, finished.stderr
    return tmp_path


def test_held_out_errors_are_those_of_evaluate(dynident, folder):
    finished = dynident("validate", "run", "log.npz", "--part", "0.7:1", "--json")
    assert (finished.returncode, finished.stderr) == (0, "")
    content = json.loads(finished.stdout)
    assert content == json.loads((folder / "run" / "validation.json").read_text())
    evaluated = json.loads(dynident("evaluate", "run", "log.npz", "--part", "0.7:1", "--json").stdout)
    assert content["relative_percent"] == pytest.approx(evaluated["relative_percent"], rel=1e-9)
    for name in ("rms_per_joint", "relative_percent_per_joint"):
        assert content[name] == pytest.approx(evaluated[name], rel=1e-9)
    assert content["provenance"]["part"] == [0.7, 1.0]
    assert content["provenance"]["command"].startswith("dynident validate run log.npz")
    assert list(content["provenance"]["files"]) == ["log.npz"]
    assert content["notes"] == []


def test_tables_and_folds(dynident, folder):
    finished = dynident("validate", "run", "log.npz", "--part", "0.7:1", "--folds", "3")
    assert finished.returncode == 0, finished.stderr
    words = (
        "Errors per joint",
        "within 95 % band",
        "nominal, no friction",
        "Worst moments",
        "Cross-validation in 3 parts",
        "Written to run",
    )
    assert all(word in finished.stdout for word in words), finished.stdout
    assert len(json.loads((folder / "run" / "validation.json").read_text())["folds"]["parts"]) == 3


def test_link_parameters_are_judged_where_there_are_some(dynident, folder):
    assert dynident("retrieve", "run", "--no-ranges").returncode == 0
    content = json.loads(dynident("validate", "run", "log.npz", "--part", "0.7:1", "--json").stdout)
    assert [item["model"] for item in content["models"]] == ["coefficients"] * 2 + ["links"] * 2 + ["nominal"] * 2


def test_data_of_the_fit_are_no_test(dynident, folder):
    content = json.loads(dynident("validate", "run", "log.npz", "--json").stdout)
    assert "no test on new data" in content["notes"][0]


def test_bad_input(dynident, folder):
    refused(dynident("validate", "nowhere", "log.npz"), ["nowhere", "no such run folder", "dynident identify"])
    (folder / "empty").mkdir()
    refused(dynident("validate", "empty", "log.npz"), ["empty", "estimate.json", "dynident identify"])
    refused(dynident("validate", "run", "missing.npz"), ["missing.npz"])
    refused(dynident("validate", "run", "log.npz", "--part", "1:0"), ["--part", "1:0"])
    refused(dynident("validate", "run", "log.npz", "--folds", "1"), ["--folds"])
    refused(dynident("validate", "run", "log.npz", "--folds", "90"), ["folds"])
    refused(dynident("validate", "run", "log.npz", "--filter", "fast"), ["--filter", "'fast'"])
    write_dataset(synthetic_log("spatial_3r"), folder / "three.npz")
    refused(dynident("validate", "run", "three.npz"), ["3 joints", "has 2"])
    write_dataset(synthetic_samples("planar_2r"), folder / "samples.npz")
    refused(dynident("validate", "run", "samples.npz"), ["samples of M and g", "dynident evaluate"])
    np.savez(folder / "no_effort.npz", t=np.arange(9.0), q=np.zeros((9, 2)))
    refused(dynident("validate", "run", "no_effort.npz"), ["effort"])
    assert not (folder / "run" / "validation.json").exists()
    assert not (folder / "run" / "validation.npz").exists()


def test_link_parameters_of_another_estimate_are_refused(dynident, folder):
    dynident("retrieve", "run", "--no-ranges")
    dynident("identify", "planar_2r", "log.npz", "-o", "run", "--train", "0:0.6")
    refused(dynident("validate", "run", "log.npz", "--part", "0.7:1"), ["parameters.json", "another estimate", "dynident retrieve"])
