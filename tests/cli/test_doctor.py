"""`dynident doctor` as a user runs it: what it says, what it exits with, and the YAML that it writes."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml

from dynident.data import write_dataset
from tests.cli.test_identify import refused
from tests.logs import synthetic_log
from tests.schemas import validator

LOG = synthetic_log("spatial_3r", noise=0.1)


@pytest.fixture
def folder(tmp_path):
    write_dataset(LOG, tmp_path / "good.npz")
    write_dataset(replace(LOG, time=10.0 * LOG.time, effort=LOG.effort * [1, -1, 1]), tmp_path / "bad.csv")
    return tmp_path


def test_a_good_log(dynident, folder):
    done = dynident("doctor", "spatial_3r", "good.npz")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Nothing found" in done.stdout


def test_findings_name_the_options_that_mend_them(dynident, folder):
    done = dynident("doctor", "spatial_3r", "bad.csv")
    assert (done.returncode, done.stderr) == (1, "")
    assert "--sampling-rate 100" in done.stdout
    assert "--effort-signs 1,-1,1" in done.stdout
    mended = dynident("doctor", "spatial_3r", "bad.csv", "--sampling-rate", "100", "--effort-signs", "1,-1,1")
    assert (mended.returncode, mended.stderr) == (0, "")


def test_gravity_is_an_option(dynident, folder):
    done = dynident("doctor", "spatial_3r", "good.npz", "--gravity", "9.81,0,0")
    assert done.returncode == 1
    assert "--gravity 0,0,-9.8066" in done.stdout


def test_fix_writes_what_is_sure_and_the_log_is_good_then(dynident, folder):
    done = dynident("doctor", "spatial_3r", "bad.csv", "--fix", "--json")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    validator("diagnosis.json").validate(document)
    assert [finding["name"] for finding in document["findings"]] == ["time base", "effort sign"]
    assert document["written"] == "bad.csv.yaml"
    assert yaml.safe_load((folder / "bad.csv.yaml").read_text()) == document["recipe"] == {"rate": 100.0, "effort_signs": [1, -1, 1]}
    again = dynident("doctor", "spatial_3r", "bad.csv")
    assert (again.returncode, again.stderr) == (0, "")


def test_what_was_said_about_the_columns_is_written_too(dynident, folder):
    header = ";".join(["stamp", *(f"pos_{x}" for x in "abc"), *(f"load_{x}" for x in "abc")])
    table = np.column_stack([LOG.time, np.rad2deg(LOG.q), LOG.effort * [1, -1, 1]])
    np.savetxt(folder / "own.csv", table, delimiter=";", header=header, comments="")
    told = ("--map", "time=stamp", "--map", "q=pos_*", "--map", "torque=load_*", "--unit", "q=deg")
    assert dynident("doctor", "spatial_3r", "own.csv", *told, "--fix").returncode == 1
    lines = {"columns": {"time": ["stamp"], "q": ["pos_*"], "torque": ["load_*"]}, "units": {"q": "deg"}, "effort_signs": [1, -1, 1]}
    assert yaml.safe_load((folder / "own.csv.yaml").read_text()) == lines
    again = dynident("doctor", "spatial_3r", "own.csv")
    assert (again.returncode, again.stderr) == (0, "")
    (folder / "own.csv.yaml").unlink()
    right = dynident("doctor", "spatial_3r", "own.csv", *told, "--effort-signs", "1,-1,1", "--fix")
    assert (right.returncode, right.stderr) == (0, "")
    assert yaml.safe_load((folder / "own.csv.yaml").read_text()) == lines
    assert "Written" not in dynident("doctor", "spatial_3r", "own.csv", *told, "--effort-signs", "1,-1,1", "--fix").stdout


def test_fix_never_writes_over_a_file_unasked_and_combines_with_it_when_asked(dynident, folder):
    beside = folder / "bad.csv.yaml"
    beside.write_text("skip: 10\neffort_signs: [-1, -1, -1]\nrate: 100\n")
    before = beside.read_text()
    refused(
        dynident("doctor", "spatial_3r", "bad.csv", "--fix"), ["bad.csv.yaml: is there already", "--force", "effort_signs: [-1, 1, -1]"]
    )
    assert beside.read_text() == before
    done = dynident("doctor", "spatial_3r", "bad.csv", "--fix", "--force")
    assert "Written to bad.csv.yaml" in done.stdout
    found = yaml.safe_load(beside.read_text())
    assert found["skip"] == 10
    assert found["effort_signs"] == [1, -1, 1]
    assert dynident("doctor", "spatial_3r", "bad.csv").returncode == 0


def test_a_folder_wide_recipe_is_kept_and_a_file_of_its_own_is_written(dynident, folder):
    (folder / "dataset.yaml").write_text("skip: 5\n")
    assert dynident("doctor", "spatial_3r", "bad.csv", "--fix").returncode == 1
    assert yaml.safe_load((folder / "bad.csv.yaml").read_text())["skip"] == 5
    assert (folder / "dataset.yaml").read_text() == "skip: 5\n"


def test_bad_input_is_one_sentence(dynident, folder):
    refused(dynident("doctor", "spatial_3r", "good.npz", "bad.csv", "--fix"), ["--fix corrects the reading of one file, and 2 were given"])
    np.savez(folder / "samples.npz", q=np.zeros((5, 3)), g=np.ones((5, 3)))
    refused(dynident("doctor", "spatial_3r", "samples.npz"), ["the doctor looks at logs"])
    refused(dynident("doctor", "pendulum_1r", "good.npz"), ["the data have 3 joints"])


def test_a_page_shows_every_finding_with_its_figure(dynident, folder):
    done = dynident("doctor", "spatial_3r", "bad.csv", "--report", "page.html")
    assert (done.returncode, done.stderr) == (1, "")
    page = (folder / "page.html").read_text()
    assert "diagnosis of a log" in page
    for words in ("Time base", "Effort sign", "--effort-signs 1,-1,1", "velocity of joint1", "effort of joint2"):
        assert words in page
    refused(dynident("doctor", "spatial_3r", "bad.csv", "--report", "page.txt"), ["unknown suffix '.txt'"])


def test_identify_stops_at_a_fault_that_would_make_its_result_meaningless_unless_told_not_to(dynident, folder):
    stopped = dynident("identify", "spatial_3r", "bad.csv", "-o", "run")
    refused(stopped, ["clock runs 10 times too slowly", "--sampling-rate 100", "--effort-signs 1,-1,1", "--ignore-doctor"])
    assert not (folder / "run").exists()
    assert dynident("identify", "spatial_3r", "bad.csv", "-o", "run", "--ignore-doctor").returncode == 0
    sideways = dynident("identify", "spatial_3r", "good.npz", "-o", "other", "--gravity", "0,0,9.81")
    refused(sideways, ["gravity is along", "--gravity 0,0,-9.8066"])
    assert dynident("identify", "spatial_3r", "good.npz", "-o", "good").returncode == 0
