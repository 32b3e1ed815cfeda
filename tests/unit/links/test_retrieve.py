"""From a problem to certified parameters: what is proven, what is refused, and what a prior may cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from dynident import identify
from dynident.errors import InputError, UnknownNameError
from dynident.links import (
    Bounds,
    FeasibleSet,
    InfeasibleError,
    Known,
    LinkParameters,
    NotFoundError,
    Objective,
    PhysicalConsistency,
    RetrievalProblem,
    RetrievalStatus,
    SolverAnswer,
    TotalMass,
    UserConstraint,
    build_retrieval,
    certify,
    prior_to_robot,
    retrieval_problem,
    retrieve,
    solve_retrieval,
    two_step,
    with_ranges,
)
from dynident.links.objective import posterior_data
from dynident.links.options import PRIOR_FACTOR
from dynident.links.problem import PRIOR_SHARE
from dynident.regression import base_parameters
from dynident.robots.parameters import consistency_margin, from_com
from tests.facts import about, carries, raises
from tests.logs import synthetic_samples
from tests.unit.links.links import ROBOT, consistent_links, random_links, seeds

BASE = base_parameters(ROBOT, equations="controller")


def coefficients_of(x: np.ndarray) -> Objective:
    return Objective(name="distance", A=BASE.grouping, b=BASE.coefficients(x))


@pytest.fixture(scope="module")
def estimate():
    return identify(ROBOT, synthetic_samples(noise=2e-3), drop_above_percent=None)


@given(seed=seeds)
@settings(max_examples=15)
def test_coefficients_of_consistent_links_are_met_to_the_last_digits(seed):
    rng = np.random.default_rng(seed)
    x = consistent_links(rng)
    found = solve_retrieval(build_retrieval(BASE, coefficients_of(x), PhysicalConsistency()))
    assert found.objective < 1e-20
    assert found.feasible
    assert np.all(found.margins > -1e-9)
    np.testing.assert_allclose(BASE.coefficients(found.x), BASE.coefficients(x), atol=1e-9)


@given(seed=seeds)
@settings(max_examples=15)
def test_no_consistent_links_fit_better_than_the_lower_bound(seed):
    rng = np.random.default_rng(seed)
    goal = coefficients_of(random_links(rng))
    found = solve_retrieval(build_retrieval(BASE, goal, PhysicalConsistency()))
    assert found.status is RetrievalStatus.OPTIMAL
    assert found.lower_bound <= found.objective + 1e-12
    assert found.gap <= 1e-6 * float(goal.b @ goal.b)
    assert all(goal.value(consistent_links(rng)) >= found.lower_bound for _ in range(20))


def test_the_order_of_constraints_does_not_matter():
    goal = coefficients_of(random_links(np.random.default_rng(5)))
    constraints = (PhysicalConsistency(), TotalMass(3, 9), Bounds("c1x", -0.1, 0.1), Known("m3", 1.0), Bounds("I2xx", 0.0, 0.05))
    there = solve_retrieval(build_retrieval(BASE, goal, FeasibleSet(constraints)))
    back = solve_retrieval(build_retrieval(BASE, goal, FeasibleSet(constraints[::-1])))
    assert back.objective == pytest.approx(there.objective, rel=1e-6)
    assert back.lower_bound == pytest.approx(there.lower_bound, rel=1e-5)


def tampered(result: LinkParameters, **changes: float) -> LinkParameters:
    """What a solver that cheats would get certified: its x moved by hand."""
    x = result.x.copy()
    for name, value in changes.items():
        x[result.problem.base.columns.index(name)] = value
    return certify(result.problem, [SolverAnswer(x=x, merit=0.0)], solver="cheat", floor=0.0)


def test_a_certificate_can_fail():
    problem = build_retrieval(
        BASE, coefficients_of(consistent_links(np.random.default_rng(0))), FeasibleSet((PhysicalConsistency(), TotalMass(1, 30)))
    )
    good = solve_retrieval(problem)
    assert good.feasible
    for changes, name in (({"m2": -1.0}, "physical consistency of link2"), ({"m1": 100.0}, "total mass <= 30")):
        bad = tampered(good, **changes)
        assert not bad.feasible
        assert bad.status is RetrievalStatus.NOT_FOUND
        assert name in {item.name for item in bad.violations}
        assert name in str(bad)


@pytest.mark.parametrize(
    ("gap", "noise", "status", "words"),
    [
        (0.009, None, RetrievalStatus.OPTIMAL, "0.9 % of the objective"),
        (0.011, None, RetrievalStatus.FEASIBLE, "1.1 % of the objective"),
        (0.19, 20.0, RetrievalStatus.OPTIMAL, "0.95 % of the noise"),
        (0.22, 20.0, RetrievalStatus.FEASIBLE, "1.1 % of the noise"),
        (0.009, 0.1, RetrievalStatus.OPTIMAL, "9 % of the noise"),  # of an objective of ten times the noise it is little
        (np.inf, 20.0, RetrievalStatus.FEASIBLE, "not known"),
    ],
)
def test_optimal_is_said_only_within_the_tolerance_of_objective_or_noise(gap, noise, status, words):
    x = consistent_links(np.random.default_rng(0))
    goal = replace(coefficients_of(x), constant=1.0, noise=noise)  # an objective of 1 at x
    found = certify(build_retrieval(BASE, goal, PhysicalConsistency()), [SolverAnswer(x=x, merit=1.0)], solver="none", floor=1.0 - gap)
    assert (found.status, found.gap_in_words) == (status, words)
    assert status.value in str(found)
    assert f"gap {words}" in str(found)


def test_an_objective_that_is_zero_to_rounding_is_optimal():
    x = consistent_links(np.random.default_rng(0))
    for error, status, words in (
        (1e-7, RetrievalStatus.OPTIMAL, "zero up to rounding"),
        (1e-5, RetrievalStatus.FEASIBLE, "100 % of the objective"),
    ):
        goal = coefficients_of(x * (1.0 + error))
        found = certify(build_retrieval(BASE, goal, PhysicalConsistency()), [SolverAnswer(x=x, merit=0.0)], solver="none", floor=0.0)
        assert (found.status, found.gap_in_words) == (status, words)


def test_contradictions_are_named_and_never_answered():
    goal = coefficients_of(consistent_links(np.random.default_rng(0)))
    constraints = FeasibleSet(
        (PhysicalConsistency(), Bounds("m1", 0, 1), Bounds("m2", 0, 1), Bounds("m3", 0, 1), TotalMass(5, 9), Known("c1x", 0))
    )
    with pytest.raises(InfeasibleError) as caught:
        solve_retrieval(build_retrieval(BASE, goal, constraints))
    assert set(caught.value.conflicting) == {"m1 <= 1", "m2 <= 1", "m3 <= 1", "total mass >= 5"}


def test_a_bound_that_can_not_be_met_is_not_answered_either():
    """I1xx <= -0.1 contradicts consistency, but is not convex, so that no proof is found: the answer is refused all the same."""
    goal = coefficients_of(consistent_links(np.random.default_rng(0)))
    with raises(NotFoundError, "sdp", "I1xx <= -0.1") as caught:
        solve_retrieval(build_retrieval(BASE, goal, FeasibleSet((PhysicalConsistency(), Bounds("I1xx", high=-0.1)))))
    assert not caught.value.best.feasible


def test_functions_are_for_other_solvers():
    goal = coefficients_of(consistent_links(np.random.default_rng(0)))
    problem = build_retrieval(BASE, goal, FeasibleSet((PhysicalConsistency(), UserConstraint(lambda links: -1.0, name="anything"))))
    with raises(InputError, "sdp", "anything", "barrier", "penalty"):
        solve_retrieval(problem)
    with raises(UnknownNameError, "barrier", name="sdpp"):
        solve_retrieval(problem, solver="sdpp")


def with_prior(problem: RetrievalProblem, **changes: object) -> LinkParameters:
    return solve_retrieval(problem.with_prior(replace(prior_to_robot(ROBOT), **changes)))


def test_a_prior_is_as_strong_as_it_can_afford(estimate):
    problem = build_retrieval(estimate.base, two_step(estimate), PhysicalConsistency())
    best = solve_retrieval(problem)
    allowed = PRIOR_SHARE * max(best.objective, estimate.base.rank)
    for weight in (1e-8, 1e3):  # whatever it starts with
        found = with_prior(problem, weight=weight)
        assert found.objective - best.lower_bound <= 1.01 * allowed
        stronger = with_prior(problem, weight=10.0 * found.problem.prior.weight, fixed=True)
        assert stronger.objective - best.lower_bound > 0.99 * allowed
        assert carries(found.notes[0], "nominal", "entropic", "weight")


def test_a_fixed_prior_has_the_weight_that_it_was_given(estimate):
    problem = build_retrieval(estimate.base, two_step(estimate), PhysicalConsistency())
    weak, strong = (with_prior(problem, weight=weight, fixed=True) for weight in (1e-6, 1e6))
    assert (weak.problem.prior.weight, strong.problem.prior.weight) == (1e-6, 1e6)
    near, far = (np.abs(found.parameters - ROBOT.parameters).max() for found in (strong, weak))
    assert near < 0.1 * far
    assert strong.objective > weak.objective


def test_the_problem_that_is_looked_at_is_the_one_that_is_solved(estimate):
    problem = build_retrieval(estimate.base, two_step(estimate), PhysicalConsistency(), prior=prior_to_robot(ROBOT))
    assert problem.prior.weight != prior_to_robot(ROBOT).weight
    assert f"weight {problem.prior.weight:.1g}" in problem.notes[0]
    found = solve_retrieval(problem)
    assert found.problem is problem
    assert found.notes == problem.notes
    heavy = replace(problem, prior=replace(problem.prior, weight=1e6))
    assert solve_retrieval(heavy).problem.prior.weight == 1e6


def test_a_contradiction_is_reported_by_the_solution_not_by_the_problem():
    goal = coefficients_of(ROBOT.parameters.ravel())
    problem = build_retrieval(BASE, goal, FeasibleSet((Bounds("m1", high=1), Bounds("m1", low=2))), prior=prior_to_robot(ROBOT))
    with raises(InfeasibleError, "m1"):
        solve_retrieval(problem)


class TestTheProblemOfAnEstimate:
    def test_what_is_asked_for_when_nothing_is_said(self, estimate):
        prior = replace(prior_to_robot(ROBOT), weight=2.0 / np.log(PRIOR_FACTOR) ** 2, fixed=True, wishart=True)
        expected = solve_retrieval(build_retrieval(estimate.base, posterior_data(estimate), PhysicalConsistency(), prior=prior))
        found = retrieve(estimate)
        np.testing.assert_allclose(found.x, expected.x, atol=1e-9)
        assert found.notes[1:] == expected.notes == ("prior: nominal parameters, the mass of each known to about a factor of 1.65",)
        assert carries(found.notes[0], "nominal", "better", "uniform")
        assert [item.determined_by for item in found.ranges] == [item.determined_by for item in with_ranges(expected).ranges]

    def test_more_can_be_said(self, estimate):
        problem = retrieval_problem(
            estimate, constraints=Bounds("m2", high=3.0), consistency=False, total_mass=(4.0, 9.0), prior="uniform", prior_factor=4.0
        )
        assert [block.name for block in problem.terms.blocks] == ["m2 <= 3", "total mass >= 4", "total mass <= 9"]
        assert (problem.prior.toward, problem.prior.weight) == ("uniform links", pytest.approx(0.25))
        assert not problem.prior.wishart
        assert carries(problem.notes[0], "consistency", "asked")
        names = [block.name for block in retrieval_problem(estimate, prior=None).terms.blocks]
        assert sum("reach" in name for name in names) == ROBOT.n  # which a distribution of bodies makes unnecessary
        assert "without a prior" in retrieval_problem(estimate, prior=None).notes[0]
        own = replace(prior_to_robot(ROBOT), weight=1.0, fixed=True)
        assert retrieval_problem(estimate, prior=own).prior == own

    def test_links_that_can_not_exist_are_replaced_in_the_prior(self, estimate):
        broken = ROBOT.parameters.copy()
        broken[1, 4:] = 0.0  # all of its mass away from a centre that it is not at
        problem = retrieval_problem(replace(estimate, base=replace(estimate.base, robot=ROBOT.with_parameters(broken))))
        np.testing.assert_array_equal(problem.prior.nominal[[0, 2]], ROBOT.parameters[[0, 2]])
        assert problem.prior.nominal[1, 0] == pytest.approx(ROBOT.parameters[1, 0])
        assert np.all(consistency_margin(problem.prior.nominal) > 0.0)
        assert about(problem.notes, "no", "body", "link2")
        broken[0, 4:] = 0.0  # most of them
        problem = retrieval_problem(replace(estimate, base=replace(estimate.base, robot=ROBOT.with_parameters(broken))))
        assert carries(problem.prior.toward, "uniform")
        assert about(problem.notes, "prior", "uniform")

    def test_a_description_that_looks_wrong_is_not_used_without_a_note(self, estimate):
        odd = ROBOT.parameters.copy()
        odd[2] = from_com(odd[2:3, 0], np.array([[9.0, 0.0, 0.0]]), 0.02 * np.eye(3)[None])[0]
        robot = ROBOT.with_parameters(odd)
        for prior in ("auto", "nominal", "euclidean"):
            notes = retrieval_problem(replace(estimate, base=replace(estimate.base, robot=robot)), prior=prior).notes
            assert about(notes, "description", "link3", "CoM")
        uniform = retrieval_problem(replace(estimate, base=replace(estimate.base, robot=robot)), prior="uniform")
        assert not about(uniform.notes, "description", "link3")

    def test_the_papers_distance_leaves_the_prior_a_tie_break(self, estimate):
        problem = retrieval_problem(estimate, objective=two_step(estimate))
        assert not problem.prior.fixed
        assert problem.goal is problem.objective

    def test_what_is_refused(self, estimate):
        with raises(UnknownNameError, "auto", "nominal", "euclidean", "uniform", kind="prior", name="flat"):
            retrieval_problem(estimate, prior="flat")
        with raises(InputError, 1, name="prior_factor"):
            retrieval_problem(estimate, prior_factor=1.0)
        with raises(InputError, 9, 4, "lower", "upper", name="total_mass"):
            retrieval_problem(estimate, total_mass=(9.0, 4.0))
        with raises(InputError, "data", "identify"):
            retrieval_problem(replace(estimate, problem=None))


def test_the_prior_chooses_what_the_data_leave_open():
    """Exact data of the nominal robot: the nominal links themselves, though many others have these coefficients."""
    goal = coefficients_of(ROBOT.parameters.ravel())
    found = solve_retrieval(build_retrieval(BASE, goal, PhysicalConsistency(), prior=prior_to_robot(ROBOT)))
    np.testing.assert_allclose(found.parameters, ROBOT.parameters, atol=1e-4)
    assert found.objective < 1e-20


def test_a_misfit_is_said(estimate):
    problem = build_retrieval(estimate.base, two_step(estimate), FeasibleSet((PhysicalConsistency(), Bounds("m3", high=0.01))))
    assert about(solve_retrieval(problem).notes, "noise", "alone")
    assert not about(solve_retrieval(build_retrieval(estimate.base, two_step(estimate), PhysicalConsistency())).notes, "noise", "alone")


def test_what_is_not_convex_is_left_out_of_the_bound_with_a_note():
    goal = coefficients_of(consistent_links(np.random.default_rng(0)))
    found = solve_retrieval(build_retrieval(BASE, goal, FeasibleSet((PhysicalConsistency(), Bounds("I1xy", -1, 1)))))
    assert about(found.notes, "convex", 2, "I1xy >= -1")


def test_ranges_and_bounds_say_what_they_are_about(estimate):
    text = str(retrieve(estimate))
    assert carries(text, "Ranges", "marginal")
    assert not carries(text, "lower", "bound", 1000)  # a prior that is knowledge leaves no direction open
    open_directions = str(solve_retrieval(build_retrieval(estimate.base, two_step(estimate), PhysicalConsistency())))
    assert carries(open_directions, "lower", "bound", 1000)
    assert "marginal" not in open_directions


def test_a_result_prints_its_table():
    goal = coefficients_of(consistent_links(np.random.default_rng(0)))
    text = str(solve_retrieval(build_retrieval(BASE, goal, PhysicalConsistency())))
    assert all(name in text for name in ("link1", "link2", "link3", "mass [kg]", "Total mass", "lower bound", "gap"))
