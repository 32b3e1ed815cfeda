"""Robust losses: their influence, and what they make of logs with gross errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import Robot, load_robot, regression
from dynident.data import Dataset
from dynident.dynamics.friction import linear
from dynident.errors import DynidentError
from dynident.regression import Huber, Squared, Tukey, base_parameters, build_problem, identify
from dynident.regression.uncertainty.losses import LOSSES, loss_by_name
from tests.facts import carries, raises
from tests.oracles.logs import Log, generated_log, written_out

NOISE = 0.05


@pytest.fixture(scope="module")
def arm() -> Robot:
    return load_robot("spatial_3r")


@pytest.fixture(autouse=True)
def _recorded_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gross errors reach the fit: those of single samples would be left out before."""
    monkeypatch.setattr("dynident.regression.problem.leave_out_faults", lambda data, *_, **__: (data, ()))


def with_outliers(robot: Robot, share: float, *, seed: int = 0, samples: int = 2000) -> tuple[Log, Dataset]:
    """A log with noise, and the same with gross errors of one sign on a share of the samples."""
    log = generated_log(robot, friction=linear(), samples=samples, noise=NOISE, seed=seed)
    rng = np.random.default_rng(seed + 1)
    wrong = rng.random(log.dataset.q.shape) < share
    return log, replace(log.dataset, effort=log.dataset.effort + wrong * rng.uniform(5.0, 15.0, wrong.shape))


@pytest.mark.parametrize("loss", [Squared(), Huber(), Tukey(), Huber(0.5), Tukey(2.0)])
def test_slope_is_the_derivative_of_the_influence(loss) -> None:
    r, h = np.linspace(-7, 7, 1001) + 1e-4, 1e-6
    influence = [x * loss.weight(x) for x in (r - h, r + h)]
    np.testing.assert_allclose(loss.slope(r), (influence[1] - influence[0]) / (2 * h), atol=1e-5)


def test_weights() -> None:
    r = np.array([0.0, 1.0, -2.0, 10.0])
    np.testing.assert_allclose(Huber(2.0).weight(r), [1, 1, 1, 0.2])
    np.testing.assert_allclose(Tukey(4.0).weight(r), [1, (1 - 1 / 16) ** 2, (1 - 4 / 16) ** 2, 0])


@pytest.mark.parametrize("loss", [Huber(1e9), Tukey(1e9)])
def test_a_huge_threshold_is_least_squares(arm: Robot, loss) -> None:
    _, data = with_outliers(arm, 0.05)
    problem = build_problem(arm, data, friction=linear(), cutoff=None)
    for noise in ("uniform", "per_group"):
        plain, robust = (regression.estimate(problem, noise=noise, loss=kind, drop_above_percent=None) for kind in (None, loss))
        np.testing.assert_allclose(robust.values, plain.values, atol=1e-7)
    # per joint: the covariance of robust losses never assumes that all joints are equally noisy
    np.testing.assert_allclose(robust.std, plain.std, rtol=1e-4)


@pytest.mark.parametrize("loss", [Huber(), Tukey()])
def test_gross_errors_do_not_get_through(arm: Robot, loss) -> None:
    log, data = with_outliers(arm, 0.05)
    truth = base_parameters(arm, friction=linear()).coefficients(log.standard)
    plain = np.linalg.norm(identify(arm, data, friction=linear(), drop_above_percent=None, cutoff=None).values - truth)
    robust = np.linalg.norm(identify(arm, data, friction=linear(), loss=loss, drop_above_percent=None, cutoff=None).values - truth)
    clean = np.linalg.norm(identify(arm, log.dataset, friction=linear(), drop_above_percent=None, cutoff=None).values - truth)
    assert plain > 10 * clean
    assert robust < {"huber": 3.0, "tukey": 1.3}[loss.name] * clean


