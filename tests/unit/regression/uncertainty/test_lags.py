"""Sums over lags by Fourier transforms, against sums as they are written and dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import toeplitz

from dynident.core.arrays import Array
from dynident.regression.uncertainty.lags import _SHORT, RowSpectrum, _transform_length, lag_sums

LAGS = 9


def drawn(rows: int, used: int) -> tuple[Array, Array, Array, Array]:
    """Rows, an autocovariance with some zeros at its end, its Toeplitz matrix, and a symmetric matrix."""
    rng = np.random.default_rng(rows)
    gamma, M = np.zeros(used + 3), rng.normal(size=(4, 4))
    gamma[:used] = rng.normal(size=used)
    dense = toeplitz(np.append(gamma, np.zeros(rows))[:rows])
    return rng.normal(size=(4, rows)), gamma, dense, M + M.T


def summed(A: Array, B: Array, lags: int) -> Array:
    rows, sums = A.shape[1], np.zeros(lags + 1)
    for lag in range(min(lags + 1, rows)):
        sums[lag] = np.sum(A[:, : rows - lag] * B[:, lag:] + B[:, : rows - lag] * A[:, lag:]) / 2.0
    return sums


@pytest.mark.parametrize("rows", [3, 50])
def test_sums_over_lags(rows: int) -> None:
    A, B = np.random.default_rng(0).normal(size=(2, 4, rows))
    np.testing.assert_allclose(lag_sums(A, B, 5), summed(A, B, 5), atol=1e-12)


@pytest.mark.parametrize(("rows", "used"), [(3, 5), (6, 5), (50, 1), (50, 7), (400, _SHORT), (400, _SHORT + 1), (400, 390)])
class TestSpectrum:
    def test_weighs_by_a_toeplitz_matrix(self, rows: int, used: int) -> None:
        Y, gamma, dense, _ = drawn(rows, used)
        np.testing.assert_allclose(RowSpectrum(Y, max(LAGS, used)).weigh(gamma), Y @ dense @ Y.T, atol=1e-10)

    def test_sums_up_products(self, rows: int, used: int) -> None:
        Y, _, _, M = drawn(rows, used)
        spectrum = RowSpectrum(Y, LAGS)
        np.testing.assert_allclose(spectrum.sums(spectrum.power(M)), summed(Y, M @ Y, LAGS), atol=1e-10)

    @pytest.mark.parametrize("lags", [2, LAGS, 390])
    def test_sums_up_smoothed_products_without_what_leaves_the_rows(self, rows: int, used: int, lags: int) -> None:
        Y, gamma, dense, M = drawn(rows, used)
        spectrum = RowSpectrum(Y, max(lags, used))
        found = spectrum.smooth_sums(gamma, M, spectrum.power(M))
        np.testing.assert_allclose(found, lag_sums(Y, M @ Y @ dense, max(lags, used)), atol=1e-9)


def test_no_rows_have_no_sums() -> None:
    spectrum, M, gamma = RowSpectrum(np.zeros((4, 0)), LAGS), np.eye(4), np.ones(5)
    assert not spectrum.weigh(gamma).any()
    assert not spectrum.smooth_sums(gamma, M, spectrum.power(M)).any()


@pytest.mark.parametrize("least", [1, 7, 8, 100, 1000, 26_885, 33_286, 1_000_001])
def test_lengths_are_long_enough_and_have_small_factors_only(least: int) -> None:
    length = rest = _transform_length(least)
    for factor in (2, 3, 5):
        while rest % factor == 0:
            rest //= factor
    assert rest == 1
    assert least <= length <= max(8, 1.25 * least)
