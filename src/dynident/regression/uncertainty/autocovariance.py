"""How the noise of each group of rows is correlated in time, and what that makes of the covariance.

Low-pass filtering correlates neighbouring samples, so that (YᵀY)⁻¹ σ² is too small by the number of samples that say
the same thing. With Γ_g the autocovariance of group g's noise, the covariance of weighted least squares is
A⁻¹ B A⁻¹ with A = Σ_g w_g² Y_gᵀ Y_g and B = Σ_g w_g⁴ Y_gᵀ Γ_g Y_g (Newey, West, Econometrica 1987).

Residuals are not the noise: the fit absorbs part of it, most at the frequencies of the motion, where it matters. So Γ
is chosen such that the residuals' autocovariance is what Γ makes one expect, which removes the bias exactly:
r = e - Y A⁻¹ Σ_h w_h² Y_hᵀ e_h has the covariance Γ - w² (Y A⁻¹ Yᵀ Γ + Γ Y A⁻¹ Yᵀ) + Y V Yᵀ with V = A⁻¹ B A⁻¹.

How many lags count follows from the residuals: Γ ends where their autocorrelation stays within its own sampling error
(Politis, Journal of Nonparametric Statistics 15, 2003), and not before the impulse response of the filter does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.threads import map_in_order, thread_count
from dynident.regression.equations.rows import Tables
from dynident.regression.problem import Problem
from dynident.regression.uncertainty.lags import RowSpectrum, lag_sums
from dynident.regression.uncertainty.losses import Loss

#: Fewest lags of the autocovariance in periods of the filter's cutoff; its impulse response has died out by then.
_CUTOFF_PERIODS = 4.0
#: Most lags, as a share of the longest segment; beyond, too few pairs are left to average.
_LONGEST_LAG = 1.0 / 3.0
#: An autocorrelation of n independent rows below this times √(log₁₀ n / n) is none.
_SAMPLING_ERRORS = 2.0
#: No direction gets less than this share of the variance that independent noise would give it.
SMALLEST_SHARE = 0.05
_ITERATIONS = 30
_CHANGE = 1e-3
_LARGEST_SHARE = 0.9


@dataclass(frozen=True, kw_only=True, eq=False)
class Correlated:
    """Rows in the order of time. rate : rows per second; lags : fewest beside zero; tables : per group and segment, (c + 1, rows)."""

    rate: float
    lags: int
    tables: Tables

    @property
    def most_lags(self) -> int:
        longest = max((table.shape[1] for tables in self.tables for table in tables), default=0)
        return max(self.lags, int(_LONGEST_LAG * longest))


def correlated_rows(problem: Problem) -> Correlated | None:
    """The filtered rows of a problem; None where nothing was filtered, or they are too many or not there any more."""
    cutoff, rate, tables = problem.processing.cutoff_hz, problem.processing.rate_hz, problem.filtered_rows
    if cutoff is None or rate is None or tables is None:
        return None
    return Correlated(rate=rate, lags=max(2, round(_CUTOFF_PERIODS * rate / cutoff)), tables=tables)


@dataclass(frozen=True, kw_only=True, eq=False)
class Influence:
    """What the noise of each group does to the estimate: Δ = A⁻¹ Σ_g w_g² Y_gᵀ ψ_g.

    inverse : (b, b)     A⁻¹; zero rows and columns for coefficients that are not estimated.
    weights : (groups,)  w, one over the noise level.
    levels : (groups,)   Scale s of the residuals of a robust loss, ψ = s · loss(r / s); ψ = r for least squares.
    slopes : (groups,)   Mean derivative of ψ, one for least squares.
    """

    values: Array
    inverse: Array
    weights: Array
    levels: Array
    slopes: Array
    loss: Loss


def correlated_meat(coefficients: Sequence[IntArray], rows: Correlated, influence: Influence) -> tuple[Array, Array]:
    """(b, b) B = Σ w⁴ Yᵀ Γ Y, with Γ from the residuals, corrected for what the fit absorbed; and (groups,) how long they stay
    correlated [s].

    coefficients : per group     Those that its rows contain.
    """
    columns = [np.ix_(places, places) for places in coefficients]
    most, groups, threads = rows.most_lags, range(len(columns)), thread_count()
    inverses = [influence.inverse[places] for places in columns]

    def observe(g: int) -> tuple[Array, Array, list[RowSpectrum], list[Array]]:
        psi = influenced_residuals(rows.tables[g], coefficients[g], g, influence)
        sums = sum((lag_sums(r[None], r[None], most) for r in psi), np.zeros(most + 1))
        pairs = sum((np.maximum(len(r) - np.arange(most + 1), 0) for r in psi), np.zeros(most + 1))
        spectra = [RowSpectrum(table[:-1], most) for table in rows.tables[g]]
        return sums, pairs, spectra, [spectrum.power(inverses[g]) for spectrum in spectra]

    observed, pairs, spectra, powers = zip(*map_in_order(observe, groups, threads), strict=True)
    raw = [sums / np.maximum(count, 1) for sums, count in zip(observed, pairs, strict=True)]
    lags = [_count_lags(gamma, int(count[0]), rows.lags) for gamma, count in zip(raw, pairs, strict=True)]
    gamma = [_taper(values, most_of_group) for values, most_of_group in zip(raw, lags, strict=True)]
    steps = [np.zeros_like(values) for values in gamma]
    largest = [values[0] / SMALLEST_SHARE for values in raw]  # where the fit absorbs nearly all, the rest can't tell how much
    meat = np.zeros_like(influence.inverse)

    def weigh(g: int) -> Array:
        return influence.weights[g] ** 4 * sum((spectrum.weigh(gamma[g]) for spectrum in spectra[g]), np.zeros_like(inverses[g]))

    def absorb(g: int) -> Array:
        """(lags + 1,) what the fit has taken from the sums of the residuals' products."""
        slope, share = influence.slopes[g], influence.slopes[g] * influence.weights[g] ** 2
        absorbed = np.zeros(most + 1)
        for spectrum, power in zip(spectra[g], powers[g], strict=True):
            absorbed += 2.0 * share * spectrum.smooth_sums(gamma[g], inverses[g], power)
            absorbed -= slope**2 * spectrum.sums(spectrum.power(V[columns[g]]))
        return absorbed

    for iteration in range(_ITERATIONS):
        meat = np.zeros_like(influence.inverse)
        for g, group_meat in enumerate(map_in_order(weigh, groups, threads)):
            meat[columns[g]] += group_meat
        if iteration == _ITERATIONS - 1:
            break
        V, change = influence.inverse @ meat @ influence.inverse, 0.0
        for g, absorbed in enumerate(list(map_in_order(absorb, groups, threads))):
            raw[g] = (observed[g] + absorbed) / np.maximum(pairs[g], 1)
            lags[g] = max(lags[g], _count_lags(raw[g], int(pairs[g][0]), rows.lags))
            updated = _taper(raw[g], lags[g])
            step = updated - gamma[g]
            variance = max(float(updated[0]), 1e-3 * float(gamma[g][0]))
            change = max(change, float(abs(step).max()) / variance if variance > 0.0 else 0.0)
            # each step is what the one before left over, times the share that the fit absorbs: their sum is a geometric series (Aitken)
            share = float(np.clip(step @ steps[g] / max(float(steps[g] @ steps[g]), np.finfo(float).tiny), 0.0, _LARGEST_SHARE))
            if iteration % 2 == 1:
                step = step / (1.0 - share)
            steps[g], gamma[g] = step, np.clip(gamma[g] + step, -largest[g], largest[g])
        if change < _CHANGE:
            break
    return meat, np.array([correlation_time(values) for values in gamma]) / rows.rate


