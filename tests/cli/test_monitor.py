"""`dynident monitor` as a user runs it: contacts, the page, thresholds that are kept, exported C, one sentence for bad input."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident.data import Dataset, write_dataset
from dynident.dynamics.friction import linear
from dynident.exports import model_from_run
from dynident.regression import build_problem, estimate
from dynident.runs import load_run, read_result, write_result
from dynident.validation.monitoring import ContactMonitor
from tests.browser.arm import arm, log


def touched(data: Dataset) -> Dataset:
    effort = data.effort.copy()
    effort[1000:1100, :3] += 25.0
    return replace(data, effort=effort)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, dynident_in) -> Path:
    made = tmp_path_factory.mktemp("monitor")
    recorded = replace(log(arm(), seconds=48.0), ddq=None)
    problem = build_problem(arm(), recorded.part(0, 0.34), friction=linear(), cutoff=8.0, rate=32.0)
    write_result(made / "run", estimate(problem))
    write_dataset(recorded.part(0.34, 0.67), made / "free.npz")
    write_dataset(touched(recorded.part(0.67, 1)), made / "work.npz")
    done = dynident_in(made, "monitor", "run", "work.npz", "--free", "free.npz", "--false-alarms", "0.05")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    (made / "printed.txt").write_text(done.stdout)
    return made


def test_it_prints_the_contacts_draws_them_and_keeps_the_thresholds(folder):
    printed = (folder / "printed.txt").read_text()
    for words in (
        "joint_3",
        "link_3",
        "One contact was found",
        "0.05 false alarms per hour",
        "Written to run/contacts.html, the thresholds to run",
    ):
        assert words in printed
    page = (folder / "run" / "contacts.html").read_text()
    assert re.search(r"1 contact in 15\.8\d* s of six-axis arm", page)
    document = json.loads((folder / "run" / "monitor.json").read_text())
    assert document["schema"] == "dynident/monitor/1"
    assert document["model"] == "coefficients"
    assert document["calibration"]["false_alarms"] == 0.05
    found = load_run(folder / "run").monitor
    assert found.calibration.source == "free.npz"
    np.testing.assert_array_equal([row["level"] for row in document["joints"]], found.level)


def test_the_thresholds_that_are_kept_are_used(folder, dynident_in):
    done = dynident_in(folder, "monitor", "run", "work.npz", "--json", "-o", "other.html")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    document = json.loads(done.stdout)
    (contact,) = document["contacts"]
    assert contact["link"] == "link_3"
    assert contact["duration"] > 0.4
    assert document["thresholds_from"] == "free.npz"
    assert document["written"] == "other.html"
    assert (folder / "other.html").is_file()


def test_without_any_the_quiet_parts_tell_them(folder, dynident_in, tmp_path):
    for name in ("estimate.json", "estimate.safetensors", "robot.json"):
        (tmp_path / name).write_bytes((folder / "run" / name).read_bytes())
    done = dynident_in(folder, "monitor", str(tmp_path), "work.npz", "--gain", "20", "--json")
    document = json.loads(done.stdout)
    assert len(document["contacts"]) == 1
    assert document["joints"][0]["gain"] == 20.0
    assert any("these data themselves" in note for note in document["notes"])
    assert not (tmp_path / "monitor.json").exists()


def test_generated_c_has_them(folder, dynident_in):
    done = dynident_in(folder, "export", "run", "--coefficients", "--c", "model")
    assert done.returncode == 0, done.stderr
    assert "no thresholds" not in done.stdout
    source = (folder / "model" / "six_axis_arm_monitor.c").read_text()
    assert repr(float(read_result(folder / "run", ContactMonitor).level[2])) in source


def test_what_does_not_go_together_is_said(folder, dynident_in):
    for words, told in (
        (("work.npz", "--gain", "30"), "--gain: run has thresholds for other settings"),
        (("work.npz", "-o", "page.txt"), "unknown suffix '.txt'"),
        (("work.npz", "--free", "none.npz"), "none.npz"),
        (("work.npz", "--free", "free.npz", "--gain", "1,2"), "gain has shape (2,)"),
        (("work.npz", "--part", "0.9:0.1"), "--part"),
    ):
        done = dynident_in(folder, "monitor", "run", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert told in done.stderr
        assert done.stderr.count("\n") == 1


def test_after_another_identification_the_thresholds_no_longer_count(folder, dynident_in):
    problem = build_problem(arm(), replace(log(arm(), seconds=16.0), ddq=None), friction=linear(), cutoff=7.0, rate=28.0)
    write_result(folder / "run", estimate(problem))
    done = dynident_in(folder, "monitor", "run", "work.npz")
    assert done.returncode == 2
    assert "was not made from estimate.safetensors as it is now" in done.stderr
    assert "give a log without contacts again, with --free FILE" in done.stderr
    assert load_run(folder / "run").monitor is None
    assert model_from_run(folder / "run", from_coefficients=True).monitor is None
