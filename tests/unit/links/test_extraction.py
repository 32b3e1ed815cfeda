"""The KUKA paper's extraction in two steps, on its own numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics.friction import linear
from dynident.errors import InputError, UnknownNameError
from dynident.links import FeasibleSet, Objective, PhysicalConsistency, build_retrieval, retrieval_problem, solve_retrieval, two_step
from dynident.links.extraction import extract_in_two_steps, hold_gravity
from dynident.links.prior import uniform_prior
from dynident.regression import base_parameters, identify
from dynident.reproduce.gaz2016.published import INERTIAS, MASSES_AND_CENTRES, TOTAL_MASS, gravity_rows
from dynident.robots.parameters import consistency_margin
from tests.facts import raises
from tests.logs import synthetic_log, synthetic_samples

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
    with raises(InputError, "gravity", "inertia", "columns"):
        extract_in_two_steps(other, distance("gravity"), distance("inertia"), MASSES_AND_CENTRES, EVERYTHING)


ARM = load_robot("spatial_3r")


@pytest.fixture(scope="module")
def gravity_alone():
    return identify(ARM, synthetic_samples(noise=0.01, seed=2), equations="gravity")


def held_problem(held, **options):
    estimate = identify(ARM, synthetic_samples(noise=0.01, seed=3), equations="inertia")
    return retrieval_problem(estimate, objective=two_step(estimate), held=held, **options)


def test_gravity_that_is_held_stays_to_the_last_digit(gravity_alone):
    links = solve_retrieval(retrieval_problem(gravity_alone, objective=two_step(gravity_alone)))
    K = gravity_alone.base.grouping
    held = hold_gravity(gravity_alone, links)
    found = solve_retrieval(held_problem(held))
    np.testing.assert_allclose(K @ found.x, K @ links.x, rtol=0, atol=1e-8)
    free = solve_retrieval(held_problem(None))
    assert np.abs(K @ free.x - K @ links.x).max() > 1e-3  # the noise of M is another one
    assert held.note in found.notes
    assert found.feasible


def test_without_links_the_coefficients_of_the_estimate_are_held(gravity_alone):
    found = solve_retrieval(held_problem(hold_gravity(gravity_alone)))
    np.testing.assert_allclose(gravity_alone.base.coefficients(found.x), gravity_alone.values, rtol=0, atol=1e-8)


def test_parameters_can_be_held_one_by_one_as_in_the_paper(gravity_alone):
    links = solve_retrieval(retrieval_problem(gravity_alone, objective=two_step(gravity_alone)))
    held = hold_gravity(gravity_alone, links, hold="parameters")
    found = solve_retrieval(held_problem(held))
    used = np.flatnonzero(np.any(gravity_alone.base.grouping != 0.0, axis=0))
    np.testing.assert_allclose(found.x[used], links.x[used], rtol=0, atol=1e-8)


def test_gravity_can_be_held_while_a_log_with_friction_is_fitted(gravity_alone):
    estimate = identify(ARM, synthetic_log("spatial_3r", noise=0.05), friction=linear(), cutoff=None)
    held = hold_gravity(gravity_alone)
    found = solve_retrieval(retrieval_problem(estimate, held=held))
    np.testing.assert_allclose(held.rows @ found.parameters.ravel(), gravity_alone.values, rtol=0, atol=1e-8)
    assert found.friction_parameters is not None


def test_what_can_not_be_held_is_refused(gravity_alone):
    whole = identify(ARM, synthetic_samples())
    with raises(InputError, "gravity", "retrieve"):
        hold_gravity(whole)
    with raises(InputError, "gravity", "retrieve"):
        hold_gravity(gravity_alone, hold="parameters")
    with raises(UnknownNameError, name="masses", known=("coefficients", "parameters")):
        hold_gravity(gravity_alone, hold="masses")  # pyright: ignore[reportArgumentType]
    with raises(InputError, "gravity", "spatial_3r", "sums"):
        retrieval_problem(identify(ARM.with_gravity([0.0, 9.0, 1.0]), synthetic_samples()), held=hold_gravity(gravity_alone))
