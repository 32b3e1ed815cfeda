"""`dynident identify` as a user runs it: both routes, and what goes wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident.data import write_dataset
from dynident.runs import read_estimate
from dynident.validation import cross_validate
from tests.logs import FRICTION, synthetic_log, synthetic_samples

RUN_FILES = {"estimate.json", "estimate.safetensors", "robot.json"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_dataset(synthetic_log(noise=0.05), tmp_path / "log.npz")
    return tmp_path


def arrays(**changes):
    """The arrays of a log as a user's own file has them."""
    log = synthetic_log()
    found = {"t": log.time, "q": log.q, "dq": log.dq, "ddq": log.ddq, "tau": log.effort} | changes
    return {name: values for name, values in found.items() if values is not None}


def test_a_log_gives_a_run_folder_and_tables(dynident, folder):
    finished = dynident("identify", "planar_2r", "log.npz", "-o", "run")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert {file.name for file in (folder / "run").iterdir()} == RUN_FILES
    out = finished.stdout
    assert "planar_2r, identified from a log (log.npz)" in out
    assert "classical route, 1500 samples" in out
    assert all(title in out for title in ("Dynamic coefficients", "Friction (viscous+coulomb+offset)", "Residuals"))
    assert "Rank" in out
    assert "tolerance" in out
    assert "condition number" in out
    estimate = read_estimate(folder / "run")
    np.testing.assert_allclose(estimate.friction_parameters, [FRICTION, FRICTION], atol=0.05)
    assert all(expression in out for expression in estimate.base.expressions)
    assert "m1" in out.split("whatever the motion:")[1]  # names what no motion shows
    assert "\x1b" not in out


def test_python_does_the_same_with_the_same_left_out(dynident, tmp_path):
    from dynident import identify, load_robot
    from dynident.data import load_recording

    np.savez(tmp_path / "log.npz", **arrays(ddq=None))
    write_dataset(synthetic_samples(), tmp_path / "samples.npz")
    for robot, data in (("planar_2r", "log.npz"), ("spatial_3r", "samples.npz")):
        assert dynident("identify", robot, data, "-o", "run").returncode == 0
        kept, found = read_estimate(tmp_path / "run"), identify(load_robot(robot), load_recording(tmp_path / data))
        np.testing.assert_array_equal(kept.values, found.values)
        np.testing.assert_array_equal(kept.covariance, found.covariance)
        assert kept.notes == found.notes


def test_json_is_estimate_json(dynident, folder):
    finished = dynident("identify", "planar_2r", "log.npz", "-o", "run", "--json", "--seed", "3")
    assert json.loads(finished.stdout) == json.loads((folder / "run" / "estimate.json").read_text())
    assert json.loads(finished.stdout)["seed"] == 3


def test_the_error_is_that_of_parts_that_the_fit_has_not_seen(dynident, folder):
    finished = dynident("identify", "planar_2r", "log.npz", "-o", "run", "--filter", "6")
    assert finished.returncode == 0, finished.stderr
    content = json.loads((folder / "run" / "estimate.json").read_text())
    found, expected = content["cross_validation"], cross_validate(read_estimate(folder / "run"))
    assert found["relative_percent"] == pytest.approx(expected.relative_percent, rel=1e-9)
    assert f"Cross-validated error {expected.percent_text}" in finished.stdout
    assert "at 6 Hz" in expected.percent_text
    assert found["mean_percent"] > content["residual"]["relative_percent"]
    assert f"Behind a filter of 20 Hz the fit leaves {found['wide_percent']:.2g} %" in finished.stdout


