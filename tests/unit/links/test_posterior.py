"""One posterior: mode, certificate, covariance and evidence against closed forms, finite differences, quadrature and a conic solver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics.friction import friction_model
from dynident.links import (
    Bounds,
    FeasibleSet,
    FrictionNonnegative,
    Known,
    NominalPrior,
    Objective,
    PhysicalConsistency,
    TotalMass,
    build_retrieval,
    solve_retrieval,
)
from dynident.links.constraints.regions import ComInEllipsoid
from dynident.links.interior.central_path import GAP
from dynident.links.interior.reduced import Reduced
from dynident.links.posterior import covariance, evidence, standard_deviations
from dynident.links.problem import RetrievalProblem
from dynident.links.solvers.conic import solve_counted
from dynident.regression import base_parameters
from dynident.regression.equations.base import BaseParameters
from dynident.robots.parameters import change_of_frame, from_com, pseudo_inertia
from dynident.robots.parameters.link_metric import round_out

NU = 9.0


def arm(name: str = "planar_2r", friction: str | None = None) -> BaseParameters:
    return base_parameters(load_robot(name), friction=None if friction is None else friction_model(friction))


def nothing(base: BaseParameters) -> Objective:
    return Objective(name="nothing", A=np.zeros((1, len(base.columns))), b=np.zeros(1), noise=1.0)


def coefficients(base: BaseParameters, values: np.ndarray, std: float) -> Objective:
    """Coefficients that were measured."""
    return Objective(name="coefficients", A=base.grouping / std, b=values / std, noise=float(base.rank))


def wishart(base: BaseParameters, **changes) -> NominalPrior:
    size = len(base.columns) - 10 * base.robot.n
    std = np.ones(size) if size else None
    return NominalPrior(nominal=base.robot.parameters, weight=NU, fixed=True, wishart=True, friction_std=std, **changes)


def wrong(base: BaseParameters, seed: int = 0) -> Objective:
    """Measured coefficients of links that are not the nominal ones, in some of which no body can be."""
    rng = np.random.default_rng(seed)
    values = base.coefficients(np.append(base.robot.parameters.ravel(), np.zeros(len(base.columns) - 10 * base.robot.n)))
    return coefficients(base, values * rng.uniform(0.3, 2.0, len(values)), 0.05)


def test_of_a_prior_alone_the_mode_is_the_nominal_link_and_the_evidence_zero():
    base = arm("spatial_3r")
    problem = build_retrieval(base, nothing(base), PhysicalConsistency(), prior=wishart(base))
    expected = [np.linalg.inv(to_com) @ P @ np.linalg.inv(to_com).T for P, to_com in map(round_out, base.robot.parameters)]
    np.testing.assert_allclose(pseudo_inertia(problem.relaxed.x.reshape(-1, 10)), expected, rtol=1e-9, atol=1e-12)
    assert problem.goal.value(problem.relaxed.x) == pytest.approx(0.0, abs=1e-12)
    assert evidence(problem) == pytest.approx(0.0, abs=1e-9)


def test_the_mass_of_a_link_is_known_to_the_factor():
    base = arm("spatial_3r")
    prior = wishart(base)
    before, after = standard_deviations(build_retrieval(base, nothing(base), PhysicalConsistency(), prior=prior))
    mass = base.robot.parameters[:, 0]
    np.testing.assert_allclose(before[:30:10] / mass, np.sqrt(2.0 / NU), rtol=1e-9)
    np.testing.assert_allclose(after, before, rtol=1e-9)


def test_a_measured_mass_has_a_closed_form():
    """With the centre of mass at the origin the mass is m₀ S₄₄, and 2 (m - w) / σ² + ν (1 / m₀ - 1 / m) = 0."""
    robot = load_robot("pendulum_1r").with_parameters(from_com(2.0, np.zeros(3), np.diag([0.02, 0.03, 0.04]))[None])
    base = base_parameters(robot)
    w, sigma, m0 = 5.0, 0.7, 2.0
    objective = Objective(name="mass", A=np.eye(1, 10) / sigma, b=np.array([w / sigma]), noise=1.0)
    problem = build_retrieval(base, objective, PhysicalConsistency(), prior=wishart(base))
    roots = np.roots([2.0 / sigma**2, -2.0 * w / sigma**2 + NU / m0, -NU])
    mode = float(roots.max())
    assert problem.relaxed.x[0] == pytest.approx(mode, rel=1e-9)
    sigma_after = (1.0 / sigma**2 + NU / (2.0 * mode**2)) ** -0.5
    assert np.sqrt(covariance(problem)[0, 0]) == pytest.approx(sigma_after, rel=1e-9)
    before = (w - mode) ** 2 / sigma**2 + NU * (mode / m0 - np.log(mode / m0) - 1.0)
    assert evidence(problem) == pytest.approx(before + np.log(1.0 + 2.0 * mode**2 / (NU * sigma**2)), rel=1e-9)


def test_gradient_and_curvature_are_those_of_finite_differences():
    base = arm("planar_2r", "linear")
    problem = build_retrieval(base, wrong(base), PhysicalConsistency(), prior=wishart(base))
    goal, reduced = problem.goal, Reduced.of(problem)
    x = problem.relaxed.x + np.append(0.05 * base.robot.parameters.ravel(), 0.1 * np.ones(len(base.columns) - 20))
    interior, y = reduced.interior(), reduced.y(x)
    step = 1e-5 * np.maximum(np.abs(y), 0.01)
    moved = [(reduced.x(y + d), reduced.x(y - d)) for d in np.diag(step)]
    slopes = np.array([(goal.value(a) - goal.value(b)) / (2.0 * d) for (a, b), d in zip(moved, step, strict=True)])
    exact = reduced.units * goal.gradient(x)
    np.testing.assert_allclose(slopes, exact, atol=1e-6 * np.abs(exact).max())
    bends = np.array([reduced.units * (goal.gradient(a) - goal.gradient(b)) / (2.0 * d) for (a, b), d in zip(moved, step, strict=True)])
    rows = interior.curvature(y)
    np.testing.assert_allclose(bends, 2.0 * rows.T @ rows, atol=1e-6 * np.abs(bends).max())


@pytest.mark.parametrize("units", [1.0, 1e-3])
def test_neither_frames_nor_units_matter(units):
    """Another frame of a link is a linear map of its ten numbers, and so is another unit of length; the data are the same."""
    base = arm("pendulum_1r")
    rng = np.random.default_rng(3)
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation * np.linalg.det(rotation), [0.3, -0.2, 0.5]
    lengths = np.array([1.0, *[1.0 / units] * 3, *[units**-2] * 6])
    T = lengths[:, None] * change_of_frame(pose)
    goal = wrong(base)
    other = replace(base, robot=base.robot.with_parameters((T @ base.robot.parameters.ravel())[None]))
    here = build_retrieval(base, goal, FeasibleSet(()), prior=wishart(base))
    there = build_retrieval(other, replace(goal, A=goal.A @ np.linalg.inv(T)), FeasibleSet(()), prior=wishart(other))
    np.testing.assert_allclose(there.relaxed.x, T @ here.relaxed.x, rtol=1e-6, atol=1e-9 * np.abs(T @ here.relaxed.x).max())
    assert evidence(there) == pytest.approx(evidence(here), abs=1e-6)


def test_a_normal_prior_has_the_mode_of_the_conic_program():
    base = arm("spatial_3r")
    prior = replace(wishart(base), wishart=False, weight=0.5)
    problem = build_retrieval(base, wrong(base), FeasibleSet((PhysicalConsistency(), TotalMass(0.0, 3.0))), prior=prior)
    conic = solve_counted(*problem.rows, *problem.counted, problem.units)
    value = problem.goal.value(conic.x)
    assert problem.goal.value(problem.relaxed.x) == pytest.approx(value, rel=1e-6)
    assert value - 1e-4 * value <= problem.relaxed.bound <= value * (1.0 + 1e-9)


CONDITIONS = {
    "none active": PhysicalConsistency(),
    "friction": FeasibleSet((PhysicalConsistency(), FrictionNonnegative())),
    "a mass": FeasibleSet((PhysicalConsistency(), FrictionNonnegative(), TotalMass(0.1, 1.0))),
    "a region": FeasibleSet((PhysicalConsistency(), ComInEllipsoid.sphere(1, (0.0, 0.0, 0.0), 0.05))),
    "known": FeasibleSet((PhysicalConsistency(), FrictionNonnegative(), Known("m1", 0.7))),
}


@pytest.mark.parametrize("conditions", CONDITIONS.values(), ids=CONDITIONS)
def test_the_certificate_is_tight_and_nothing_within_the_conditions_is_below_it(conditions):
    base = arm("planar_2r", "linear")
    problem = build_retrieval(base, wrong(base, 2), conditions, prior=wishart(base))
    mode = problem.relaxed
    value = problem.goal.value(mode.x)
    assert not problem.violations(mode.x)
    assert value - 1e-4 - GAP * value <= mode.bound <= value
    other = solve_retrieval(problem, solver="barrier")
    assert other.objective >= mode.bound
    assert other.objective == pytest.approx(value, abs=1e-3)


def test_columns_of_which_nothing_is_known_are_no_matter():
    """Neither data nor prior contain the last friction parameter, which conditions hold above 1."""
    base = arm("planar_2r", "linear")
    goal = wrong(base)
    open_goal = replace(goal, A=goal.A * (np.arange(len(base.columns)) < len(base.columns) - 1))
    prior = replace(wishart(base), friction_std=np.append(np.ones(5), np.inf))
    conditions = FeasibleSet((PhysicalConsistency(), FrictionNonnegative(), Bounds(base.columns.names[-1], 1.0, 3.0)))
    problem = build_retrieval(base, open_goal, conditions, prior=prior)
    value = problem.goal.value(problem.relaxed.x)
    assert not problem.violations(problem.relaxed.x)
    assert value * (1.0 - 1e-6) <= problem.relaxed.bound <= value
    assert covariance(problem) is None


def test_worse_multipliers_give_a_lower_bound_and_not_a_wrong_one():
    """What is proven holds for any multipliers: those of another objective prove less."""
    from dynident.links.posterior import lower_bound

    base = arm("planar_2r", "linear")
    problem = build_retrieval(base, wrong(base, 2), CONDITIONS["friction"], prior=wishart(base))
    reduced = Reduced.of(problem)
    interior, y = reduced.interior(), reduced.y(problem.relaxed.x)
    loose = [1e-3 * np.broadcast_to(np.eye(cone.size), cone.constant.shape) for cone in interior.cones]
    assert lower_bound(problem, reduced, interior, y, loose) < problem.relaxed.bound


def on_the_mass_alone(measured: float) -> RetrievalProblem:
    """A body of which all but the mass is known."""
    robot = load_robot("pendulum_1r").with_parameters(from_com(2.0, np.zeros(3), np.diag([0.02, 0.03, 0.04]))[None])
    base = base_parameters(robot)
    names = base.columns.names
    prior = wishart(base)
    known = FeasibleSet(tuple(Known(names[k], float(prior.mean[0, k])) for k in range(1, 10)))
    objective = Objective(name="mass", A=np.eye(1, 10) / 0.5, b=np.array([measured / 0.5]), noise=1.0)
    return build_retrieval(base, objective, known, prior=prior)


@pytest.mark.parametrize("measured", [1.0, 2.0, 6.0])
def test_the_evidence_is_the_integral(measured):
    problem, m = on_the_mass_alone(measured), np.linspace(1e-3, 20.0, 200_001)
    prior = NU * (m / 2.0 - np.log(m / 2.0) - 1.0)
    weights = np.exp(-0.5 * prior) / m  # the invariant measure
    data = np.exp(-0.5 * ((m - measured) / 0.5) ** 2)
    expected = -2.0 * np.log(np.sum(weights * data) / np.sum(weights))
    assert evidence(problem) == pytest.approx(expected, abs=0.15)  # Laplace's method at 9 degrees of freedom


def test_covariance_and_deviations_are_within_what_is_known():
    base = arm("planar_2r", "linear")
    problem = build_retrieval(base, wrong(base), FeasibleSet((PhysicalConsistency(), Known("m1", 0.7))), prior=wishart(base))
    sigma = covariance(problem)
    np.testing.assert_allclose(standard_deviations(problem)[1], np.sqrt(np.diag(sigma)), rtol=1e-6, atol=1e-12)
    assert sigma[0, 0] == pytest.approx(0.0, abs=1e-12)


def test_a_centre_of_mass_that_is_known_ties_moment_and_mass():
    base = arm("planar_2r", "linear")
    known = FeasibleSet((PhysicalConsistency(), Known("c2x", 0.25)))
    problem = build_retrieval(base, wrong(base), known, prior=wishart(base))
    mass, moment = (base.columns.index(name) for name in ("m2", "mc2x"))
    std = standard_deviations(problem)[1]
    assert std[mass] > 0.0
    assert std[moment] == pytest.approx(0.25 * std[mass], rel=1e-9)
    np.testing.assert_allclose(np.sqrt(np.diag(covariance(problem))), std, rtol=1e-6, atol=1e-12)
