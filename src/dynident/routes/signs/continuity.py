"""Signs of neighbouring samples hang together: a torque changes its sign where it passes through zero, or in a rare leap.

Each joint is a chain with two states, + and -. The model speaks for a state with ± b μ / σ², less where its errors last for many samples;
a change of sign between two samples is a step of b + b' in the torque where no change is one of |b - b'|, which with steps of size δ makes
it less likely by exp(-2 b b' / δ²). The posterior is that of the forward and backward recursions (Rabiner, Proc. IEEE 77(2), 1989).
Within the noise of the sensors signs change from sample to sample, so there every sample stands alone.
"""

# pyright: basic

from __future__ import annotations

import math

import numpy as np

from dynident.core.arrays import Array
from dynident.core.compiled import compiler
from dynident.routes.signs.magnitudes import Magnitudes
from dynident.routes.signs.refine import Refined, inflation_of

_compile = compiler(nogil=True)

#: A leap of any size, as friction makes where a joint turns back, is no less likely than e to minus this.
LEAP = 25.0
#: From this price of a change on, a sample is no witness of its own beside its neighbour.
TIED = 10.0
#: What the model says at the ends of a recording, where the smoothed motion is wrong, counts by this factor.
EDGE_TRUST = 0.01


def continuous_signs(magnitudes: Magnitudes, refined: Refined) -> Array:
    """(N, n) expected sign of every sample, between -1 and 1, of a model that was fitted."""
    b, mu, rest = magnitudes.b, magnitudes.predict(refined.coefficients), refined.residuals(magnitudes)
    clear = np.maximum(b - magnitudes.threshold, 0.0)
    trust = np.where(magnitudes.inner, 1.0, EDGE_TRUST)
    pieces = list(magnitudes.log.segments)
    signs = np.empty_like(b)
    for j in range(b.shape[1]):
        step = float(np.sqrt(np.mean(np.concatenate([np.diff(b[piece, j]) for piece in pieces]) ** 2)))
        inflation = inflation_of(rest[:, j])
        evidence = trust * 2.0 * b[:, j] * mu[:, j] / refined.levels[j] ** 2
        for piece in pieces:
            signs[piece, j] = chain_signs(evidence[piece], clear[piece, j], step, inflation)
    return signs


def chain_signs(evidence: Array, clear: Array, step: float, inflation: float) -> Array:
    """(N,) expected sign of every sample of a joint without a break, between -1 and 1.

    evidence : (N,)     Log odds of + that the model gives to each sample.
    clear : (N,)        |τ| above the noise of the sensors [N·m | N].
    step : float        RMS step of |τ| between samples [N·m | N].
    inflation : float   How many samples that hang together say as much as one that stands alone.
    """
    price = np.minimum(2.0 * clear[1:] * clear[:-1] / max(step, np.finfo(float).tiny) ** 2, LEAP)
    tied, share = np.zeros(len(clear)), 0.5 * np.minimum(price / TIED, 1.0)
    tied[1:] += share
    tied[:-1] += share
    return np.tanh(0.5 * _smooth(evidence / (1.0 + (inflation - 1.0) * tied), price))


@_compile
def _smooth(evidence, price):  # log odds of + at every sample
    count = len(evidence)
    total = evidence.copy()
    carried = 0.0
    for t in range(1, count):
        carried = _pass(carried + evidence[t - 1], price[t - 1])
        total[t] += carried
    carried = 0.0
    for t in range(count - 2, -1, -1):
        carried = _pass(carried + evidence[t + 1], price[t])
        total[t] += carried
    return total


@_compile
def _pass(odds, price):
    """log (e^odds + e^-price) / (e^(odds - price) + 1): what is known of a sample tells of the next."""
    return _log_sum(odds, -price) - _log_sum(odds - price, 0.0)


@_compile
def _log_sum(a, b):
    larger = max(a, b)
    return larger + math.log1p(math.exp(-abs(a - b)))