def test_samples_of_m_and_g_take_the_controller_route(dynident, tmp_path):
    write_dataset(synthetic_samples(), tmp_path / "samples.npz")
    finished = dynident("identify", "spatial_3r", "samples.npz", "-o", "run")
    assert finished.returncode == 0, finished.stderr
    assert "controller route, 60 samples" in finished.stdout
    assert "M (6 elements)" in finished.stdout
    content = json.loads((tmp_path / "run" / "estimate.json").read_text())
    assert (content["route"], content["rank"], content["friction"]) == ("controller", 15, [])
    gravity = dynident("identify", "spatial_3r", "samples.npz", "-o", "gravity", "--equations", "gravity", "--json")
    assert set(json.loads(gravity.stdout)["residual"]["rms_per_joint"]) <= {"g1", "g2", "g3"}


def test_options_reach_the_problem_and_the_fit(dynident, folder):
    options = ["--friction", "viscous+coulomb", "--filter", "4", "--rate", "20", "--train", "0:0.8", "--noise-model", "per_group"]
    options += ["--loss", "huber", "--known", "fv1=0.4", "--gravity", "0,-9.8,0"]
    finished = dynident("identify", "planar_2r", "log.npz", "-o", "run", *options)
    assert finished.returncode == 0, finished.stderr
    estimate = read_estimate(folder / "run")
    assert estimate.base.friction is not None
    assert estimate.base.friction.name == "viscous+coulomb"
    assert dict(estimate.base.known) == {"fv1": 0.4}
    assert estimate.base.robot.gravity.tolist() == [0, -9.8, 0]
    summary = estimate.summary
    assert (summary.samples, summary.noise, summary.loss, summary.drop_above_percent) == (1200, "per_group", "huber", None)
    assert (summary.processing.cutoff_hz, summary.processing.rate_hz) == (4.0, pytest.approx(20.0))
    assert summary.source.endswith("part 0:0.8")


def test_several_files_make_one_dataset(dynident, folder):
    write_dataset(synthetic_log(seed=5), folder / "second.npz")
    dynident("identify", "planar_2r", "log.npz", "second.npz", "-o", "run")
    assert read_estimate(folder / "run").summary.samples == 3000


def test_a_log_without_accelerations_is_filtered_unless_told_otherwise(dynident, tmp_path):
    np.savez(tmp_path / "log.npz", **arrays(ddq=None))
    content = json.loads(dynident("identify", "planar_2r", "log.npz", "-o", "run", "--json").stdout)
    assert content["preprocessing"]["cutoff_hz"] == 5
    assert "no accelerations" in content["notes"][0]
    assert "another cutoff" in content["notes"][0]
    raw = json.loads(dynident("identify", "planar_2r", "log.npz", "-o", "run", "--json", "--filter", "none").stdout)
    assert "cutoff_hz" not in raw["preprocessing"]
    assert any("no filter follows" in note for note in raw["notes"])


def test_columns_units_and_effort_kind(dynident, tmp_path):
    log = synthetic_log()
    degrees = {"stamp": 1e3 * log.time, "pos": np.rad2deg(log.q), "speed": np.rad2deg(log.dq), "load": log.effort}
    np.savez(tmp_path / "log.npz", **degrees)
    maps = ["--map", "time=stamp", "--map", "q=pos", "--map", "dq=speed", "--map", "effort=load"]
    units = ["--unit", "time=ms", "--unit", "q=deg", "--unit", "dq=deg/s", "--effort-kind", "torque"]
    finished = dynident("identify", "planar_2r", "log.npz", "-o", "run", "--json", *maps, *units)
    assert finished.returncode == 0, finished.stderr
    content = json.loads(finished.stdout)
    assert content["residual"]["relative_percent"] < 2
    assert content["preprocessing"]["read"]["units"] == {"time": "ms", "q": "deg", "dq": "deg/s"}


def test_joints_that_the_file_names_are_put_into_the_robots_order(dynident, tmp_path):
    log = synthetic_log()
    robot = read_names("planar_2r")
    write_dataset(replace(log, joint_names=robot).select(robot[::-1]), tmp_path / "log.npz")
    content = json.loads(dynident("identify", "planar_2r", "log.npz", "-o", "run", "--json").stdout)
    assert content["residual"]["relative_percent"] < 1e-6


