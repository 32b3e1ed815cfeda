"""Draws from the posterior: within the constraints, and distributed as brute force and the closed form say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.errors import InputError, ValueRangeError
from dynident.feasibility import FeasibleSet, NominalPrior, Objective, PhysicalConsistency, TotalMass, UserConstraint, build_retrieval
from dynident.feasibility.sampling import AGREEMENT, judge_chains, sample_posterior
from dynident.feasibility.solve import solve_retrieval
from dynident.parameters import pseudo_inertia
from dynident.regression import base_parameters


def problem_of(name: str, weight: float, *, coefficients_std: float = 0.02, constraints=None):
    """The coefficients of a library robot, known to a standard deviation, with its nominal links as prior."""
    robot = load_robot(name)
    base = base_parameters(robot)
    A = base.grouping / coefficients_std
    objective = Objective(name="coefficients", A=A, b=A @ robot.parameters.ravel(), noise=float(base.rank))
    prior = NominalPrior(nominal=robot.parameters, weight=weight, fixed=True)
    return build_retrieval(base, objective, constraints or PhysicalConsistency(), prior=prior)


def brute_force(problem, count: int, seed: int = 0) -> np.ndarray:
    """Draws of the untruncated normal distribution, those outside of the constraints thrown away."""
    A, b = problem.rows
    R = np.linalg.qr(A, mode="r")
    mean = np.linalg.lstsq(A, b, rcond=None)[0]
    x = mean + np.linalg.solve(R, np.random.default_rng(seed).normal(size=(len(mean), count))).T
    smallest = np.linalg.eigvalsh(pseudo_inertia(x.reshape(count, -1, 10)))[..., 0].min(axis=1)
    return x[smallest > 0.0]


@pytest.mark.parametrize(("name", "weight"), [("pendulum_1r", 1.0), ("planar_2r", 4.0)])
def test_draws_are_distributed_as_brute_force_says(name, weight):
    problem = problem_of(name, weight)
    expected = brute_force(problem, 1_000_000)
    assert len(expected) > 1000  # else nothing is compared
    drawn = sample_posterior(problem, 2000, seed=1)
    assert drawn.agreement <= AGREEMENT
    std = expected.std(axis=0)
    # the error of a mean is about 1 / √effective standard deviations, that of a standard deviation less
    allowed = 4.5 / np.sqrt(drawn.effective)
    np.testing.assert_array_less(np.abs(drawn.x.mean(axis=0) - expected.mean(axis=0)) / std, allowed)
    np.testing.assert_array_less(np.abs(drawn.x.std(axis=0) / std - 1.0), allowed)


def test_every_draw_keeps_the_constraints():
    problem = problem_of("spatial_3r", 1.0, constraints=FeasibleSet((PhysicalConsistency(), TotalMass(1.0, 40.0))))
    drawn = sample_posterior(problem, 300)
    assert all(not problem.violations(x) for x in drawn.x)
    assert drawn.x.shape == (300, problem.variables)


def test_far_from_the_boundary_the_spread_is_the_laplace_covariance():
    problem = problem_of("planar_2r", 1e4)  # so strong a prior that the boundary is a hundred standard deviations away
    drawn = sample_posterior(problem, 4000)
    A, _ = problem.rows
    std = np.sqrt(np.diag(np.linalg.inv(A.T @ A)))
    np.testing.assert_allclose(drawn.x.std(axis=0) / std, 1.0, atol=0.1)


def test_equal_seeds_give_equal_draws():
    problem = problem_of("pendulum_1r", 1.0)
    np.testing.assert_array_equal(sample_posterior(problem, 10, seed=3).x, sample_posterior(problem, 10, seed=3).x)
    assert np.any(sample_posterior(problem, 10, seed=3).x != sample_posterior(problem, 10, seed=4).x)


def test_chains_that_are_elsewhere_do_not_agree():
    rng = np.random.default_rng(0)
    together = rng.normal(size=(4, 200, 3))
    apart = together + np.array([0.0, 0.0, 2.0, 2.0])[:, None, None]
    assert judge_chains(together)[0] < AGREEMENT < judge_chains(apart)[0]
    assert judge_chains(apart)[1] < 0.1 * judge_chains(together)[1]


def test_bad_input():
    problem = problem_of("pendulum_1r", 1.0)
    with pytest.raises(ValueRangeError, match="at least one"):
        sample_posterior(problem, 0)
    robot = load_robot("pendulum_1r")
    base = base_parameters(robot)
    objective = Objective(name="coefficients", A=base.grouping, b=base.grouping @ robot.parameters.ravel())
    with pytest.raises(InputError, match="leave a parameter open"):
        sample_posterior(build_retrieval(base, objective, PhysicalConsistency()), 5)
    written = UserConstraint(lambda links: links[0].mass - 100.0, "light")
    with pytest.raises(InputError, match="convex"):
        sample_posterior(problem_of("pendulum_1r", 1.0, constraints=FeasibleSet((PhysicalConsistency(), written))), 5)


def test_link_parameters_draw_from_their_own_problem():
    problem = problem_of("pendulum_1r", 1.0)
    found = solve_retrieval(problem)
    np.testing.assert_array_equal(found.sample(5, seed=2).x, sample_posterior(problem, 5, seed=2).x)
    with pytest.raises(InputError, match="retrieve them again"):
        replace(found, problem=None).sample(5)
