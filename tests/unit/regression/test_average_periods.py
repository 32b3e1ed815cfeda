"""The mean of several periods gives the coefficients and the standard deviations that all of them give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import average_periods, keep_periods
from dynident.dynamics import inverse_dynamics
from dynident.motions import FourierTrajectory, plan_drive, robot_limits, trajectory_dataset
from dynident.regression import build_problem, estimate


def test_standard_deviations_of_the_mean_are_those_of_all_periods_and_right():
    robot = load_robot("planar_2r")
    a, b = np.random.default_rng(0).uniform(-0.6, 0.6, (2, 2, 4))
    series = FourierTrajectory(joints=robot.joint_names, base_frequency=0.2, a=a, b=b, q0=[1.5, 0.2])
    free = replace(robot_limits(robot), torque=None, clearance=None, floor=-np.inf)
    motion = trajectory_dataset(plan_drive(robot, series, limits=free, home=[1.5, 0.2], repeats=9, rate=200.0).trajectory, 200.0)
    torque = inverse_dynamics(robot, robot.parameters, motion.q, motion.dq, motion.ddq)
    errors, deviations = [], []
    for seed in range(8):
        noise = np.random.default_rng(seed).normal(size=torque.shape)
        log = keep_periods(motion.after("", effort=torque + 0.3 * noise, effort_kind="torque"))
        whole, mean = (estimate(build_problem(robot, data, friction=None, cutoff=5.0)) for data in (log, average_periods(log)))
        errors.append((mean.values - mean.base.coefficients(robot.parameters.ravel())) / mean.std)
        deviations.append(mean.std / whole.std)
    assert np.median(deviations) == pytest.approx(1.0, abs=0.1)
    assert 0.7 < np.sqrt(np.mean(np.square(errors))) < 1.4  # 48 numbers: 1 ± 0.1