def read_names(robot: str) -> tuple[str, ...]:
    from dynident import load_robot

    return load_robot(robot).joint_names


def test_a_joint_that_never_moves_is_named_and_the_rest_identified(dynident, tmp_path):
    from dynident import load_robot
    from dynident.dynamics import inverse_dynamics

    log, still, robot = synthetic_log(), np.array([1.0, 0.0]), load_robot("planar_2r")
    q, dq, ddq = log.q * still, log.dq * still, log.ddq * still
    tau = inverse_dynamics(robot, robot.parameters, q, dq, ddq) + 0.3 * dq
    np.savez(tmp_path / "log.npz", t=log.time, q=q, dq=dq, ddq=ddq, tau=tau)
    finished = dynident("identify", "planar_2r", "log.npz", "-o", "run")
    assert finished.returncode == 0, finished.stderr
    text = " ".join(finished.stdout.split())
    assert f"joint 2 ({robot.joint_names[1]!r}) never moves" in text
    assert "don't determine" in text
    assert "undetermined" in text
    assert read_estimate(tmp_path / "run").friction_parameters[0, 0] == pytest.approx(0.3, abs=1e-6)


def test_a_run_is_replaced_as_a_whole(dynident, folder):
    first = dynident("identify", "planar_2r", "log.npz", "-o", "run", "--friction", "none", "--json")
    second = dynident("identify", "planar_2r", "log.npz", "-o", "run", "--friction", "viscous", "--json")
    assert first.stdout != second.stdout
    assert json.loads((folder / "run" / "estimate.json").read_text()) == json.loads(second.stdout)
    assert {file.name for file in (folder / "run").iterdir()} == RUN_FILES


def bad_time(change):
    time = synthetic_log().time.copy()
    change(time)
    return arrays(t=time)


def with_nan():
    tau = synthetic_log().effort.copy()
    tau[7, 1] = np.nan
    return arrays(tau=tau)


def swapped(time):
    time[[10, 11]] = time[[11, 10]]


def repeated(time):
    time[11] = time[10]


BAD_DATA = {
    "short": ({name: values[:3] for name, values in arrays().items()}, ["6 equations", "longer"]),
    "filtered away": ({name: values[:50] for name, values in arrays(ddq=None).items()}, ["0 equations", "filter less"]),
    "nan": (with_nan(), ["effort", "nan", "sample 7"]),
    "backwards": (bad_time(swapped), ["time", "goes back", "sample 11"]),
    "stamps twice": (bad_time(repeated), ["time", "twice", "10 and 11"]),
    "lengths": (arrays(dq=synthetic_log().dq[:-1]), ["dq", "1499", "1500"]),
    "columns": ({"stamp": np.arange(9.0), "wert": np.zeros((9, 2))}, ["stamp, wert", "--map q="]),
    "joints": (arrays() | {name: np.tile(arrays()[name], 2) for name in ("q", "dq", "ddq", "tau")}, ["4 joints", "has 2"]),
    "no effort": (arrays(tau=None), ["no effort", "--map effort="]),
    "current": ({**arrays(tau=None), "current": synthetic_log().effort}, ["current", "torque"]),
    "huge": (arrays(tau=1e6 * synthetic_log().effort), ["N·m", "unit"]),
    "pickled": (arrays(q=np.array([{"a": 1}], dtype=object)), ["q", "pickled"]),
}


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_data_is_one_sentence_and_leaves_nothing(dynident, tmp_path, name):
    content, words = BAD_DATA[name]
    np.savez(tmp_path / "log.npz", **content)
    refused(dynident("identify", "planar_2r", "log.npz", "-o", "run"), words)
    assert [file.name for file in tmp_path.iterdir()] == ["log.npz"]


