"""Plans: what is refused before anything moves, and what is shown."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.errors import InputError, ValueRangeError
from dynident.motions import Box, LimitError, robot_limits
from dynident.motions.limits.limits import frame_positions
from dynident.motions.recording import plan_configurations, plan_trajectory
from tests.conftest import REPOSITORY
from tests.facts import about, carries, raises
from tests.unit.motions.recording.test_paths import LIMITS, RATE, ROBOT, sine

HERE = np.zeros(2)


def test_a_trajectory_that_starts_elsewhere_needs_an_approach():
    far, near = (plan_trajectory(ROBOT, sine(), at, limits=LIMITS, rate=RATE) for at in (np.array([0.3, 0.0]), HERE + 0.004))
    assert far.needs_approach
    assert far.distance == "0.3 rad of joint 'joint1'"
    assert [name for name, _ in far.paths] == ["move to repetition 1", "repetition 1"]
    assert not near.needs_approach
    assert [name for name, _ in near.paths] == ["repetition 1"]


def test_the_approach_is_slow():
    plan = plan_trajectory(ROBOT, sine(), np.array([1.5, -1.0]), limits=LIMITS, rate=RATE)
    moves = dict(plan.paths)
    assert moves["move to repetition 1"].speeds == pytest.approx([0.2 * 3.0, 0.4], rel=1e-3)
    slower = plan_trajectory(ROBOT, sine(amplitude=0.05), np.array([1.5, -1.0]), limits=LIMITS, rate=RATE, speed=0.1)
    assert dict(slower.paths)["move to repetition 1"].speeds[0] == pytest.approx(0.3, rel=1e-3)


def test_speed_is_a_share_of_the_velocity_limits():
    plan_trajectory(ROBOT, sine(), HERE, limits=LIMITS, rate=RATE, speed=0.9)
    with raises(LimitError, 2.4, "rad/s", limit="velocity limit at 'joint1'"):
        plan_trajectory(ROBOT, sine(), HERE, limits=LIMITS, rate=RATE, speed=0.8)
    for speed in (0.0, -0.1, 1.1, np.nan):
        with raises(ValueRangeError, name="speed"):
            plan_trajectory(ROBOT, sine(), HERE, limits=LIMITS, rate=RATE, speed=speed)


def test_configurations_beyond_the_limits_are_refused_by_number():
    panda = load_robot("panda")
    limits = robot_limits(panda)
    middle = limits.position.mean(axis=1)
    beyond = middle.copy()
    beyond[3] = 0.4
    with raises(LimitError, 2, limit="position limit at 'panda_joint4'"):
        plan_configurations(panda, np.array([middle, beyond]), middle, limits=limits, rate=RATE)
    with raises(InputError, "(3, 2)"):
        plan_configurations(panda, np.zeros((3, 2)), middle, limits=limits, rate=RATE)


WALL = replace(LIMITS, boxes=(Box(frames=("tool",), lower=np.full(3, -9.0), upper=np.array([0.6, 9.0, 9.0]), name="wall"),))
ENDS = np.array([[1.5, 0.0], [-1.5, 2.4]])  # both before the wall, through which the straight way swings


def test_a_way_through_what_is_forbidden_is_gone_around():
    plan = plan_configurations(ROBOT, ENDS, ENDS[0], limits=WALL, rate=RATE)
    assert not about(plan.notes, "left", "out")
    path = dict(plan.paths)["move to configuration 2"]
    tool = frame_positions(ROBOT, path.q)[:, -1]
    assert tool[:, 0].max() <= 0.6 + 1e-6
    straight = ENDS[0] + np.linspace(0.0, 1.0, 50)[:, None] * (ENDS[1] - ENDS[0])
    assert frame_positions(ROBOT, straight)[:, -1, 0].max() > 0.65
    np.testing.assert_allclose(path.q[[0, -1]], ENDS, atol=1e-12)
    steps = np.diff(path.q, axis=0) * RATE
    assert np.abs(np.diff(steps, axis=0)).max() * RATE < 3.0  # it stands where it turns


def test_a_configuration_to_which_there_is_no_way_is_left_out_and_said(monkeypatch):
    monkeypatch.setattr("dynident.motions.moves.moves._DETOURS", 0)
    three = np.array([*ENDS, [1.4, 0.1]])
    plan = plan_configurations(ROBOT, three, ENDS[0], limits=WALL, rate=RATE)
    assert [passage.name for passage in plan.passages] == ["configuration 1", "configuration 3"]
    assert carries(plan.notes[-1], "1 configurations", "wall", "tool", "number 2")
    with raises(LimitError, "there", limit="wall limit at 'tool'"):
        plan_configurations(ROBOT, ENDS[1:], ENDS[0], limits=WALL, rate=RATE)


def plan_without_a_way() -> None:
    """The trajectory keeps the wall's limit; the only ways to its start do not."""
    about = sine(amplitude=0.05)
    shifted = replace(about, q=about.q + ENDS[0])
    plan_trajectory(ROBOT, shifted, ENDS[1], limits=WALL, rate=RATE)


