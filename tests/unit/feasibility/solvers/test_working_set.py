"""Extremes over part of the conditions are those over all of them."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.feasibility import retrieval_problem, solve_retrieval
from dynident.feasibility.solvers.conic import ConicProgram, ConicStatus
from dynident.feasibility.solvers.working_set import WorkingSet
from dynident.friction import linear
from dynident.regression import build_problem, estimate
from tests.logs import synthetic_log


@pytest.fixture(scope="module")
def links():
    robot = load_robot("planar_2r")
    return solve_retrieval(
        retrieval_problem(estimate(build_problem(robot, synthetic_log(robot, noise=0.3), friction=linear(), cutoff=None)))
    )


@pytest.mark.parametrize("allowed", [4.0, 400.0])  # with much room more conditions matter
def test_extremes_are_those_of_the_whole_program(links, allowed):
    problem = links.problem
    A, b = problem.rows
    radius = float(np.sqrt(np.sum((A @ links.x - b) ** 2) + allowed))
    terms, count = problem.terms, len(problem.base.columns.of_links)
    whole = ConicProgram(A, b, terms.blocks, terms.equalities, scale=1.0 / radius).prepared(radius=1.0)
    parts = WorkingSet(
        A,
        b,
        terms.blocks,
        terms.equalities,
        radius=radius,
        units=problem.units,
        tolerance=1e-9,
        asked=problem.base.columns.is_link,
        tight=links.x,
    )
    std = 1.0 / np.linalg.norm(A, axis=0)
    for i in range(count):
        for sign in (1.0, -1.0):
            direction = np.zeros(problem.variables)
            direction[i] = sign
            expected, found = whole(direction), parts.minimise(direction)
            assert found.status is expected.status is ConicStatus.SOLVED
            assert abs(found.x[i] - expected.x[i]) <= 1e-4 * max(abs(expected.x[i]), std[i])
            assert all(block.margin(found.x) > -2e-7 for block in terms.blocks)
            assert np.linalg.norm(A @ found.x - b) <= radius * (1.0 + 1e-6)
