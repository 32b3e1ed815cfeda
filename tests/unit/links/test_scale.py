"""Robots of grams and of tons, of millimetres and of hundreds of metres: their links are found as well as an arm's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot, retrieve
from dynident.core.arrays import Array
from dynident.data import Dataset
from dynident.dynamics import inverse_dynamics
from dynident.links.result import RetrievalStatus
from dynident.robots.robot import Robot

ARM = load_robot("spatial_3r")


def scaled(mass: float, length: float) -> Robot:
    def shrink(pose: Array) -> Array:
        smaller = pose.copy()
        smaller[:3, 3] *= length
        return smaller

    joints = tuple(
        replace(joint, placement=shrink(joint.placement), effort=mass * max(length, length**2) * joint.effort) for joint in ARM.joints
    )
    links = tuple(replace(link, placement=shrink(link.placement)) for link in ARM.links)
    sizes = mass * np.repeat([1.0, length, length**2], [1, 3, 6])
    return replace(ARM, joints=joints, links=links, tool=shrink(ARM.tool)).with_parameters(ARM.parameters * sizes)


@pytest.mark.parametrize(("mass", "length"), [(1e-6, 1e-1), (1e-6, 1.0), (1e-3, 1e-1), (1.0, 1e-3), (1e6, 1e1)])
def test_links_of_robots_of_any_size(mass, length):
    robot, rng, t = scaled(mass, length), np.random.default_rng(0), np.arange(0.0, 10.0, 0.02)
    w, phase = 2.0 * np.pi * np.array([0.2, 0.33, 0.47]), rng.uniform(0.0, 6.0, (2, 3))
    turn = np.pi / 2.0 * np.arange(3)
    q, dq, ddq = (
        sum(0.6 * (k * w) ** order / k * np.sin(k * w * t[:, None] + phase[k - 1] + turn[order]) for k in (1, 2)) for order in range(3)
    )
    exact = inverse_dynamics(robot, robot.parameters, q, dq, ddq)
    effort = exact + 1e-3 * np.sqrt((exact**2).mean(axis=0)) * rng.normal(size=exact.shape)
    log = Dataset(time=t, q=q, dq=dq, ddq=ddq, effort=effort, effort_kind="torque", joint_names=robot.joint_names)
    described = robot.with_parameters(robot.parameters * np.array([1.2, 0.9, 1.1])[:, None])
    found = retrieve(identify(described, log, friction=None, cutoff=None))
    assert found.feasible
    assert found.status is RetrievalStatus.OPTIMAL
    predicted = inverse_dynamics(robot, found.parameters, q, dq, ddq)
    assert np.linalg.norm(predicted - exact) < 1e-3 * np.linalg.norm(exact)
