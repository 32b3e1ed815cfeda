"""`dynident doctor` as a user runs it: what it says, what it exits with, and the YAML that it writes."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml

from dynident import load_robot
from dynident.data import write_dataset
from dynident.dynamics import inverse_dynamics
from tests.cli.test_identify import refused
from tests.geared_arms import NAMES, make_arm
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
    assert document["recipe"] == {"sampling_rate": 100.0, "effort_signs": [1, -1, 1]}
    assert yaml.safe_load((folder / "bad.csv.yaml").read_text()) == document["recipe"]
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
    beside.write_text("skip: 10\neffort_signs: [-1, -1, -1]\nsampling_rate: 100\n")
    before = beside.read_text()
    refused(
        dynident("doctor", "spatial_3r", "bad.csv", "--fix"), ["bad.csv.yaml: is there already", "--overwrite", "effort_signs: [-1, 1, -1]"]
    )
    assert beside.read_text() == before
    done = dynident("doctor", "spatial_3r", "bad.csv", "--fix", "--overwrite")
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


@pytest.mark.parametrize(("arm", "seed"), [*((name, 1) for name in NAMES), ("elbow", 2), ("anthropomorphic", 1), ("pendulum", 1)])
def test_magnitudes_are_known_although_nothing_says_so_and_signs_is_the_next_step(dynident, tmp_path, arm, seed):
    made = make_arm(arm, tmp_path, seed=seed)
    write_dataset(made.log, tmp_path / "log.csv")
    words = (made.file.name, "log.csv")
    document = json.loads(dynident("doctor", *words, "--json").stdout)
    assert [(finding["name"], finding["confidence"]) for finding in document["findings"]] == [("magnitudes", "high")]
    assert document["recipe"] == {"effort_kind": "magnitude"}
    assert "dynident signs" in document["findings"][0]["remedy"]
    refused(dynident("identify", *words, "-o", "run"), ["--effort-kind magnitude", "dynident signs"])
    assert dynident("doctor", *words, "--fix").returncode == 1
    assert yaml.safe_load((tmp_path / "log.csv.yaml").read_text()) == {"effort_kind": "magnitude"}
    mended = dynident("doctor", *words, "--json")
    assert (mended.returncode, json.loads(mended.stdout)["findings"]) == (0, [])  # it has recovered the signs
    refused(dynident("identify", *words, "-o", "run"), ["dynident signs ROBOT DATA -o RUN"])
    assert dynident("signs", *words, "-o", "run").returncode == 0


@pytest.mark.parametrize("arm", ["elbow", "anthropomorphic", "pendulum"])
def test_what_has_signs_is_not_taken_for_magnitudes(dynident, tmp_path, arm):
    made = make_arm(arm, tmp_path, rotors=False)
    write_dataset(made.signed, tmp_path / "log.npz")
    names = [finding["name"] for finding in json.loads(dynident("doctor", made.file.name, "log.npz", "--json").stdout)["findings"]]
    assert not {"magnitudes", "unknown signs"} & set(names)


@pytest.mark.parametrize(("robot", "joints", "about"), [("pendulum_1r", 1, 0.9), ("planar_2r", 2, 0.1)])
def test_efforts_that_gravity_keeps_positive_are_no_magnitudes(dynident, tmp_path, robot, joints, about):
    log = synthetic_log(robot, noise=0.02, samples=2000)
    machine = load_robot(robot)
    q = about + 0.25 * (log.q - log.q.mean(axis=0))
    effort = inverse_dynamics(machine, machine.parameters, q, 0.25 * log.dq, 0.25 * log.ddq) + 0.3 * np.sign(log.dq)
    effort = effort * np.sign(effort.mean(axis=0))
    assert effort.min() > 0.0
    signed = replace(log, q=q, dq=0.25 * log.dq, ddq=None, effort=effort + 0.02 * np.random.default_rng(1).normal(size=effort.shape))
    write_dataset(signed, tmp_path / "log.npz")
    assert signed.n == joints
    document = json.loads(dynident("doctor", robot, "log.npz", "--json").stdout)
    assert "magnitudes" not in [finding["name"] for finding in document["findings"]]
    assert dynident("identify", robot, "log.npz", "-o", "run").returncode == 0


def test_magnitudes_that_no_signs_explain_are_not_said_to_fit(dynident, tmp_path):
    made = make_arm("offset_wrist", tmp_path)
    write_dataset(made.log, tmp_path / "log.npz")
    words = (made.file.name, "log.npz", "--effort-kind", "magnitude")
    assert dynident("doctor", *words).returncode == 0
    done = dynident("doctor", *words, "--gravity", "9.81,0,0")
    assert "Nothing found" not in done.stdout
    document = json.loads(dynident("doctor", *words, "--gravity", "9.81,0,0", "--json").stdout)
    assert [finding["name"] for finding in document["findings"]] == ["unknown signs"]
    assert dynident("signs", *words, "--gravity", "9.81,0,0", "-o", "run").returncode == 1
    short = replace(made.log, **{name: getattr(made.log, name)[:4] for name in ("time", "q", "effort")})
    write_dataset(short, tmp_path / "short.npz")
    document = json.loads(dynident("doctor", made.file.name, "short.npz", "--effort-kind", "magnitude", "--json").stdout)
    assert "unknown signs" in [finding["name"] for finding in document["findings"]]
