"""Variation between blocks: against the dense formulas of Bell and McCaffrey, against known truth, and what a fit makes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import block_diag
from scipy.special import stdtrit

from dynident import Robot, load_robot, regression
from dynident.data import Dataset
from dynident.dynamics.friction import linear
from dynident.links.objective import one_step, posterior_data
from dynident.regression import Estimate, Huber, build_problem
from dynident.regression.solution import Prior
from dynident.regression.uncertainty.blocks import BLOCKS, cluster_variance, cut_blocks
from tests.oracles.logs import generated_log


@pytest.fixture(scope="module")
def arm() -> Robot:
    return load_robot("spatial_3r")


@pytest.fixture(scope="module")
def log(arm: Robot) -> Dataset:
    return generated_log(arm, friction=linear(), samples=1500, rate=100.0, noise=0.1).dataset


@pytest.fixture(scope="module")
def estimate(arm: Robot, log: Dataset) -> Estimate:
    return regression.estimate(build_problem(arm, log, friction=linear(), cutoff=5.0))


def dense_blocks(estimate: Estimate) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Whitened rows and right-hand sides of each block, the joints below each other."""
    problem = estimate.problem
    assert problem is not None
    assert problem.filtered_rows is not None
    rows: list[list[np.ndarray]] = [[] for _ in range(BLOCKS)]
    for group, level, (table,) in zip(problem.groups, estimate.summary.noise_levels, problem.filtered_rows, strict=True):
        full = np.zeros((table.shape[1], problem.base.rank + 1))
        full[:, np.append(group.columns, problem.base.rank)] = table.T / level
        limits = np.round(np.arange(BLOCKS + 1) / BLOCKS * len(full)).astype(int)
        for k in range(BLOCKS):
            rows[k].append(full[limits[k] : limits[k + 1]])
    stacked = [np.concatenate(parts) for parts in rows]
    return [block[:, :-1] for block in stacked], [block[:, -1] for block in stacked]


