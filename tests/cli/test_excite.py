"""`dynident excite` as a user runs it."""

from __future__ import annotations

import json

import numpy as np
import pytest
import yaml

from dynident import load_robot
from dynident.data import load_dataset
from dynident.motions import (
    QuinticTrajectory,
    check_trajectory,
    read_limits,
    robot_limits,
    trajectory_dataset,
    trajectory_from_dict,
    write_trajectory,
)

PLANAR = load_robot("planar_2r")
QUICK = ("--starts", "1", "--workers", "1")  # no budget: on a busy machine it would end elsewhere


def test_a_trajectory_with_its_plot(dynident, tmp_path):
    finished = dynident("excite", "planar_2r", "-o", "t.csv", *QUICK)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "Condition number" in finished.stdout
    text = " ".join(finished.stdout.split())
    assert "Predicted torque error on other motions" in text
    assert "coefficients of links will be known to 30 %" in text
    assert "% of the effort limit), 9 independent samples/s" in text
    assert all(name in finished.stdout for name in ("position", "velocity", "acceleration", "effort", "fv1"))
    log = load_dataset(tmp_path / "t.csv")
    assert log.joint_names == PLANAR.joint_names
    assert (int(np.sum(log.period == 1)), log.rate) == (2000, pytest.approx(100.0))
    assert "1 period of 20 s" in finished.stdout
    assert "at rest at the middle of the joint ranges: 0, 0" in finished.stdout
    np.testing.assert_allclose(np.concatenate([log.q, log.dq, log.ddq], axis=1)[[0, -1]], 0.0, atol=1e-9)
    page = (tmp_path / "t.html").read_text()
    assert "joint2" in page
    assert page.count("<iframe") == 1  # the robot that moves
    assert 'src="http' not in page  # complete in itself


def test_json_carries_the_trajectory_and_its_margins(dynident, tmp_path):
    arguments = "--json --no-plot --start 0.1,0.2 --start-at-rest --torque-noise 0.2 --rate 50 --duration 10 --friction viscous --repeat 2"
    finished = dynident("excite", "planar_2r", "-o", "t.npz", *arguments.split(), "--starts", "2", "--workers", "2")
    assert finished.returncode == 0, finished.stderr
    content = json.loads(finished.stdout)
    assert content["schema"] == "dynident/excite/1"
    assert (content["torque_noise"], content["torque_noise_source"], content["check_rate"]) == ([0.2, 0.2], "as given", 500.0)
    assert 0.0 < content["torque_error"]["relative"] < 1.0
    assert content["known_to_30_percent"]["of"] > 0
    assert all(limit["holds"] for limit in content["limits"])
    assert all(coefficient["std"] > 0 for coefficient in content["coefficients"])
    trajectory = trajectory_from_dict(content["drive"]["trajectory"])
    assert [part["period"] for part in content["drive"]["parts"]] == [0, 1, 2, 0]  # at rest where periods begin, so nothing is eased
    assert check_trajectory(trajectory, PLANAR, robot_limits(PLANAR), rate=500.0).holds
    log = load_dataset(tmp_path / "t.npz")
    np.testing.assert_allclose(log.q, trajectory.sample(log.time).q, atol=1e-12)
    np.testing.assert_allclose(log.q[[0, -1]], [[0.1, 0.2]] * 2, atol=1e-9)
    np.testing.assert_allclose(log.dq[[0, -1]], 0.0, atol=1e-9)
    assert not (tmp_path / "t.html").exists()


def test_the_motions_that_the_model_is_for(dynident, tmp_path):
    assert dynident("excite", "planar_2r", "-o", "task.csv", "--duration", "5", "--no-plot", *QUICK).returncode == 0
    finished = dynident("excite", "planar_2r", "-o", "t.csv", "--task", "task.csv", "--torque-noise", "0.2,0.1", "--json", *QUICK)
    assert finished.returncode == 0, finished.stderr
    content = json.loads(finished.stdout)
    assert content["task"] == "task.csv"
    assert content["torque_noise"] == [0.2, 0.1]


