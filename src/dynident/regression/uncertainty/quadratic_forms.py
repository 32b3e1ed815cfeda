"""How probable a sum of squares is that noise alone makes: P(‖d‖² ≥ t) for a normal vector d of zero mean and known covariance.

With λ the eigenvalues of the covariance, ‖d‖² is Σ λ_i χ²_1. Its tail is that of the saddlepoint approximation (Kuonen, Biometrika 86,
1999), which is right to a sixth of the probability, however small that is.
"""

from __future__ import annotations

import math

import numpy as np

from dynident.core.arrays import Array

#: Eigenvalues below this share of the largest are rounding.
_SMALLEST = 1e-9
#: Halvings of the interval of the saddlepoint: as many as a double has bits.
_HALVINGS = 60
#: Within this share of the mean the approximation is 0 / 0.
_NEAR_MEAN = 1e-3


def tail_of_squares(total: float, covariance: Array) -> float:
    """Probability that the sum of squares of a normal vector of zero mean is `total` or more. covariance : (s, s) of the vector."""
    values = np.asarray(np.linalg.eigvalsh(covariance), dtype=float)
    weights = values[values > _SMALLEST * max(float(values.max(initial=0.0)), np.finfo(float).tiny)]
    if not len(weights):
        return 1.0 if total <= 0.0 else 0.0
    t, weights = total / float(weights.sum()), weights / float(weights.sum())  # the mean is 1
    if t <= 0.0:
        return 1.0
    if abs(t - 1.0) < _NEAR_MEAN:
        return 0.5 * (_tail(1.0 - 2.0 * _NEAR_MEAN, weights) + _tail(1.0 + 2.0 * _NEAR_MEAN, weights))
    return _tail(t, weights)


def _tail(t: float, weights: Array) -> float:
    """P(Σ w χ²_1 ≥ t) of weights (k,) whose sum is 1; t is neither 0 nor 1."""
    zeta = _saddlepoint(t, weights)
    rest = 1.0 - 2.0 * zeta * weights
    generating = -0.5 * float(np.sum(np.log(rest)))
    curvature = 2.0 * float(np.sum((weights / rest) ** 2))
    w = math.copysign(math.sqrt(max(2.0 * (zeta * t - generating), 0.0)), zeta)
    v = zeta * math.sqrt(curvature)
    return min(max(0.5 * math.erfc((w + math.log(v / w) / w) / math.sqrt(2.0)), 0.0), 1.0)


def _saddlepoint(t: float, weights: Array) -> float:
    """The ζ at which the slope Σ w / (1 - 2 ζ w) of the cumulant generating function is t; it rises from 0 to infinity."""
    largest, count = float(weights.max()), len(weights)
    low, high = -0.5 * count / t, 0.5 / largest  # at the former the slope is less than t, whatever the weights
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if float(np.sum(weights / (1.0 - 2.0 * middle * weights))) < t else (low, middle)
    return low
