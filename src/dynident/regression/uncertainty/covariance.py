"""How uncertain an estimate is: the covariance A⁻¹ B A⁻¹ of weighted least squares and of robust losses.

For independent noise and least squares B = A. For a robust loss the noise acts through ψ(r) = r · weight(r), and the
estimate answers with the mean slope of ψ: A = Σ w² ψ̄' YᵀY, B = Σ w⁴ ψ̄² YᵀY (Huber, Robust Statistics, 1981, section 7.6).
For noise that is correlated in time B comes from the autocovariance of ψ(r), see autocovariance.py; for that of a controller's
configurations from their residuals, see configurations.py. Where blocks of the log differ by more than that, each coefficient's
share grows by as much, see blocks.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.regression.equations.factors import triangular
from dynident.regression.problem import Problem
from dynident.regression.uncertainty.autocovariance import SMALLEST_SHARE, Correlated, Influence, bound_below, correlated_meat
from dynident.regression.uncertainty.blocks import BlockVariation, larger_of_both, measure_blocks
from dynident.regression.uncertainty.configurations import SMALLEST_OF_CONFIGURATIONS, configuration_meat
from dynident.regression.uncertainty.losses import Loss, Squared


@dataclass(frozen=True, kw_only=True, eq=False)
class Spread:
    """The covariance of any choice of coefficients.

    factor : (·, b)                A = factorᵀ factor, prior included.
    meat : (b, b) or None          B; None where it is A.
    correlation_times : (groups,)  How long residuals stay correlated [s]; empty where it was not measured.
    blocks : BlockVariation        What the variation between blocks adds; None where it was not measured.
    """

    factor: Array
    meat: Array | None
    correlation_times: Array
    blocks: BlockVariation | None = None

    @property
    def scale(self) -> Array:
        """(b,) by which the variation between blocks makes standard deviations larger than those of noise."""
        return np.ones(len(self.factor.T)) if self.blocks is None else self.blocks.scale

    def covariance(self, kept: BoolArray) -> Array:
        """(b, b) covariance when only the kept coefficients are estimated, zero elsewhere: the larger of both sources."""
        noise = self.noise_covariance(kept)
        return noise if self.blocks is None else larger_of_both(noise, self.blocks.ratios)

    def noise_covariance(self, kept: BoolArray) -> Array:
        """The part of it that the noise explains."""
        inverse = inverse_normal(self.factor, kept)
        if self.meat is None:
            return inverse
        both, covariance = np.ix_(kept, kept), inverse @ self.meat @ inverse
        if not np.all(np.diag(covariance)[kept] > 0.0):  # rounding, where columns are nearly dependent
            half = np.linalg.inv(triangular([self.factor[:, kept]]))
            shares, vectors = np.linalg.eigh(half.T @ self.meat[both] @ half)
            root = half @ vectors * np.sqrt(np.maximum(shares, SMALLEST_SHARE))
            covariance[both] = root @ root.T
        return covariance

    def inflation(self, kept: BoolArray) -> float:
        """How many times larger noise makes the variances than if it were independent and of the same level, in the median."""
        white = np.diag(inverse_normal(self.factor, kept))[kept]
        return 1.0 if self.meat is None else float(np.median(np.diag(self.noise_covariance(kept))[kept] / white))


def spread(
    problem: Problem, *, values: Array, weights: Array, determined: BoolArray, prior_rows: list[Array], loss: Loss, rows: Correlated | None
) -> Spread:
    """The uncertainty of an estimate.

    weights : (groups,)    One over the noise level of each group.
    prior_rows : (b, b + 1) or none    What the prior adds to the rows.
    rows : the rows in the order of time, for noise that is correlated and for blocks; None for independent noise.
    """
    robust = not isinstance(loss, Squared)
    levels = median_levels(problem, values) if robust else np.ones(len(problem.groups))
    slopes, squares = _moments(problem, values, levels, loss) if robust else (np.ones(len(levels)), np.ones(len(levels)))
    prior = [block[:, :-1] for block in prior_rows]
    factor = triangular([problem.stack(weights * np.sqrt(slopes))[:, :-1], *prior])
    configurations = None if problem.base.equations == "torque" else problem.filtered_rows
    if not robust and rows is None and configurations is None:
        return Spread(factor=factor, meat=None, correlation_times=np.zeros(0))
    inverse = inverse_normal(factor, determined)
    influence = Influence(values=values, inverse=inverse, weights=weights, levels=levels, slopes=slopes, loss=loss)
    columns = [group.columns for group in problem.groups]
    if rows is not None:
        meat, times = correlated_meat(columns, rows, influence)
    elif configurations is not None:
        rounded = 1.0 / weights <= (1.0 + 1e-6) * smallest_level(problem)
        meat, times = configuration_meat(columns, configurations, influence, rounded), np.zeros(0)
    else:
        used = slopes * weights**2 * _leverages(problem, inverse)
        root = problem.stack_groups(weights**2 * np.sqrt(squares / np.maximum(1.0 - used / problem.counts, 0.1)))[:, :-1]
        meat, times = root.T @ root, np.zeros(0)
    certain = [*prior, *(block[:, :-1] for block in problem.controller_rows)]
    meat = sum((block.T @ block for block in certain), meat)
    both = np.ix_(determined, determined)
    smallest = SMALLEST_SHARE if configurations is None else SMALLEST_OF_CONFIGURATIONS
    meat[both] = bound_below(meat[both], triangular([factor[:, determined]]), smallest)
    result = Spread(factor=factor, meat=meat, correlation_times=times)
    if rows is None:
        return result
    noise = np.diag(result.noise_covariance(determined))
    blocks = measure_blocks(problem, rows.tables, influence, factor=factor, determined=determined, known=certain, noise_variance=noise)
    return replace(result, blocks=blocks)


def inverse_normal(factor: Array, kept: BoolArray) -> Array:
    """(b, b) (AᵀA)⁻¹ of the kept columns, through the triangular factor; zero elsewhere."""
    inverse = np.linalg.inv(triangular([factor[:, kept]]))
    result = np.zeros((len(kept), len(kept)))
    result[np.ix_(kept, kept)] = inverse @ inverse.T
    return result


def median_levels(problem: Problem, values: Array) -> Array:
    """(groups,) robust noise levels: 1.4826 times the median absolute residual, over at most 100 000 rows per group."""
    collected: list[list[Array]] = [[] for _ in problem.groups]
    counts = np.zeros(len(problem.groups), dtype=np.int64)
    for group, table in problem.row_tables():
        if counts[group] < 100_000:
            collected[group].append(np.abs(table[-1] - values[problem.groups[group].columns] @ table[:-1]))
            counts[group] += table.shape[1]
    medians = np.array([float(np.median(np.concatenate(parts))) if parts else 0.0 for parts in collected])
    return np.maximum(1.4826 * medians, smallest_level(problem))


def smallest_level(problem: Problem) -> Array:
    """(groups,) rounding is the noise of exact data; where there is no effort at all, what can be divided by and squared."""
    totals = np.array([np.sum(factor[:, -1] ** 2) for factor in problem.factors]) / np.maximum(problem.counts, 1)
    return np.maximum([group.rounding for group in problem.groups], max(1e-15 * float(np.sqrt(totals.max())), 1e-60))


def _leverages(problem: Problem, inverse: Array) -> Array:
    """(groups,) tr(A⁻¹ YᵀY) of each group."""
    parts = [factor[:, :-1] @ inverse[np.ix_(g.columns, g.columns)] for g, factor in zip(problem.groups, problem.factors, strict=True)]
    return np.array([float(np.sum(part * factor[:, :-1])) for part, factor in zip(parts, problem.factors, strict=True)])


def _moments(problem: Problem, values: Array, levels: Array, loss: Loss) -> tuple[Array, Array]:
    """(groups,) mean derivative of ψ, and mean of ψ²."""
    slopes, squares = np.zeros((2, len(problem.groups)))
    for group, table in problem.row_tables():
        r = (table[-1] - values[problem.groups[group].columns] @ table[:-1]) / levels[group]
        slopes[group] += np.sum(loss.slope(r))
        squares[group] += np.sum((levels[group] * r * loss.weight(r)) ** 2)
    counts = np.maximum(problem.counts, 1)
    return np.maximum(slopes / counts, 0.05), squares / counts