def dense_cr2(R: list[np.ndarray], z: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(b,) variances and degrees of freedom, with matrices as large as the number of rows."""
    Y, b = np.concatenate(R), R[0].shape[1]
    inverse = np.linalg.inv(Y.T @ Y)
    theta = inverse @ Y.T @ np.concatenate(z)
    roots = []
    for block in R:
        values, vectors = np.linalg.eigh(np.eye(len(block)) - block @ inverse @ block.T)
        roots.append((vectors / np.sqrt(values)) @ vectors.T)
    scores = np.array([block.T @ root @ (own - block @ theta) for block, root, own in zip(R, roots, z, strict=True)])
    variance = np.diag(inverse @ scores.T @ scores @ inverse)
    maker = np.eye(len(Y)) - Y @ inverse @ Y.T
    lines = np.array(
        [block_diag(*[(root @ block @ inverse)[:, i : i + 1] for block, root in zip(R, roots, strict=True)]).T @ maker for i in range(b)]
    )
    freedom = [np.trace(g @ g.T) ** 2 / np.sum((g @ g.T) ** 2) for g in lines]
    return variance, np.array(freedom)


def test_compressed_blocks_are_the_dense_formula(estimate: Estimate) -> None:
    variance, freedom = dense_cr2(*dense_blocks(estimate))
    assert estimate.blocks is not None
    assert estimate.blocks.blocks == BLOCKS
    np.testing.assert_allclose(estimate.block_std, np.sqrt(variance), rtol=1e-6)
    np.testing.assert_allclose(estimate.blocks.freedom, freedom, rtol=1e-5)
    assert np.all(freedom < BLOCKS)


def random_blocks(rng: np.random.Generator, rows: int = 12, columns: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Y (K, rows, b), half with A⁻¹ = half halfᵀ, and Q_k = Y_k half."""
    Y = rng.normal(size=(BLOCKS, rows, columns)) * rng.uniform(0.3, 3.0, (BLOCKS, 1, 1))
    half = np.linalg.inv(np.linalg.qr(Y.reshape(-1, columns), mode="r"))
    return Y, half, Y @ half


def effects_of(Q: np.ndarray, half: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Error of least squares under a noise (K, rows), the variances that blocks tell, and their degrees of freedom."""
    error = np.einsum("kti,kt->i", Q, noise)
    scores = np.einsum("kti,kt->ki", Q, noise - Q @ error)
    variance, freedom = cluster_variance(half, scores, np.einsum("kti,ktj->kij", Q, Q))
    return half @ error, variance, freedom


def test_white_noise_gives_the_variance_of_white_noise() -> None:
    """Exactly: the variance is a quadratic form of the noise, so its expectation is the sum over unit vectors."""
    _, half, Q = random_blocks(np.random.default_rng(0))
    expected = np.zeros(len(half))
    for place in np.ndindex(Q.shape[:2]):
        unit = np.zeros(Q.shape[:2])
        unit[place] = 1.0
        expected += effects_of(Q, half, unit)[1]
    np.testing.assert_allclose(expected, np.diag(half @ half.T), rtol=1e-10)


@pytest.mark.parametrize("alike", [True, False])
def test_coefficients_that_differ_between_blocks_are_found(alike: bool) -> None:
    """Blocks with coefficients of their own, by one standard deviation of 0.5: the variance of the mean is known.

    Of blocks that tell equally much the variance is found without bias, of very unequal ones a little too small; intervals hold for both.
    """
    rng = np.random.default_rng(1)
    Y, half, Q = random_blocks(rng, rows=50)
    if alike:
        Y = np.tile(Y[:1], (BLOCKS, 1, 1))
        half = np.linalg.inv(np.linalg.qr(Y.reshape(-1, 4), mode="r"))
        Q = Y @ half
    inverse = half @ half.T
    truth = np.diag(inverse) + sum(0.25 * np.diag(inverse @ block.T @ block @ block.T @ block @ inverse) for block in Y)
    ratios, inside, freedom = [], [], np.zeros(0)
    for _ in range(2000):
        noise = rng.normal(size=Q.shape[:2]) + np.einsum("kti,ki->kt", Y, 0.5 * rng.normal(size=(BLOCKS, len(half))))
        error, variance, freedom = effects_of(Q, half, noise)
        ratios.append(variance / truth)
        inside.append(np.abs(error) <= -stdtrit(freedom, 0.025) * np.sqrt(variance))
    if alike:
        assert freedom == pytest.approx(BLOCKS - 1)
        np.testing.assert_allclose(np.mean(ratios, axis=0), 1.0, atol=4.0 * np.sqrt(2.0 / (BLOCKS - 1) / 2000))
    assert np.all(np.mean(ratios, axis=0) * truth > 10.0 * np.diag(inverse))  # ten times what noise alone would tell
    assert 0.93 <= np.mean(inside) <= 0.97


def test_what_one_block_alone_determines_has_no_variation_between_blocks() -> None:
    Y = np.random.default_rng(2).normal(size=(BLOCKS, 12, 3))
    Y[1:, :, 2] = 0.0
    half = np.linalg.inv(np.linalg.qr(Y.reshape(-1, 3), mode="r"))
    _, variance, freedom = effects_of(Y @ half, half, np.random.default_rng(3).normal(size=Y.shape[:2]))
    assert np.all(np.isfinite(variance))
    assert np.all(np.isfinite(freedom))
    assert variance[2] < np.diag(half @ half.T)[2]
    assert np.all(variance[:2] > 0.0)


@pytest.mark.parametrize(
    ("lengths", "blocks"),
    [([1000], 8), ([500, 500], 8), ([800, 100, 100], 8), ([10] * 10, 10), ([10] * 100, 16), ([900, 0, 100], 8), ([0], 0)],
)
def test_blocks_cover_every_row_once(lengths: list[int], blocks: int) -> None:
    parts = cut_blocks(lengths)
    assert len(parts) == blocks
    for segment, length in enumerate(lengths):
        own = sorted((start, stop) for block in parts for index, start, stop in block if index == segment)
        if length:
            assert own[0][0] == 0.0
            assert own[-1][1] == 1.0
            assert [stop for _, stop in own[:-1]] == [start for start, _ in own[1:]]


def test_the_larger_source_is_the_standard_deviation(estimate: Estimate) -> None:
    assert estimate.block_std is not None
    np.testing.assert_allclose(estimate.std, np.maximum(estimate.noise_std, estimate.block_std), rtol=1e-12)
    assert np.any(estimate.block_std > estimate.noise_std)
    assert np.any(estimate.block_std < estimate.noise_std)
    assert np.linalg.eigvalsh(estimate.correlations).min() > 0.0
    assert np.all(estimate.half_interval >= 1.9599 * estimate.std)


def drifting(log: Dataset, joint: int, size: float) -> Dataset:
    """The log with an offset of one joint that is another one in every sixth of it: what no single offset explains."""
    offsets = size * np.array([1.0, -1.0, 0.5, -0.5, 1.0, -1.0])
    effort = log.effort.copy()
    effort[:, joint] += offsets[6 * np.arange(len(effort)) // len(effort)]
    return replace(log, effort=effort)


def test_model_error_that_differs_between_blocks_counts_as_noise_of_its_joint(arm: Robot) -> None:
    log = generated_log(arm, friction=linear(), samples=6000, rate=100.0, noise=0.1).dataset
    plain, wrong = (regression.estimate(build_problem(arm, data, friction=linear(), cutoff=5.0)) for data in (log, drifting(log, 1, 0.3)))
    assert plain.blocks is not None
    assert wrong.blocks is not None
    assert wrong.std[wrong.base.names.index("fo2")] > 5.0 * plain.std[plain.base.names.index("fo2")]
    assert wrong.blocks.group_scale[1] > wrong.blocks.group_scale[2]
    levels = np.sqrt(wrong.summary.inflation) * wrong.blocks.group_scale * wrong.summary.noise_levels
    data = posterior_data(wrong)
    assert wrong.problem is not None
    expected = one_step(wrong.problem, levels)
    np.testing.assert_allclose(data.A, expected.A)
    assert data.noise == pytest.approx(np.sum(wrong.problem.counts * (np.asarray(wrong.summary.noise_levels) / levels) ** 2))


def test_segments_of_a_log_are_its_blocks(arm: Robot) -> None:
    """Ten logs merged are ten blocks, and their order does not matter."""
    logs = [generated_log(arm, friction=linear(), samples=400, noise=0.1, noise_seed=seed).dataset for seed in range(10)]
    problems = [build_problem(arm, data, friction=linear(), cutoff=5.0) for data in logs]
    merged, turned = problems[0], problems[-1]
    for forward, backward in zip(problems[1:], problems[-2::-1], strict=True):
        merged, turned = merged.merge(forward), turned.merge(backward)
    one, other = regression.estimate(merged), regression.estimate(turned)
    assert one.blocks is not None
    assert one.blocks.blocks == 10
    np.testing.assert_allclose(one.block_std, other.block_std, rtol=1e-6)


def test_a_prior_that_decides_varies_as_it_says(arm: Robot, log: Dataset) -> None:
    problem = build_problem(arm, log, friction=linear(), cutoff=5.0)
    std = np.full(problem.base.rank, 1e-6)
    pinned = regression.estimate(problem, prior=Prior(values=np.zeros(problem.base.rank), std=std))
    np.testing.assert_allclose(pinned.block_std, 1e-6, rtol=1e-2)
    np.testing.assert_allclose(pinned.noise_std, 1e-6, rtol=1e-2)


def test_a_robust_loss_with_a_huge_threshold_has_the_same_blocks(arm: Robot, log: Dataset, estimate: Estimate) -> None:
    robust = regression.estimate(build_problem(arm, log, friction=linear(), cutoff=5.0), loss=Huber(1e9))
    np.testing.assert_allclose(robust.block_std, estimate.block_std, rtol=1e-3)


def test_without_rows_there_are_no_blocks(arm: Robot, log: Dataset) -> None:
    unfiltered = regression.estimate(build_problem(arm, log, friction=linear(), cutoff=None))
    assert unfiltered.blocks is None
    assert unfiltered.block_std is None
    np.testing.assert_array_equal(unfiltered.std, unfiltered.noise_std)


def test_a_joint_that_is_masked_for_a_whole_segment(arm: Robot, log: Dataset) -> None:
    """Its rows of the other segments stay with those of the other joints."""
    mask = np.ones(log.q.shape, dtype=bool)
    mask[:750, 1] = False
    first, second = replace(log, mask=mask).part(0, 0.5), log.part(0.5, 1)
    base = build_problem(arm, log, friction=linear(), cutoff=5.0).base
    both = build_problem(arm, second, friction=linear(), cutoff=5.0)
    only = build_problem(arm, first, friction=linear(), cutoff=5.0)
    merged = only.merge(both)
    assert merged.filtered_rows is not None
    assert [len(tables) for tables in merged.filtered_rows] == [2, 2, 2]
    assert merged.filtered_rows[1][0].shape[1] == 0
    found = regression.estimate(merged)
    assert found.base.rank == base.rank
    assert np.all(np.isfinite(found.std[found.kept]))
