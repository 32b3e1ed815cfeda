"""Certificates at the edges: robots of grams and of tons, constraints that contradict each other by a hair, ranges of coefficients."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot
from dynident.links import (
    Bounds,
    FeasibleSet,
    InfeasibleError,
    LinkParameters,
    NotFoundError,
    Objective,
    PhysicalConsistency,
    RetrievalStatus,
    SolverAnswer,
    TotalMass,
    build_retrieval,
    certify,
    retrieval_problem,
    retrieve,
    solve_retrieval,
)
from dynident.links.ranges import with_ranges
from dynident.links.solve import CertificateError
from dynident.links.solvers.certificates import contradict
from dynident.regression import base_parameters
from tests.facts import about, raises
from tests.logs import synthetic_log
from tests.unit.links.links import ROBOT, consistent_links, random_links

BASE = base_parameters(ROBOT, equations="controller")


def coefficients_of(x: np.ndarray) -> Objective:
    return Objective(name="distance", A=BASE.grouping, b=BASE.coefficients(x))


@pytest.mark.parametrize("solver", ["sdp", "barrier"])
@pytest.mark.parametrize("scale", [1e-4, 1e2, 1e5])
def test_a_heavier_robot_has_the_same_answer_but_for_its_scale(solver, scale):
    x = random_links(np.random.default_rng(7))
    ordinary = retrieve(build_retrieval(BASE, coefficients_of(x), PhysicalConsistency()), solver=solver)
    scaled = retrieve(build_retrieval(BASE, coefficients_of(scale * x), PhysicalConsistency()), solver=solver)
    assert scaled.status is RetrievalStatus.OPTIMAL
    # what counts as met is absolute, so that a robot of grams may gain a little by it
    assert scaled.objective / scale**2 == pytest.approx(ordinary.objective, rel=1e-3)


def test_constraints_that_contradict_each_other_by_a_hair_never_give_an_answer_below_its_bound():
    goal = coefficients_of(consistent_links(np.random.default_rng(3)))
    for gap in (1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-6):
        constraints = FeasibleSet((PhysicalConsistency(), Bounds("m2", 2.0 + gap, 4.0), Bounds("m2", 1.0, 2.0)))
        try:
            found: LinkParameters | None = retrieve(build_retrieval(BASE, goal, constraints))
        except (InfeasibleError, NotFoundError):
            found = None
        assert found is None or found.gap >= 0.0
        if gap > 1e-7:
            assert found is None


def test_a_negative_gap_is_an_error_and_never_an_answer():
    x = consistent_links(np.random.default_rng(3))
    problem = build_retrieval(BASE, replace(coefficients_of(1.1 * x), constant=1.0), PhysicalConsistency())
    value, size = problem.objective.value(x), float(problem.objective.b @ problem.objective.b) + 1.0
    with raises(CertificateError, "cheat", "1.14242363") as caught:
        certify(problem, [SolverAnswer(x=x, merit=value)], solver="cheat", floor=value + 1e-11 * size)
    assert caught.value.objective < caught.value.bound
    rounded = certify(problem, [SolverAnswer(x=x, merit=value)], solver="cheat", floor=value + 1e-13 * size)
    assert rounded.gap == 0.0


def test_a_bound_is_not_about_parameters_beyond_its_reach():
    problem = build_retrieval(BASE, coefficients_of(consistent_links(np.random.default_rng(3))), FeasibleSet(()))
    far = np.linalg.svd(BASE.grouping)[2][-1] * 1e5 + consistent_links(np.random.default_rng(3))  # no coefficient changes along it
    found = certify(problem, [SolverAnswer(x=far, merit=0.0)], solver="any", floor=1.0)
    assert found.lower_bound == -np.inf
    assert found.status is RetrievalStatus.FEASIBLE
    assert about(found.notes, "lower", "bound")


@pytest.mark.parametrize("solver", ["sdp", "barrier"])
@pytest.mark.parametrize("scale", [1e-2, 1e2])
def test_the_most_probable_links_of_a_heavier_arm_are_heavier_by_as_much(solver, scale):
    """Torques, links, friction and prior scale together; what counts as met doesn't, so that a light arm may gain a little."""
    ordinary, scaled = (scaled_links(factor, solver) for factor in (1.0, scale))
    assert scaled.status is RetrievalStatus.OPTIMAL
    np.testing.assert_allclose(scaled.parameters / scale, ordinary.parameters, atol=2e-4 * np.abs(ordinary.parameters).max())
    assert scaled.objective == pytest.approx(ordinary.objective, rel=1e-3)


def scaled_links(factor: float, solver: str) -> LinkParameters:
    robot = load_robot("planar_2r")
    log = synthetic_log(robot, noise=0.1)
    scaled = robot.with_parameters(factor * robot.parameters)
    scaled = replace(scaled, joints=tuple(replace(joint, effort=factor * joint.effort) for joint in robot.joints))
    estimate = identify(scaled, replace(log, effort=factor * log.effort), cutoff=None)
    problem = retrieval_problem(estimate)
    # of a margin in kg·m² a light arm would feel more
    blocks = tuple(block for block in problem.terms.blocks if "physical consistency" not in block.name)
    consistent = PhysicalConsistency().terms(estimate.base.robot, estimate.base.columns).blocks
    return solve_retrieval(replace(problem, terms=replace(problem.terms, blocks=blocks + consistent)), solver=solver)


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e2, 1e5])
def test_a_contradiction_is_proven_again(scale):
    constraints = FeasibleSet((PhysicalConsistency(), TotalMass(1.0 * scale, 2.0 * scale), Bounds("m1", 3.0 * scale, 4.0 * scale)))
    problem = build_retrieval(BASE, coefficients_of(scale * consistent_links(np.random.default_rng(0))), constraints)
    assert contradict(problem.terms.blocks, problem.terms.equalities, np.full(problem.variables, 1e3 * problem.unit))
    with raises(InfeasibleError, "m1"):
        retrieve(problem)


def test_constraints_that_can_be_met_are_never_proven_to_contradict_each_other():
    rng = np.random.default_rng(1)
    for _ in range(20):
        x = consistent_links(rng)
        tight = FeasibleSet((PhysicalConsistency(), *(Bounds(f"m{i + 1}", x[10 * i], x[10 * i]) for i in range(ROBOT.n))))
        terms = build_retrieval(BASE, coefficients_of(x), tight).terms
        assert not contradict(terms.blocks, terms.equalities, np.full(len(x), 1e3))


def test_a_parameter_that_is_a_coefficient_is_known_from_the_data_however_wide_its_range():
    x = consistent_links(np.random.default_rng(2))
    goal = Objective(name="distance", A=BASE.grouping, b=BASE.coefficients(x), noise=float(BASE.rank))  # a noise of 1 drowns everything
    found = with_ranges(retrieve(build_retrieval(BASE, goal, PhysicalConsistency())))
    alone = [int(np.flatnonzero(row)[0]) for row in BASE.grouping if np.count_nonzero(row) == 1]
    assert alone
    assert {found.ranges[i].determined_by for i in alone} == {"data"}
