"""The standard normal distribution within half-spaces, by Gibbs sampling: one coordinate after the other, in many chains at once."""

# pyright: basic

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array


def truncated_normal(G: Array, h: Array, z: Array, rounds: int, rng: np.random.Generator) -> Array:
    """(chains, k) draws of the standard normal distribution within G z >= h, some rounds after others z (chains, k) that are within."""
    from scipy.special import log_ndtr, ndtri_exp

    z, slack = z.copy(), z @ G.T - h
    for _ in range(rounds):
        for j in range(z.shape[1]):
            column = G[:, j]
            with np.errstate(divide="ignore", invalid="ignore"):
                ends = z[:, j, None] - slack / column
            low = np.max(np.where(column > 0.0, ends, -np.inf), axis=1, initial=-np.inf)
            high = np.min(np.where(column < 0.0, ends, np.inf), axis=1, initial=np.inf)
            flip = low > 0.0  # the accurate side of the distribution is the lower one
            a, b = np.where(flip, -high, low), np.where(flip, -low, high)
            upper, share = log_ndtr(b), np.exp(log_ndtr(a) - log_ndtr(b))
            drawn = ndtri_exp(upper + np.log1p(-(1.0 - share) * rng.uniform(size=len(z))))
            moved = np.clip(np.where(flip, -drawn, drawn), np.minimum(low, z[:, j]), np.maximum(high, z[:, j]))
            slack += (moved - z[:, j])[:, None] * column
            z[:, j] = moved
    return z
