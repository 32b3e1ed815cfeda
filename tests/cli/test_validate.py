"""`dynident validate` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dynident import regression
from dynident.data import Dataset, low_pass, write_dataset
from dynident.dynamics.friction import linear
from dynident.regression import build_problem, identify, residuals
from dynident.robots import load_robot
from dynident.runs import read_estimate, write_result
from tests.cli.test_identify import arrays, refused
from tests.logs import synthetic_log, synthetic_samples


@pytest.fixture
def folder(tmp_path: Path, dynident) -> Path:
    write_dataset(synthetic_log(noise=0.5, samples=3000), tmp_path / "log.npz")
    finished = dynident("identify", "planar_2r", "log.npz", "-o", "run", "--train", "0:0.7", "--filter", "6", "--rate", "25")
    assert finished.returncode == 0, finished.stderr
    return tmp_path


def test_held_out_errors_are_those_of_the_library(dynident, folder):
    finished = dynident("validate", "run", "log.npz", "--part", "0.7:1", "--json")
    assert (finished.returncode, finished.stderr) == (0, "")
    content = json.loads(finished.stdout)
    assert content == json.loads((folder / "run" / "validation.json").read_text())
    log, robot = synthetic_log(noise=0.5, samples=3000).part(0.7, 1), load_robot("planar_2r")
    expected = residuals(build_problem(robot, log, friction=linear(), cutoff=6, rate=25), read_estimate(folder / "run").values)
    assert content["relative_percent"] == pytest.approx(expected.relative_percent, rel=1e-9)
    assert list(content["rms_per_joint"]) == list(robot.joint_names)
    assert list(content["rms_per_joint"].values()) == pytest.approx(expected.rms_per_group, rel=1e-9)
    assert list(content["mse_per_joint"].values()) == pytest.approx(np.square(expected.rms_per_group), rel=1e-9)
    assert all("mse_per_joint" in model for model in content["models"])
    assert list(content["relative_percent_per_joint"].values()) == pytest.approx(expected.relative_percent_per_group, rel=1e-9)
    assert content["samples"] == 900
    assert content["provenance"]["part"] == [0.7, 1.0]
    assert content["provenance"]["command"].startswith("dynident validate run log.npz")
    assert list(content["provenance"]["files"]) == ["log.npz"]
    assert [note for note in content["notes"] if "repeats that of the fit" not in note] == []  # which this motion does
    assert content["advice"].startswith("Use the coefficients: ")
    assert content["recommended"] == "coefficients"
    assert content["rows_per_joint"] == dict.fromkeys(robot.joint_names, content["equations"] // 2)


def test_tables_and_folds(dynident, folder):
    finished = dynident("validate", "run", "log.npz", "--part", "0.7:1", "--folds", "3")
    assert finished.returncode == 0, finished.stderr
    words = (
        "Errors per joint",
        "within 95 % band",
        "nominal, no friction",
        "Worst moments",
        "Cross-validated error",
        "3 parts of the log",
        "900 samples, of which 196 rows per joint were used",
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


def test_on_its_own_data_the_error_is_that_of_the_estimate(dynident, folder):
    finished = dynident("validate", "run", "log.npz", "--part", "0:0.7")
    assert finished.returncode == 0
    estimate = read_estimate(folder / "run")
    assert f"{estimate.residuals.relative_percent:.3g}" in finished.stdout
    assert all(name in finished.stdout for name in estimate.base.robot.joint_names)


def test_columns_and_units_are_remembered(dynident, tmp_path):
    content = arrays(q=np.rad2deg(synthetic_log().q), tau=None)
    np.savez(tmp_path / "log.npz", **content, load=1e3 * synthetic_log().effort)
    options = ["--map", "effort=load", "--unit", "q=deg", "--unit", "dq=rad/s", "--unit", "ddq=rad/s^2", "--unit", "effort=mNm"]
    finished = dynident("identify", "planar_2r", "log.npz", "-o", "run", *options)
    assert finished.returncode == 0, finished.stderr
    assert json.loads(dynident("validate", "run", "log.npz", "--json").stdout)["relative_percent"] < 1e-6
    np.savez(tmp_path / "si.npz", **arrays())
    other = ["--map", "effort=tau", "--unit", "q=rad", "--unit", "effort=Nm"]
    assert json.loads(dynident("validate", "run", "si.npz", "--json", *other).stdout)["relative_percent"] < 1e-6


def test_controller_samples_are_judged_element_by_element(dynident, tmp_path):
    write_dataset(synthetic_samples(), tmp_path / "samples.npz")
    write_dataset(synthetic_samples(seed=2), tmp_path / "other.npz")
    dynident("identify", "spatial_3r", "samples.npz", "-o", "run")
    content = json.loads(dynident("validate", "run", "other.npz", "--part", "0:0.5", "--json").stdout)
    assert content["relative_percent"] < 1e-8
    assert (content["samples"], content["provenance"]["part"]) == (30, [0.0, 0.5])
    assert set(content["rms_per_joint"]) >= {"g2", "g3"}
    finished = dynident("validate", "run", "other.npz")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "g (" in finished.stdout
    assert not (tmp_path / "run" / "validation.json").exists()
    refused(dynident("validate", "run", "other.npz", "--folds", "3"), ["--folds", "controller samples"])


def test_a_model_with_columns_of_its_own_needs_them(dynident, folder):
    log = synthetic_log()
    problem = build_problem(load_robot("planar_2r"), log, friction=linear(), extra={"spring": log.q}, cutoff=None)
    write_result(folder / "spring", regression.estimate(problem))
    refused(dynident("validate", "spring", "log.npz"), ["extra column", "spring"])


def test_bad_input(dynident, folder):
    refused(dynident("validate", "nowhere", "log.npz"), ["nowhere", "no such run folder", "dynident identify"])
    (folder / "empty").mkdir()
    refused(dynident("validate", "empty", "log.npz"), ["empty", "estimate.safetensors", "dynident identify"])
    refused(dynident("validate", "run", "missing.npz"), ["missing.npz"])
    refused(dynident("validate", "run", "log.npz", "--part", "1:0"), ["--part", "1:0"])
    refused(dynident("validate", "run", "log.npz", "--folds", "1"), ["--folds"])
    refused(dynident("validate", "run", "log.npz", "--folds", "101"), ["folds", "2 to 100"])
    refused(dynident("validate", "run", "log.npz", "--filter", "fast"), ["--filter", "'fast'"])
    write_dataset(synthetic_log("spatial_3r"), folder / "three.npz")
    refused(dynident("validate", "run", "three.npz"), ["3 joints", "has 2"])
    write_dataset(synthetic_samples("planar_2r"), folder / "samples.npz")
    refused(dynident("validate", "run", "samples.npz"), ["controller samples", "a log"])
    np.savez(folder / "no_effort.npz", t=np.arange(9.0), q=np.zeros((9, 2)))
    refused(dynident("validate", "run", "no_effort.npz"), ["effort"])
    assert not (folder / "run" / "validation.json").exists()
    assert not (folder / "run" / "validation.safetensors").exists()
    (folder / "run" / "estimate.safetensors").write_bytes(b"broken")
    refused(dynident("validate", "run", "log.npz"), ["estimate.safetensors"])


def test_link_parameters_of_another_estimate_are_refused(dynident, folder):
    dynident("retrieve", "run", "--no-ranges")
    dynident("identify", "planar_2r", "log.npz", "-o", "run", "--train", "0:0.6")
    refused(
        dynident("validate", "run", "log.npz", "--part", "0.7:1"),
        ["parameters.safetensors", "was not made from estimate.safetensors", "dynident retrieve"],
    )


def test_filters_per_signal_are_remembered(dynident, tmp_path):
    """As the papers do; the same numbers as the function gives."""
    log = synthetic_log(noise=0.05)
    np.savez(tmp_path / "log.npz", t=log.time, q=log.q, tau=log.effort)
    options = ["--low-pass", "q=4", "--low-pass", "effort=2,3", "--filter", "none", "--friction", "linear"]
    done = dynident("identify", "planar_2r", "log.npz", "-o", "run", *options)
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "run" / "estimate.json").read_text())
    assert document["preprocessing"]["read"] == {"low_pass": {"q": [4.0], "effort": [2.0, 3.0]}}
    bare = Dataset(time=log.time, q=log.q, effort=log.effort, effort_kind="torque")
    expected = identify(load_robot("planar_2r"), low_pass(bare, {"q": 4.0, "effort": [2.0, 3.0]}), friction=linear(), cutoff=None)
    np.testing.assert_allclose([row["value"] for row in document["coefficients"]], expected.values, rtol=1e-9)
    assert "low-pass of q at 4 Hz" in dynident("validate", "run", "log.npz", "--part", "0.7:1").stdout
    refused(dynident("identify", "planar_2r", "log.npz", "-o", "run", "--low-pass", "q"), ["--low-pass is 'q'", "effort=2"])


def test_a_delay_is_remembered_and_what_was_left_out_is_not(dynident, tmp_path):
    log = synthetic_log(noise=0.05)
    effort = np.array(log.effort)
    effort[300:310] += 500.0  # a push
    np.savez(tmp_path / "log.npz", t=log.time[5:], q=log.q[5:], dq=log.dq[5:], ddq=log.ddq[5:], tau=effort[:-5])
    options = ["--delay", "0.05", "--train", "0:0.7", "--without", "2.9:3.2"]
    assert dynident("identify", "planar_2r", "log.npz", "-o", "run", *options).returncode == 0
    document = json.loads((tmp_path / "run" / "estimate.json").read_text())
    assert document["preprocessing"]["read"] == {"delay": [0.05]}
    assert "efforts 0.05 s earlier, without 2.9:3.2 s" in document["source"]
    good = json.loads(dynident("validate", "run", "log.npz", "--part", "0.7:1", "--json").stdout)
    assert good["relative_percent"] < 2.0
    late = json.loads(dynident("validate", "run", "log.npz", "--part", "0.7:1", "--json", "--delay", "-0.05").stdout)
    assert late["relative_percent"] > 5.0
    refused(dynident("identify", "planar_2r", "log.npz", "-o", "run", "--without", "99:100"), ["without 99:100 holds no sample", "14.99 s"])
    refused(dynident("identify", "planar_2r", "log.npz", "-o", "run", "--without", "2"), ["--without is '2'", "12.5:13.1"])
    slow = dynident("identify", "planar_2r", "log.npz", "-o", "run", "--sampling-rate", "10", "--json", "--ignore-doctor")
    assert json.loads(slow.stdout)["preprocessing"]["read"] == {"sampling_rate": 10.0}


def test_gains_of_the_identification_are_those_of_the_validation(dynident, tmp_path):
    log = synthetic_log(noise=0.05)
    gains = np.array([14.9, -12.0])
    np.savez(tmp_path / "log.npz", t=log.time, q=log.q, dq=log.dq, ddq=log.ddq, current=log.effort / gains)
    finished = dynident("identify", "planar_2r", "log.npz", "-o", "run", "--map", "ddq=none")
    assert finished.returncode == 2
    assert "current rather than torque" in finished.stderr
    assert "--effort-gains 14.9,-12.1" in finished.stderr
    options = ["--effort-gains", "14.9,-12", "--map", "ddq=none", "--train", "0:0.7"]
    assert dynident("identify", "planar_2r", "log.npz", "-o", "run", *options).returncode == 0
    read = json.loads((tmp_path / "run" / "estimate.json").read_text())["preprocessing"]["read"]
    assert (read["effort_gains"], read["columns"]) == ([14.9, -12.0], {"ddq": ["none"]})
    good = json.loads(dynident("validate", "run", "log.npz", "--part", "0.7:1", "--json").stdout)
    assert good["relative_percent"] < 2.0
    assert good["preprocessing"]["differentiated"] == ["ddq"]
    flipped = json.loads(dynident("validate", "run", "log.npz", "--part", "0.7:1", "--json", "--effort-signs", "-1").stdout)
    assert flipped["relative_percent"] > 150.0
    refused(dynident("identify", "planar_2r", "log.npz", "-o", "run", "--effort-gains", "1,x"), ["--effort-gains[1]", "'x'"])