def test_torques_in_another_unit_are_beyond_the_robots_limits(dynident, tmp_path):
    log = synthetic_log("panda")
    write_dataset(replace(log, effort=1e3 * log.effort), tmp_path / "log.npz")
    refused(dynident("identify", "panda", "log.npz", "-o", "run"), ["panda_joint", "limit", "--unit effort=mNm"])
    assert not (tmp_path / "run").exists()


def test_effort_whose_kind_nobody_says(dynident, tmp_path):
    np.savez(tmp_path / "log.npz", **arrays(tau=None), load=synthetic_log().effort)
    refused(dynident("identify", "planar_2r", "log.npz", "-o", "run", "--map", "effort=load"), ["effort", "torque, current, magnitude"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--train", "0.7"], ["--train", "'0.7'", "0:0.7"]),
        (["--train", "0.7:0.2"], ["--train", "A < B"]),
        (["--train", "0:1.5"], ["--train", "1.5"]),
        (["--friction", "stick"], ["'stick'", "viscous", "linear"]),
        (["--filter", "fast"], ["--filter", "'fast'"]),
        (["--filter", "400"], ["400"]),
        (["--rate", "20", "--filter", "none"], ["rate", "--filter"]),
        (["--noise-model", "loud"], ["'loud'", "per_group"]),
        (["--loss", "absolute"], ["'absolute'", "huber"]),
        (["--drop", "-1%"], ["--drop", "a percentage such as 30%"]),
        (["--drop", "30"], ["--drop", "a percentage such as 30%"]),
        (["--known", "m9=1"], ["'m9'", "m1"]),
        (["--known", "m1"], ["--known", "NAME=VALUE"]),
        (["--equations", "gravity"], ["gravity", "log"]),
        (["--equations", "torque"], ["'torque'", "inertia"]),
        (["--map", "qq=a"], ["'qq'", "ddq"]),
        (["--map", "q"], ["--map", "NAME=COLUMNS"]),
        (["--map", "q=nowhere"], ["'nowhere'", "found:"]),
        (["--unit", "q=inch"], ["'inch'", "deg"]),
        (["--effort-kind", "push"], ["'push'", "torque"]),
        (["--gravity", "0,0"], ["--gravity", "0,0,-9.80665"]),
        (["--lock", "elbow=0"], ["elbow"]),
        (["--seed", "-1"], ["--seed"]),
    ],
    ids=lambda value: " ".join(value) if value[0].startswith("--") and len(value) == 2 else "",
)
def test_bad_options_are_one_sentence_and_leave_nothing(dynident, folder, options, words):
    refused(dynident("identify", "planar_2r", "log.npz", "-o", "run", *options), words)
    assert not (folder / "run").exists()


def test_where_results_can_not_go(dynident, folder):
    (folder / "file").write_text("mine")
    refused(dynident("identify", "planar_2r", "log.npz", "-o", "file"), ["file", "folder"])
    refused(dynident("identify", "planar_2r", "log.npz", "-o", "file/run"), ["file"])
    assert (folder / "file").read_text() == "mine"
    refused(dynident("identify", "planar_2r", "log.npz"), ["--output"])
    refused(dynident("identify", "planar_2r", "missing.npz", "-o", "run"), ["missing.npz", "no such file"])


def test_friction_has_no_place_in_controller_samples(dynident, tmp_path):
    write_dataset(synthetic_samples(), tmp_path / "samples.npz")
    refused(dynident("identify", "spatial_3r", "samples.npz", "-o", "run", "--friction", "linear"), ["friction", "M and g"])
    refused(dynident("identify", "spatial_3r", "samples.npz", "-o", "run", "--filter", "5"), ["--filter", "controller samples"])


def refused(finished, words):
    assert finished.returncode == 2, finished.stderr
    assert finished.stdout == ""
    assert finished.stderr.startswith("dynident: ")
    assert finished.stderr.count("\n") == 1
    assert "Traceback" not in finished.stderr
    assert all(word in finished.stderr for word in words), finished.stderr