def bound_below(meat: Array, R: Array, smallest: float = SMALLEST_SHARE) -> Array:
    """Meat as a covariance: a flat-top estimate can be indefinite, so its eigenvalues beside RᵀR = A are bounded below."""
    inverse = np.linalg.inv(R)
    relative = inverse.T @ meat @ inverse
    values, vectors = np.linalg.eigh(0.5 * (relative + relative.T))
    root = R.T @ vectors
    return root @ (np.maximum(values, smallest)[:, None] * root.T)


def influenced_residuals(tables: Sequence[Array], columns: IntArray, g: int, influence: Influence) -> list[Array]:
    """Per segment ψ of the residuals, which for least squares are the residuals themselves."""
    level: float = influence.levels[g]
    influenced: list[Array] = []
    for table in tables:
        r = (table[-1] - influence.values[columns] @ table[:-1]) / level
        influenced.append(level * r * influence.loss.weight(r))
    return influenced


def _count_lags(gamma: Array, rows: int, fewest: int) -> int:
    """Lags after which the autocorrelation stays within its sampling error, twice, because the taper takes half of them."""
    independent = max(rows * min(1.0, 2.0 * _CUTOFF_PERIODS / fewest), 10.0)
    quiet = np.abs(gamma) <= _SAMPLING_ERRORS * np.sqrt(np.log10(independent) / independent) * gamma[0]
    window, most = fewest // 2, len(gamma) - 1
    run = 0
    for lag in range(window + 1, most + 1):
        run = run + 1 if quiet[lag] else 0
        if run == window:
            return min(max(fewest, 2 * (lag - window)), most)
    return most


def _taper(gamma: Array, lags: int) -> Array:
    """The autocovariance under a flat top: no bias where it has died out by half of the lags (Politis, Romano 1995)."""
    return np.clip(2.0 * (1.0 - np.arange(len(gamma)) / (lags + 1)), 0.0, 1.0) * gamma


def correlation_time(gamma: Array) -> float:
    """Rows over which noise stays the same: the sum of its autocorrelation until it ends; of first-order noise the time constant."""
    if not gamma[0] > 0.0:
        return 0.0
    ended = gamma <= 0.0
    end = int(np.argmax(ended)) if ended.any() else len(gamma)
    return float(np.sum(gamma[:end]) / gamma[0]) - 0.5