def test_limits_from_a_file_and_a_ros_message(dynident, tmp_path):
    limits = tmp_path / "limits.yaml"
    limits.write_text("velocity: 0.5\nposition: {joint1: [-0.5, 1.0]}\n")
    finished = dynident("excite", "planar_2r", "-o", "t.yaml", "--limits", limits, "--no-plot", *QUICK)
    assert finished.returncode == 0, finished.stderr
    points = yaml.safe_load((tmp_path / "t.yaml").read_text())["points"]
    low, high = read_limits(limits, PLANAR).position.T
    positions = np.array([point["positions"] for point in points])
    assert np.all((low <= positions) & (positions <= high))
    assert np.abs([point["velocities"] for point in points]).max() <= 0.5


def test_static_configurations(dynident, tmp_path):
    finished = dynident("excite", "planar_2r", "-o", "q.csv", "--static", "12", "--json")
    assert finished.returncode == 0, finished.stderr
    content = json.loads(finished.stdout)
    assert (content["method"], content["configurations"]) == ("d_optimal", 12)
    points = load_dataset(tmp_path / "q.csv")
    assert sorted(points.period[points.period > 0]) == list(range(1, 13))
    np.testing.assert_array_equal(points.q[[0, -1]], [content["home"]] * 2)
    assert content["duration"] == pytest.approx(points.time[-1])
    assert all(limit["holds"] for limit in content["limits"])
    assert (
        "12 static configurations"
        in dynident("excite", "planar_2r", "-o", "q.csv", "--static", "12", "--method", "sobol", "--from", "1,1").stdout
    )
    weights = dynident("excite", "planar_2r", "-o", "q.npz", "--static", "6", "--gravity-only")
    assert "of the regressor of g with" in weights.stdout
    checked = dynident("excite", "planar_2r", "--check", "q.npz", "--unchecked")
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize(
    ("limits", "options", "message"),
    [
        ("", ("--start", "9,0"), "position limit of joint 'joint1' (-3.122 to 3.122) excludes the start, 9"),
        ("", ("--from", "0,9"), "position limit of joint 'joint2' (-2.58 to 2.58) excludes the start, 9"),
        (
            "boxes: [{upper: [0.8, null, null], name: cell}]",
            ("--from", "0,0"),
            "cell limit at link2 is broken by 0.26 m where the robot is to",
        ),
        ("velocity: 0", (), "velocity limit of joint 'joint1' is 0"),
        ("floor: 0.5", (), "floor at 0.5 m is above the base"),
    ],
)
def test_impossible_limits_exit_with_1_and_name_the_limit(dynident, tmp_path, limits, options, message):
    (tmp_path / "limits.yaml").write_text(limits or "position_margin: 0.02")
    finished = dynident("excite", "planar_2r", "-o", "t.csv", "--limits", "limits.yaml", *options, *QUICK)
    assert finished.returncode == 1
    assert message in finished.stderr
    assert finished.stderr.count("\n") == 1
    assert not (tmp_path / "t.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "t.doc"), "unknown suffix '.doc'"),
        (("-o", "missing/t.csv"), "there is no folder missing"),
        (("-o", "t.csv", "--start", "1"), "--start has 1 numbers; 2 separated"),
        (("-o", "t.csv", "--torque-noise", "1,2,3"), "--torque-noise has 3 numbers"),
        (("-o", "t.csv", "--from", "1,2,3"), "--from has 3 numbers; 2 separated"),
        (("-o", "t.csv", "--duration", "-1"), "--duration is '-1'"),
        (("-o", "t.csv", "--friction", "sticky"), "no friction model named 'sticky'"),
        (("-o", "t.csv", "--criterion", "best"), "--criterion is 'best'"),
        (("-o", "t.csv", "--limits", "none.yaml"), "none.yaml: no such file"),
        (("-o", "t.csv", "--base-frequency", "0"), "--base-frequency is '0'"),
        (("-o", "t.csv", "--static", "5", "--method", "best"), "--method is 'best'"),
    ],
)
def test_wrong_usage_exits_with_2(dynident, arguments, message):
    finished = dynident("excite", "planar_2r", *arguments, *QUICK)
    assert finished.returncode == 2
    assert message in finished.stderr
    assert finished.stdout == ""