def test_a_trajectory_to_whose_start_there_is_no_way_is_refused(monkeypatch):
    monkeypatch.setattr("dynident.motions.moves.moves._DETOURS", 0)
    with pytest.raises(LimitError) as caught:
        plan_without_a_way()
    assert caught.value.limit == "wall limit at 'tool'"


def test_so_it_is_where_python_removes_assertions():
    script = """
from dynident.motions import LimitError
from dynident.motions.moves import moves
from tests.unit.motions.recording.test_plan import plan_without_a_way
moves._DETOURS = 0
try:
    plan_without_a_way()
except LimitError as error:
    print(__debug__, error.limit)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "src")])}
    run = subprocess.run([sys.executable, "-O", "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert run.stdout == "False wall limit at 'tool'\n", run.stderr


def test_only_stops_are_asked_at_and_others_are_passed():
    q = np.array([[0.0, 0.0], [0.5, 0.2], [0.5, 0.2], [0.1, 0.9], [0.4, -0.3], [0.4, -0.3], [0.0, 0.0]])
    plan = plan_configurations(ROBOT, q, np.zeros(2), limits=LIMITS, rate=RATE, stops=np.array([0, 1, 0, 0, 2, 0, 0]))
    assert [passage.name for passage in plan.passages] == ["configuration 1", "configuration 2"]
    np.testing.assert_array_equal(plan.passages[1].start, [0.4, -0.3])
    path = dict(plan.paths)["move to configuration 2"].q
    assert np.abs(path - [0.1, 0.9]).max(axis=1).min() < 1e-6
    assert np.abs(dict(plan.paths)["move to configuration 1"].q - [0.1, 0.9]).max(axis=1).min() > 0.3


def test_a_robot_that_stands_beyond_its_limits_is_not_moved():
    panda = load_robot("panda")
    limits = robot_limits(panda)
    middle = limits.position.mean(axis=1)
    outside = middle.copy()
    outside[0] = 3.0
    with raises(LimitError, "panda_joint1", -2.877, 2.877, 3, "jog"):
        plan_configurations(panda, middle[None], outside, limits=limits, rate=RATE)


def test_it_shows_motions_durations_speeds_and_the_first_start():
    plan = plan_trajectory(ROBOT, sine(), np.array([0.3, 0.0]), limits=LIMITS, rate=RATE, repeats=2)
    text = str(plan)
    total = sum(path.duration for _, path in plan.paths)
    assert carries(text, "2 repetitions", "3 motions", f"{total:.0f} s")
    assert "0.3000       0.0000" in text
    assert "2.5133           84%" in text
    assert [row["motion"] for row in plan.records()] == [
        "move to repetition 1",
        "repetition 1",
        "repetition 2",
    ]


def test_the_digest_is_of_what_is_commanded():
    first, same, other = (
        plan_trajectory(ROBOT, motion, HERE, limits=LIMITS, rate=RATE, repeats=repeats).commanded
        for motion, repeats in ((sine(), 1), (sine(), 3), (sine(amplitude=0.7), 1))
    )
    assert first == same != other
    assert len(first) == 64
