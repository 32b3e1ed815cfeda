"""The probability of data under a prior: against its definition, and what it says of scales and descriptions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot
from dynident.links import Bounds, FeasibleSet, Objective, PhysicalConsistency, build_retrieval, prior_to_robot, retrieval_problem
from dynident.links.evidence import judge_nominal, scale_by_evidence
from dynident.links.posterior import evidence
from dynident.links.prior import NominalPrior, uniform_prior
from dynident.regression import base_parameters
from tests.facts import about, carries
from tests.logs import synthetic_log
from tests.unit.links.links import ROBOT, consistent_links

BASE = base_parameters(ROBOT, equations="controller")


@pytest.fixture(scope="module")
def data() -> Objective:
    """The coefficients of some links, with a standard deviation of 0.05 each."""
    rng = np.random.default_rng(4)
    values = BASE.coefficients(consistent_links(rng)) + 0.05 * rng.normal(size=BASE.rank)
    return Objective(name="distance", A=BASE.grouping / 0.05, b=values / 0.05, noise=float(BASE.rank))


def prior_of(seed: int, weight: float) -> NominalPrior:
    return NominalPrior(nominal=consistent_links(np.random.default_rng(seed)).reshape(-1, 10), weight=weight, fixed=True)


def minus_two_log_p(data: Objective, prior: NominalPrior) -> float:
    """Of b = A x + noise with x from the prior: a normal distribution, written out."""
    P = prior.rows(data.A.shape[1])[0]
    covariance = np.eye(len(data.b)) + data.A @ np.linalg.inv(P.T @ P) @ data.A.T
    residual = data.b - data.A @ prior.nominal.ravel()
    return float(residual @ np.linalg.solve(covariance, residual) + np.linalg.slogdet(covariance)[1])


def test_differences_are_those_of_the_probabilities(data):
    free = build_retrieval(BASE, data, FeasibleSet(()))
    priors = [prior_of(0, 1.0), prior_of(1, 1.0), prior_of(1, 0.1), prior_of(2, 9.0)]
    found = np.array([evidence(replace(free, prior=prior)) for prior in priors])
    expected = np.array([minus_two_log_p(data, prior) for prior in priors])
    np.testing.assert_allclose(found - found[0], expected - expected[0], atol=1e-2)


def test_a_prior_that_needs_impossible_links_is_less_probable_with_constraints(data):
    prior = replace(prior_of(0, 1.0), nominal=20.0 * prior_of(0, 1.0).nominal)
    free, bound = (build_retrieval(BASE, data, constraints) for constraints in (FeasibleSet(()), PhysicalConsistency()))
    assert evidence(replace(bound, prior=prior)) > evidence(replace(free, prior=prior)) + 1.0
    impossible = build_retrieval(BASE, data, FeasibleSet((Bounds("m1", high=1), Bounds("m1", low=2))))
    assert evidence(replace(impossible, prior=prior)) == np.inf


@pytest.mark.parametrize("heavier", [0.5, 1.0, 8.0])
def test_the_scale_of_uniform_links_is_found(heavier):
    uniform = replace(uniform_prior(ROBOT, FeasibleSet(())), weight=9.0, fixed=True, wishart=True)
    values = BASE.coefficients(heavier * uniform.nominal.ravel())
    goal = Objective(name="distance", A=BASE.grouping / 1e-2, b=values / 1e-2, noise=float(BASE.rank))
    found = scale_by_evidence(build_retrieval(BASE, goal, PhysicalConsistency()), uniform)
    assert found.nominal[0, 0] / uniform.nominal[0, 0] == pytest.approx(heavier, rel=0.5)  # a step of the scales is 1.41
    assert found.weight == 9.0
    assert carries(found.toward, "uniform", f"{found.nominal[:, 0].sum():.3g} kg")


class TestTheDescriptionIsJudged:
    def test_a_right_one(self):
        problem = retrieval_problem(identify(load_robot("spatial_3r"), synthetic_log("spatial_3r", noise=0.1), cutoff=None))
        assert about(problem.notes, "nominal", "better", "uniform")

    def test_a_wrong_one(self, data):
        wrong = replace(prior_of(0, 1.0), nominal=40.0 * prior_of(0, 1.0).nominal)
        uniform = replace(uniform_prior(ROBOT, FeasibleSet(())), weight=1.0, fixed=True)
        note = judge_nominal(build_retrieval(BASE, data, PhysicalConsistency()), wrong, uniform)
        assert carries(note, "uniform", "worse")

    def test_a_prior_of_ones_own_is_not(self):
        estimate = identify(load_robot("planar_2r"), synthetic_log(noise=0.1), cutoff=None)
        own = replace(prior_to_robot(load_robot("planar_2r")), weight=1.0, fixed=True)
        assert not about(retrieval_problem(estimate, prior=own).notes, "explain")


@pytest.mark.parametrize(("length", "half_width"), [(0.2, 0.05), (2.0, 0.16)])
def test_uniform_links_of_a_large_arm_are_as_slender_as_those_of_a_small_one(tmp_path, length, half_width):
    """Two links of that length reach twice as far, and 4 % of the reach on every side is more than 5 cm from 1.25 m on."""
    path = tmp_path / "arm.yaml"
    joints = "".join(f"  - {{name: j{i}, type: revolute, a: {length}, alpha: 0, d: 0, theta: 0}}\n" for i in (1, 2))
    path.write_text(f"name: arm\nconvention: standard\njoints:\n{joints}gravity: [0, -9.81, 0]\n")
    links = uniform_prior(load_robot(str(path)), FeasibleSet(())).nominal
    mass, inertia_about_x = links[:, 0], links[:, 4]
    np.testing.assert_allclose(mass, 1000.0 * (length + 2 * half_width) * (2 * half_width) ** 2)
    np.testing.assert_allclose(inertia_about_x, mass / 12 * 2 * (2 * half_width) ** 2)
