"""What the best model would have left of the same data, and how much of a motion the fit has seen before.

An error says little by itself: 4 % is bad where 1 % is possible. The best model in hindsight is, joint by joint, the best of those that are
compared, of one fitted to these data and those of the fit together, and of the coefficients with the friction that explains their error,
whichever law that is of those among which friction is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from dynident.core.arrays import Array
from dynident.regression.equations.rows import LogRows
from dynident.regression.estimate import Estimate
from dynident.regression.friction.richer import best_law
from dynident.regression.problem import Problem
from dynident.regression.solution import WeightedSolution, residuals
from dynident.validation.models import COEFFICIENTS, RIGID
from dynident.validation.series import JointSeries

#: A row repeats one of the fit when the mean square of their difference is below this share of that of unrelated rows.
_SAME = 0.02
#: Rows of the new motion, and of the fit, that are compared.
_COMPARED, _MOST_COMPARED = 400, 20_000


def best_rms(estimate: Estimate, problem: Problem, series: Sequence[JointSeries]) -> Array:
    """(n,) RMS error [N·m | N] of the best model in hindsight. problem : the new data on the base parameters of the estimate."""
    models = [model for model in series[0].predicted if not model.endswith(RIGID)]
    candidates = [[_rms(item.error(model)) for item in series] for model in models]
    logs, model_friction = (cast("LogRows", problem.rows[0]),), estimate.base.friction
    candidates.append([best_law(item.error(COEFFICIENTS), logs, joint, model_friction).rms for joint, item in enumerate(series)])
    if estimate.problem is not None and estimate.problem.base.equations == problem.base.equations:
        both = _small(estimate.problem).merge(_small(problem))
        fitted = WeightedSolution.of(both, estimate.summary.noise, None)
        candidates.append(residuals(problem, fitted.values).rms_per_group.tolist())
    return np.min(np.array(candidates), axis=0)


def repeated_share(estimate: Estimate, problem: Problem) -> float | None:
    """Share of the new rows, 0 to 1, that repeat a moment of the data of the fit; None where their rows are not there."""
    fitted = (
        None if estimate.problem is None or estimate.problem.base.equations != problem.base.equations else estimate.problem.filtered_rows
    )
    if fitted is None or int(problem.counts[0]) > _MOST_COMPARED or problem.filtered_rows is None:
        return None
    seen, new = (np.concatenate([table[:-1] for table in tables[0]], axis=1) for tables in (fitted, problem.filtered_rows))
    if seen.shape[1] == 0 or seen.shape[1] > _MOST_COMPARED:
        return None
    new = new[:, :: max(1, new.shape[1] // _COMPARED)]
    centre = seen.mean(axis=1, keepdims=True)
    size = seen.std(axis=1, keepdims=True)
    moves = (size > 1e-9 * max(float(size.max()), 1e-300))[:, 0]
    A, B = ((rows - centre)[moves] / size[moves] for rows in (new, seen))
    apart: Array = np.sum(A**2, axis=0)[:, None] + np.sum(B**2, axis=0) - 2.0 * A.T @ B
    return int(np.sum(apart.min(axis=1) < 2.0 * _SAME * len(A))) / len(apart)


def _small(problem: Problem) -> Problem:
    """Without rows, which a fit without standard deviations doesn't need."""
    return replace(problem, rows=(), filtered=None)


def _rms(error: Array) -> float:
    return float(np.sqrt(np.mean(error**2)))