def test_a_file_is_checked(dynident, tmp_path):
    move = trajectory_dataset(QuinticTrajectory(joints=PLANAR.joint_names, start=[0.1, 0.2], end=[0.5, -0.1], duration=2.0), 100.0)
    write_trajectory(move, tmp_path / "t.json")
    finished = dynident("excite", "planar_2r", "--check", "t.json", "--unchecked")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "NOT CHECKED: nobody has compared this motion with any limits" in " ".join(finished.stdout.split())
    for limit in ("position", "velocity", "rest at the start", "rest at the end", "step between samples", "velocities given"):
        assert limit in finished.stdout
    assert "t.json keeps all limits of planar_2r, starts and ends at rest." in finished.stdout
    write_trajectory(move.take(slice(50, None), starts=(0,)), tmp_path / "t.csv")
    finished = dynident("excite", "planar_2r", "--check", "t.csv", "--unchecked")
    assert (finished.returncode, finished.stderr.count("\n")) == (1, 1)
    assert "the motion starts with" in finished.stderr
    assert "BROKEN" in finished.stdout


def test_an_experiment_and_what_comes_after_its_run(dynident, tmp_path):
    options = ("--torque-factor", "1.2", "--duration", "10", "--rate", "50", "--starts", "1", "--budget", "1", "--workers", "1")
    finished = dynident("excite", "planar_2r", "-o", "t.csv", "--torque-error", "0.11%", "--precision", "1", *options, "--json")
    assert finished.returncode == 0, finished.stderr
    content = json.loads(finished.stdout)
    assert (content["precision"], content["torque_error"], content["reached"]) == (0.01, 0.0011, True)
    files = [tmp_path / (f"t-{k}.csv" if len(content["repeats"]) > 1 else "t.csv") for k in range(1, len(content["repeats"]) + 1)]
    for file, repeats in zip(files, content["repeats"], strict=True):
        log = load_dataset(file)
        assert 10.0 * repeats < log.time[-1] < 10.0 * repeats + 20.0
        np.testing.assert_allclose(log.dq[[0, -1]], 0.0, atol=1e-9)
    assert "worst coefficient that matters" in (tmp_path / "t.html").read_text()
    assert dynident("simulate", "planar_2r", str(files[0]), "-o", "log.npz", "--noise", "realistic").returncode == 0
    assert dynident("identify", "planar_2r", "log.npz", "-o", "run", "--friction", "linear").returncode == 0
    finished = dynident("excite", "planar_2r", "-o", "next.csv", "--after", "run", "--no-plot", *options)
    assert finished.returncode == 0, finished.stderr
    assert "What this adds to what is known already" in finished.stdout
    assert "model of run and 2 standard deviations of what it predicts" in " ".join(finished.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--precision", "good"), "--precision is 'good'; expected a number [%] above 0"),
        (("--torque-error", "0"), "--torque-error is '0'; expected a number [%] above 0"),
        (("--after", "nowhere"), "nowhere"),
        (("--longest", "100"), "--longest belongs to --precision or --torque-error"),
        (("--torque-factor", "0.5"), "--torque-factor is 0.5; a finite factor of at least 1 was expected"),
    ],
)
def test_bad_goals_are_one_sentence(dynident, arguments, message):
    finished = dynident("excite", "planar_2r", "-o", "t.csv", *arguments)
    assert finished.returncode == 2
    assert message in " ".join(finished.stderr.split())
    assert "Traceback" not in finished.stderr


def test_motions_of_the_papers(dynident, tmp_path):
    """Each goes through simulate and identify as a designed motion does."""
    (tmp_path / "table.yaml").write_text("amplitude: [1.2, -1.5]\nperiod: [3, 2]\n")
    (tmp_path / "knots.csv").write_text("t,joint1_deg,joint2_deg\n0,0,0\n2,60,-45\n3,-30,60\n5,10,0\n")
    (tmp_path / "sweep.yaml").write_text("speeds: [0.2, 1]\nhold: 0.5\n")
    files = {"sinusoids=table.yaml": ("--duration", "6"), "splines=knots.csv": ("--map", "q=*_deg", "--unit", "q=deg")}
    for motion, options in (files | {"friction-sweep=sweep.yaml": ()}).items():
        finished = dynident("excite", "planar_2r", "-o", "m.csv", "--motion", motion, *options)
        assert (finished.returncode, finished.stderr) == (0, "")
        assert "From rest to rest" in finished.stdout
        assert "BROKEN" not in finished.stdout
        assert (tmp_path / "m.html").is_file()
        log = load_dataset(tmp_path / "m.csv")
        assert set(np.unique(log.period)) == {0, 1}
        assert dynident("excite", "planar_2r", "--check", "m.csv").returncode == 0
    again = dynident(
        "excite", "planar_2r", "-o", "s.yaml", "--motion", "sinusoids=table.yaml", "--torque-factor", "1", "--json", "--no-plot"
    )
    content = json.loads(again.stdout)
    assert (content["description"], content["history"]) == ("sinusoidal velocities of eq. (31) as given", [])
    assert content["trajectory"]["amplitude"] == [1.2, -1.5]
    assert dynident("simulate", "planar_2r", "s.yaml", "-o", "log.npz", "--noise", "realistic", "--friction", "linear").returncode == 0
    assert dynident("identify", "planar_2r", "log.npz", "-o", "run", "--friction", "linear").returncode == 0


