"""The KUKA paper's extraction in two steps, on its own numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.errors import InputError
from dynident.feasibility import FeasibleSet, Objective, PhysicalConsistency, build_retrieval, solve_retrieval
from dynident.feasibility.extraction import extract_in_two_steps
from dynident.feasibility.prior import uniform_prior
from dynident.friction import linear
from dynident.parameters import consistency_margin
from dynident.regression import base_parameters
from dynident.reproduce.gaz2016.published import INERTIAS, MASSES_AND_CENTRES, TOTAL_MASS, gravity_rows

ROBOT = load_robot("kuka_lwr4")
PUBLISHED = ROBOT.parameters.ravel()
BASE = base_parameters(ROBOT, equations="controller")
EVERYTHING = FeasibleSet((PhysicalConsistency(), MASSES_AND_CENTRES, INERTIAS, TOTAL_MASS))


def distance(equations) -> Objective:
    base = base_parameters(ROBOT, equations=equations)
    return Objective(name="squared distance to the coefficients", A=base.grouping, b=base.coefficients(PUBLISHED))


@pytest.fixture(scope="module")
def printed() -> Objective:
    K, values = gravity_rows(BASE.columns.names)
    return Objective(name="eq. 16", A=K, b=values)


def test_the_papers_ranks():
    assert [base_parameters(ROBOT, equations=e).rank for e in ("gravity", "inertia", "controller")] == [12, 39, 43]


def test_the_papers_gravity_coefficients_are_the_robots(printed):
    base = base_parameters(ROBOT, equations="gravity")
    assert np.linalg.matrix_rank(np.concatenate([printed.A, base.grouping])) == 12


def test_the_printed_solution_of_problem_16(printed):
    assert printed.value(PUBLISHED) == pytest.approx(5.080e-10, rel=1e-3)


def test_problem_16_has_the_optimum_zero(printed):
    found = solve_retrieval(build_retrieval(BASE, printed, MASSES_AND_CENTRES))
    assert found.objective < 1e-20
    assert found.feasible


def test_two_steps_reproduce_the_43_base_parameters_within_every_bound():
    found = extract_in_two_steps(BASE, distance("gravity"), distance("inertia"), MASSES_AND_CENTRES, EVERYTHING)
    both = distance("controller")
    for answer in (found.inertia, found.joint):
        assert both.value(answer.x) < 1e-15
        assert answer.feasible  # Tables I and III, eq. 18 and consistency, recomputed
        assert np.all(consistency_margin(answer.parameters) > 0.0)
        assert 13.0 <= answer.total_mass <= 19.0
    assert found.gravity.objective < 1e-20
    assert distance("gravity").value(found.inertia.x) < 1e-15


def test_two_steps_with_a_prior_are_as_exact():
    prior = uniform_prior(ROBOT, EVERYTHING)
    found = extract_in_two_steps(BASE, distance("gravity"), distance("inertia"), MASSES_AND_CENTRES, EVERYTHING, prior=prior)
    assert distance("controller").value(found.inertia.x) < 1e-15
    assert found.inertia.feasible


def test_holding_the_parameters_of_one_gravity_solution_costs_the_inertia():
    """As the paper does it: the choice among gravity's solutions is arbitrary, and consistent inertias may not go with it."""
    found = extract_in_two_steps(BASE, distance("gravity"), distance("inertia"), MASSES_AND_CENTRES, EVERYTHING, hold="parameters")
    used = np.flatnonzero(np.any(base_parameters(ROBOT, equations="gravity").grouping != 0.0, axis=0))
    np.testing.assert_allclose(found.inertia.x[used], found.gravity.x[used], atol=1e-8)
    assert found.inertia.feasible
    assert found.inertia.objective > 1e-6
    assert found.joint.objective < 1e-15


def test_objectives_of_other_columns_are_refused():
    other = base_parameters(ROBOT, friction=linear())
    with pytest.raises(InputError, match="must be about the same columns"):
        extract_in_two_steps(other, distance("gravity"), distance("inertia"), MASSES_AND_CENTRES, EVERYTHING)
