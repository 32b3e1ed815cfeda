"""The three motions: what is driven is what the papers write, and what a friction sweep is for."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics import inverse_dynamics
from dynident.errors import FileError, InputError, UnknownNameError
from dynident.motions import MOTIONS, LimitError, design_motion, kuka_table_5, robot_limits
from dynident.motions.proposals.friction_sweep import SPEEDS, propose_friction_sweep
from tests.contracts.test_motions import ROBOTS
from tests.facts import carries, raises

ARM = ROBOTS["arm"]
HOME = np.array([0.0, -0.6, 0.95])


def test_sinusoids_are_those_of_eq_31():
    A, T = np.array([0.5, -0.4, 0.3]), np.array([4.0, 3.0, 2.5])
    design = design_motion(ARM, "sinusoids", {"amplitude": A, "period": T, "duration": 7.0}, friction=None)
    driven = design.drive.trajectory
    t = np.linspace(0.0, 7.0, 101)
    found = driven.sample(driven.first_period + t)
    np.testing.assert_allclose(found.dq, A * np.sin(2.0 * np.pi * t[:, None] / T), atol=1e-9)
    middle = (found.q.max(axis=0) + found.q.min(axis=0)) / 2.0
    np.testing.assert_allclose(middle, HOME, atol=0.01)  # they swing about home, where that is free
    assert driven.periods(np.array([driven.first_period + 3.0])) == [1]


def test_sinusoids_from_a_given_start():
    options = {"amplitude": 0.3, "period": 2.0, "start": [0.2, -0.9, 1.0], "duration": 4.0}
    design = design_motion(ARM, "sinusoids", options, friction=None)
    np.testing.assert_allclose(design.trajectory.sample([0.0, 1.0]).q, [[0.2, -0.9, 1.0], np.add([0.2, -0.9, 1.0], 0.3 * 2.0 / np.pi)])
    with raises(InputError, "start", "amplitudes", "periods"):
        design_motion(ARM, "sinusoids", {"start": HOME}, friction=None)


def test_a_swing_that_is_wider_than_the_range_is_refused_with_its_size():
    with raises(LimitError, 2.86, "A T / π", 3.82, limit="position limit of joint 'elbow'"):
        design_motion(ARM, "sinusoids", {"amplitude": [0.1, 0.1, 2.0], "period": 6.0}, friction=None)


def test_chosen_sinusoids_use_a_limit_up():
    design = design_motion(ARM, "sinusoids", {"duration": 8.0}, friction=None)
    assert max(margin.share for margin in design.report.margins if np.isfinite(margin.share)) > 0.98
    assert carries(design.notes[0], "chosen")


def test_splines_go_through_their_knots_at_rest():
    kuka = load_robot("kuka_lwr4")
    table = kuka_table_5()
    design = design_motion(kuka, "splines", {"times": table.times, "knots": table.knots}, friction=None)
    factor = design.trajectory.duration / table.duration
    fastest = 1.5 * (0.75 * np.pi / 2.0)  # of a cubic, from π/2 to -π/4 in 2 s
    assert factor == pytest.approx(fastest / (0.9 * np.deg2rad(110.0)), rel=1e-3)
    driven = design.drive.trajectory
    assert driven.ease_in == driven.ease_out == 0.0  # it starts and ends at rest
    found = driven.sample(driven.first_period + factor * table.times[:-1])
    np.testing.assert_allclose(found.q, table.knots[:-1], atol=1e-6)
    np.testing.assert_allclose(found.dq, 0.0, atol=1e-6)
    with raises(InputError, "knots", "splines=knots.csv"):
        design_motion(kuka, "splines", friction=None)


def test_cubics_stand_still_before_and_after():
    table = kuka_table_5()
    found = table.sample([-1.0, 0.0, 28.0, 29.0])
    np.testing.assert_array_equal(found.q[[0, 3]], table.knots[[0, -1]])
    assert np.all(found.ddq[[0, 3]] == 0.0)
    assert np.all(found.ddq[[1, 2]] != 0.0)  # which is where the acceleration jumps


@pytest.fixture(scope="module")
def sweep():
    return design_motion(ARM, "friction-sweep", {"hold": 1.0}, friction=None)


def test_one_joint_moves_at_a_time_at_constant_speeds_in_both_directions(sweep):
    time = np.arange(0.0, sweep.trajectory.duration, 0.002)
    motion = sweep.trajectory.sample(time)
    moving = np.abs(motion.dq) > 1e-9
    assert moving.sum(axis=1).max() == 1
    for j in range(ARM.n):
        steady = moving[:, j] & (np.abs(motion.ddq[:, j]) < 1e-9)
        speeds = np.unique(motion.dq[steady, j].round(6))
        fastest = speeds.max()
        expected = fastest * np.array(SPEEDS)
        np.testing.assert_allclose(np.sort(speeds), np.sort([*-expected, *expected]), rtol=1e-4)
        held = [0.002 * np.sum(steady & np.isclose(motion.dq[:, j], speed, rtol=1e-4)) for speed in speeds]
        assert min(held) > 0.3
        np.testing.assert_allclose(held, held[::-1], atol=0.005)  # as long there as back


def test_friction_is_half_of_the_difference_there_and_back(sweep):
    """At the same position and speed gravity is the same in both directions, whatever the links weigh."""
    time = np.arange(0.0, sweep.trajectory.duration, 0.001)
    motion = sweep.trajectory.sample(time)
    law = 0.8 * np.sign(motion.dq) + 0.3 * motion.dq
    torque = inverse_dynamics(ARM, ARM.parameters, *motion) + law
    j, v = 1, np.abs(motion.dq[:, 1]).max()
    steady = np.abs(motion.ddq[:, j]) < 1e-9
    there, back = (steady & np.isclose(motion.dq[:, j], s * v, rtol=1e-6) for s in (1.0, -1.0))
    q = np.linspace(motion.q[there, j].min() + 0.01, motion.q[there, j].max() - 0.01, 20)
    curves = [np.interp(q, motion.q[part, j][:: int(s)], torque[part, j][:: int(s)]) for part, s in ((there, 1), (back, -1))]
    np.testing.assert_allclose((curves[0] - curves[1]) / 2.0, 0.8 + 0.3 * v, rtol=1e-4)


def test_chosen_joints_and_speeds():
    limits = robot_limits(ARM)
    found = propose_friction_sweep(ARM, limits=limits, home=HOME, speeds={"elbow": np.array([0.5, 0.1])}).trajectory
    motion = found.sample(np.linspace(0.0, found.duration, 5000))
    assert np.abs(motion.dq[:, :2]).max() == 0.0
    steady = (np.abs(motion.ddq[:, 2]) < 1e-9) & (np.abs(motion.dq[:, 2]) > 1e-6)
    np.testing.assert_allclose(np.unique(motion.dq[steady, 2].round(9)), [-0.5, -0.1, 0.1, 0.5])
    with raises(LimitError, 2.3, "rad/s", 2.86, 2.07, limit="speed of joint 'elbow'"):
        propose_friction_sweep(ARM, limits=limits, home=HOME, speeds={"elbow": np.array([2.3])})


@pytest.mark.parametrize(
    ("motion", "text", "place", "facts"),
    [
        ("sinusoids", "amplitude: 1", "", ("period", "missing")),
        ("sinusoids", "amplitude: [1, 2]\nperiod: 3", "amplitude", (2, 3)),
        ("sinusoids", "amplitude: 1\nperiod: 0", "period", ("positive", "[s]")),
        ("sinusoids", "amplitude: 0\nperiod: 1", "amplitude", (0, "none")),
        ("friction-sweep", "speed: 1", "", ("speed", "speeds", "hold")),
        ("friction-sweep", "speeds: [0.1, -0.1]", "speeds", ("positive",)),
        ("friction-sweep", "hold: 0", "hold", (0, "number")),
    ],
)
def test_bad_files_are_named(motion, text, place, facts, tmp_path):
    file = tmp_path / "motion.yaml"
    file.write_text(text)
    with raises(FileError, *facts, place=place):
        MOTIONS[motion].read(file, ARM, lambda _: pytest.fail("no samples"))


def test_speeds_of_a_file(tmp_path):
    file = tmp_path / "sweep.yaml"
    file.write_text("speeds: {elbow: [0.1, 0.2]}\nhold: 0.5\n")
    found = MOTIONS["friction-sweep"].read(file, ARM, lambda _: pytest.fail("no samples"))
    assert found["hold"] == 0.5
    np.testing.assert_array_equal(found["speeds"]["elbow"], [0.1, 0.2])
    file.write_text("speeds: {knee: [0.1]}\n")
    with raises(UnknownNameError, kind="joint", name="knee"):
        MOTIONS["friction-sweep"].read(file, ARM, lambda _: pytest.fail("no samples"))


def test_an_unknown_motion_is_named():
    with raises(UnknownNameError, kind="motion", name="dance", known=("sinusoids", "splines", "friction-sweep")):
        design_motion(ARM, "dance", friction=None)
