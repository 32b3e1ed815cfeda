"""Pushes on a virtual robot: virtual work, the power balance of every sample, springs in the joints."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.errors import UnknownNameError, ValueRangeError
from dynident.motions.simulation import Elasticity, Push, simulate, write_truth
from dynident.robots.kinematics import link_poses
from tests.facts import raises
from tests.unit.motions.simulation.motions import fourier_motion


@pytest.mark.parametrize("link", ["", "link3"])
def test_the_effort_is_the_virtual_work_of_the_force(link):
    robot = load_robot("panda")
    point = (0.1, -0.2, 0.05)
    push = Push(start=0.0, duration=1.0, force=(3.0, -5.0, 2.0), link=link, point=point)
    body = robot.link_names.index(link) if link else 6
    q = np.random.default_rng(0).normal(size=7)

    def height(x: np.ndarray) -> float:
        pose = link_poses(robot, x)[body]
        return float(np.dot(push.force, pose[:3, :3] @ point + pose[:3, 3]))

    step = 1e-6
    work = [(height(q + step * unit) - height(q - step * unit)) / (2.0 * step) for unit in np.eye(7)]
    np.testing.assert_allclose(push.effort(robot, q), work, atol=1e-8)


def test_the_point_is_the_tool_unless_it_is_said():
    robot = load_robot("panda")
    q = np.zeros(7)
    tool = Push(start=0.0, duration=1.0, force=(1.0, 2.0, 3.0))
    same = Push(start=0.0, duration=1.0, force=(1.0, 2.0, 3.0), link=robot.link_names[-1], point=tuple(robot.tool[:3, 3]))
    np.testing.assert_array_equal(tool.effort(robot, q), same.effort(robot, q))


def test_another_link_is_pushed_between_its_joints():
    """The first link of the planar arm reaches 0.5 m along x, so that 4 N along z turn it with 1 N·m."""
    robot = load_robot("planar_2r")
    push = Push(start=0.0, duration=1.0, force=(7.0, 3.0, 4.0), link=robot.link_names[0])
    np.testing.assert_allclose(push.effort(robot, np.zeros(2)), [1.0, 0.0], atol=1e-15)


def test_nonsense_is_refused():
    with raises(ValueRangeError, 0.0, name="duration of a push"):
        Push(start=0.0, duration=0.0, force=(1.0, 0.0, 0.0))
    with raises(ValueRangeError, -1.0, name="start of a push"):
        Push(start=-1.0, duration=1.0, force=(1.0, 0.0, 0.0))
    with raises(UnknownNameError, kind="link", name="hand"):
        Push(start=0.0, duration=1.0, force=(1.0, 0.0, 0.0), link="hand").effort(load_robot("panda"), np.zeros(7))


def test_efforts_and_pushes_make_the_motion(tmp_path):
    pytest.importorskip("mujoco")
    robot = load_robot("spatial_3r")
    push = Push(start=0.5, duration=0.3, force=(0.0, 4.0, -6.0))
    recording = simulate(robot, fourier_motion(robot, duration=1.5), friction="linear", pushes=[push])
    truth = recording.truth
    acting = (truth.time >= 0.5) & (truth.time < 0.8)
    assert np.all(np.any(truth.pushed[acting] != 0.0, axis=1))
    assert not np.any(truth.pushed[~acting])
    np.testing.assert_allclose(truth.effort + truth.pushed, truth.rigid + truth.friction, atol=1e-8)
    write_truth(truth, tmp_path / "truth.npz")
    np.testing.assert_array_equal(np.load(tmp_path / "truth.npz")["pushed_effort"], truth.pushed)


def test_a_push_on_a_link_behind_a_spring_bends_it():
    pytest.importorskip("mujoco")
    robot = load_robot("pendulum_1r")
    push = Push(start=0.1, duration=0.2, force=(3.0, 2.0, 1.0), point=(0.3, 0.2, 0.4))
    springs = Elasticity(stiffness=500.0, damping=0.0)
    truth = simulate(robot, fourier_motion(robot, duration=0.5), elasticity=springs, pushes=[push]).truth
    assert np.abs(truth.pushed).max() > 0.5
    np.testing.assert_allclose(truth.rigid, 500.0 * (truth.motor_q - truth.q) + truth.pushed, atol=1e-9)
