"""The streamed, compressed least squares against NumPy's on the regressor written out in full."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import sqrtm

from dynident import load_robot, regression
from dynident.data import ControllerSamples, Dataset, ParallelFilter
from dynident.dynamics import gravity, inertia_gravity_regressor, mass_matrix
from dynident.dynamics.friction import Coulomb, Viscous, combine, linear
from dynident.regression import Estimate, base_parameters, build_problem, identify, residuals
from tests.oracles.logs import Log, generated_log, written_out
from tests.oracles.machines import machine

NAMES = ("panda", "spatial_3r", "branched_tree", "prismatic")


def log_of(name: str, *, friction=None, **options) -> tuple:
    robot = machine(name)
    return robot, generated_log(robot, friction=friction, **{"samples": 700, "noise": 0.1, **options})


def agrees(estimate: Estimate, Y: np.ndarray, z: np.ndarray, owners: np.ndarray | None = None) -> None:
    """Values, covariance, residuals and condition number against the textbook's formulas on rows (·, b).

    owners : (·,) the configuration of each row, whose errors are not independent; None for rows that are."""
    values, *_ = np.linalg.lstsq(Y, z, rcond=None)
    left = z - Y @ values
    variance = left @ left / (len(z) - Y.shape[1])
    _, s, Vt = np.linalg.svd(Y, full_matrices=False)
    inverse = (Vt.T / s**2) @ Vt
    covariance = variance * inverse if owners is None else clustered(Y, left, inverse, owners)
    std = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(estimate.values, values, rtol=0, atol=1e-9 * np.abs(values).max())
    np.testing.assert_allclose(estimate.std, std, rtol=1e-8)
    np.testing.assert_allclose(estimate.correlations, covariance / np.outer(std, std), atol=1e-7)
    np.testing.assert_allclose(estimate.singular_values, s, rtol=1e-9)
    assert estimate.condition_number == pytest.approx(s[0] / s[-1], rel=1e-8)
    assert estimate.residuals.relative_percent == pytest.approx(100 * np.linalg.norm(left) / np.linalg.norm(z), rel=1e-9)


def clustered(Y: np.ndarray, left: np.ndarray, inverse: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """(b, b) cluster-robust CR2: the residuals of each cluster times (1 - H)^(-1/2), one cluster after the other."""
    meat = np.zeros_like(inverse)
    for k in np.unique(owners):
        own = Y[owners == k]
        x = own.T @ sqrtm(np.linalg.inv(np.eye(len(own)) - own @ inverse @ own.T)).real @ left[owners == k]
        meat += np.outer(x, x)
    return inverse @ meat @ inverse


def flat(Y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return Y.reshape(-1, Y.shape[2]), z.ravel()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("friction", [None, linear()], ids=["rigid", "linear friction"])
def test_ordinary_least_squares(name: str, friction) -> None:
    robot, log = log_of(name, friction=friction)
    estimate = identify(robot, log.dataset, friction=friction, noise="uniform", drop_above_percent=None, cutoff=None)
    agrees(estimate, *flat(*written_out(estimate.base, log.dataset)))


def test_residuals_per_joint() -> None:
    robot, log = log_of("panda", friction=linear())
    estimate = identify(robot, log.dataset, friction=linear(), noise="uniform", drop_above_percent=None, cutoff=None)
    Y, z = written_out(estimate.base, log.dataset)
    left = z - Y @ estimate.values
    np.testing.assert_allclose(estimate.residuals.rms_per_group, np.sqrt(np.mean(left**2, axis=1)), rtol=1e-8)
    expected = 100 * np.linalg.norm(left, axis=1) / np.linalg.norm(z, axis=1)
    np.testing.assert_allclose(estimate.residuals.relative_percent_per_group, expected, rtol=1e-8)


def test_masked_samples_do_not_count() -> None:
    robot, log = log_of("spatial_3r", friction=linear())
    rng = np.random.default_rng(1)
    mask = rng.random(log.dataset.q.shape) < 0.7
    effort = np.where(mask, log.dataset.effort, 1e4)
    estimate = identify(
        robot, replace(log.dataset, mask=mask, effort=effort), friction=linear(), noise="uniform", drop_above_percent=None, cutoff=None
    )
    Y, z = written_out(estimate.base, log.dataset)
    agrees(estimate, Y[mask.T], z[mask.T])


def test_segments_without_a_filter_are_just_rows() -> None:
    robot, log = log_of("spatial_3r")
    apart = replace(log.dataset, starts=(0, 123, 400))
    estimate = identify(robot, apart, noise="uniform", drop_above_percent=None, friction=None, cutoff=None)
    agrees(estimate, *flat(*written_out(estimate.base, log.dataset)))


def test_known_parameters_move_to_the_right_hand_side() -> None:
    robot, log = log_of("panda", friction=linear())
    base = base_parameters(robot, friction=linear())
    names = ("J7zz", "mc4x", "m5", "fv2", "fo7")
    known = {name: float(log.standard[base.columns.index(name)]) + 0.1 for name in names}
    estimate = identify(robot, log.dataset, friction=linear(), known=known, noise="uniform", drop_above_percent=None, cutoff=None)
    assert not set(estimate.base.names) & set(names)
    agrees(estimate, *flat(*written_out(estimate.base, log.dataset)))


def test_extra_columns() -> None:
    """A spring on joint 2 and a coupling of joint 3 to joint 1's velocity."""
    robot, log = log_of("spatial_3r", friction=linear())
    spring, coupling = np.zeros(log.dataset.q.shape), np.zeros(log.dataset.q.shape)
    spring[:, 1] = log.dataset.q[:, 1]
    coupling[:, 2] = log.dataset.dq[:, 0]
    extra = {"spring": spring, "coupling": coupling}
    dataset = replace(log.dataset, effort=log.dataset.effort + 3.0 * spring - 2.0 * coupling)
    estimate = identify(robot, dataset, friction=linear(), extra=extra, noise="uniform", drop_above_percent=None, cutoff=None)
    agrees(estimate, *flat(*written_out(estimate.base, dataset, extra)))
    assert estimate.values[-2:] == pytest.approx([3.0, -2.0], abs=5 * estimate.std[-2:].max())


