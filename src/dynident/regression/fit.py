"""Least squares on a compressed problem: weights per group, robust losses, covariance, and dropping of what is not determined.

Everything here works on matrices of at most (b + 1) columns, whatever the number of samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.errors import InputError, ShapeError, UnknownNameError, ValueRangeError
from dynident.regression.autocovariance import Correlated, correlated_rows
from dynident.regression.compress import compress, triangular
from dynident.regression.covariance import inverse_normal, median_levels, smallest_level, spread
from dynident.regression.estimate import Dropped, Estimate, EstimateStatus, Residuals
from dynident.regression.losses import Loss, Squared
from dynident.regression.notes import estimate_notes, listing
from dynident.regression.problem import Problem
from dynident.regression.summary import NOISES, FitSummary, Noise

#: Coefficients with a larger relative standard deviation are dropped unless told otherwise [%], as in the papers.
DROP_ABOVE_PERCENT = 30.0
#: A column counts as determined by the data when its part outside the span of the others is above this share of it.
DATA_RANK_TOLERANCE = 1e-8
_WEIGHT_TOLERANCE = 1e-6
#: A robust loss has settled when an iteration moves the coefficients by less than this share of their standard deviations.
_SETTLED = 1e-4
_ITERATIONS = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class Prior:
    """What is believed of the coefficients before seeing the data: values (b,) with standard deviations (b,)."""

    values: Array
    std: Array


def fit(
    problem: Problem,
    *,
    noise: Noise = "uniform",
    loss: Loss | None = None,
    prior: Prior | None = None,
    drop_above_percent: float | None = DROP_ABOVE_PERCENT,
    progress: Callable[[str], None] | None = None,
) -> Estimate:
    """Estimate the base parameters of a problem.

    noise : "uniform" is ordinary least squares, "per_group" weighs each joint by its own noise, iterated.
    loss : Huber() or Tukey() for logs with gross errors; streams the data again at every iteration.
    prior : ridge toward values with given standard deviations.
    drop_above_percent : coefficients whose relative standard deviation exceeds this are dropped one at a time, the
        worst first, and the rest estimated again (essential parameters); None keeps all.
    """
    if noise not in NOISES:
        raise UnknownNameError("noise model", noise, NOISES)
    _check_prior(problem, prior)
    loss = loss or Squared()
    solution, loss_unsettled = _Solution.of(problem, noise, prior), ""
    if not isinstance(loss, Squared):
        solution, loss_unsettled = _reweighted(problem, solution, noise, loss, prior, progress)
    correlated = correlated_rows(problem)
    uncertainty = spread(
        problem,
        values=solution.values,
        weights=solution.weights,
        determined=solution.determined,
        prior_rows=_prior_rows(prior),
        loss=loss,
        rows=correlated,
    )
    kept, dropped = solution.determined.copy(), list(_undetermined(solution))
    values, covariance = solution.values, uncertainty.covariance(kept)
    while drop_above_percent is not None and kept.sum() > 1:
        relative = 100.0 * np.sqrt(np.diag(covariance)) / np.maximum(np.abs(values), np.finfo(float).tiny)
        worst = int(np.argmax(np.where(kept, relative, -1.0)))
        if not relative[worst] > drop_above_percent:
            break
        reason = f"relative standard deviation {relative[worst]:.0f} % is above {drop_above_percent:g} %"
        dropped.append(Dropped(worst, float(values[worst]), float(np.sqrt(covariance[worst, worst])), reason))
        kept[worst] = False
        values = solution.restricted(kept)
        covariance = uncertainty.covariance(kept)
    status = EstimateStatus.of_dropped(dropped)
    if loss_unsettled or solution.unsettled:
        status = EstimateStatus.LOSS_UNSETTLED if loss_unsettled else EstimateStatus.WEIGHTS_UNSETTLED
    unsettled = [note for note in (loss_unsettled, solution.unsettled) if note]
    estimate = Estimate(
        base=problem.base,
        values=values,
        covariance=covariance,
        kept=kept,
        dropped=tuple(dropped),
        residuals=residuals(problem, values),
        singular_values=solution.singular_values,
        summary=_summary(problem, noise, loss, drop_above_percent, solution, kept),
        status=status,
        provenance=problem.provenance,
    )
    return replace(estimate, notes=(*problem.notes, *unsettled, *_notes(problem, solution, correlated), *estimate_notes(estimate)))


def residuals(problem: Problem, values: Array) -> Residuals:
    """How well given base parameters explain a problem, group by group."""
    squares, total = np.zeros(len(problem.groups)), np.zeros(len(problem.groups))
    for g, (group, factor) in enumerate(zip(problem.groups, problem.factors, strict=True)):
        squares[g] = np.sum((factor[:, -1] - factor[:, :-1] @ values[group.columns]) ** 2)
        total[g] = np.sum(factor[:, -1] ** 2)
    return Residuals(names=tuple(group.name for group in problem.groups), counts=problem.counts, squares=squares, totals=total)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Solution:
    """Weighted least squares with the weights it ended with.

    factor : (b + 1, b + 1)  Triangular factor of the weighted problem, prior included.
    weights : (groups,)      One over the standard deviation of each group.
    determined : (b,)        Which base parameters these data, or the prior, determine at all.
    rank : int               How many the data alone determine.
    unsettled : str          Note about weights that did not settle; empty where they did.
    """

    values: Array
    factor: Array
    weights: Array
    determined: BoolArray
    rank: int
    singular_values: Array
    unsettled: str

    @staticmethod
    def of(problem: Problem, noise: Noise, prior: Prior | None) -> _Solution:
        b = problem.base.rank
        stacked = problem.stacked(np.ones(len(problem.groups)))
        scale = np.linalg.norm(stacked[:, :b], axis=0)
        singular_values = np.asarray(np.linalg.svd(stacked[:, :b], compute_uv=False), dtype=float)
        by_data = _leftmost(stacked[:, :b], scale)
        if not np.any(by_data):
            raise ValueRangeError("data", "determine no coefficient at all; every regressor column is zero, so check that the robot moves")
        determined = by_data if prior is None else by_data | np.isfinite(prior.std)
        weights, changes, unsettled = np.ones(len(problem.groups)), np.zeros(len(problem.groups)), ""
        for _ in range(_ITERATIONS):
            factor = triangular([problem.stacked(weights), *_prior_rows(prior)])
            values = _solve(factor, determined)
            updated = _noise_weights(problem, values, factor, weights, determined, noise)
            changes = np.abs(updated / weights - 1.0)
            weights = updated
            if np.max(changes) < _WEIGHT_TOLERANCE or (noise == "uniform" and prior is None):
                break
        else:  # the noise of exact data is rounding, which has no level to settle at
            change = float(np.max(changes, where=1.0 / weights > 1e3 * smallest_level(problem), initial=0.0))
            if change >= _WEIGHT_TOLERANCE:
                unsettled = (
                    f"the noise levels did not settle in {_ITERATIONS} iterations; the last one changed one by {100.0 * change:.1g} %"
                )
        factor = triangular([problem.stacked(weights), *_prior_rows(prior)])
        return _Solution(
            values=_solve(factor, determined),
            factor=factor,
            weights=weights,
            determined=determined,
            rank=int(by_data.sum()),
            singular_values=singular_values,
            unsettled=unsettled,
        )

    def restricted(self, kept: BoolArray) -> Array:
        """(b,) the estimate with only some coefficients, zero for the others; weights as they are."""
        return _solve(self.factor, kept)


def _solve(factor: Array, kept: BoolArray) -> Array:
    values = np.zeros(len(factor) - 1)
    R = triangular([factor[:, np.append(kept, True)]])
    values[kept] = np.linalg.solve(R[:-1, :-1], R[:-1, -1])
    return values


def _leftmost(A: Array, scale: Array) -> BoolArray:
    """(b,) which columns are independent of those before them, scaled to length one."""
    determined = np.zeros(A.shape[1], dtype=bool)
    basis = np.empty((len(A), 0))
    largest = scale.max()
    for i in range(A.shape[1]):
        if scale[i] <= DATA_RANK_TOLERANCE * largest * 1e-3:
            continue
        rest = A[:, i] / scale[i]
        for _ in range(2):
            rest = rest - basis @ (basis.T @ rest)
        size = float(np.linalg.norm(rest))
        if size > DATA_RANK_TOLERANCE:
            basis = np.column_stack([basis, rest / size])
            determined[i] = True
    return determined


def _noise_weights(problem: Problem, values: Array, factor: Array, weights: Array, determined: BoolArray, noise: Noise) -> Array:
    """One over the noise level of each group, corrected for the degrees of freedom that the fit used up."""
    squares = residuals(problem, values).squares
    inverse = inverse_normal(factor[:, :-1], determined)
    used = np.empty(len(squares))
    for g, (group, F) in enumerate(zip(problem.groups, problem.factors, strict=True)):
        Y = weights[g] * F[:, :-1]
        used[g] = np.sum((Y @ inverse[np.ix_(group.columns, group.columns)]) * Y)
    freedom = np.maximum(problem.counts - used, 1.0)
    level = np.sqrt(squares / freedom)
    if noise == "uniform":
        level[:] = np.sqrt(squares.sum() / freedom.sum())
    return 1.0 / np.maximum(level, smallest_level(problem))


def _reweighted(
    problem: Problem, solution: _Solution, noise: Noise, loss: Loss, prior: Prior | None, progress: Callable[[str], None] | None
) -> tuple[_Solution, str]:
    """The solution under a robust loss, and a note where it did not settle."""
    if not problem.rows:
        raise InputError(f"the {loss.name} loss needs the data again, and this problem was loaded from a file; build it from the data")
    change = float("inf")
    for iteration in range(1, _ITERATIONS + 1):
        levels = median_levels(problem, solution.values)
        factors = [np.zeros_like(factor, order="F") for factor in problem.factors]
        for source in problem.rows:
            for group, table, _ in source.tables():
                columns = problem.groups[group].columns
                weight = loss.weight((table[-1] - solution.values[columns] @ table[:-1]) / levels[group])
                factors[group] = compress(factors[group], table * np.sqrt(weight))
        weighted = replace(problem, factors=tuple(np.ascontiguousarray(factor) for factor in factors))
        updated = _Solution.of(weighted, noise, prior)
        # in standard deviations, on average over the coefficients
        change = float(np.linalg.norm(updated.factor[:, :-1] @ (updated.values - solution.values)) / np.sqrt(problem.base.rank))
        exact = np.linalg.norm(updated.values - solution.values) <= 1e-12 * np.linalg.norm(updated.values)
        solution = updated
        if progress is not None:
            progress(f"{loss.name} iteration {iteration}: change of {change:.1e} standard deviations")
        if change < _SETTLED or exact:
            return solution, ""
    return (
        solution,
        f"the {loss.name} loss did not settle in {_ITERATIONS} iterations; the last one moved by {change:.1e} standard deviations",
    )


def _undetermined(solution: _Solution) -> list[Dropped]:
    reason = f"not determined by these data (dependent to {DATA_RANK_TOLERANCE:g})"
    return [Dropped(int(i), 0.0, float("inf"), reason) for i in np.flatnonzero(~solution.determined)]


def _prior_rows(prior: Prior | None) -> list[Array]:
    return [] if prior is None else [np.column_stack([np.diag(1.0 / prior.std), prior.values / prior.std])]


def _check_prior(problem: Problem, prior: Prior | None) -> None:
    if prior is None:
        return
    for name in ("values", "std"):
        if getattr(prior, name).shape != (problem.base.rank,):
            raise ShapeError(f"prior.{name}", getattr(prior, name).shape, f"({problem.base.rank},) = one per base parameter")
    if not np.all(prior.std > 0):
        raise ValueRangeError("prior.std", "must be positive; a large value means that nothing is believed")


def _notes(problem: Problem, solution: _Solution, correlated: Correlated | None) -> list[str]:
    notes: list[str] = []
    missing = [problem.base.names[int(i)] for i in np.flatnonzero(~solution.determined)]
    if missing:
        notes.append(f"these data don't determine {listing(missing, 40)} apart from the others; a richer motion would")
    if correlated is None and problem.base.equations == "torque":
        filtered = problem.processing.cutoff_hz is not None
        what = "the rows are too many, or not there any more, to measure their correlation" if filtered else "nothing was filtered"
        notes.append(f"standard deviations assume independent residuals, because {what}; where they are correlated they come out too small")
    return notes


def _summary(problem: Problem, noise: Noise, loss: Loss, drop: float | None, solution: _Solution, kept: BoolArray) -> FitSummary:
    R = triangular([problem.stacked(np.ones(len(problem.groups)))[:, :-1][:, kept]])
    return FitSummary(
        source=problem.source,
        samples=problem.samples,
        equations=int(problem.counts.sum()),
        processing=problem.processing,
        noise=noise,
        noise_levels=tuple(float(level) for level in 1.0 / solution.weights),
        loss=loss.name,
        drop_above_percent=drop,
        condition_number=float(np.linalg.cond(R)),
        rank=solution.rank,
        rank_tolerance=DATA_RANK_TOLERANCE,
    )
