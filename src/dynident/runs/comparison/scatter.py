"""The middle of a fleet and how much its robots differ, from estimates of unequal precision and with some robots that are off.

Robot r has θ_r with the standard deviation s_r of its own estimate, and robots of one model differ by σ: θ_r - m has the variance
v_r = s_r² + σ². The middle m is the median, weighted by 1/√v_r. Its own variance is (π/2) / Σ 1/v_r, its covariance with θ_r is
1 / Σ 1/v_r (Huber and Ronchetti, Robust Statistics, 2009, section 3.2), so that θ_r - m has the variance v_r - (2 - π/2) / Σ 1/v_r.
σ solves Σ min(z_r², c²) = N β with z_r = (θ_r - m) / std(θ_r - m) and β what a normal z has on average: an M-estimate of scale, which a
third of the robots can be off without spoiling, and which has 72 % of the precision of the usual standard deviation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array

#: A larger deviation counts as one of so many standard deviations.
CUT = 1.5
#: With fewer robots the spread between them is not estimated.
FEWEST = 5
#: How often chance alone makes anything at all stand out: in one of so many comparisons.
RARE = 20.0
_STEPS = 40
_WITHIN = math.erf(CUT / math.sqrt(2.0))
_DENSITY = math.exp(-0.5 * CUT**2) / math.sqrt(2.0 * math.pi)
#: E min(z², c²), and the share of the precision of a standard deviation that this scale has.
BETA = _WITHIN - 2.0 * CUT * _DENSITY + CUT**2 * (1.0 - _WITHIN)
_SLOPE = 2.0 * (_WITHIN - 2.0 * CUT * _DENSITY)
_SQUARE = 3.0 * _WITHIN - 2.0 * _DENSITY * (CUT**3 + 3.0 * CUT) + CUT**4 * (1.0 - _WITHIN)
EFFICIENCY = 0.5 * _SLOPE**2 / (_SQUARE - BETA**2)


@dataclass(frozen=True, kw_only=True, eq=False)
class Scatter:
    """centre : the middle; spread : σ, how much robots differ beside the errors of their estimates; deviations : (N,) z of each."""

    centre: float
    spread: float
    deviations: Array


def scatter(values: Array, std: Array) -> Scatter:
    """Of the estimates θ (N,) with their own standard deviations (N,). With fewer than `FEWEST` of them σ is taken as zero."""
    result = _with_spread(values, std, 0.0)
    if len(values) < FEWEST or _excess(result) <= 0.0:
        return result
    low, high = 0.0, 10.0 * float(np.abs(values - result.centre).max())
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _excess(_with_spread(values, std, middle)) > 0.0 else (low, middle)
    return _with_spread(values, std, high)


def chance_limit(runs: int, comparisons: int) -> float:
    """The largest deviation that so many comparisons show by chance in all but one of `RARE` cases.

    Where the spread was estimated it is itself uncertain, so that deviations follow Student's t, with as many degrees of freedom as a
    standard deviation of that precision has; else they are normal.
    """
    from scipy.special import stdtrit  # here, because importing SciPy takes longer than all of dynident

    freedom = EFFICIENCY * (runs - 1) if runs >= FEWEST else np.inf
    return -float(stdtrit(freedom, 0.5 / (RARE * max(comparisons, 1))))


def weighted_median(values: Array, weights: Array) -> float:
    """Where half of the weight is on either side; the middle between two values where that is so anywhere between them."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    half = 0.5 * float(below[-1])
    k = int(np.searchsorted(below, half * (1.0 - 1e-12)))
    if k + 1 < len(order) and math.isclose(float(below[k]), half, rel_tol=1e-12):
        return 0.5 * float(values[order[k]] + values[order[k + 1]])
    return float(values[order[k]])


def _with_spread(values: Array, std: Array, spread: float) -> Scatter:
    tiny = np.finfo(float).tiny
    variance = np.maximum(std**2 + spread**2, tiny)
    centre = weighted_median(values, 1.0 / np.sqrt(variance))
    apart = variance - (2.0 - 0.5 * np.pi) / np.sum(1.0 / variance)
    return Scatter(centre=centre, spread=spread, deviations=(values - centre) / np.sqrt(np.maximum(apart, tiny)))


def _excess(fitted: Scatter) -> float:
    """How much more the deviations are than those of a normal distribution."""
    return float(np.mean(np.minimum(fitted.deviations**2, CUT**2))) - BETA
