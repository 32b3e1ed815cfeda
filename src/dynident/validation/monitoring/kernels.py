"""Compiled recursion of the observer over the samples of a log; the same as `ContactMonitor.step`, sample by sample."""

# pyright: basic

from __future__ import annotations

import sys

import numpy as np

from dynident.core.compiled import compiler
from dynident.validation.monitoring.contact_monitor import OFFSET_ROUNDS, ContactMonitor

# OFFSET_ROUNDS becomes part of the compiled code.
_compile = compiler(calls=(sys.modules[ContactMonitor.__module__],), nogil=True, error_model="numpy")


@_compile
def measure(inertia, residual, allowance, velocity, effort, std, work):
    """Distance of a residual (n,), the smallest that offsets within ± allowance (n,) leave; std (n,) is filled.

    inertia, work : (n, n); velocity, effort : (n,) variances of `ResidualNoise`.
    """
    n = len(residual)
    for i in range(n):
        for j in range(i + 1):
            total = effort[i] if i == j else 0.0
            for k in range(n):
                total += inertia[i, k] * velocity[k] * inertia[j, k]
            work[i, j] = work[j, i] = total
        std[i] = np.sqrt(work[i, i])
    for k in range(n):  # the inverse in its place, without pivots: a covariance is positive definite
        pivot, work[k, k] = 1.0 / work[k, k], 1.0
        for j in range(n):
            work[k, j] *= pivot
        for i in range(n):
            if i != k:
                factor, work[i, k] = work[i, k], 0.0
                for j in range(n):
                    work[i, j] -= factor * work[k, j]
    left, slope = np.empty(n), np.zeros(n)
    for j in range(n):
        left[j] = residual[j] - min(max(residual[j], -allowance[j]), allowance[j])
        for k in range(n):
            slope[k] += work[j, k] * left[j]
    for _ in range(OFFSET_ROUNDS):
        for j in range(n):
            offset = residual[j] - left[j] + slope[j] / work[j, j]
            change = residual[j] - min(max(offset, -allowance[j]), allowance[j]) - left[j]
            left[j] += change
            for k in range(n):
                slope[k] += change * work[j, k]
    square = 0.0
    for j in range(n):
        square += left[j] * slope[j]
    return np.sqrt(max(square, 0.0))


@_compile
def follow(
    time,
    momentum,
    rate,
    doubt,
    inertia,
    gain,
    velocity,
    effort,
    level,
    distance_level,
    confirmation,
    longest,
    residual,
    allowance,
    std,
    distance,
    above,
    touched,
):
    """Rows 1, 2, ... of residual, allowance, std (N, n), distance and touched (N,) from row 0; `above` (n + 1,) is the state of the
    timers."""
    n = momentum.shape[1]
    work = np.empty((n, n))
    for k in range(1, momentum.shape[0]):
        h = time[k] - time[k - 1]
        pause = h > longest
        for j in range(n):
            if pause:
                residual[k, j], allowance[k, j] = 0.0, doubt[k, j]
                continue
            a = np.exp(-gain[j] * h)
            outside = (momentum[k, j] - momentum[k - 1, j]) / h - 0.5 * (rate[k, j] + rate[k - 1, j])
            residual[k, j] = a * residual[k - 1, j] + (1.0 - a) * outside
            allowance[k, j] = a * allowance[k - 1, j] + (1.0 - a) * (0.5 * (doubt[k, j] + doubt[k - 1, j]))
        distance[k] = measure(inertia[k], residual[k], allowance[k], velocity, effort, std[k], work)
        touched[k] = -1
        nearest, nearness = 0, 0.0
        for j in range(n):
            threshold = level[j] * std[k, j] + allowance[k, j]
            above[j] = above[j] + h if abs(residual[k, j]) > threshold and not pause else 0.0
            if above[j] > 0.0 and above[j] >= confirmation:
                touched[k] = j
            if abs(residual[k, j]) > nearness * threshold:
                nearest, nearness = j, abs(residual[k, j]) / threshold
        above[n] = above[n] + h if distance[k] > distance_level and not pause else 0.0
        if touched[k] < 0 and above[n] > 0.0 and above[n] >= confirmation:
            touched[k] = nearest
