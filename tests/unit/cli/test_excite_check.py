"""`dynident excite --check` and `--format`, in this process."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dynident import load_robot
from dynident.motions import QuinticTrajectory, read_trajectory, trajectory_dataset, write_trajectory

PLANAR = load_robot("planar_2r")
MOVE = trajectory_dataset(QuinticTrajectory(joints=PLANAR.joint_names, start=[0.1, 0.2], end=[0.5, -0.1], duration=2.0), 100.0)
#: Six joints whose links are long enough to move freely.
SIX = "theta,d,a,alpha,convention\n" + "0,0.1,0,pi/2,standard\n0,0,0.4,0,standard\n0,0,0.4,0,standard\n" * 2


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_format_with_its_options_and_its_rate(command, folder):
    (folder / "arm.csv").write_text(SIX)
    (folder / "limits.yaml").write_text("velocity: 1\nacceleration: 5\nposition: [-1.5, 1.5]\nclearance: null\n")
    quick = ("--starts", "1", "--budget", "0.5", "--workers", "1", "--no-plot", "--friction", "none", "--duration", "4")
    code, said = command(
        "excite", "arm.csv", "--limits", "limits.yaml", "--format-option", "gain=500", "-o", "t.script", "--unchecked", *quick
    )
    assert (code, "Written to t.script" in said) == (0, True), said
    program = (folder / "t.script").read_text()
    assert "t=0.008, lookahead_time=0.1, gain=500)" in program
    assert program.startswith("# NOT CHECKED: collisions were not checked: the description has no shapes.")


def test_formats_that_do_not_fit(command):
    code, said = command("excite", "planar_2r", "-o", "t.script")
    assert (code, said) == (2, "dynident: format 'urscript' is for robots with 6 joints, and this one has 2; choose another")
    code, said = command("excite", "panda", "-o", "t.csv", "--format", "franka", "--rate", "100")
    assert code == 2
    assert "rate is 100 Hz, a sample every 10 ms; format 'franka' has one every 1 ms, usually 1000 Hz" in said
    assert "no trajectory format named 'abb'" in command("excite", "panda", "-o", "t.csv", "--format", "abb")[1]


def test_a_users_own_table_in_degrees(command, folder):
    rows = np.column_stack([1e3 * MOVE.time, np.degrees(MOVE.q)])
    np.savetxt(folder / "mine.csv", rows, delimiter=",", header="ms,axis a,axis b", comments="")
    words = ("excite", "planar_2r", "--check", "mine.csv", "--map", "q=axis*", "--map", "time=ms", "--unit", "time=ms", "--unchecked")
    code, said = command(*words, "--unit", "q=deg", "--json")
    assert code == 0, said
    content = json.loads(said)
    assert (content["schema"], content["holds"], content["samples"]) == ("dynident/excite-check/1", True, 201)
    shares = {row["limit"]: row["share"] for row in content["limits"]}
    np.testing.assert_allclose(shares["velocity"], 0.4 * 1.875 / 2.0 / PLANAR.velocity_limits[0], rtol=1e-4)
    code, said = command(*words)
    assert (code, "dynident: joint 'joint1' takes" in said) == (1, True), "radians"


def test_positions_without_a_clock(command, folder):
    np.savetxt(folder / "mine.csv", MOVE.q, delimiter=",")
    code, said = command("excite", "planar_2r", "--check", "mine.csv", "--map", "q=column*", "--sampling-rate", "100", "--unchecked")
    assert (code, "2 s of planar_2r, 201 samples at 100 Hz" in said) == (0, True), said


def test_limits_of_a_file(command, folder):
    write_trajectory(MOVE, folder / "t.csv")
    (folder / "limits.yaml").write_text("velocity: 0.1")
    code, said = command("excite", "planar_2r", "--check", "t.csv", "--limits", "limits.yaml")
    assert (code, "joint 'joint1' takes 375.0% of its velocity limit, 1.000 s after the start" in said) == (1, True)


def test_the_floor_and_the_clearance(command, folder):
    low = QuinticTrajectory(joints=PLANAR.joint_names, start=[-0.5, 0.0], end=[-0.8, 0.0], duration=2.0)
    write_trajectory(trajectory_dataset(low, 100.0), folder / "t.csv")
    (folder / "limits.yaml").write_text("floor: -0.5")
    words = ("excite", "planar_2r", "--check", "t.csv", "--limits", "limits.yaml")
    code, said = command(*words)
    assert (code, "dynident: the floor limit is broken by" in said) == (1, True), said
    assert command(*words, "--no-floor")[0] == 0
    code, said = command(*words, "--no-floor", "--clearance", "-1")
    assert (code, "--clearance is '-1'" in said) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--check", "t.csv"), "t.csv: no such file"),
        (("--check", "t.json"), "t.json: is not valid JSON"),
        (("--check", "t.csv", "-o", "u.csv"), "--output and --check don't go together"),
        ((), "nothing to do; name the file to write with -o FILE"),
    ],
)
def test_wrong_usage(command, folder, words, message):
    (folder / "t.json").write_text("{")
    code, said = command("excite", "planar_2r", *words)
    assert (code, message in said) == (2, True), said


def test_simulate_reads_every_format(command, folder):
    write_trajectory(MOVE, folder / "t.yaml")
    code, said = command("simulate", "planar_2r", "t.yaml", "-o", "log.npz", "--rate", "100")
    assert code == 0, said
    log = read_trajectory(folder / "log.npz").samples
    np.testing.assert_allclose(log.q[-1], MOVE.q[-1], atol=0.02)
