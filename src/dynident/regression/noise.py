"""How large the noise of each group is and how it is correlated in time; what that makes of the covariance.

Low-pass filtering correlates neighbouring samples, so that (YᵀY)⁻¹ σ² is too small by the number of samples that say
the same thing. With Γ_g the autocovariance of group g's residuals, the covariance of weighted least squares is
A⁻¹ (Σ_g w_g⁴ Y_gᵀ Γ_g Y_g) A⁻¹ with A = Σ_g w_g² Y_gᵀ Y_g (Newey, West, Econometrica 1987).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident._typing import Array, IntArray
from dynident.regression.problem import Problem

#: Rows are kept in memory for the correlated covariance up to this many numbers (200 MB).
LARGEST_CORRELATED = 25_000_000
#: Lags of the autocovariance in periods of the filter's cutoff; its impulse response has died out by then.
_CUTOFF_PERIODS = 4.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Correlated:
    """Lagged products of the rows, from which the covariance under correlated noise follows.

    lags : int                        Number of lags L beside zero.
    tables : list per group           Per segment, the rows (c + 1, rows).
    """

    lags: int
    tables: tuple[tuple[Array, ...], ...]

    def autocovariance(self, group: int, columns: IntArray, values: Array) -> Array:
        """(L + 1,) autocovariance of a group's residuals for the given base parameters; flat-top taper (Politis 1995)."""
        total = np.zeros(self.lags + 1)
        count = 0
        for table in self.tables[group]:
            residual = table[-1] - values[columns] @ table[:-1]
            count += len(residual)
            for lag in range(min(self.lags + 1, len(residual))):
                total[lag] += residual[: len(residual) - lag] @ residual[lag:]
        taper = np.clip(2.0 * (1.0 - np.arange(self.lags + 1) / (self.lags + 1)), 0.0, 1.0)
        return taper * total / count

    def meat(self, group: int, covariance: Array) -> Array:
        """(c, c) Yᵀ Γ Y of a group."""
        size = len(self.tables[group][0]) - 1
        total = np.zeros((size, size))
        for table in self.tables[group]:
            Y = table[:-1]
            for lag in range(min(self.lags + 1, Y.shape[1])):
                product = covariance[lag] * (Y[:, : Y.shape[1] - lag] @ Y[:, lag:].T)
                total += product if lag == 0 else product + product.T
        return total


def correlated_rows(problem: Problem) -> Correlated | None:
    """The filtered rows of a problem, in memory; None where nothing was filtered, or they are too many."""
    cutoff, rate = problem.preprocessing.get("cutoff_hz"), problem.preprocessing.get("rate_hz")
    size = int(sum(count * len(factor) for count, factor in zip(problem.counts, problem.factors, strict=True)))
    if not isinstance(cutoff, float | int) or not isinstance(rate, float | int) or not problem.rows or size > LARGEST_CORRELATED:
        return None
    pieces: list[dict[tuple[int, int], list[Array]]] = [{} for _ in problem.groups]
    for number, source in enumerate(problem.rows):
        for group, table, segment in source.tables():
            pieces[group].setdefault((number, segment), []).append(table.copy())
    tables = tuple(tuple(np.concatenate(parts, axis=1) for parts in group.values()) for group in pieces)
    return Correlated(lags=max(2, round(_CUTOFF_PERIODS * rate / cutoff)), tables=tables)