def test_tukey_forgets_gross_errors_entirely(arm: Robot) -> None:
    """Exact data with gross errors: the rest is recovered to rounding, as if the errors were masked."""
    log = generated_log(arm, friction=linear(), samples=2000)
    wrong = np.random.default_rng(0).random(log.dataset.q.shape) < 0.05
    data = replace(log.dataset, effort=log.dataset.effort + 10.0 * wrong)
    estimate = identify(arm, data, friction=linear(), loss=Tukey(), drop_above_percent=None, cutoff=None)
    truth = estimate.base.coefficients(log.standard)
    np.testing.assert_allclose(estimate.values, truth, atol=1e-8)


def test_huber_solves_its_equations(arm: Robot) -> None:
    """Σ Yᵀ ψ(r) = 0 with ψ cut at the threshold times the robust level of each joint."""
    _, data = with_outliers(arm, 0.05)
    estimate = identify(arm, data, friction=linear(), loss=Huber(), noise="uniform", drop_above_percent=None, cutoff=None)
    Y, z = written_out(estimate.base, data)
    r = z - Y @ estimate.values
    level = 1.4826 * np.median(np.abs(r), axis=1, keepdims=True)
    psi = np.clip(r, -1.345 * level, 1.345 * level)
    force = np.einsum("jtb,jt->b", Y, psi)
    assert np.all(np.abs(force) < 1e-4 * np.einsum("jtb,jt->b", np.abs(Y), np.abs(psi)))


@pytest.mark.parametrize("loss", [Huber(), Tukey()])
@pytest.mark.parametrize("share", [0.0, 0.05])
def test_standard_deviations_are_right(arm: Robot, loss, share: float) -> None:
    """Standardised errors have variance one; 60 logs of 24 coefficients tell it to about 5 %."""
    base = base_parameters(arm, friction=linear())
    errors = []
    for seed in range(60):
        log = generated_log(arm, friction=linear(), samples=500, noise=NOISE, seed=7, noise_seed=seed)
        rng = np.random.default_rng(1000 + seed)
        # of both signs: a one-sided error biases the offset, which no covariance knows
        wrong = (rng.random(log.dataset.q.shape) < share) * rng.choice([-1, 1], log.dataset.q.shape)
        data = replace(log.dataset, effort=log.dataset.effort + 10.0 * wrong)
        estimate = identify(arm, data, friction=linear(), loss=loss, drop_above_percent=None, cutoff=None)
        errors.append((estimate.values - base.coefficients(log.standard)) / estimate.std)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(1.0, abs=0.08)


def test_efficiency_on_clean_data_is_95_percent(arm: Robot) -> None:
    data = generated_log(arm, friction=linear(), samples=20_000, noise=NOISE).dataset
    problem = build_problem(arm, data, friction=linear(), cutoff=None)
    plain = regression.estimate(problem, drop_above_percent=None).std
    for loss in (Huber(), Tukey()):
        ratio = np.median(regression.estimate(problem, loss=loss, drop_above_percent=None).std / plain)
        assert ratio == pytest.approx(1 / np.sqrt(0.95), abs=0.01)


def test_progress_tells_each_iteration(arm: Robot) -> None:
    told: list[str] = []
    identify(arm, with_outliers(arm, 0.05)[1], friction=linear(), loss=Huber(), progress=told.append, cutoff=None)
    assert carries(told[0], "huber", "iteration", 1)
    assert len(told) > 2


def test_a_problem_without_rows_cannot_be_reweighted(arm: Robot) -> None:
    problem = replace(build_problem(arm, generated_log(arm, noise=0.1).dataset, friction=None, cutoff=None), rows=())
    with raises(DynidentError, "rows", "identify"):
        regression.estimate(problem, loss=Huber())


def test_losses_by_name() -> None:
    assert {name: loss_by_name(name).name for name in LOSSES} == {name: name for name in LOSSES}
    with raises(DynidentError, name="cauchy", known=("huber", "squared", "tukey")):
        loss_by_name("cauchy")
