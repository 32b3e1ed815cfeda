"""Bands that cover, that widen where nothing was measured, and motions that leave what the data of the fit cover."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.virtual_arms import ERRORS, draw_arm, record_pair
from dynident import identify, load_robot, regression
from dynident.dynamics.friction import linear
from dynident.errors import InputError, ShapeError
from dynident.links import prior_to_robot, retrieval_problem, solve_retrieval, two_step
from dynident.links.friction_prior import friction_std
from dynident.links.posterior import covariance
from dynident.regression import build_problem
from dynident.validation import predict, validate
from dynident.validation.uncertainty import BAND, covering_noise, part_covariance, prediction_covariance
from tests.facts import about, carries, raises
from tests.logs import synthetic_log, synthetic_samples


def still_first_joint(samples: int = 2000):
    """A log in which the first joint never moves, so that coefficients of it are not determined."""
    log = synthetic_log(noise=0.2, samples=samples)
    q, dq, ddq = (values.copy() for values in (log.q, log.dq, log.ddq))
    q[:, 0], dq[:, 0], ddq[:, 0] = 0.3, 0.0, 0.0
    from dynident.dynamics import inverse_dynamics

    robot = load_robot("planar_2r")
    effort = inverse_dynamics(robot, robot.parameters, q, dq, ddq) + 0.4 * dq + 0.7 * np.sign(dq) + 0.1
    noise = 0.2 * np.random.default_rng(0).normal(size=effort.shape)
    return replace(log, q=q, dq=dq, ddq=ddq, effort=effort + noise)


def test_the_noise_is_that_with_which_the_band_covers_95_percent():
    rng = np.random.default_rng(0)
    errors, std = rng.normal(size=4001) * 2.0, rng.uniform(0.0, 1.0, 4001)
    noise = covering_noise(errors, std, least=0.1, independent=1e9)
    assert np.mean(np.abs(errors) <= BAND * np.sqrt(std**2 + noise**2)) == pytest.approx(0.95, abs=5e-4)
    assert covering_noise(0.01 * errors, std, least=0.1, independent=1e9) == 0.1


@pytest.mark.parametrize("count", [20, 60])
def test_few_errors_have_to_be_inside_more_often_for_others_to_be(count):
    """Exactly 95 % of the next error, on average over samples; a plain quantile covers less."""
    rng = np.random.default_rng(count)
    samples, following = rng.normal(size=(20_000, count)), rng.normal(size=20_000)
    covered = {
        independent: np.mean(
            [
                abs(f) <= BAND * covering_noise(s, 0.0 * s, least=0.0, independent=independent)
                for s, f in zip(samples, following, strict=True)
            ]
        )
        for independent in (count, 1e9)
    }
    assert covered[count] == pytest.approx(0.95, abs=0.01)
    assert covered[1e9] < 0.95 - 0.2 / count


def test_all_of_the_data_as_a_part_have_the_estimate_s_covariance():
    estimate = identify(load_robot("planar_2r"), synthetic_log(noise=0.3), cutoff=6.0)
    assert estimate.kept.all()
    found = part_covariance(estimate, estimate.problem, estimate.kept)
    scale = np.sqrt(np.diag(estimate.covariance))
    np.testing.assert_allclose(found / np.outer(scale, scale), estimate.correlations, atol=1e-8)
    np.testing.assert_array_equal(prediction_covariance(estimate), estimate.covariance)


def test_fewer_data_are_less_certain():
    estimate = identify(load_robot("planar_2r"), synthetic_log(noise=0.3, samples=3000), cutoff=6.0)
    half = build_problem(load_robot("planar_2r"), synthetic_log(noise=0.3, samples=3000).part(0, 0.5), friction=linear(), cutoff=6.0)
    assert np.all(np.diag(part_covariance(estimate, half, estimate.kept)) > 1.3 * np.diag(estimate.covariance))


def test_what_the_data_leave_open_widens_the_band_where_it_shows_and_nowhere_else():
    estimate = identify(load_robot("planar_2r"), still_first_joint(), cutoff=None)
    assert not estimate.kept.all()
    moving = synthetic_log(noise=0.2, samples=1000, seed=5)
    found, alike = validate(estimate, moving), validate(estimate, still_first_joint(1000))
    narrow = np.sqrt(np.mean(alike.series[0].std["coefficients"] ** 2))
    wide = np.sqrt(np.mean(found.series[0].std["coefficients"] ** 2))
    assert wide > 20.0 * narrow
    assert [item.joint for item in found.band.departures][:1] == [found.joints[0]]
    assert alike.band.departures == ()
    assert found.coverage_percent.min() > 90.0
    assert about(found.notes, "leaves", "fit", "covers")


def test_a_dropped_coefficient_counts_as_what_it_was():
    problem = build_problem(load_robot("planar_2r"), synthetic_log(noise=0.3), friction=linear(), cutoff=None)
    complete, dropped = regression.estimate(problem), regression.estimate(problem, drop_above_percent=1.0)
    assert dropped.dropped
    item = dropped.dropped[0]
    assert prediction_covariance(dropped)[item.index, item.index] == pytest.approx(item.value**2 + item.std**2, rel=1e-9)
    assert np.all(np.diag(prediction_covariance(complete)) == np.diag(complete.covariance))


@pytest.mark.parametrize("robot", ["panda", "dh_arm"])
@pytest.mark.parametrize("poor", ["slow", "few joints"])
@pytest.mark.parametrize("errors", [(), ERRORS], ids=["right model", "model error"])
def test_a_motion_beyond_that_of_the_fit_is_noticed_and_its_band_widens(robot, poor, errors):
    """Where the model is right the wide band covers. No log of a slow motion tells what friction a fast one has, nor does one of a joint
    that stood still, whose velocity was noise: there the band can be too narrow, and only the note tells."""
    rng = np.random.default_rng(11)
    arm = draw_arm(robot, errors, rng)
    train, fast = record_pair(arm, poor, rng)[0], record_pair(arm, "usual", rng)[1]
    found = validate(identify(arm.described, train), fast)
    shares = [item.share for item in found.band.departures]
    assert len(shares) > len(found.joints) / 2
    assert max(shares) > 0.5
    assert min(item.since for item in found.band.departures) < 2.0
    assert about(found.notes, "leaves", "fit", "covers")
    if errors == () and poor == "slow":
        assert found.band.coverage_percent["coefficients"].mean() >= 90.0


@pytest.mark.parametrize("robot", ["panda", "ur5"])
def test_a_similar_motion_is_not_warned_of(robot):
    for seed in range(3):
        rng = np.random.default_rng([3, seed])
        arm = draw_arm(robot, (), rng)
        found = validate(identify(arm.described, (logs := record_pair(arm, "usual", rng))[0]), logs[1])
        assert found.band.departures == ()
        assert not about(found.notes, "leaves")


def test_the_posterior_of_links_is_the_inverse_of_their_information():
    estimate = identify(load_robot("spatial_3r"), synthetic_log("spatial_3r", noise=0.3), cutoff=6.0)
    prior = replace(prior_to_robot(estimate.base.robot), weight=1.0, fixed=True)  # of links with a normal distribution
    problem = retrieval_problem(estimate, prior=replace(prior, friction_std=friction_std(estimate)))
    A = problem.rows[0]
    sigma = covariance(problem)
    scale = np.sqrt(np.diag(sigma))
    np.testing.assert_allclose((A.T @ A @ sigma) * (scale[:, None] / scale), np.eye(len(sigma)), atol=1e-6)
    assert covariance(retrieval_problem(estimate, objective=two_step(estimate))) is None


def test_links_have_a_band_of_their_own_that_is_no_wider_than_that_of_the_coefficients():
    """A prior only adds to what the data say."""
    estimate = identify(load_robot("spatial_3r"), synthetic_log("spatial_3r", noise=0.5), cutoff=6.0)
    links = solve_retrieval(retrieval_problem(estimate))
    found = validate(estimate, synthetic_log("spatial_3r", noise=0.5, seed=8), links=links)
    assert set(found.band.coverage_percent) == {"coefficients", "links"}
    np.testing.assert_allclose(found.band.coverage_percent["links"], 95.0, atol=4.0)
    sizes = {name: np.mean([np.mean(item.std[name] ** 2) for item in found.series]) for name in ("coefficients", "links")}
    assert sizes["links"] < 1.5 * sizes["coefficients"]

    class Wrong:
        parameters, friction_parameters, covariance = links.parameters, links.friction_parameters, np.eye(3)

    with raises(ShapeError, name="covariance", shape=(3, 3)):
        validate(estimate, synthetic_log("spatial_3r"), links=Wrong())


class TestPredict:
    def test_it_is_the_model_s_torque_with_a_band(self):
        estimate = identify(load_robot("planar_2r"), synthetic_log(noise=0.3), cutoff=6.0)
        motion = synthetic_log(seed=9)
        found = predict(estimate, replace(motion, effort=None))
        np.testing.assert_allclose(found.effort, estimate.predict(motion), atol=1e-9)
        assert found.model == "coefficients"
        assert found.half_width.shape == found.effort.shape
        assert (found.departures, found.notes) == ((), ())
        assert np.all(found.half_width >= BAND * estimate.residuals.rms_per_group * (1.0 - 1e-12))

    def test_links_are_used_where_there_are_some(self):
        estimate = identify(load_robot("spatial_3r"), synthetic_log("spatial_3r", noise=0.3), cutoff=6.0)
        links = solve_retrieval(retrieval_problem(estimate))
        found = predict(estimate, synthetic_log("spatial_3r", seed=9), links=links)
        assert found.model == "links"
        assert np.mean(np.abs(found.effort - synthetic_log("spatial_3r", seed=9).effort) <= found.half_width) > 0.95

    def test_a_model_of_a_controller_has_no_noise_in_its_band_and_says_so(self):
        estimate = identify(load_robot("spatial_3r"), synthetic_samples(noise=2e-3))
        found = predict(estimate, synthetic_log("spatial_3r", seed=9))
        assert found.notes == ("the model was not fitted to torques, so the band is that of the parameters alone, without noise",)

    def test_it_says_where_nothing_was_measured(self):
        estimate = identify(load_robot("planar_2r"), still_first_joint(), cutoff=None)
        found = predict(estimate, synthetic_log(seed=5))
        assert found.departures
        assert carries(found.notes[0], "leaves", "fit", "covers")

    def test_what_it_needs(self):
        estimate = identify(load_robot("planar_2r"), synthetic_log(noise=0.3), cutoff=6.0)
        with raises(InputError, "differentiate"):
            predict(estimate, replace(synthetic_log(), ddq=None))
        log = synthetic_log(noise=0.3)
        with raises(InputError, "Estimate.predict"):
            predict(identify(load_robot("planar_2r"), log, extra={"spring": log.q}, cutoff=None), log)
