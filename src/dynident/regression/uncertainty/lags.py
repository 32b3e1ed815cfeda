"""Sums over rows that are a lag apart, by Fourier transforms; of a table of rows one is enough for all that is asked of it.

With Ŷ the transform of rows Y (c, T), filled up with zeros to the length L, and κ that of an autocovariance γ, whose Toeplitz matrix is Γ:

    Y Γ Yᵀ = 1/L Σ_f κ_f Re Ŷ_f Ŷ_fᴴ                      (Parseval's theorem)
    Σ_t Y_tᵀ M Y_{t + lag} = 1/L Σ_f cos(2π f lag / L) Ŷ_fᴴ M Ŷ_f        for symmetric M

The sums of Y with M Y Γ would be those of κ_f Ŷ_fᴴ M Ŷ_f, but for what Γ moves beyond the ends of the rows. That is computed apart and
taken away.
"""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array

#: Autocovariances that are longer move much beyond the ends, which is then better cut off after a transform back.
_SHORT = 128
#: Numbers of a spectrum per column that are multiplied at once, so that they stay in cache.
_BLOCK = 1024


def lag_sums(A: Array, B: Array, lags: int) -> Array:
    """(lags + 1,) Σ_t ½ (A_t · B_{t + lag} + B_t · A_{t + lag}), for A and B (c, rows)."""
    rows = A.shape[1]
    if rows == 0:
        return np.zeros(lags + 1)
    length = _transform_length(rows + lags)
    transformed = np.fft.rfft(A, length)
    products = np.sum(np.conj(transformed) * (transformed if B is A else np.fft.rfft(B, length)), axis=0)
    return _back(products.real, length, rows, lags)


class RowSpectrum:
    """Rows Y (c, T) of one group and segment, and their spectrum. lags : the largest lag that is asked for, or that a γ has."""

    def __init__(self, Y: Array, lags: int) -> None:
        self._Y, self._lags = Y, lags
        self._length = _transform_length(Y.shape[1] + lags + _SHORT)
        # real and imaginary parts in turn
        self._parts = np.fft.rfft(Y, self._length).view(float) if Y.shape[1] else np.zeros((len(Y), 2 * (self._length // 2 + 1)))
        # each frequency stands for its negative too, but for zero and the highest of an even length
        self._shares = np.full(self._length // 2 + 1, 2.0 / self._length)
        self._shares[0] = 1.0 / self._length
        if self._length % 2 == 0:
            self._shares[-1] = 1.0 / self._length

    def weigh(self, gamma: Array) -> Array:
        """(c, c) Y Γ Yᵀ."""
        shares = np.repeat(self._shares * self._transform(_cut(gamma, self._Y.shape[1])), 2)
        product = np.zeros((len(self._Y), len(self._Y)))
        for start in range(0, len(shares), _BLOCK):
            part = self._parts[:, start : start + _BLOCK]
            product += (part * shares[start : start + _BLOCK]) @ part.T
        return 0.5 * (product + product.T)

    def power(self, M: Array) -> Array:
        """(frequencies,) Ŷᴴ M Ŷ for symmetric M (c, c)."""
        return self._multiply(M, self._parts)

    def sums(self, power: Array) -> Array:
        """(lags + 1,) Σ_t Y_tᵀ M Y_{t + lag}, from the power of M."""
        return _back(power, self._length, self._Y.shape[1], self._lags)

    def smooth_sums(self, gamma: Array, M: Array, power: Array) -> Array:
        """(lags + 1,) `lag_sums` of Y and M Y Γ, M symmetric with that power."""
        rows = self._Y.shape[1]
        used = _cut(gamma, rows)
        kernel = self._transform(used)
        if len(used) <= _SHORT:
            sums = self.sums(kernel * power)
            for inwards in (self._Y, self._Y[:, ::-1]):
                sums -= 0.5 * _beyond(used, M, inwards, self._lags)
            sums[rows:] = 0.0
            return sums
        smooth = np.fft.irfft(self._parts.view(complex) * kernel, self._length)[:, :rows]
        return self.sums(self._multiply(M, np.fft.rfft(smooth, self._length).view(float)))

    def _multiply(self, M: Array, others: Array) -> Array:
        """(frequencies,) Re Ŷᴴ M X̂."""
        product = np.empty(self._parts.shape[1])
        for start in range(0, len(product), _BLOCK):
            block = slice(start, start + _BLOCK)
            np.einsum("cf,cf->f", M @ others[:, block], self._parts[:, block], out=product[block])
        return product.reshape(-1, 2).sum(axis=1)

    def _transform(self, gamma: Array) -> Array:
        """(frequencies,) κ."""
        kernel = np.zeros(self._length)
        kernel[: len(gamma)] = gamma
        kernel[self._length - len(gamma) + 1 :] = gamma[:0:-1]
        return np.fft.rfft(kernel).real


def _cut(gamma: Array, rows: int) -> Array:
    """Without the zeros at its end, which a taper leaves many of, and what no two rows are apart."""
    return gamma[: max(1, min(rows, int(np.flatnonzero(gamma)[-1]) + 1 if np.any(gamma) else 1))]


def _beyond(gamma: Array, M: Array, inwards: Array, lags: int) -> Array:
    """(lags + 1,) Σ_j (M X_j)ᵀ Y_{lag - 1 - j}, X_j = Σ_i γ_{i + j + 1} Y_i: what Γ moves j + 1 places beyond an end, with rows inside.

    inwards : (c, T) rows Y_i, counted from that end.
    """
    sums, reach = np.zeros(lags + 1), len(gamma) - 1
    hankel = np.append(gamma, np.zeros(reach))[1 + np.add.outer(np.arange(reach), np.arange(reach))]
    products = (M @ (inwards[:, :reach] @ hankel)).T @ inwards[:, :lags]
    for j, row in enumerate(products):
        stop = min(lags + 1, j + 1 + len(row))
        sums[j + 1 : stop] += row[: stop - j - 1]
    return sums


def _back(power: Array, length: int, rows: int, lags: int) -> Array:
    """(lags + 1,) sums over rows of a power spectrum; there are none a whole table apart."""
    sums = np.fft.irfft(power, length)[: lags + 1]
    sums[rows:] = 0.0
    return sums


def _transform_length(least: int) -> int:
    """The next length whose only factors are 2, 3 and 5, which is fast to transform."""
    best = 1 << max(3, (least - 1).bit_length())
    for threes in (1, 3, 9, 27, 81):
        for odd in (threes, 5 * threes, 25 * threes, 125 * threes):
            best = min(best, odd << max(3, (-(-least // odd) - 1).bit_length()))
    return best
