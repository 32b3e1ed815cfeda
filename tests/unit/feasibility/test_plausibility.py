"""Links that a person would not believe: they fail, or their verdict is lowered, and the reason is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot
from dynident.feasibility import FeasibleSet, Objective, PhysicalConsistency, RetrievalStatus, build_retrieval, retrieval_problem
from dynident.feasibility.plausibility import doubts, explains_badly
from dynident.feasibility.solve import MisfitError, solve_retrieval
from dynident.regression import base_parameters
from dynident.robots import library_names
from tests.logs import synthetic_log

ROBOT = load_robot("planar_2r")


@pytest.fixture(scope="module")
def log():
    return synthetic_log(noise=0.1)


def links_of(log):
    return solve_retrieval(retrieval_problem(identify(ROBOT, log, cutoff=None)))


def test_the_error_of_the_links_stands_beside_that_of_the_coefficients(log):
    estimate = identify(ROBOT, log, cutoff=None)
    found = solve_retrieval(retrieval_problem(estimate))
    fitted, links = found.training or (0.0, 0.0)
    assert fitted == estimate.residuals.relative_percent
    assert fitted <= links < 1.2 * fitted
    assert f"these links leave {links:.3g} %" in str(found)


def test_reversed_efforts_are_a_failure_that_names_what_costs_most(log):
    with pytest.raises(MisfitError, match="signs and units of the effort") as caught:
        links_of(replace(log, effort=-log.effort))
    fitted, links = caught.value.best.training or (0.0, 0.0)
    assert links > 10.0 * fitted
    assert caught.value.costliest in {"physical consistency", "the prior"}


@pytest.mark.parametrize("name", library_names())
def test_no_library_robot_is_doubtful(name):
    robot = load_robot(name)
    assert list(doubts(base_parameters(robot), robot.parameters)) == []


def test_a_unit_that_is_wrong_lowers_the_verdict(log):
    found = links_of(replace(log, effort=10.0 * log.effort))
    assert found.status is RetrievalStatus.DOUBTFUL
    assert any("one of the two is wrong" in note for note in found.notes)


def test_a_centre_of_mass_or_an_inertia_beyond_the_link_is_said():
    base = base_parameters(ROBOT)
    away, wide = ROBOT.parameters.copy(), ROBOT.parameters.copy()
    away[1, 1] += 5.0 * away[1, 0]
    away[1, 4:] += 26.0 * away[1, 0] * np.array([1.0, 0.0, 0.0, 1.0, 0.0, 1.0])
    wide[0, 4:] += 30.0 * wide[0, 0] * np.array([1.0, 0.0, 0.0, 1.0, 0.0, 1.0])
    assert any("centre of mass of link2 lies outside" in text for text in doubts(base, away))
    assert any("inertia of link1 is that of a body larger" in text for text in doubts(base, wide))


def test_a_misfit_must_be_clear():
    assert explains_badly(1.0, 21.0)
    assert not explains_badly(1e-9, 0.5)  # exact data, and less than a percent
    assert not explains_badly(3.0, 5.0)


def test_problems_without_data_are_not_judged_by_them():
    base = base_parameters(ROBOT)
    x = ROBOT.parameters.ravel()
    goal = Objective(name="distance", A=base.grouping, b=base.grouping @ x)
    assert solve_retrieval(build_retrieval(base, goal, FeasibleSet((PhysicalConsistency(),)))).training is None