def test_a_motion_that_is_too_fast_is_slowed_down_and_says_so(dynident, tmp_path):
    (tmp_path / "table.yaml").write_text("amplitude: 5.4\nperiod: 1\n")
    finished = dynident("excite", "planar_2r", "-o", "m.csv", "--motion", "sinusoids=table.yaml", "--duration", "4", "--torque-factor", "1")
    assert finished.returncode == 0, finished.stderr
    text = " ".join(finished.stdout.split())
    assert "times slower" in text
    assert "instead of 4 s, for it would break the velocity limit of joint1" in text
    (tmp_path / "table.yaml").write_text("amplitude: 5\nperiod: 10\n")
    finished = dynident("excite", "planar_2r", "-o", "n.csv", "--motion", "sinusoids=table.yaml")
    assert (finished.returncode, finished.stderr.count("\n")) == (1, 1)
    assert "position limit of joint 'joint1' leaves 6.24 rad, and A T / π is 15.9" in finished.stderr
    assert not (tmp_path / "n.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--motion", "dance"), "no motion named 'dance'; known: sinusoids, splines, friction-sweep"),
        (("--motion", "splines"), "splines need knots; give a file with times and positions"),
        (("--motion", "splines=none.csv"), "none.csv: no such file"),
        (("--motion", "sinusoids", "--harmonics", "3"), "--harmonics and --motion don't go together"),
        (("--motion", "friction-sweep", "--duration", "3"), "--duration and --motion friction-sweep don't go together"),
        (("--motion", "friction-sweep", "--start", "0,0"), "--start and --motion friction-sweep don't go together"),
        (("--motion", "sinusoids", "--static", "5"), "--static and --motion don't go together"),
        (("--motion", "sinusoids", "--repeat", "2"), "the trajectory's end is not its start"),
    ],
)
def test_wrong_usage_of_motions_exits_with_2(dynident, arguments, message):
    finished = dynident("excite", "planar_2r", "-o", "t.csv", *arguments)
    assert finished.returncode == 2
    assert message in " ".join(finished.stderr.split())
    assert finished.stderr.count("\n") == 1


def test_a_urdf_without_shapes_is_refused_and_unchecked_is_written_down(tmp_path, dynident):
    """Capsules that are guessed from the joints are no shapes: nothing can be said about collisions."""
    link = (
        '<inertial><mass value="2"/><origin xyz="0 0 0.2"/><inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    joint = '<limit lower="-2" upper="2" effort="50" velocity="2"/><axis xyz="0 1 0"/>'
    (tmp_path / "bare.urdf").write_text(
        f'<robot name="bare"><link name="a"/><link name="b">{link}</link><link name="c">{link}</link>'
        f'<joint name="j1" type="revolute"><parent link="a"/><child link="b"/>{joint}</joint>'
        f'<joint name="j2" type="revolute"><origin xyz="0 0 0.4"/><parent link="b"/><child link="c"/>{joint}</joint></robot>'
    )
    words = ("excite", "bare.urdf", "-o", "motion.csv", "--duration", "5", "--starts", "1", "--no-plot")
    refused = dynident(*words)
    assert refused.returncode == 2
    assert "--unchecked" in refused.stderr
    assert not (tmp_path / "motion.csv").exists()
    written = dynident(*words[:-1], "--unchecked")
    assert written.returncode == 0, written.stderr
    assert "collisions were not checked" in " ".join(written.stdout.split())
    assert "NOT CHECKED" in (tmp_path / "motion.csv").read_text()
    assert "collisions were not checked" in (tmp_path / "motion.html").read_text()
