"""`dynident record` as a user runs it, on the virtual robot."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dynident.data import load_controller_samples, load_dataset
from tests.unit.motions.recording.test_recorder import swing

pytest.importorskip("mujoco")


@pytest.fixture
def motion(tmp_path):
    from dynident.data import Dataset, write_dataset

    write_dataset(swing(), tmp_path / "swing.csv", comments=["NOT CHECKED: its links have no shapes"])
    q = np.array([[0.1, 0.1], [0.2, -0.1], [-0.1, 0.1], [0.05, 0.2]])
    write_dataset(Dataset(time=np.arange(4.0), q=q), tmp_path / "configurations.csv")
    far = swing()
    write_dataset(Dataset(time=far.time, q=far.q + 0.3, dq=far.dq, ddq=far.ddq), tmp_path / "far.csv")
    return tmp_path


VIRTUAL = ("record", "virtual:planar_2r")


def test_it_shows_the_plan_records_and_identify_reads_it(dynident, motion):
    done = dynident(*VIRTUAL, "--trajectory", "swing.csv", "-o", "log.npz", "--repeat", 3, "--yes")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("NOT CHECKED: its links have no shapes\n")
    assert "planar_2r: 3 repetitions of a trajectory, 3 motions in 6 s" in done.stdout
    assert "All that was planned is recorded; 6003 samples, 3 of 3 whole, are in log.npz." in done.stdout
    assert load_dataset(motion / "log.npz").samples == 6003
    assert dynident("identify", "planar_2r", "log.npz", "-o", "run", "--json").returncode == 0


def test_a_controller_is_asked(dynident, motion):
    done = dynident(*VIRTUAL, "--configurations", "configurations.csv", "-o", "samples.npz", "--yes", "--connection-option", "noise=none")
    assert done.returncode == 0, done.stderr
    assert "4 configurations at which the controller is asked" in done.stdout
    assert load_controller_samples(motion / "samples.npz").samples == 4


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("--trajectory", "swing.csv"), 2, "nobody is there to answer"),
        (
            ("--trajectory", "far.csv", "--yes"),
            2,
            "the robot stands 0.3 rad of joint 'joint1' from the start of the trajectory; drive it there, or",
        ),
        (("--trajectory", "swing.csv", "--yes", "--speed", "0.3"), 1, "velocity limit at 'joint1' is broken by the trajectory"),
        (("--trajectory", "swing.csv", "--yes", "--speed", "2"), 2, "speed is 2; a share of the velocity limits"),
        (("--yes",), 2, "give one motion to record"),
        (("--trajectory", "swing.csv", "--robot", "panda"), 2, "--robot and virtual:planar_2r both name a robot"),
        (("--configurations", "configurations.csv", "--repeat", "2"), 2, "--repeat is for trajectories"),
        (("--trajectory", "swing.csv", "--connection-option", "sped=1"), 2, "no option of a virtual robot named 'sped'"),
        (("--trajectory", "swing.csv", "--yes", "--resume"), 2, "there is nothing to go on with"),
    ],
)
def test_what_is_refused_is_one_sentence_and_moves_nothing(dynident, motion, words, code, sentence):
    done = dynident(*VIRTUAL, "-o", "log.npz", *words)
    assert done.returncode == code
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (motion / "log.npz").exists()


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("franka", "h", "--trajectory", "swing.csv"), 2, "describe it with --robot"),
        (("kuka", "h", "--trajectory", "swing.csv"), 2, "no kind of robot to record named 'kuka'; known: franka, ur, virtual"),
        (("franka", "--trajectory", "swing.csv"), 2, "one of: franka HOST, ur HOST, virtual:ROBOT"),
        (("virtual:planar_2r", "h", "--trajectory", "swing.csv"), 2, "one of: franka HOST"),
    ],
)
def test_robots_that_are_not_named_rightly(dynident, motion, words, code, sentence):
    done = dynident("record", *words, "-o", "log.npz")
    assert done.returncode == code
    assert sentence in done.stderr


def test_an_approach_is_driven_when_it_is_allowed(dynident, motion):
    done = dynident(*VIRTUAL, "--trajectory", "far.csv", "-o", "log.npz", "--yes", "--approach")
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(load_dataset(motion / "log.npz").q[0], [0.3, 0.3], atol=0.01)


def test_an_error_of_the_robot_keeps_the_data_and_resume_goes_on(dynident, motion):
    words = (*VIRTUAL, "--trajectory", "swing.csv", "-o", "log.npz", "--repeat", 2, "--yes", "--approach")
    failed = dynident(*words, "--connection-option", "fail_after=3")
    assert failed.returncode == 1
    assert "the robot reported an error, and the recording stopped at once" in failed.stderr
    assert "1 of 2 whole, are in log.npz; when all is in order, go on with --resume" in failed.stderr
    assert 2002 < load_dataset(motion / "log.npz").samples < 3100
    assert dynident(*words).returncode == 2
    again = dynident(*words, "--resume")
    assert again.returncode == 0, again.stderr
    assert "1 repetition of a trajectory" in again.stdout
    assert "2 of 2 whole" in again.stdout
    assert "has all 2 already" in dynident(*words, "--resume").stdout


def test_a_line_that_drops_is_taken_up_again(dynident, motion):
    words = (*VIRTUAL, "--trajectory", "swing.csv", "-o", "log.npz", "--yes", "--connection-option", "lose_after=1.1")
    done = dynident(*words, "--approach")
    assert done.returncode == 0, done.stderr
    assert "the connection was lost and came back, 1 x" in done.stdout
    (motion / "log.npz").unlink()
    alone = dynident(*words)  # --yes does not allow the way back by itself
    assert alone.returncode == 1
    assert "a move was not confirmed, so the recording ended" in alone.stderr
    assert "go on with --resume" in alone.stderr
    assert load_dataset(motion / "log.npz").samples > 900


def test_ctrl_c_stops_smoothly_keeps_the_data_and_exits_with_130(motion):
    command = [Path(sys.executable).parent / "dynident", *VIRTUAL, "--trajectory", "swing.csv", "-o", "log.npz", "--repeat", "200", "--yes"]
    process = subprocess.Popen(command, cwd=motion, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    deadline = time.monotonic() + 120.0
    while not (motion / "log.npz").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 130, complaint
    assert "the user stopped the recording, and the robot stands" in complaint
    log = load_dataset(motion / "log.npz")
    assert log.samples >= 2001
    with np.load(motion / "log.npz") as archive:
        told, commanded = json.loads(str(archive["description"])), archive["commanded_q"]
    assert told["status"].startswith("the user stopped")
    assert np.abs(commanded[-1] - commanded[-2]).max() * 1000.0 < 0.02
