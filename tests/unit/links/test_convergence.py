"""What is said of an answer that is not the best one: by the solver that stopped too early, and of costs that are zero up to rounding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot, regression
from dynident.dynamics.friction import linear
from dynident.links import (
    NominalPrior,
    PhysicalConsistency,
    RetrievalProblem,
    RetrievalStatus,
    SolverAnswer,
    SolverOptions,
    build_retrieval,
    certify,
    prior_to_robot,
    retrieval_problem,
    solve_retrieval,
    two_step,
)
from dynident.links.run_costs import run_costs
from dynident.links.solve import MisfitError, NotConvergedError
from dynident.regression import Estimate, build_problem
from tests.contracts.retrieval_problems import make
from tests.facts import about, carries, raises
from tests.logs import synthetic_log

ROBOT = load_robot("planar_2r")
PATTERN = SolverOptions(own={"local": "pattern", "steps": 3})


@pytest.fixture(scope="module")
def estimate() -> Estimate:
    return regression.estimate(build_problem(ROBOT, synthetic_log(noise=0.02), friction=linear(), cutoff=None))


def test_a_heuristic_that_stopped_early_is_not_blamed_on_the_data(estimate):
    problem = retrieval_problem(estimate, objective=two_step(estimate, weights="none"), prior=None, total_mass=(1, 20))
    with pytest.raises(NotConvergedError) as caught:
        solve_retrieval(problem, solver="penalty", options=PATTERN)
    error = caught.value
    assert not isinstance(error, MisfitError)
    assert error.best.status in (RetrievalStatus.NOT_CONVERGED, RetrievalStatus.DOUBTFUL)
    assert error.better < 1e-6 * error.best.objective
    assert carries(str(error), "converge")
    assert "starts" in error.remedy
    assert "sdp" in error.remedy
    assert not any(word in str(error) for word in ("sign", "mounting", "unit"))


def test_data_that_no_links_explain_are_still_blamed(estimate):
    turned = regression.estimate(
        replace(estimate.problem, factors=tuple(np.column_stack([f[:, :-1], -f[:, -1]]) for f in estimate.problem.factors))
    )
    problem = retrieval_problem(turned, objective=two_step(turned, weights="none"), prior=None, total_mass=(1, 20))
    with raises(MisfitError, "signs", "units", costliest="physical consistency"):
        solve_retrieval(problem, solver="penalty", options=PATTERN)


def test_the_status_says_that_better_parameters_exist():
    problem = make("planar, total mass")
    best = solve_retrieval(problem).objective
    stopped = solve_retrieval(problem, solver="penalty", options=PATTERN)
    assert stopped.objective > 1.1 * best
    assert stopped.status is RetrievalStatus.NOT_CONVERGED
    assert carries(stopped.notes[-1], "penalty", "sdp", f"{best:.4g}")
    settled = solve_retrieval(problem, solver="penalty")  # SLSQP reaches the optimum of this one
    assert settled.status is not RetrievalStatus.NOT_CONVERGED or settled.objective > 1.01 * best


def with_strong_prior(weight: float) -> tuple[RetrievalProblem, NominalPrior]:
    """A prior that only breaks ties, of a weight that no build would give it."""
    prior = prior_to_robot(ROBOT)
    assert prior is not None
    return replace(make("planar, total mass"), prior=replace(prior, weight=weight)), prior


def test_a_tie_break_does_not_choose_the_worse_of_two():
    problem, prior = with_strong_prior(10.0)
    good, near = solve_retrieval(replace(problem, prior=None)).x, problem.relaxed.x
    assert problem.goal.value(near) > 1.5 * problem.goal.value(good)
    assert problem.merit(near) < problem.merit(good)
    both = [SolverAnswer(x=x, merit=problem.merit(x)) for x in (near, good)]
    np.testing.assert_array_equal(certify(problem, both, solver="none", floor=0.0).x, good)
    # among equally good ones it does choose
    moved = good + 1e-9 * np.eye(len(good))[0]
    tied = [SolverAnswer(x=x, merit=problem.merit(x)) for x in (good, moved)]
    A, b = prior.rows(len(good))
    nearest = min((good, moved), key=lambda x: float(np.sum((A @ x - b) ** 2)))
    np.testing.assert_array_equal(certify(problem, tied, solver="none", floor=0.0).x, nearest)


def test_no_prior_steers_the_published_algorithm(estimate):
    alone = retrieval_problem(estimate, objective=two_step(estimate, weights="none"), prior=None, total_mass=(1, 20))
    with_prior = retrieval_problem(estimate, objective=two_step(estimate, weights="none"), total_mass=(1, 20))
    assert with_prior.prior is not None
    options = SolverOptions(own={"steps": 2})
    one, other = (solve_retrieval(p, solver="penalty", options=options) for p in (alone, with_prior))
    np.testing.assert_array_equal(one.x, other.x)
    assert about(other.notes, "prior", "left")
    assert not any("costs" in note for note in other.notes)
    np.testing.assert_array_equal(run_costs(alone, options=options).costs, run_costs(with_prior, options=options).costs)


def test_a_cost_of_rounding_is_called_so_whatever_the_status():
    """2e-34 above a bound of zero is nothing, and no share of 2e-34 says so."""
    x = np.asarray(ROBOT.parameters).ravel()
    problem = make("planar, total mass")
    exact = replace(problem.objective, b=problem.objective.A @ x)
    found = certify(build_retrieval(problem.base, exact, PhysicalConsistency()), [SolverAnswer(x=x, merit=0.0)], solver="none", floor=0.0)
    doubtful = replace(found, objective=2e-34, status=RetrievalStatus.DOUBTFUL)
    assert found.scale == pytest.approx(float(exact.b @ exact.b))
    assert carries(doubtful.gap_in_words, "zero", "rounding")
    assert replace(doubtful, objective=1e-6 * found.scale).gap_in_words.startswith("100 %")
