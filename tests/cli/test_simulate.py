"""`dynident simulate` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import ControllerSamples, Dataset, EffortKind, load_controller_samples, load_dataset, write_dataset
from tests.unit.motions.simulation.motions import fourier_motion

pytest.importorskip("mujoco")


@pytest.fixture
def trajectory(tmp_path: Path) -> Path:
    write_dataset(fourier_motion(load_robot("planar_2r"), duration=0.5), tmp_path / "traj.csv")
    return tmp_path / "traj.csv"


def test_a_log_and_its_truth_are_written(dynident, tmp_path, trajectory):
    arguments = ("--friction", "linear", "--noise", "realistic", "--truth", "truth.npz", "--seed", 3)
    finished = dynident("simulate", "planar_2r", trajectory, "-o", "log.npz", *arguments)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "largest tracking error" in finished.stdout
    assert "Written to log.npz, the truth to truth.npz" in finished.stdout
    log, truth = load_dataset(tmp_path / "log.npz"), load_dataset(tmp_path / "truth.npz")
    assert isinstance(log, Dataset)
    assert isinstance(truth, Dataset)
    assert log.joint_names == load_robot("planar_2r").joint_names
    assert log.ddq is None
    assert truth.ddq is not None
    assert 450 < log.samples < 500 < truth.samples
    again = dynident("simulate", "planar_2r", trajectory, "-o", "again.npz", *arguments)
    assert again.returncode == 0
    np.testing.assert_array_equal(load_dataset(tmp_path / "again.npz").effort, log.effort)


def test_magnitudes_payload_springs_and_rate(dynident, tmp_path, trajectory):
    arguments = ("--unsigned", "--payload", "1,0,0,0.1", "--elastic", "5000,inf", "--rate", "200")
    finished = dynident("simulate", "planar_2r", trajectory, "-o", "log.csv", *arguments)
    assert finished.returncode == 0, finished.stderr
    log = load_dataset(tmp_path / "log.csv")
    assert log.effort_kind is EffortKind.MAGNITUDE
    assert log.samples == 101


def test_pushes_are_part_of_the_truth(dynident, tmp_path, trajectory):
    link = load_robot("planar_2r").link_names[0]
    pushes = ("--push", "0.1:0.1:3,0,0", "--push", f"0.3:0.1:0,0,5:{link}")
    finished = dynident("simulate", "planar_2r", trajectory, "-o", "log.npz", *pushes, "--truth", "truth.npz")
    assert (finished.returncode, finished.stderr) == (0, "")
    with np.load(tmp_path / "truth.npz") as truth:
        pushed = np.any(truth["pushed_effort"] != 0.0, axis=1)
        assert truth["time"][pushed] == pytest.approx(np.concatenate([np.arange(0.1, 0.1995, 1e-3), np.arange(0.3, 0.3995, 1e-3)]))
    for text, told in (
        ("1:2", "start, duration and a force"),
        ("1:2:1,2,3:hand", "no link named 'hand'"),
        ("0:0:1,2,3", "duration of a push"),
    ):
        finished = dynident("simulate", "planar_2r", trajectory, "-o", "no.npz", "--push", text)
        assert finished.returncode == 2
        assert told in finished.stderr


def test_friction_parameters_come_from_a_file(dynident, tmp_path, trajectory):
    (tmp_path / "friction.yaml").write_text("fv: 0.5\nfc: [0.3, 0.2]\nfo: 0\n")
    finished = dynident(
        "simulate", "planar_2r", trajectory, "-o", "log.npz", "--friction", "linear", "--friction-parameters", "friction.yaml",
        "--truth", "truth.npz",
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    with np.load(tmp_path / "truth.npz") as truth:
        np.testing.assert_array_equal(truth["friction_parameters"], [[0.5, 0.3, 0.0], [0.5, 0.2, 0.0]])
        assert json.loads(str(truth["description"]))["friction"]["threshold"] == 0.02


def test_shapes_of_each_joint_come_from_the_file_too(dynident, tmp_path, trajectory):
    (tmp_path / "friction.yaml").write_text("fsig: [0.5, 0.9]\nsteepness: [5, 9]\nshift: 0.03\n")
    arguments = ("--friction", "sigmoid", "--friction-parameters", "friction.yaml", "--truth", "truth.npz")
    finished = dynident("simulate", "planar_2r", trajectory, "-o", "log.npz", *arguments)
    assert finished.returncode == 0, finished.stderr
    with np.load(tmp_path / "truth.npz") as truth:
        dq, phi1, phi2, phi3 = truth["dq"], np.array([0.5, 0.9]), np.array([5.0, 9.0]), 0.03
        expected = phi1 / (1.0 + np.exp(-phi2 * (dq + phi3))) - phi1 / (1.0 + np.exp(-phi2 * phi3))
        np.testing.assert_allclose(truth["friction_effort"], expected, atol=1e-12)
        assert len(json.loads(str(truth["description"]))["friction"]["joints"]) == 2
    (tmp_path / "friction.yaml").write_text("fsig: 0.5\nthreshold: 5\n")
    finished = dynident("simulate", "planar_2r", trajectory, "-o", "log.npz", *arguments)
    assert finished.returncode == 2
    assert "threshold" in finished.stderr


def test_a_controller_answers_at_random_configurations(dynident, tmp_path):
    finished = dynident("simulate", "panda", "--controller", 30, "-o", "samples.npz", "--noise", "realistic")
    assert finished.returncode == 0, finished.stderr
    samples = load_controller_samples(tmp_path / "samples.npz")
    assert isinstance(samples, ControllerSamples)
    assert samples.samples == 30
    assert dynident("simulate", "kuka_lwr4", "--controller", 5, "-o", "kuka.npz").returncode == 0


def test_retrieved_parameters_are_simulated(dynident, tmp_path, trajectory):
    assert dynident("simulate", "planar_2r", "--controller", 40, "-o", "samples.npz", "--payload", "0.5").returncode == 0
    assert dynident("identify", "planar_2r", "samples.npz", "-o", "run").returncode == 0
    assert dynident("retrieve", "run").returncode == 0
    finished = dynident("simulate", "planar_2r", trajectory, "-o", "log.npz", "--parameters", "run", "--truth", "truth.npz")
    assert finished.returncode == 0, finished.stderr
    with np.load(tmp_path / "truth.npz") as truth:
        assert np.abs(truth["link_parameters"] - load_robot("planar_2r").parameters).max() > 0.01


MASSLESS = """<robot name="arm"><link name="base"/><link name="link1"/>
<joint name="joint1" type="continuous"><parent link="base"/><child link="link1"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["planar_2r", "-o", "log.npz"], ["nothing to simulate", "--controller"]),
        (["planar_2r", "traj.csv"], ["-o"]),
        (["planar_2r", "missing.csv", "-o", "log.npz"], ["missing.csv", "no such file"]),
        (["planar_2r", "traj.csv", "-o", "log.txt"], ["log.txt", ".npz"]),
        (["planar_2r", "traj.csv", "-o", "nowhere/log.npz"], ["nowhere", "no folder"]),
        (["planar_2r", "traj.csv", "-o", "log.npz", "--truth", "truth.csv"], ["truth.csv", ".npz"]),
        (["planar_2r", "traj.csv", "-o", "log.npz", "--truth", "log.npz"], ["--truth", "its own"]),
        (["planar_2r", "traj.csv", "-o", "log.npz", "--noise", "loud"], ["loud", "none or realistic"]),
        (["planar_2r", "traj.csv", "-o", "log.npz", "--rate", "fast"], ["--rate", "fast"]),
        (["planar_2r", "traj.csv", "-o", "log.npz", "--payload", "heavy"], ["--payload", "heavy"]),
        (["planar_2r", "traj.csv", "-o", "log.npz", "--payload", "-1"], ["payload", "positive mass"]),
        (["planar_2r", "traj.csv", "-o", "log.npz", "--elastic", "1,2,3"], ["--elastic", "3 numbers"]),
        (["planar_2r", "traj.csv", "-o", "log.npz", "--friction", "linaer"], ["linaer", "linear"]),
        (["planar_2r", "traj.csv", "-o", "log.npz", "--friction-parameters", "f.yaml"], ["needs --friction"]),
        (
            ["planar_2r", "traj.csv", "-o", "log.npz", "--friction", "linear", "--friction-parameters", "f.yaml"],
            ["f.yaml", "'fo' is missing"],
        ),
        (
            ["planar_2r", "traj.csv", "-o", "log.npz", "--friction", "viscous", "--friction-parameters", "f.yaml"],
            ["f.yaml", "unknown key 'fc'"],
        ),
        (
            ["planar_2r", "traj.csv", "-o", "log.npz", "--friction", "viscous", "--friction-parameters", "g.yaml"],
            ["g.yaml", "fv", "list of 2"],
        ),
        (["planar_2r", "traj.csv", "-o", "log.npz", "--parameters", "run"], ["run", "no such run folder"]),
        (["planar_2r", "--controller", "5", "-o", "s.npz", "--unsigned"], ["--unsigned", "--controller"]),
        (["panda", "traj.csv", "-o", "log.npz"], ["2 joints", "'panda' has 7"]),
        (["planar_2r", "beyond.csv", "-o", "log.npz"], ["'joint2'", "0.3 s", "limits"]),
        (["bare.urdf", "one.csv", "-o", "log.npz"], ["'arm'", "no inertia for link1"]),
        (["kuka_lwr4", "seven.csv", "-o", "log.npz"], ["'link1'", "repair"]),
        (["planar_2r", "samples.npz", "-o", "log.npz"], ["samples.npz", "not a motion"]),
    ],
    ids=lambda value: " ".join(value[1:]) if isinstance(value, list) and "-o" in value else "",
)
def test_bad_input_is_one_sentence_and_exit_2(dynident, tmp_path, trajectory, arguments, words):
    time = np.linspace(0.0, 1.0, 11)
    beyond = np.zeros((11, 2))
    beyond[3, 1] = 2.7
    write_dataset(Dataset(time=time, q=beyond), tmp_path / "beyond.csv")
    write_dataset(Dataset(time=time, q=np.zeros((11, 1))), tmp_path / "one.csv")
    write_dataset(Dataset(time=time, q=np.zeros((11, 7))), tmp_path / "seven.csv")
    write_dataset(ControllerSamples(q=np.zeros((2, 2)), g=np.ones((2, 2))), tmp_path / "samples.npz")
    (tmp_path / "f.yaml").write_text("fv: 1\nfc: 2\n")
    (tmp_path / "g.yaml").write_text("fv: [1, 2, 3]\n")
    (tmp_path / "bare.urdf").write_text(MASSLESS)
    finished = dynident("simulate", *arguments)
    assert finished.returncode == 2, finished.stderr + finished.stdout
    assert finished.stdout == ""
    assert finished.stderr.startswith("dynident: ")
    assert finished.stderr.count("\n") == 1
    assert all(word in finished.stderr for word in words), finished.stderr
    assert not (tmp_path / "log.npz").exists()


def test_limits_can_be_ignored(dynident, tmp_path):
    beyond = 2.6 + 0.2 * np.sin(np.linspace(0.0, np.pi, 101))
    write_dataset(Dataset(time=np.linspace(0.0, 1.0, 101), q=np.column_stack([0 * beyond, beyond])), tmp_path / "beyond.csv")
    assert dynident("simulate", "planar_2r", "beyond.csv", "-o", "log.npz").returncode == 2
    assert dynident("simulate", "planar_2r", "beyond.csv", "-o", "log.npz", "--ignore-limits").returncode == 0


def test_help_has_an_example(dynident):
    finished = dynident("simulate", "--help")
    assert finished.returncode == 0
    assert "dynident simulate panda traj.csv -o log.npz" in finished.stdout