def test_a_known_extra_column_is_not_estimated() -> None:
    robot, log = log_of("spatial_3r")
    spring = np.zeros(log.dataset.q.shape)
    spring[:, 1] = log.dataset.q[:, 1]
    without = identify(robot, log.dataset, noise="uniform", drop_above_percent=None, friction=None, cutoff=None)
    dataset = replace(log.dataset, effort=log.dataset.effort + 3.0 * spring)
    estimate = identify(
        robot,
        dataset,
        extra={"spring": spring},
        known={"spring": 3.0},
        noise="uniform",
        drop_above_percent=None,
        friction=None,
        cutoff=None,
    )
    assert estimate.base.names == without.base.names
    np.testing.assert_allclose(estimate.values, without.values, atol=1e-9)
    np.testing.assert_allclose(estimate.predict(dataset, {"spring": spring}), without.predict(dataset) + 3.0 * spring, atol=1e-9)


@pytest.mark.parametrize("segments", [(0,), (0, 3500)])
def test_filtered_rows_are_the_filtered_columns(segments: tuple[int, ...]) -> None:
    """Streaming in chunks, filtering and decimating equals `apply` on every column of the regressor written out."""
    robot, log = log_of("spatial_3r", friction=linear(), samples=6000, rate=500.0)
    dataset = replace(log.dataset, starts=segments)
    problem = build_problem(robot, dataset, friction=linear(), cutoff=5.0, rate=20.0)
    filter = ParallelFilter(cutoff=5.0, rate_in=500.0, rate_out=20.0, truncation=1e-4)
    Y, z = written_out(problem.base, dataset)
    bounds = [*segments, len(dataset.time)]
    parts = [slice(a, b) for a, b in pairwise(bounds)]
    Yf = np.concatenate([filter.apply(Y[:, part], axis=1) for part in parts], axis=1)
    zf = np.concatenate([filter.apply(z[:, part], axis=1) for part in parts], axis=1)
    assert problem.counts.tolist() == [zf.shape[1]] * robot.n
    A = problem.stack(np.ones(robot.n))
    rows, right = flat(Yf, zf)
    whole = np.column_stack([rows, right])
    np.testing.assert_allclose(A.T @ A, whole.T @ whole, rtol=1e-9, atol=1e-9 * np.abs(whole.T @ whole).max())
    values, *_ = np.linalg.lstsq(rows, right, rcond=None)
    np.testing.assert_allclose(
        regression.estimate(problem, noise="uniform", drop_above_percent=None).values, values, atol=1e-9 * np.abs(values).max()
    )


