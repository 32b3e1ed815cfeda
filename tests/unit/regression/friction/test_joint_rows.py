"""Friction columns that are made anew are those that the regression itself has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics.friction import SmoothCoulomb, couple, linear
from dynident.errors import InputError
from dynident.regression import build_problem
from dynident.regression.equations.columns import FrictionColumn
from dynident.regression.friction.joint_rows import joint_rows
from dynident.regression.problem import Problem, rows_in_time
from tests.facts import raises
from tests.logs import synthetic_log, synthetic_samples


def friction_rows(problem: Problem, joint: int) -> np.ndarray:
    """Those of the problem's own tables."""
    group, table = problem.groups[joint], np.concatenate(rows_in_time(problem)[joint], axis=1)
    own = [isinstance(problem.base.columns[i], FrictionColumn) for i in problem.base.independent[group.columns].tolist()]
    return table[:-1][own]


@pytest.mark.parametrize("cutoff", [None, 5.0])
@pytest.mark.parametrize("masked", [False, True])
def test_columns_are_filtered_and_masked_as_the_problem_does_it(cutoff: float | None, masked: bool):
    log = synthetic_log("spatial_3r")
    if masked:
        mask = np.random.default_rng(2).uniform(size=log.q.shape) > 0.2
        mask[300:500, 1] = False
        log = replace(log, mask=mask)
    problem = build_problem(load_robot("spatial_3r"), log, cutoff=cutoff)
    for rows in joint_rows(problem):
        np.testing.assert_allclose(rows.columns(linear()), friction_rows(problem, rows.joint), atol=1e-12)
        assert len(rows.z) == int(problem.counts[rows.joint]) == sum(rows.lengths)


def test_two_logs_follow_each_other():
    robot = load_robot("planar_2r")
    parts = [build_problem(robot, synthetic_log(seed=seed), cutoff=5.0) for seed in (1, 2)]
    merged = parts[0].merge(parts[1])
    for rows in joint_rows(merged):
        np.testing.assert_allclose(rows.columns(linear()), friction_rows(merged, rows.joint), atol=1e-12)


def test_derivatives_are_the_slope_of_the_columns():
    problem = build_problem(load_robot("planar_2r"), synthetic_log(), cutoff=5.0)
    rows, f, h = joint_rows(problem)[1], np.array([0.8]), 1e-3
    above, below = (rows.columns(SmoothCoulomb(0.1 + side)) for side in (h, -h))
    np.testing.assert_allclose(rows.derivatives(SmoothCoulomb(0.1), f)[0], f @ (above - below) / (2 * h), atol=2e-3)


def test_a_controller_has_no_friction_to_fit():
    problem = build_problem(load_robot("spatial_3r"), synthetic_samples())
    with raises(InputError, "torque", "motion"):
        joint_rows(problem)


def test_known_friction_is_refused():
    problem = build_problem(load_robot("planar_2r"), synthetic_log(), known={"fv1": 0.4})
    with raises(InputError, "fv1"):
        joint_rows(problem)


def test_motors_that_turn_several_joints_are_refused():
    gears = np.array([[50.0, 0.0], [50.0, 50.0]])
    problem = build_problem(load_robot("planar_2r"), synthetic_log(), friction=couple(linear(), gears))
    with raises(InputError, "motors", "several"):
        joint_rows(problem)
