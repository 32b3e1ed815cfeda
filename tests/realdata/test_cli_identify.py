"""The command on real data: the numbers that the papers and independent prototypes give."""

from __future__ import annotations

import json

import pytest


def test_panda_log_trained_on_70_percent_predicts_the_rest(dynident, shared_data):
    log = shared_data / "panda_gaz2019" / "trajectory_1.npz"
    options = ["--friction", "linear", "--filter", 5, "--rate", 20, "--train", "0:0.7"]
    finished = dynident("identify", "panda", log, "-o", "run", *options)
    assert finished.returncode == 0, finished.stderr
    content = json.loads(dynident("validate", "run", log, "--part", "0.7:1", "--json").stdout)
    assert content["relative_percent"] <= 1.12
    assert len(content["rms_per_joint"]) == 7
    assert content["samples"] == 6163


def test_panda_controller_route(dynident, shared_data):
    finished = dynident("identify", "panda", shared_data / "panda_gaz2019" / "derived_M_g_1010.npz", "-o", "run", "--json")
    content = json.loads(finished.stdout)
    assert content["route"] == "controller"
    assert content["rank"] == 43
    assert content["condition_number"] == pytest.approx(48.906, abs=0.02)