def test_masked_samples_reach_no_filtered_row() -> None:
    """However wrong they are: the equations are exact, so that any leak would show."""
    robot, log = log_of("spatial_3r", friction=linear(), samples=6000, rate=500.0, noise=0.0)
    mask = np.ones(log.dataset.q.shape, dtype=bool)
    for j, start in enumerate((1000, 2500, 2510)):
        mask[start : start + 130, j] = False
    dataset = replace(log.dataset, mask=mask, effort=np.where(mask, log.dataset.effort, 1e6))
    problem = build_problem(robot, dataset, friction=linear(), cutoff=5.0, rate=20.0)
    values = regression.estimate(problem, noise="uniform", drop_above_percent=None).values
    truth = problem.base.coefficients(log.standard)
    np.testing.assert_allclose(values, truth, atol=1e-9 * np.abs(truth).max())
    assert np.all(problem.counts < build_problem(robot, log.dataset, friction=linear(), cutoff=5.0, rate=20.0).counts)


@pytest.mark.parametrize("equations", ["controller", "inertia", "gravity"])
def test_controller_route(equations: str) -> None:
    robot = load_robot("kuka_lwr4")
    rng = np.random.default_rng(0)
    q = rng.uniform(-2, 2, (300, 7))
    M = mass_matrix(robot, robot.parameters, q) + 0.01 * (lambda e: e + e.swapaxes(1, 2))(rng.normal(size=(300, 7, 7)))
    g = gravity(robot, robot.parameters, q) + 0.1 * rng.normal(size=(300, 7))
    # the gravity row of a vertical first joint is zero whatever the parameters: it holds nothing to fit, and no noise counts
    estimate = identify(robot, ControllerSamples(q=q, M=M, g=g), equations=equations, noise="uniform", drop_above_percent=None, cutoff=None)
    rows, columns = np.tril_indices(7)
    Y = inertia_gravity_regressor(robot, q)[:, :, estimate.base.independent]
    z = np.concatenate([M[:, rows, columns], g], axis=1)
    used = {"controller": [*range(28), *range(29, 35)], "inertia": range(28), "gravity": range(29, 35)}[equations]
    agrees(estimate, *flat(Y[:, list(used)].transpose(1, 0, 2), z[:, list(used)].T), owners=np.tile(np.arange(300), len(used)))
    assert estimate.residuals.names == tuple(
        [*(f"M{j + 1}{k + 1}" for j, k in zip(rows, columns, strict=True)), *(f"g{j}" for j in range(1, 8))][i] for i in used
    )


