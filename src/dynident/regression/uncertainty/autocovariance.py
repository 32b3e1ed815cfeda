"""How the noise of each group of rows is correlated in time, and what that makes of the covariance.

Low-pass filtering correlates neighbouring samples, so that (YᵀY)⁻¹ σ² is too small by the number of samples that say
the same thing. With Γ_g the autocovariance of group g's noise, the covariance of weighted least squares is
A⁻¹ B A⁻¹ with A = Σ_g w_g² Y_gᵀ Y_g and B = Σ_g w_g⁴ Y_gᵀ Γ_g Y_g (Newey, West, Econometrica 1987).

Residuals are not the noise: the fit absorbs part of it, most at the frequencies of the motion, where it matters. So Γ
is chosen such that the residuals' autocovariance is what Γ makes one expect, which removes the bias exactly:
r = e - Y A⁻¹ Σ_h w_h² Y_hᵀ e_h has the covariance Γ - w² (Y A⁻¹ Yᵀ Γ + Γ Y A⁻¹ Yᵀ) + Y V Yᵀ with V = A⁻¹ B A⁻¹.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.regression.equations.rows import Tables
from dynident.regression.problem import Problem
from dynident.regression.uncertainty.losses import Loss

#: Lags of the autocovariance in periods of the filter's cutoff; its impulse response has died out by then.
_CUTOFF_PERIODS = 4.0
#: No direction gets less than this share of the variance that independent noise would give it.
SMALLEST_SHARE = 0.05
_ITERATIONS = 6
_CHANGE = 1e-3


@dataclass(frozen=True, kw_only=True, eq=False)
class Correlated:
    """Rows in the order of time. lags : L beside zero; tables : per group and segment, (c + 1, rows)."""

    lags: int
    tables: Tables


def correlated_rows(problem: Problem) -> Correlated | None:
    """The filtered rows of a problem; None where nothing was filtered, or they are too many or not there any more."""
    cutoff, rate, tables = problem.processing.cutoff_hz, problem.processing.rate_hz, problem.filtered_rows
    if cutoff is None or rate is None or tables is None:
        return None
    return Correlated(lags=max(2, round(_CUTOFF_PERIODS * rate / cutoff)), tables=tables)


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


def correlated_meat(problem: Problem, rows: Correlated, influence: Influence) -> Array:
    """(b, b) B = Σ w⁴ Yᵀ Γ Y, with Γ from the residuals, corrected for what the fit absorbed."""
    columns = [np.ix_(group.columns, group.columns) for group in problem.groups]
    psi = [_residuals(rows.tables[g], group.columns, g, influence) for g, group in enumerate(problem.groups)]
    observed = [sum(_lag_sums(r[None], r[None], rows.lags) for r in of_group) for of_group in psi]
    pairs = [sum(np.maximum(len(r) - np.arange(rows.lags + 1), 1) for r in of_group) for of_group in psi]
    # flat-top taper: no bias where the autocovariance has died out by half of the lags (Politis, Romano 1995)
    taper = np.clip(2.0 * (1.0 - np.arange(rows.lags + 1) / (rows.lags + 1)), 0.0, 1.0)
    gamma = [taper * sums / count for sums, count in zip(observed, pairs, strict=True)]
    meat = np.zeros_like(influence.inverse)
    for iteration in range(_ITERATIONS):
        meat = np.zeros_like(influence.inverse)
        smooth = [[_convolve(gamma[g], table[:-1]) for table in tables] for g, tables in enumerate(rows.tables)]
        for g, tables in enumerate(rows.tables):
            for table, X in zip(tables, smooth[g], strict=True):
                product = table[:-1] @ X.T
                meat[columns[g]] += influence.weights[g] ** 4 * 0.5 * (product + product.T)
        if iteration == _ITERATIONS - 1:
            break
        V = influence.inverse @ meat @ influence.inverse
        change = 0.0
        for g, tables in enumerate(rows.tables):
            absorbed = np.zeros(rows.lags + 1)
            slope, share = influence.slopes[g], influence.slopes[g] * influence.weights[g] ** 2
            for table, X in zip(tables, smooth[g], strict=True):
                Y = table[:-1]
                Z = influence.inverse[columns[g]] @ Y
                absorbed += share * (_lag_sums(Z, X, rows.lags) + _lag_sums(X, Z, rows.lags))
                absorbed -= slope**2 * _lag_sums(V[columns[g]] @ Y, Y, rows.lags)
            updated = taper * (observed[g] + absorbed) / pairs[g]
            variance = max(float(updated[0]), 1e-3 * float(gamma[g][0]))
            change = max(change, float(abs(updated - gamma[g]).max()) / variance if variance > 0.0 else 0.0)
            gamma[g] = updated
        if change < _CHANGE:
            break
    return meat


def bound_below(meat: Array, R: Array) -> Array:
    """Meat as a covariance: a flat-top estimate can be indefinite, so its eigenvalues beside RᵀR = A are bounded below."""
    inverse = np.linalg.inv(R)
    relative = inverse.T @ meat @ inverse
    values, vectors = np.linalg.eigh(0.5 * (relative + relative.T))
    root = R.T @ vectors
    return root @ (np.maximum(values, SMALLEST_SHARE)[:, None] * root.T)


def _residuals(tables: Sequence[Array], columns: IntArray, g: int, influence: Influence) -> list[Array]:
    """Per segment ψ of the residuals, which for least squares are the residuals themselves."""
    level: float = influence.levels[g]
    found: list[Array] = []
    for table in tables:
        r = (table[-1] - influence.values[columns] @ table[:-1]) / level
        found.append(level * r * influence.loss.weight(r))
    return found


def _lag_sums(A: Array, B: Array, lags: int) -> Array:
    """(lags + 1,) Σ_t A_t · B_{t + lag}, for A and B (c, rows)."""
    sums = np.zeros(lags + 1)
    for lag in range(min(lags + 1, A.shape[1])):
        sums[lag] = np.vdot(A[:, : A.shape[1] - lag], B[:, lag:]) if lag == 0 else np.sum(A[:, :-lag] * B[:, lag:])
    return sums


def _convolve(gamma: Array, Y: Array) -> Array:
    """(c, rows) Γ Y for the banded Toeplitz matrix Γ of an autocovariance."""
    X = gamma[0] * Y
    for lag in range(1, min(len(gamma), Y.shape[1])):
        X[:, :-lag] += gamma[lag] * Y[:, lag:]
        X[:, lag:] += gamma[lag] * Y[:, :-lag]
    return X
