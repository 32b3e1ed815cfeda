"""Cross-validation: the data in k parts, each predicted by a model that was fitted to the others.

The rows are there once; a fit to all but one part compresses the others into small factors, so that a log tells its own error for little.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.records import Shape
from dynident.core.results import Result
from dynident.core.texts import short_number
from dynident.data import Dataset
from dynident.errors import InputError, ValueRangeError
from dynident.regression.equations.partition import Parts, TableRows, partition_rows
from dynident.regression.equations.rows import LogRows, Tables
from dynident.regression.estimate import FOLDS_OF_FIT, Estimate
from dynident.regression.estimation import estimate as estimate_coefficients
from dynident.regression.identify import Auto, settle_filter
from dynident.regression.problem import Problem, problem_of_rows, problem_on_base, rows_in_time
from dynident.regression.solution import WeightedSolution
from dynident.regression.uncertainty.losses import Squared, loss_by_name
from dynident.validation.series import WIDE, row_std, wide_rows
from dynident.validation.uncertainty import covering_noise, part_covariance

#: Parts where nothing is said.
FOLDS = 5


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CrossValidation(Result):
    """Errors on each part, of the model fitted to the other parts.

    Attributes
    ----------
    joints : tuple of str
        Names of the joints.
    parts : text per fold
        What was held out.
    relative_percent : (folds,) array
        100 ‖e‖ / ‖measured‖ over all joints.
    relative_percent_per_joint, rms_per_joint
        (folds, n).
    noise : (n,) array
        With which 95 % of such errors are within the band of the prediction [N·m | N].
    cutoff_hz : float or None
        Of the filter that both sides went through.
    wide_percent : float or None
        What the fit to all parts leaves of them behind a filter of 20 Hz; None where that is not known.
    """

    joints: tuple[str, ...]
    parts: tuple[str, ...]
    relative_percent: Annotated[Array, Shape("f")]
    relative_percent_per_joint: Annotated[Array, Shape("f n")]
    rms_per_joint: Annotated[Array, Shape("f n")]
    noise: Annotated[Array, Shape("n")]
    cutoff_hz: float | None = None
    wide_percent: float | None = None

    @property
    def folds(self) -> int:
        return len(self.parts)

    @property
    def mean_percent(self) -> float:
        return float(self.relative_percent.mean())

    @property
    def std_percent(self) -> float:
        """Spread of the folds, not the uncertainty of their mean."""
        return float(self.relative_percent.std(ddof=1))

    @property
    def percent_text(self) -> str:
        """Mean and spread of the error, with the bandwidth that it is about."""
        return f"{short_number(self.mean_percent)} ± {short_number(self.std_percent)} %{bandwidth_text(self.cutoff_hz)}"

    @property
    def sentence(self) -> str:
        """What was found, and what it is."""
        parts = f"{self.folds} parts of the log, each predicted by a fit to the others: {self.parts[0]} and so on"
        least, most = float(self.relative_percent.min()), float(self.relative_percent.max())
        wide = "" if self.wide_percent is None else f" Behind a filter of {WIDE:g} Hz the fit leaves {short_number(self.wide_percent)} %."
        return f"Cross-validated error {self.percent_text}, {short_number(least)} to {short_number(most)} % ({parts}).{wide}"


def bandwidth_text(cutoff_hz: float | None) -> str:
    """After a number that was found with a filter: up to which frequency it is about."""
    return "" if cutoff_hz is None else f" at {cutoff_hz:g} Hz"


def cross_validate(
    estimate: Estimate,
    dataset: Dataset | None = None,
    *,
    folds: int = FOLDS,
    cutoff: float | Auto | None = "auto",
    rate: float | None = None,
    wide: bool = True,
    progress: Callable[[float], None] | None = None,
) -> CrossValidation:
    """Fit and predict `folds` times with the base parameters, noise model, loss and dropping of an estimate.

    Parameters
    ----------
    estimate
        What `identify` returned.
    dataset
        Another log; by default the data of the estimate itself.
    folds
        Number of parts.
    cutoff, rate
        Of the filter of another log, as in `build_problem`; "auto" are those of the estimate.
    wide
        Of the estimate's own data, also what the fit leaves of them behind a filter of 20 Hz.
    progress
        Called now and then with the share that is done, 0 to 1.

    Returns
    -------
    CrossValidation
        Errors on each part, of the model fitted to the others.
    """
    problem = estimate.problem
    if dataset is not None:
        cutoff, rate, _ = settle_filter(estimate, dataset, cutoff, rate)
        problem = problem_on_base(estimate.base, dataset, cutoff=cutoff, rate=rate, links=estimate.link_part)
    if problem is None:
        raise InputError("cross-validation needs the data of the fit, and this estimate doesn't carry them; identify again")
    if problem.base.equations != "torque":
        raise InputError("cross-validation is about torques, and the estimate was made from the controller's M and g; use validate_samples")
    tables = rows_in_time(problem)
    parts = partition_rows(tables, folds)
    predictions: list[_HeldOut] = []
    for k in range(folds):
        predictions.append(_predict_part(estimate, problem, tables, parts, k))
        if progress is not None:
            progress((k + 1) / folds)
    fitted = estimate.residuals.rms_per_group if dataset is None else np.zeros(len(problem.groups))
    errors, std, totals = ([getattr(item, name) for item in predictions] for name in ("errors", "std", "totals"))
    squares = np.array([[float(e @ e) for e in of_part] for of_part in errors])
    counts = np.array([[max(len(e), 1) for e in of_part] for of_part in errors])
    largest = np.maximum(np.array(totals), np.finfo(float).tiny)
    joined = [[np.concatenate([of_part[g] for of_part in values]) for g in range(len(problem.groups))] for values in (errors, std)]
    return CrossValidation(
        joints=tuple(group.name for group in problem.groups),
        parts=parts.names,
        relative_percent=100.0 * np.sqrt(squares.sum(axis=1) / largest.sum(axis=1)),
        relative_percent_per_joint=100.0 * np.sqrt(squares / largest),
        rms_per_joint=np.sqrt(squares / counts),
        noise=np.array(
            [
                covering_noise(e, s, least=float(least), independent=len(e) / alike)
                for e, s, least, alike in zip(*joined, fitted, _rows_alike(estimate, problem), strict=True)
            ]
        ),
        cutoff_hz=problem.processing.cutoff_hz,
        wide_percent=_wide_percent(estimate, problem) if dataset is None and wide else None,
    )


def cross_validate_fit(
    estimate: Estimate, *, wide: bool = False, progress: Callable[[float], None] | None = None
) -> tuple[CrossValidation | None, str]:
    """The cross-validation of an estimate's own data, or None and why there can't be one, such as a log that is too short.

    It is made once: the estimate keeps it, as the file of a run does. wide : with `wide_percent`, which filters the log once more.
    """
    if FOLDS_OF_FIT not in estimate.memory:
        try:
            estimate.memory[FOLDS_OF_FIT] = cross_validate(estimate, wide=wide, progress=progress), ""
        except InputError as error:
            estimate.memory[FOLDS_OF_FIT] = None, error.message
    return estimate.memory[FOLDS_OF_FIT]


@dataclass(frozen=True, kw_only=True, eq=False)
class _HeldOut:
    """Per joint the errors of a part and their standard deviations without noise, (rows,) each, and ‖measured‖²."""

    errors: list[Array]
    std: list[Array]
    totals: list[float]


def _predict_part(estimate: Estimate, problem: Problem, tables: Tables, parts: Parts, part: int) -> _HeldOut:
    processing, groups = problem.processing, problem.groups
    guard = 0 if processing.cutoff_hz is None or processing.rate_hz is None else round(processing.rate_hz / processing.cutoff_hz)
    rows = TableRows(base=problem.base, groups=groups, runs=parts.others(tables, part, guard))
    try:
        others = problem_of_rows(rows, samples=problem.samples, source=problem.source, processing=processing)
        others = replace(others, controller=None if estimate.problem is None else estimate.problem.controller)
        values, kept = _refit(estimate, others)
    except ValueRangeError as error:  # the rest alone is too short, though the whole is not
        message = f"are {len(parts.names)}, too many for these data: without {parts.names[part]}, {error.message}"
        raise ValueRangeError("folds", message, remedy="use fewer folds, or another number of them") from None
    covariance = part_covariance(estimate, others, kept)
    held_out = parts.held_out(tables, part)
    places = [np.ix_(group.columns, group.columns) for group in groups]
    return _HeldOut(
        errors=[table[-1] - values[group.columns] @ table[:-1] for group, table in zip(groups, held_out, strict=True)],
        std=[row_std(covariance[place], table[:-1]) for place, table in zip(places, held_out, strict=True)],
        totals=[float(table[-1] @ table[-1]) for table in held_out],
    )


def _rows_alike(estimate: Estimate, problem: Problem) -> Array:
    """(groups,) how many neighbouring rows say the same thing: as long as the residuals of the fit stay correlated to each side."""
    processing, times = estimate.summary.processing, np.asarray(estimate.summary.correlation_times, dtype=float)
    if processing.rate_hz is None or len(times) != len(problem.groups):
        return np.ones(len(problem.groups))
    return np.maximum(2.0 * processing.rate_hz * times, 1.0)


def _wide_percent(estimate: Estimate, problem: Problem) -> float | None:
    """100 ‖e‖ / ‖measured‖ of the estimate behind the wider filter; None where the log itself is not there, or too slow."""
    squares = total = 0.0
    for source in problem.rows:
        rows = wide_rows(source) if isinstance(source, LogRows) else None
        if rows is None:
            return None
        for group, table, _ in rows.tables():
            error = table[-1] - estimate.values[rows.groups[group].columns] @ table[:-1]
            squares, total = squares + float(error @ error), total + float(table[-1] @ table[-1])
    return 100.0 * float(np.sqrt(squares / total)) if total > 0.0 else None


def _refit(estimate: Estimate, problem: Problem) -> tuple[Array, BoolArray]:
    """Coefficients, and which of them the data determine; standard deviations, which take most of a fit's time, are not asked for."""
    summary = estimate.summary
    if summary.loss == Squared.name and summary.drop_above_percent is None:
        solution = WeightedSolution.of(problem, summary.noise, None)
        return solution.values, solution.determined
    fitted = estimate_coefficients(
        problem, noise=summary.noise, loss=loss_by_name(summary.loss), drop_above_percent=summary.drop_above_percent
    )
    return fitted.values, fitted.kept