def iterated(Y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Feasible generalised least squares by hand: one variance per joint, with its degrees of freedom tr(I - H_j)."""
    weights, values = np.ones(len(z)), np.zeros(Y.shape[2])
    for _ in range(100):
        A = (weights[:, None, None] * Y).reshape(-1, Y.shape[2])
        values, *_ = np.linalg.lstsq(A, (weights[:, None] * z).ravel(), rcond=None)
        leverage = np.sum(np.linalg.qr(A)[0] ** 2, axis=1).reshape(z.shape).sum(axis=1)
        weights = 1 / np.sqrt(np.sum((z - Y @ values) ** 2, axis=1) / (z.shape[1] - leverage))
    A = (weights[:, None, None] * Y).reshape(-1, Y.shape[2])
    return values, np.linalg.inv(A.T @ A)


def test_noise_per_joint_is_iterated_weighted_least_squares() -> None:
    robot, log = log_of("spatial_3r", friction=linear(), noise=np.array([1.0, 0.1, 0.01]))
    estimate = identify(robot, log.dataset, friction=linear(), noise="per_group", drop_above_percent=None, cutoff=None)
    values, covariance = iterated(*written_out(estimate.base, log.dataset))
    np.testing.assert_allclose(estimate.values, values, atol=1e-6 * np.abs(values).max())
    np.testing.assert_allclose(estimate.std, np.sqrt(np.diag(covariance)), rtol=1e-5)
    assert estimate.summary.noise_levels == pytest.approx([1.0, 0.1, 0.01], rel=0.1)


def test_weights_matter() -> None:
    """The quiet joints' parameters come out better than with one noise level for all."""
    robot, log = log_of("spatial_3r", friction=linear(), noise=np.array([1.0, 0.1, 0.01]))
    truth = base_parameters(robot, friction=linear()).coefficients(log.standard)
    errors = [
        np.abs(identify(robot, log.dataset, friction=linear(), noise=noise, drop_above_percent=None, cutoff=None).values - truth)
        for noise in ("per_group", "uniform")
    ]
    inertia = slice(1, 11)
    assert np.linalg.norm(errors[0][inertia]) < 0.5 * np.linalg.norm(errors[1][inertia])


def concatenated(first: Log, second: Log) -> Dataset:
    return Dataset.concatenate([first.dataset, second.dataset])


@pytest.mark.parametrize("cutoff", [None, 5.0])
def test_merged_problems_are_one_problem_over_both_logs(cutoff: float | None) -> None:
    robot = machine("spatial_3r")
    model = combine(Viscous(), Coulomb())
    logs = [generated_log(robot, friction=model, samples=4000, rate=500.0, noise=0.1, seed=seed) for seed in (1, 2)]
    options = {"friction": model, "cutoff": cutoff}
    merged = build_problem(robot, logs[0].dataset, **options).merge(build_problem(robot, logs[1].dataset, **options))
    joined = build_problem(robot, concatenated(*logs), **options)
    one, two = (
        regression.estimate(merged, noise="uniform", drop_above_percent=None),
        regression.estimate(joined, noise="uniform", drop_above_percent=None),
    )
    np.testing.assert_allclose(one.values, two.values, atol=1e-10)
    np.testing.assert_allclose(one.std, two.std, rtol=1e-8)
    assert merged.counts.tolist() == joined.counts.tolist()
    assert merged.samples == joined.samples == 8000


def test_dropping_is_least_squares_without_those_columns() -> None:
    """One at a time, the worst first, every time estimated again: by hand the same are dropped, in the same order."""
    robot, log = log_of("panda", friction=linear(), noise=1.0, samples=300)
    estimate = identify(robot, log.dataset, friction=linear(), noise="uniform", drop_above_percent=30.0, cutoff=None)
    Y, z = flat(*written_out(estimate.base, log.dataset))
    first, *_ = np.linalg.lstsq(Y, z, rcond=None)
    variance = np.sum((z - Y @ first) ** 2) / (len(z) - Y.shape[1])
    kept = list(range(Y.shape[1]))
    dropped = []
    while True:
        values, *_ = np.linalg.lstsq(Y[:, kept], z, rcond=None)
        std = np.sqrt(variance * np.diag(np.linalg.inv(Y[:, kept].T @ Y[:, kept])))
        relative = 100 * std / np.abs(values)
        if relative.max() <= 30.0:
            break
        dropped.append(kept.pop(int(np.argmax(relative))))
    assert len(dropped) > 5
    assert [item.index for item in estimate.dropped] == dropped
    np.testing.assert_allclose(estimate.values[kept], values, atol=1e-9 * np.abs(values).max())
    assert np.all(estimate.values[dropped] == 0.0)
    assert np.all(estimate.relative_std_percent[dropped] > 30.0)
    np.testing.assert_allclose(estimate.std[kept], std, rtol=1e-6)
    assert estimate.residuals.squares.sum() == pytest.approx(np.sum((z - Y[:, kept] @ values) ** 2), rel=1e-8)
    assert estimate.condition_number == pytest.approx(np.linalg.cond(Y[:, kept]), rel=1e-6)


def test_residuals_of_given_coefficients() -> None:
    robot, log = log_of("spatial_3r")
    problem = build_problem(robot, log.dataset, friction=None, cutoff=None)
    guess = np.random.default_rng(0).normal(size=problem.base.rank)
    Y, z = written_out(problem.base, log.dataset)
    np.testing.assert_allclose(residuals(problem, guess).squares, np.sum((z - Y @ guess) ** 2, axis=1), rtol=1e-10)
