"""`dynident demo`, as a newcomer runs it; the pendulum is the quickest."""

from __future__ import annotations

import hashlib
import json

import pytest


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory, dynident_in):
    folder = tmp_path_factory.mktemp("demo")
    return folder, dynident_in(folder, "demo", "1r", "--budget", "2", "-o", "run")


def test_the_run_folder_has_every_stage(demonstrated):
    folder, done = demonstrated
    assert done.returncode == 0, done.stderr
    names = {file.name for file in (folder / "run").iterdir()}
    stages = {"trajectory.csv", "log.npz", "estimate.json", "parameters.json", "validation.json", "model.urdf", "model.xml", "report.html"}
    assert stages <= names


def test_the_numbers_that_matter_are_those_of_the_files(demonstrated):
    folder, done = demonstrated
    estimate = json.loads((folder / "run" / "estimate.json").read_text())
    assert f"Rank: {estimate['rank']} coefficients" in done.stdout
    assert estimate["provenance"]["files"]["log.npz"] == hashlib.sha256((folder / "run" / "log.npz").read_bytes()).hexdigest()
    assert "Feasible: yes" in done.stdout
    assert "report.html" in done.stdout


def test_the_identified_model_beats_the_description(demonstrated):
    folder, _ = demonstrated
    validation = json.loads((folder / "run" / "validation.json").read_text())
    assert validation["relative_percent"] < 0.5 * validation["nominal"]["relative_percent"]


def test_an_unknown_robot_is_refused(dynident):
    done = dynident("demo", "scara")
    assert done.returncode == 2
    assert "no demo named 'scara'; known: panda, kuka, 1r, 3r" in done.stderr
