"""What an earlier run tells the next design: its information, its model's torques, and that a mismatch is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import Dataset
from dynident.dynamics.friction import linear
from dynident.dynamics.friction.laws import Viscous
from dynident.errors import InputError
from dynident.motions import design_trajectory, earlier_run
from dynident.motions.design.criterion import base_regressor, mean_information
from dynident.motions.design.earlier_run import require_same_coefficients
from dynident.motions.design.precision import deviations
from dynident.motions.limits.posterior_torque import PosteriorTorque
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.regression import base_parameters, identify
from tests.facts import carries, raises

PLANAR = load_robot("planar_2r")
BASE = base_parameters(PLANAR, friction=linear())
TRUE = BASE.coefficients(np.append(PLANAR.parameters.ravel(), [0.5, 1.0, 0.1, 0.2, 0.4, 0.05]))
MOTION = SampledMotion(*np.random.default_rng(0).normal(size=(3, 4000, 2)))
NOISE = np.array([0.2, 0.05])


def fit(**options):
    """White noise on independent samples, so that the information is known in closed form."""
    effort = np.einsum("bjN,b->Nj", base_regressor(BASE, MOTION), TRUE) + np.random.default_rng(1).normal(size=(4000, 2)) * NOISE
    measured = {"effort": effort, "effort_kind": "torque", "joint_names": PLANAR.joint_names}
    log = Dataset(time=np.arange(4000) / 100.0, q=MOTION.q, dq=MOTION.dq, ddq=MOTION.ddq, **measured)
    return identify(PLANAR, log, friction=linear(), cutoff=None, **options)


@pytest.fixture(scope="module")
def estimate():
    return fit()


@pytest.fixture(scope="module")
def after(estimate):
    return design_trajectory(PLANAR, friction=linear(), after=earlier_run(estimate, source="run 1"), starts=1, iterations=5, rate=50.0)


def test_its_information_is_that_of_its_rows(estimate):
    run = earlier_run(estimate)
    expected = 4000 * mean_information(BASE, MOTION, NOISE**-2)
    scale = np.sqrt(np.diag(expected))
    np.testing.assert_allclose(run.information / np.outer(scale, scale), expected / np.outer(scale, scale), atol=0.05)
    np.testing.assert_allclose(deviations(run.information), estimate.std, rtol=0.05)
    np.testing.assert_allclose(np.linalg.solve(run.information, run.moment), estimate.values, rtol=1e-6, atol=1e-9)


def test_what_was_dropped_from_the_model_is_not_forgotten(estimate):
    dropped = fit(drop_above_percent=5.0)
    assert not dropped.kept.all()
    np.testing.assert_allclose(deviations(earlier_run(dropped).information), deviations(earlier_run(estimate).information), rtol=0.02)


def test_the_posterior_lies_between_data_and_prior(estimate, after):
    run = earlier_run(estimate)
    values, covariance = run.posterior(after.assumptions)
    assert np.all(np.abs(values - TRUE) < 5.0 * np.sqrt(np.diag(covariance)))
    ignorant = replace(run, information=np.zeros_like(run.information), moment=np.zeros_like(run.moment))
    prior_values, prior_covariance = ignorant.posterior(after.assumptions)
    links = BASE.columns.is_link[BASE.independent]
    np.testing.assert_allclose(prior_values[links], TRUE[links], atol=1e-9)
    assert np.all(np.diag(prior_covariance) > np.diag(covariance))


def test_a_design_counts_what_is_known_and_keeps_the_torques_of_the_model(estimate, after):
    assert isinstance(after.limits.torque, PosteriorTorque)
    assert after.report.holds
    assert carries(str(after), "run 1", "2 standard")
    assert carries(str(after), "adds", "known")
    assert np.all(after.std < deviations(earlier_run(estimate).information))
    np.testing.assert_allclose(after.assumptions.values, TRUE, atol=0.1)
    assert after.assumptions.noise_source == "of run 1"


def test_another_run_is_refused(estimate):
    run = earlier_run(estimate)
    with raises(InputError, "planar_2r", "friction"):
        require_same_coefficients(run, base_parameters(PLANAR, friction=Viscous()))
    with raises(InputError, "panda", "joints"):
        require_same_coefficients(run, base_parameters(load_robot("panda"), friction=linear()))
    with raises(InputError, "data", "identify"):
        earlier_run(replace(estimate, problem=None))
