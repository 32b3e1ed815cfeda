"""Draws from the posterior: within the constraints, and distributed as brute force and the closed form say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.errors import InputError, ValueRangeError
from dynident.feasibility import FeasibleSet, NominalPrior, Objective, PhysicalConsistency, TotalMass, UserConstraint, build_retrieval
from dynident.feasibility.prior_mean import centre_for_mean, mean_of_truncated
from dynident.feasibility.sampling import AGREEMENT, NotConvergedError, draw_posterior, judge_chains
from dynident.feasibility.solve import solve_retrieval
from dynident.parameters import pseudo_inertia
from dynident.regression import base_parameters
from tests.facts import raises


def problem_of(name: str, weight: float, *, coefficients_std: float = 0.02, constraints=None, mode: bool = False):
    """The coefficients of a library robot, known to a standard deviation, with its nominal links as mean of the prior, or as its mode."""
    robot = load_robot(name)
    base = base_parameters(robot)
    A = base.grouping / coefficients_std
    objective = Objective(name="coefficients", A=A, b=A @ robot.parameters.ravel(), noise=float(base.rank))
    prior = NominalPrior(nominal=robot.parameters, weight=weight, fixed=True, centres=robot.parameters if mode else None)
    return build_retrieval(base, objective, constraints or PhysicalConsistency(), prior=prior)


def brute_force(problem, count: int, seed: int = 0) -> np.ndarray:
    """Draws of the untruncated normal distribution, those outside of the constraints thrown away."""
    A, b = problem.rows
    R = np.linalg.qr(A, mode="r")
    mean = np.linalg.lstsq(A, b, rcond=None)[0]
    x = mean + np.linalg.solve(R, np.random.default_rng(seed).normal(size=(len(mean), count))).T
    smallest = np.linalg.eigvalsh(pseudo_inertia(x.reshape(count, -1, 10)))[..., 0].min(axis=1)
    return x[smallest > 0.0]


@pytest.mark.parametrize(("name", "weight", "mode"), [("pendulum_1r", 1.0, True), ("planar_2r", 4.0, True), ("pendulum_1r", 4.0, False)])
def test_draws_are_distributed_as_brute_force_says(name, weight, mode):
    problem = problem_of(name, weight, mode=mode)
    expected = brute_force(replace(problem, prior=problem.prior.averaged()), 1_000_000)
    assert len(expected) > 1000  # else nothing is compared
    drawn = draw_posterior(problem, 2000, seed=1)
    assert drawn.agreement <= AGREEMENT
    std = expected.std(axis=0)
    # the error of a mean is about 1 / √effective standard deviations, that of a standard deviation less
    allowed = 4.5 / np.sqrt(drawn.effective)
    np.testing.assert_array_less(np.abs(drawn.x.mean(axis=0) - expected.mean(axis=0)) / std, allowed)
    np.testing.assert_array_less(np.abs(drawn.x.std(axis=0) / std - 1.0), allowed)


def test_every_draw_keeps_the_constraints():
    problem = problem_of("spatial_3r", 1.0, constraints=FeasibleSet((PhysicalConsistency(), TotalMass(1.0, 40.0))))
    drawn = draw_posterior(problem, 300)
    assert all(not problem.violations(x) for x in drawn.x)
    assert drawn.x.shape == (300, problem.variables)


def test_far_from_the_boundary_the_spread_is_the_laplace_covariance():
    problem = problem_of("planar_2r", 1e4)  # so strong a prior that the boundary is a hundred standard deviations away
    drawn = draw_posterior(problem, 4000)
    A, _ = problem.rows
    std = np.sqrt(np.diag(np.linalg.inv(A.T @ A)))
    np.testing.assert_allclose(drawn.x.std(axis=0) / std, 1.0, atol=0.1)


@pytest.mark.parametrize("weight", [0.25, 1.0, 4.0])
def test_links_that_the_data_leave_open_are_the_nominal_ones_on_average(weight):
    robot = load_robot("spatial_3r")
    base = base_parameters(robot)
    nothing = Objective(name="nothing", A=np.zeros((1, len(base.columns))), b=np.zeros(1), noise=1.0)
    prior = NominalPrior(nominal=robot.parameters, weight=weight, fixed=True)
    drawn = draw_posterior(build_retrieval(base, nothing, PhysicalConsistency(), prior=prior), 1000)
    mass, com = drawn.x[:, ::10], drawn.x[:, 1::10]
    allowed = 4.5 / np.sqrt(drawn.effective)
    nominal = robot.parameters
    np.testing.assert_array_less(np.abs(mass.mean(axis=0) - nominal[:, 0]) / mass.std(axis=0), allowed)
    np.testing.assert_array_less(np.abs(com.mean(axis=0) - nominal[:, 1]) / com.std(axis=0), allowed)


def test_the_mean_of_a_truncated_prior():
    rng = np.random.default_rng(0)
    for weight, centre in ((4.0, 1.0), (4.0, 0.34), (16.0, 1.0)):
        half = rng.normal(size=(300_000, 4, 4)) / np.sqrt(weight)  # (G + Gᵀ) / √2 has the density exp(-weight/4 ‖S‖²)
        S = centre * np.eye(4) + (half + half.swapaxes(1, 2)) / np.sqrt(2.0)
        kept = S[np.linalg.eigvalsh(S)[:, 0] > 0.0]
        trace = np.trace(kept, axis1=1, axis2=2) / 4.0
        assert abs(trace.mean() - mean_of_truncated(centre, weight)) < 4.5 * trace.std() / np.sqrt(len(kept))


def test_the_centre_of_a_prior_whose_mean_is_nominal():
    for weight in (0.01, 0.3, 1.0, 10.0):
        assert mean_of_truncated(centre_for_mean(weight), weight) == pytest.approx(1.0, abs=1e-9)
    assert 1e-4 * centre_for_mean(1e-4) == pytest.approx(-5.0, rel=1e-3)  # exp(-5/2 tr S) on 4x4 matrices has the mean 1
    assert centre_for_mean(1e4) == 1.0


def test_equal_seeds_give_equal_draws():
    problem = problem_of("pendulum_1r", 1.0)
    np.testing.assert_array_equal(draw_posterior(problem, 10, seed=3).x, draw_posterior(problem, 10, seed=3).x)
    assert np.any(draw_posterior(problem, 10, seed=3).x != draw_posterior(problem, 10, seed=4).x)


def test_chains_that_are_elsewhere_do_not_agree():
    rng = np.random.default_rng(0)
    together = rng.normal(size=(4, 200, 3))
    apart = together + np.array([0.0, 0.0, 2.0, 2.0])[:, None, None]
    assert judge_chains(together)[0] < AGREEMENT < judge_chains(apart)[0]
    assert judge_chains(apart)[1] < 0.1 * judge_chains(together)[1]


def test_correlated_draws_are_worth_fewer():
    """An autoregressive chain of coefficient a is worth (1 - a) / (1 + a) of its length."""
    rng = np.random.default_rng(1)
    chains = np.zeros((4, 4000, 1))
    for k in range(1, 4000):
        chains[:, k] = 0.8 * chains[:, k - 1] + rng.normal(size=(4, 1))
    assert judge_chains(chains)[1] == pytest.approx(16000 / 9, rel=0.2)
    assert judge_chains(rng.normal(size=(4, 4000, 1)))[1] == pytest.approx(16000, rel=0.2)


def test_chains_that_do_not_converge_are_an_error_that_says_how_far_they_came(monkeypatch):
    monkeypatch.setattr(
        "dynident.feasibility.sampling._Walk.travel", lambda _self, u, _time, rng, speed=1.0: u + 1e-6 * rng.normal(size=len(u))
    )
    with raises(NotConvergedError, 12800, 4, "R̂", draws=12800) as caught:
        draw_posterior(problem_of("pendulum_1r", 1.0), 5)
    assert caught.value.agreement > AGREEMENT


def test_bad_input():
    problem = problem_of("pendulum_1r", 1.0)
    with raises(ValueRangeError, 0, "one", name="count"):
        draw_posterior(problem, 0)
    robot = load_robot("pendulum_1r")
    base = base_parameters(robot)
    objective = Objective(name="coefficients", A=base.grouping, b=base.grouping @ robot.parameters.ravel())
    with raises(InputError, "open", "posterior", "prior"):
        draw_posterior(build_retrieval(base, objective, PhysicalConsistency()), 5)
    with raises(InputError, "link1"):
        draw_posterior(problem_of("pendulum_1r", 1.0, constraints=TotalMass(1.0, 40.0)), 5)
    written = UserConstraint(lambda links: links[0].mass - 100.0, "light")
    with raises(InputError, "convex", "light"):
        draw_posterior(problem_of("pendulum_1r", 1.0, constraints=FeasibleSet((PhysicalConsistency(), written))), 5)


def test_link_parameters_draw_from_their_own_problem():
    problem = problem_of("pendulum_1r", 1.0)
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
