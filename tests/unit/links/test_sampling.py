"""Draws from the posterior: within the constraints, and distributed as brute force, closed forms and an exact sampler say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics.friction import friction_model
from dynident.errors import InputError, ValueRangeError
from dynident.links import (
    Bounds,
    FeasibleSet,
    FrictionNonnegative,
    NominalPrior,
    Objective,
    PhysicalConsistency,
    TotalMass,
    UserConstraint,
    build_retrieval,
)
from dynident.links.posterior import covariance
from dynident.links.sampling import SamplingError, draw_posterior
from dynident.links.solve import solve_retrieval
from dynident.regression import base_parameters
from tests.facts import raises
from tests.hit_and_run import hit_and_run

#: Columns of viscous and Coulomb friction of a two-link arm, which are not negative; the offset can be.
OPPOSING = [20, 21, 23, 24]


def problem_of(name: str, weight: float = 9.0, *, std: float = 0.02, constraints=None, friction: float | None = None, wishart: bool = True):
    """The coefficients of a library robot, known to a standard deviation, with its nominal links as the prior.

    friction : all parameters of each joint's friction as they were measured, which may be negative.
    """
    robot = load_robot(name)
    base = base_parameters(robot, friction=None if friction is None else friction_model("linear"))
    A, more = base.grouping / std, len(base.columns) - 10 * robot.n
    x = np.append(robot.parameters.ravel(), np.full(more, friction or 0.0))
    objective = Objective(name="coefficients", A=A, b=A @ x, noise=float(base.rank))
    prior = NominalPrior(nominal=robot.parameters, weight=weight, fixed=True, wishart=wishart, friction_std=np.ones(more) if more else None)
    return build_retrieval(base, objective, constraints or PhysicalConsistency(), prior=prior)


def test_draws_are_those_of_an_exact_sampler():
    """A normal distribution in place of the density: means to 0.4 and standard deviations to 20 %, one body and little data."""
    problem = problem_of("pendulum_1r", std=0.1)
    expected, drawn = hit_and_run(problem, 500, thin=40, seed=1), draw_posterior(problem, 4000, seed=1).x
    std = expected.std(axis=0)
    np.testing.assert_array_less(np.abs(drawn.mean(axis=0) - expected.mean(axis=0)) / std, 0.4 + 4.5 / np.sqrt(500))
    np.testing.assert_allclose(drawn.std(axis=0) / std, 1.0, atol=0.2)


def test_within_half_spaces_draws_are_those_of_brute_force():
    """Friction that was measured half a standard deviation below zero: of the normal distribution, what is not outside."""
    constraints = FeasibleSet((PhysicalConsistency(), FrictionNonnegative(), TotalMass(0.0, 7.0)))
    problem = problem_of("planar_2r", 400.0, std=0.2, friction=-0.1, constraints=constraints)
    free = problem_of("planar_2r", 400.0, std=0.2, friction=-0.1)
    sigma, mean = covariance(free), free.relaxed.x
    count = 400_000
    every = mean + np.random.default_rng(2).multivariate_normal(np.zeros(len(mean)), sigma, count)
    kept = every[np.all(every[:, OPPOSING] >= 0.0, axis=1) & (every[:, 0] + every[:, 10] <= 7.0)]
    drawn = draw_posterior(problem, 4000, seed=3).x
    assert len(kept) > 1000
    std = kept.std(axis=0)
    np.testing.assert_array_less(np.abs(drawn.mean(axis=0) - kept.mean(axis=0)) / std, 4.5 / np.sqrt(1000))
    np.testing.assert_allclose(drawn.std(axis=0) / std, 1.0, atol=0.1)


def test_a_condition_that_the_data_break_by_far_is_an_exponential_distribution():
    """Far below zero, a normal distribution falls from zero on like exp(-|mean| x / variance)."""
    problem = problem_of("planar_2r", std=0.02, friction=-0.4, constraints=FeasibleSet((PhysicalConsistency(), FrictionNonnegative())))
    drawn = draw_posterior(problem, 4000, seed=0)
    expected = 0.02**2 / 0.4
    np.testing.assert_allclose(drawn.x[:, OPPOSING].mean(axis=0), expected, rtol=0.1)
    np.testing.assert_allclose(drawn.x[:, OPPOSING].std(axis=0), expected, rtol=0.15)
    assert drawn.acceptance > 0.1


def test_every_draw_keeps_the_constraints():
    problem = problem_of("spatial_3r", constraints=FeasibleSet((PhysicalConsistency(), TotalMass(1.0, 11.0))))
    drawn = draw_posterior(problem, 300)
    assert all(not problem.violations(x) for x in drawn.x)
    assert drawn.x.shape == (300, problem.variables)


@pytest.mark.parametrize("wishart", [True, False])
def test_far_from_the_boundary_the_spread_is_the_laplace_covariance(wishart):
    problem = problem_of("planar_2r", 1e4, wishart=wishart)  # so strong a prior that the boundary is far away
    drawn = draw_posterior(problem, 4000)
    std = np.sqrt(np.diag(covariance(problem)))
    np.testing.assert_allclose(drawn.x.std(axis=0) / std, 1.0, atol=0.1)
    np.testing.assert_allclose((drawn.x.mean(axis=0) - problem.relaxed.x) / std, 0.0, atol=4.5 / np.sqrt(4000))


def test_links_that_the_data_leave_open_are_nearly_the_nominal_ones_on_average():
    robot = load_robot("spatial_3r")
    base = base_parameters(robot)
    nothing = Objective(name="nothing", A=np.zeros((1, len(base.columns))), b=np.zeros(1), noise=1.0)
    prior = NominalPrior(nominal=robot.parameters, weight=9.0, fixed=True, wishart=True)
    drawn = draw_posterior(build_retrieval(base, nothing, PhysicalConsistency(), prior=prior), 2000).x
    share = drawn[:, ::10].mean(axis=0) / robot.parameters[:, 0]
    np.testing.assert_allclose(share, 1.1, atol=0.1)  # what is no body is lighter


def test_equal_seeds_give_equal_draws():
    problem = problem_of("pendulum_1r")
    np.testing.assert_array_equal(draw_posterior(problem, 10, seed=3).x, draw_posterior(problem, 10, seed=3).x)
    assert np.any(draw_posterior(problem, 10, seed=3).x != draw_posterior(problem, 10, seed=4).x)


def test_where_nothing_drawn_is_within_the_constraints_is_an_error_that_says_so(monkeypatch):
    monkeypatch.setattr("dynident.links.sampling._Normal.holds", lambda _self, x: np.zeros(len(x), dtype=bool))
    with raises(SamplingError, 0, "%", draws=200_000) as caught:
        draw_posterior(problem_of("pendulum_1r"), 500)
    assert caught.value.acceptance == 0.0


def test_bad_input():
    problem = problem_of("pendulum_1r")
    with raises(ValueRangeError, 0, "one", name="count"):
        draw_posterior(problem, 0)
    robot = load_robot("pendulum_1r")
    base = base_parameters(robot)
    objective = Objective(name="coefficients", A=base.grouping, b=base.grouping @ robot.parameters.ravel())
    with raises(InputError, "open", "posterior", "prior"):
        draw_posterior(build_retrieval(base, objective, PhysicalConsistency()), 5)
    with raises(InputError, "link1"):
        solve_retrieval(problem_of("pendulum_1r", constraints=TotalMass(1.0, 40.0))).sample(5)
    written = UserConstraint(lambda links: links[0].mass - 100.0, "light")
    for condition, name in ((written, "light"), (Bounds("I1xx", 0.0, 1.0), "I1xx")):
        found = solve_retrieval(problem_of("pendulum_1r", constraints=FeasibleSet((PhysicalConsistency(), condition))), solver="barrier")
        with raises(InputError, "convex", name):
            found.sample(5)


def test_link_parameters_draw_from_their_own_problem():
    problem = problem_of("pendulum_1r")
    found = solve_retrieval(problem)
    drawn = found.sample(5, seed=2)
    np.testing.assert_array_equal(drawn.x, draw_posterior(problem, 5, seed=2).x)
    np.testing.assert_array_equal(drawn.best, found.x)
    with raises(InputError, "either", "convex", "retrieve"):
        replace(found, problem=None).sample(5)


def test_links_that_are_not_a_posterior_are_refused():
    robot = load_robot("pendulum_1r")
    base = base_parameters(robot)
    objective = Objective(name="coefficients", A=base.grouping, b=base.grouping @ robot.parameters.ravel())
    chosen = solve_retrieval(build_retrieval(base, objective, PhysicalConsistency(), prior=NominalPrior(nominal=robot.parameters)))
    with raises(InputError, "noise", "posterior", "retrieve"):
        chosen.sample(5)
