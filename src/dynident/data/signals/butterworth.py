# pyright: basic
"""Butterworth low-pass filters of SciPy, run forward and backward so that nothing is delayed."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from dynident.core.arrays import Array, freeze
from dynident.core.large_arrays import LARGEST_IN_MEMORY, allocate, column_of, release, row_blocks
from dynident.errors import ValueRangeError

#: Where the one-way impulse response is cut: far below any truncation of the two-way one.
_NEGLIGIBLE = 1e-18
_LONGEST = 20_000_000


@lru_cache(maxsize=32)
def zero_phase_response(*, cutoff: float, rate: float, order: int, truncation: float) -> Array:
    """(L,) impulse response of the filter run forward and backward: the autocorrelation of the one-way response.

    Cut where it stays below `truncation` times its peak, then scaled to sum 1. L is odd and the response symmetric.
    """
    from scipy.signal import butter, fftconvolve, sosfilt

    sos = sections(cutoff=cutoff, rate=rate, order=order)
    design: Any = butter(order, cutoff, btype="low", fs=rate, output="zpk")
    slowest = float(np.abs(design[1]).max())  # the poles
    length = 16 + math.ceil(math.log(_NEGLIGIBLE) / math.log(slowest)) if 0.0 < slowest < 1.0 else 16
    if slowest >= 1.0 or length > _LONGEST:
        raise ValueRangeError("cutoff", f"is {cutoff:g} Hz, too low for samples at {rate:g} Hz; decimate first, or raise it")
    impulse = np.zeros(length)
    impulse[0] = 1.0
    one_way = sosfilt(sos, impulse)
    half = fftconvolve(one_way, one_way[::-1])[length - 1 :]
    half = half[: np.flatnonzero(np.abs(half) >= truncation * half[0])[-1] + 1]
    taps = np.concatenate([half[:0:-1], half])
    return freeze(taps / taps.sum())


def forward_backward(values: Array, *, cutoff: float, rate: float, order: int) -> Array:
    """(N,) or (N, k) filtered along the first axis with SciPy's sosfiltfilt (odd extension at the edges), which takes some copies."""
    from scipy.signal import sosfiltfilt

    sos = sections(cutoff=cutoff, rate=rate, order=order)
    # SciPy's own extension is too short for the start-up of a low cutoff
    extension = min(len(values) - 1, max(shortest(order) - 1, round(4.0 * rate / cutoff)))
    if values.ndim == 1 or values.nbytes <= LARGEST_IN_MEMORY:
        return np.ascontiguousarray(sosfiltfilt(sos, values, axis=0, padlen=extension))
    result = allocate(values.shape)
    for j in range(values.shape[1]):
        result[:, j] = sosfiltfilt(sos, column_of(values, j), padlen=extension)
        release(values, result)
    return result


def smooth_column(values: Array, *, cutoff: float, rate: float, order: int, truncation: float) -> Array:
    """(N,) through the zero-phase response, block by block, so that a long column needs little memory (odd extension at the edges)."""
    from scipy.signal import fftconvolve

    taps = zero_phase_response(cutoff=cutoff, rate=rate, order=order, truncation=truncation)
    half = len(taps) // 2
    padded, result = allocate((len(values) + 2 * half,)), allocate((len(values),))
    padded[:half] = np.pad(values[: half + 1], (half, 0), mode="reflect", reflect_type="odd")[:half]
    padded[half : half + len(values)] = values
    padded[half + len(values) :] = np.pad(values[-half - 1 :], (0, half), mode="reflect", reflect_type="odd")[-half:]
    for block in row_blocks(len(values), padded, result):
        result[block] = fftconvolve(padded[block.start : block.stop + 2 * half], taps, mode="valid")
    return result


def shortest(order: int) -> int:
    """Samples that a segment must have at least to be filtered."""
    return 3 * (order + 1) + 1


def sections(*, cutoff: float, rate: float, order: int) -> Array:
    """Second-order sections of the one-way filter."""
    from scipy.signal import butter

    if not 0 < cutoff < 0.5 * rate:
        raise ValueRangeError("cutoff", f"is {cutoff:g} Hz; it must be above 0 and below half the sampling rate, {0.5 * rate:g} Hz")
    return np.asarray(butter(order, cutoff, btype="low", fs=rate, output="sos"))
