"""Logs that hardly excite the robot: fewer coefficients, each believable, with a note; never huge numbers, NaN or warnings."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import Robot, identify, load_robot
from dynident.data import Dataset
from dynident.dynamics import inverse_dynamics
from dynident.pipeline.identify import SpoiledLogError
from dynident.regression import Estimate
from tests.facts import about

FRICTION = np.array([0.4, 0.7, 0.1])


def slow_log(robot: Robot, speed: float, *, seconds: float = 6.0, noise: float = 0.1, one_way: int | None = None, seed: int = 1) -> Dataset:
    """A motion of five harmonics, of which a slow robot drives a small part; recorded without accelerations, rounded to five digits."""
    rng, rate = np.random.default_rng(seed), 100.0
    time = np.arange(round(seconds * rate)) / rate
    amplitude, phase = rng.uniform(0.2, 0.6, (5, robot.n)), rng.uniform(0, 2 * np.pi, (5, robot.n))
    omega = 0.26 * np.pi * speed * np.arange(1, 6)[:, None]
    angle = time[:, None, None] * omega + phase
    q, dq = np.sum(amplitude * np.sin(angle), 1), np.sum(amplitude * omega * np.cos(angle), 1)
    ddq = -np.sum(amplitude * omega**2 * np.sin(angle), 1)
    if one_way is not None:
        push = 0.1 - float(dq[:, one_way].min())
        q[:, one_way] += push * time
        dq[:, one_way] += push
    effort = inverse_dynamics(robot, robot.parameters, q, dq, ddq) + FRICTION[0] * dq + FRICTION[1] * np.sign(dq) + FRICTION[2]
    effort += noise * rng.normal(size=q.shape)
    return Dataset(time=time, q=np.round(q, 5), dq=np.round(dq, 5), effort=effort, effort_kind="torque")


def believable(estimate: Estimate) -> bool:
    """Finite standard deviations of what is kept, and coefficients of the size that robots have."""
    std = estimate.std[estimate.kept]
    return bool(
        np.all(np.isfinite(std)) and np.all(std > 0) and np.all(np.isfinite(estimate.covariance)) and np.abs(estimate.values).max() < 500
    )


@pytest.mark.parametrize("name", ["spatial_3r", "panda"])
@pytest.mark.parametrize("speed", [0.1, 0.01, 0.001])
@pytest.mark.parametrize("drop", [None, 30.0])
def test_a_slow_log_determines_fewer_coefficients(name: str, speed: float, drop: float | None) -> None:
    robot = load_robot(name)
    estimate = identify(robot, slow_log(robot, speed), drop_above_percent=drop)
    assert believable(estimate)
    assert estimate.summary.rank < estimate.base.rank
    assert about(estimate.notes, "don't", "determine")
    if drop is None:  # what is left out explains nothing that stands out of the noise
        assert estimate.residuals.rms_per_group.max() < 1.3 * 0.1 * np.sqrt(1.8 * 5.0 / 100.0) + 0.02


def test_the_lost_coefficients_come_back_with_speed() -> None:
    robot = load_robot("spatial_3r")
    ranks = [identify(robot, slow_log(robot, speed), drop_above_percent=None).summary.rank for speed in (0.001, 0.01, 0.1, 1.0)]
    assert ranks == sorted(ranks)
    assert ranks[0] < ranks[-1] == identify(robot, slow_log(robot, 1.0, noise=0.0), drop_above_percent=None).base.rank


def test_without_noise_only_dependence_counts() -> None:
    """Rounding is the only noise of an exact log, so that a slow one tells as much as a fast one."""
    robot = load_robot("spatial_3r")
    log = slow_log(robot, 0.1, seconds=20.0, noise=0.0)
    exact = identify(robot, log, drop_above_percent=None, cutoff=None)
    noisy = identify(robot, slow_log(robot, 0.1, seconds=20.0, noise=1.0), drop_above_percent=None, cutoff=None)
    assert exact.summary.rank > noisy.summary.rank
    assert exact.summary.rank_tolerance < noisy.summary.rank_tolerance


def test_a_joint_that_turns_one_way_has_no_friction_apart_from_its_offset() -> None:
    robot = load_robot("spatial_3r")
    estimate = identify(robot, slow_log(robot, 1.0, seconds=20.0, one_way=1), drop_above_percent=None)
    values = dict(zip(estimate.base.names, estimate.values, strict=True))
    assert believable(estimate)
    assert values["fc2"] + values["fo2"] == pytest.approx(0.8, abs=0.1)
    assert {"fc2", "fo2"} & {estimate.base.names[item.index] for item in estimate.dropped}
    assert values["fc1"] == pytest.approx(0.7, abs=0.1)


def test_no_effort_at_all_is_no_crash() -> None:
    robot = load_robot("spatial_3r")
    log = slow_log(robot, 1.0)
    still = Dataset(time=log.time, q=log.q, dq=log.dq, effort=np.zeros_like(log.q), effort_kind="torque")
    with pytest.raises(SpoiledLogError):
        identify(robot, still, drop_above_percent=None)
    estimate = identify(robot, still, drop_above_percent=None, ignore_doctor=True)
    assert np.abs(estimate.values).max() < 1e-9
    assert not np.any(np.isnan(estimate.std))


@pytest.mark.parametrize("noise", [0.0, 1e-5, 0.1])
@pytest.mark.parametrize("seconds", [1.95, 2.4, 3.0])
def test_hardly_more_equations_than_coefficients(seconds: float, noise: float) -> None:
    """A fit that explains all rows of a joint makes it look free of noise; that must not blow up what the other joints tell."""
    robot = load_robot("panda")
    estimate = identify(robot, slow_log(robot, 0.07, seconds=seconds, noise=noise))
    assert believable(estimate)
    assert estimate.std[estimate.kept].max() < 1e4
    assert not np.any(np.isnan(estimate.half_interval))
    assert max(estimate.summary.noise_levels) <= 1.0001e6 * min(estimate.summary.noise_levels)


@pytest.mark.parametrize("moving", [0, 2])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_one_joint_that_moves_alone(moving: int, noise: float) -> None:
    robot = load_robot("spatial_3r")
    log = slow_log(robot, 1.0, seconds=10.0, noise=0.0)
    still = np.arange(robot.n) != moving
    q, dq = np.where(still, 0.3, log.q), np.where(still, 0.0, log.dq)
    ddq = np.gradient(dq, log.time, axis=0)
    effort = inverse_dynamics(robot, robot.parameters, q, dq, ddq) + FRICTION[0] * dq + FRICTION[1] * np.sign(dq) + FRICTION[2]
    effort += noise * np.random.default_rng(0).normal(size=q.shape)
    estimate = identify(robot, Dataset(time=log.time, q=q, dq=dq, effort=effort, effort_kind="torque"))
    values = dict(zip(estimate.base.names, estimate.values, strict=True))
    assert believable(estimate)
    assert estimate.summary.rank < estimate.base.rank
    assert values[f"fc{moving + 1}"] == pytest.approx(0.7, abs=0.1)
    assert about(estimate.notes, "don't", "determine")


def test_effort_that_is_rounded_to_a_constant_makes_no_huge_coefficient() -> None:
    """Hardly moving, with torques in steps of 0.2 N·m: a velocity of 1e-5 rad/s times 30 000 N·m·s/rad would explain them exactly."""
    robot = load_robot("spatial_3r")
    log = slow_log(robot, 4e-4, seconds=3.5, noise=0.0)
    still = np.array([False, True, True])
    q, dq = np.where(still, log.q[0], log.q), np.where(still, 0.0, log.dq)
    effort = np.round((inverse_dynamics(robot, robot.parameters, q, dq, 0.0 * q) + 0.7 * np.sign(dq) + 0.1) / 0.2) * 0.2
    estimate = identify(robot, Dataset(time=log.time, q=q, dq=dq, effort=effort, effort_kind="torque"))
    assert believable(estimate)
    assert estimate.residuals.relative_percent < 1.0
