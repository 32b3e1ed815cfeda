"""Weighted least squares on a compressed problem: which coefficients the data determine, and the noise of each group of rows.

Everything here works on matrices of at most (b + 1) columns, whatever the number of samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.linear_algebra import singular_values
from dynident.errors import ShapeError, ValueRangeError
from dynident.regression.equations.factors import independent_columns, triangular
from dynident.regression.estimate import Residuals
from dynident.regression.problem import Problem
from dynident.regression.summary import Noise
from dynident.regression.uncertainty.covariance import inverse_normal, smallest_level

#: A column counts as determined by the data when its part outside the span of those before it is above a share of it: that at which
#: the coefficient's standard deviation is as large as a coefficient that makes the whole effort by itself, and at least this.
DATA_RANK_TOLERANCE = 1e-8
#: A coefficient that would make so many times the whole effort by itself is none, however exactly it fits.
_ABSURD = 1e3
#: Weights, and robust losses, that have not settled after so many iterations don't settle.
ITERATIONS = 50
_WEIGHT_TOLERANCE = 1e-6
#: No group is this much less noisy than another; a fit that explains its few rows entirely makes it look so.
_SMALLEST_RATIO = 1e-6
#: Links whose error on the same data is this many times that of the coefficients, and this much larger in percent of the effort, are not
#: the robot's.
FAR_ABOVE, CLEARLY = 2.0, 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Prior:
    """What is believed of the coefficients before seeing the data.

    Attributes
    ----------
    values : (b,) array
        The most probable ones, in their SI units.
    std : (b,) array
        Their standard deviations.
    """

    values: Array
    std: Array

    def check(self, rank: int) -> None:
        """An error unless there is one positive standard deviation per base parameter."""
        for name, values in (("values", self.values), ("std", self.std)):
            if values.shape != (rank,):
                raise ShapeError(f"prior.{name}", values.shape, f"({rank},) = one per base parameter")
        if not np.all(self.std > 0):
            raise ValueRangeError("prior.std", "must be positive; a large value means that nothing is believed")


@dataclass(frozen=True, kw_only=True, eq=False)
class WeightedSolution:
    """Weighted least squares with the weights it ended with.

    factor : (b + 1, b + 1)  Triangular factor of the weighted problem, prior included.
    weights : (groups,)      One over the standard deviation of each group.
    determined : (b,)        Which base parameters these data, or the prior, determine at all.
    rank : int               How many the data alone determine.
    rank_tolerance : float   Share of a column that counted as nothing, of the column with the largest one.
    unsettled : str          Note about weights that did not settle; empty where they did.
    """

    values: Array
    factor: Array
    weights: Array
    determined: BoolArray
    rank: int
    rank_tolerance: float
    singular_values: Array
    unsettled: str

    @staticmethod
    def of(problem: Problem, noise: Noise, prior: Prior | None) -> WeightedSolution:
        b = problem.base.rank
        stacked = problem.stack(np.ones(len(problem.groups)))
        sizes = singular_values(problem.stack_groups(np.ones(len(problem.groups)))[:, :b])
        possible = np.ones(b, dtype=bool)
        while True:
            by_data, tolerance = _determined(problem, stacked * np.append(possible, True), noise)
            if not by_data.any():
                message = "determine no coefficient at all; nothing stands out of the noise, so check that the robot moves"
                raise ValueRangeError("data", message)
            determined = by_data if prior is None else by_data | np.isfinite(prior.std)
            weights, unsettled = _settle_weights(problem, determined, noise, prior)
            factor = triangular([problem.stack(weights), *prior_rows(prior)])
            values = _solve(factor, determined)
            excess = np.zeros(b)
            np.divide(np.abs(values), largest_coefficients(problem, 1.0 / weights), out=excess, where=by_data)
            if prior is not None or excess.max() <= _ABSURD:
                break
            possible[np.argmax(excess)] = False  # another coefficient explains the same in a way that can be
        return WeightedSolution(
            values=values,
            factor=factor,
            weights=weights,
            determined=determined,
            rank=int(by_data.sum()),
            rank_tolerance=tolerance,
            singular_values=sizes,
            unsettled=unsettled,
        )

    def restrict(self, kept: BoolArray) -> Array:
        """(b,) the estimate with only some coefficients, zero for the others; weights as they are."""
        return _solve(self.factor, kept)


def _settle_weights(problem: Problem, determined: BoolArray, noise: Noise, prior: Prior | None) -> tuple[Array, str]:
    """(groups,) one over the noise levels, estimated in turn with the coefficients; and a note where they did not settle."""
    weights, changes = np.ones(len(problem.groups)), np.zeros(len(problem.groups))
    for _ in range(ITERATIONS):
        factor = triangular([problem.stack(weights), *prior_rows(prior)])
        updated = _noise_weights(problem, _solve(factor, determined), factor, weights, determined, noise)
        changes = np.abs(updated / weights - 1.0)
        weights = updated
        if np.max(changes) < _WEIGHT_TOLERANCE or (noise == "uniform" and prior is None):
            return weights, ""
    # the noise of exact data is rounding, which has no level to settle at
    change = float(np.max(changes, where=1.0 / weights > 1e3 * smallest_level(problem), initial=0.0))
    if change < _WEIGHT_TOLERANCE:
        return weights, ""
    return weights, f"the noise levels did not settle in {ITERATIONS} iterations; the last one changed one by {100.0 * change:.1g} %"


def _determined(problem: Problem, stacked: Array, noise: Noise) -> tuple[BoolArray, float]:
    """(b,) which columns of the stacked rows are independent, given their noise; and the largest tolerance of a column.

    What is left out shifts the others by less than their standard deviations, unless its coefficient is larger than one that would make
    the whole effort by itself.
    """
    A, z = stacked[:, :-1], stacked[:, -1]
    determined = np.zeros(A.shape[1], dtype=bool)
    smallest = 1e-3 * DATA_RANK_TOLERANCE
    independent, Q = independent_columns(A, tolerance=DATA_RANK_TOLERANCE, smallest=smallest)
    if not independent:
        return determined, DATA_RANK_TOLERANCE
    rest = z - Q @ (Q.T @ z)
    lengths = [len(factor) for factor in problem.factors]
    measured = sum(lengths)  # rows of a controller, which come after them, are in units of their noise
    starts = np.cumsum([0, *lengths[:-1]])
    squares, used = np.add.reduceat(rest[:measured] ** 2, starts), np.add.reduceat(np.sum(Q[:measured] ** 2, axis=1), starts)
    levels = _noise_levels(problem, squares, used, noise)
    whitened = A / np.append(np.repeat(levels, lengths), np.ones(len(A) - measured))[:, None]
    strength: Array = np.linalg.norm(whitened, axis=0)
    shares = 1.0 / np.maximum(strength * largest_coefficients(problem, levels), np.finfo(float).tiny)
    tolerance = np.clip(shares, DATA_RANK_TOLERANCE, 1.0)
    kept, _ = independent_columns(whitened[:, independent], tolerance=tolerance[independent], smallest=smallest)
    if len(kept) < len(independent):
        # the strongest first: of columns that look alike, one that hardly shows must not explain the effort with a huge coefficient
        independent = sorted(range(A.shape[1]), key=lambda i: -strength[i])
        kept, _ = independent_columns(whitened[:, independent], tolerance=tolerance[independent], smallest=smallest)
    determined[np.array(independent)[kept]] = True
    return determined, float(tolerance[determined].max(initial=DATA_RANK_TOLERANCE))


def largest_coefficients(problem: Problem, levels: Array) -> Array:
    """(b,) the coefficient that would make all effort of its rows by itself, in this motion or in an ordinary one, whichever is less."""
    efforts, motions = np.zeros((2, problem.base.rank))
    for group, factor, count, level in zip(problem.groups, problem.factors, problem.counts, levels, strict=True):
        squares = np.sum(factor**2, axis=0) / max(int(count), 1)
        efforts[group.columns] += max(float(squares[-1]), float(level) ** 2)
        motions[group.columns] += squares[:-1]
    size = np.maximum(motions, problem.base.column_sizes**2)
    return np.sqrt(efforts / np.maximum(size, np.finfo(float).tiny))


def _noise_levels(problem: Problem, squares: Array, used: Array, noise: Noise) -> Array:
    """(groups,) standard deviations from sums of squared residuals, corrected for the degrees of freedom that the fit used up."""
    freedom = np.maximum(problem.counts - used, 1.0)
    levels = np.full(len(squares), np.sqrt(squares.sum() / freedom.sum())) if noise == "uniform" else np.sqrt(squares / freedom)
    return np.maximum(levels, np.maximum(_SMALLEST_RATIO * float(levels.max()), smallest_level(problem)))


def _solve(factor: Array, kept: BoolArray) -> Array:
    values = np.zeros(len(factor) - 1)
    R = triangular([factor[:, np.append(kept, True)]])
    values[kept] = np.linalg.solve(R[:-1, :-1], R[:-1, -1])
    return values


def _noise_weights(problem: Problem, values: Array, factor: Array, weights: Array, determined: BoolArray, noise: Noise) -> Array:
    """One over the noise level of each group."""
    squares = residuals(problem, values).squares
    inverse = inverse_normal(factor[:, :-1], determined)
    used = np.empty(len(squares))
    for g, (group, F) in enumerate(zip(problem.groups, problem.factors, strict=True)):
        Y = weights[g] * F[:, :-1]
        used[g] = np.sum((Y @ inverse[np.ix_(group.columns, group.columns)]) * Y)
    return 1.0 / _noise_levels(problem, squares, used, noise)


def prior_rows(prior: Prior | None) -> list[Array]:
    return [] if prior is None else [np.column_stack([np.diag(1.0 / prior.std), prior.values / prior.std])]


def residuals(problem: Problem, values: Array) -> Residuals:
    """How well given base parameters explain a problem, group by group.

    Parameters
    ----------
    problem
        The problem.
    values : (b,) array_like
        Base parameters.

    Returns
    -------
    Residuals
        In percent and in units of the noise.
    """
    squares, total = np.zeros(len(problem.groups)), np.zeros(len(problem.groups))
    for g, (group, factor) in enumerate(zip(problem.groups, problem.factors, strict=True)):
        squares[g] = np.sum((factor[:, -1] - factor[:, :-1] @ values[group.columns]) ** 2)
        total[g] = np.sum(factor[:, -1] ** 2)
    return Residuals(names=tuple(group.name for group in problem.groups), counts=problem.counts, squares=squares, totals=total)


def explains_badly(fitted_percent: float, links_percent: float) -> bool:
    """Whether links leave far more of the effort unexplained than the coefficients do on the same data."""
    return links_percent > FAR_ABOVE * fitted_percent and links_percent > fitted_percent + CLEARLY
