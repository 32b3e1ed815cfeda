"""`dynident demo`, as a newcomer runs it; the pendulum is the quickest."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from dynident.data import load_dataset
from dynident.regression.comparison import compare
from dynident.routes.signs import SignVerdict
from dynident.runs import load_run


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory, dynident_in):
    folder = tmp_path_factory.mktemp("demo")
    return folder, dynident_in(folder, "demo", "1r", "-o", "run")


def test_the_run_folder_has_every_stage(demonstrated):
    folder, done = demonstrated
    assert done.returncode == 0, done.stderr
    names = {file.name for file in (folder / "run").iterdir()}
    stages = {"trajectory.csv", "log.npz", "estimate.json", "parameters.json", "validation.json", "model.urdf", "model.xml", "report.html"}
    assert stages | {"log_unsigned.npz", "signs.json", "signed"} <= names


def test_the_log_without_signs_gives_the_same_coefficients(demonstrated):
    folder, done = demonstrated
    unsigned, signed = load_run(folder / "run"), load_run(folder / "run" / "signed")
    assert unsigned.signs is not None
    assert signed.signs is None
    assert unsigned.signs.verdict is SignVerdict.CERTAIN
    log = load_dataset(folder / "run" / "log.npz")
    clear = np.abs(log.effort) > unsigned.signs.threshold
    assert np.mean((unsigned.signs.signs == np.sign(log.effort))[clear]) > 0.998
    assert compare(unsigned.estimate, signed.estimate).distance < 0.01
    assert unsigned.signs.sentence in " ".join(done.stdout.split())
    page = (folder / "run" / "report.html").read_text()
    assert '<section id="signs">' in page
    assert '<section id="beside">' in page


def test_the_numbers_that_matter_are_those_of_the_files(demonstrated):
    folder, done = demonstrated
    estimate = json.loads((folder / "run" / "estimate.json").read_text())
    assert f"Rank: {estimate['rank']} coefficients" in done.stdout
    digest = hashlib.sha256((folder / "run" / "log_unsigned.npz").read_bytes()).hexdigest()
    assert estimate["provenance"]["files"]["log_unsigned.npz"] == digest
    assert "Feasible: yes" in done.stdout
    assert "report.html" in done.stdout


def test_the_identified_model_beats_the_description(demonstrated):
    folder, _ = demonstrated
    validation = json.loads((folder / "run" / "validation.json").read_text())
    assert validation["relative_percent"] < 0.5 * validation["nominal"]["relative_percent"]


def test_a_motion_that_is_not_designed_takes_no_budget(dynident):
    done = dynident("demo", "3r", "--budget", "5")
    assert done.returncode == 2
    assert "--budget is for the design of a trajectory" in done.stderr


def test_an_unknown_robot_is_refused(dynident):
    done = dynident("demo", "scara")
    assert done.returncode == 2
    assert "no demo named 'scara'; known: panda, kuka, 1r, 3r" in done.stderr
