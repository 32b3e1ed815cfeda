"""Compiled recursion of the observer over the samples of a log; the same as `ContactMonitor.step`, sample by sample."""

# pyright: basic

from __future__ import annotations

import numpy as np

from dynident.core.compiled import compiler

_compile = compiler(nogil=True, error_model="numpy")


@_compile
def follow(time, momentum, rate, doubt, gain, level, confirmation, longest, residual, allowance, above, touched):
    """Rows 1, 2, ... of residual, allowance (N, n) and touched (N,) from row 0; `above` (n,) is the state of the timers."""
    n = momentum.shape[1]
    for k in range(1, momentum.shape[0]):
        h = time[k] - time[k - 1]
        touched[k] = -1
        if h > longest:
            for j in range(n):
                residual[k, j], allowance[k, j], above[j] = 0.0, doubt[k, j], 0.0
            continue
        for j in range(n):
            a = np.exp(-gain[j] * h)
            outside = (momentum[k, j] - momentum[k - 1, j]) / h - 0.5 * (rate[k, j] + rate[k - 1, j])
            residual[k, j] = a * residual[k - 1, j] + (1.0 - a) * outside
            allowance[k, j] = a * allowance[k - 1, j] + (1.0 - a) * (0.5 * (doubt[k, j] + doubt[k - 1, j]))
            above[j] = above[j] + h if abs(residual[k, j]) > level[j] + allowance[k, j] else 0.0
            if above[j] > 0.0 and above[j] >= confirmation:
                touched[k] = j
