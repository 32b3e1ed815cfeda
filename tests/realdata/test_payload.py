"""Payloads in recorded logs: where there is none, none is found; and one whose torque is added to a recorded log comes out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, identify_payload, load_dataset, load_robot
from dynident.data import resample
from dynident.data.signals.butterworth import forward_backward
from dynident.dynamics import inverse_dynamics
from dynident.robots.parameters import change_of_frame, from_com
from dynident.routes.payload import PayloadStatus


@pytest.fixture(scope="module")
def panda_halves(shared_data):
    log = resample(load_dataset(shared_data / "panda_gaz2019" / "trajectory_1.npz"), 1000.0)
    return load_robot("panda"), log.part(0.0, 0.5), log.part(0.5, 1.0)


@pytest.fixture(scope="module")
def kuka_logs(shared_data):
    folder = shared_data / "kuka_lwr4"
    return load_robot(folder / "kuka_lwr4.urdf"), *(load_dataset(folder / f"measurements_{k}.npz").part(0.1, 1.0) for k in (1, 2))


@pytest.mark.parametrize("logs", ["panda_halves", "kuka_logs"])
@pytest.mark.parametrize("turned", [False, True])
def test_an_arm_that_carries_nothing_is_said_to_carry_nothing(logs, turned, request):
    robot, first, second = request.getfixturevalue(logs)
    bare, other = (second, first) if turned else (first, second)
    found = identify_payload(identify(robot, bare), other)
    assert found.status is PayloadStatus.NONE
    assert found.most < 0.06
    assert found.evidence.strain < 3.0, "two logs of one arm differ by their noise"


@pytest.mark.parametrize("mass", [1.5, 0.3])
def test_a_payload_that_is_added_to_a_recorded_log(panda_halves, mass):
    robot, bare, other = panda_halves
    body = from_com(mass, [0.01, 0.02, 0.06], mass * np.diag([0.003, 0.003, 0.002]))
    links = np.zeros((7, 10))
    links[6] = change_of_frame(robot.tool) @ body
    ddq = np.gradient(forward_backward(other.dq, cutoff=20.0, rate=1000.0, order=2), 1e-3, axis=0)
    loaded = replace(other, effort=other.effort + inverse_dynamics(robot, links, other.q, other.dq, ddq))
    found = identify_payload(identify(robot, bare), loaded)
    assert found.mass == pytest.approx(mass, abs=0.03)
    low, high = found.intervals[:4].T
    truth = np.array([mass, 0.01, 0.02, 0.06])
    assert np.all(low <= truth), found
    assert np.all(truth <= high), found
    assert found.told[:4].all()
