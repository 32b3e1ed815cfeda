"""Searches over sign vectors that know nothing of robots: a beam in the order of energy, and many starts that climb down flip by flip."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.routes.signs.sign_cost import SignCost

#: Alternating projections of a start end after this many rounds; most settle in ten.
ROUNDS = 50
#: Share of a coefficient's weight that the beam gives it before any segment speaks of it; rounding is far below.
BEAM_FLOOR = 1e-10


def beam_search(cost: SignCost, grams: Array, *, width: int, order: IntArray) -> Array:
    """(width, S) signs of the segments, taken one by one and fitted to the rows of those taken so far.

    grams : (S, rank, rank)  Σ Y_tᵀ Y_t of each segment in units of the noise.
    order : (S,)             In which they are taken; those with most energy first make an early mistake rare.
    """
    count, moments = len(order), cost.R.T @ cost.A
    whole = cost.R.T @ cost.R
    normal = whole - grams.sum(axis=0) + np.diag(BEAM_FLOOR * np.diag(whole))  # of the rows below the threshold, which need no sign
    signs, sums = np.zeros((1, count)), np.zeros((1, len(moments)))
    for step, k in enumerate(order):
        normal = normal + grams[k]
        flips = np.array([1.0] if step == 0 else [1.0, -1.0])  # a vector and its negative cost the same
        wider = (sums[:, None] + flips[:, None] * moments[:, k]).reshape(-1, len(moments))
        explained = np.sum(wider.T * np.asarray(np.linalg.solve(normal, wider.T), dtype=float), axis=0)
        best = np.argsort(-explained, kind="stable")[:width]
        signs, sums = np.repeat(signs, len(flips), axis=0)[best], wider[best]
        signs[:, k] = np.tile(flips, len(explained) // len(flips))[best]
    return signs


def random_starts(cost: SignCost, count: int, rng: np.random.Generator) -> Array:
    """(count, S) random signs after alternating projections."""
    return project(cost, random_signs(cost, count, rng))


def random_signs(cost: SignCost, count: int, rng: np.random.Generator) -> Array:
    """(count, S)"""
    return rng.choice([-1.0, 1.0], size=(count, cost.A.shape[1]))


def project(cost: SignCost, signs: Array) -> Array:
    """(K, S) sign vectors after alternating projections: the best coefficients of the signs, the signs of those coefficients."""
    for _ in range(ROUNDS):
        projected = np.where(signs @ cost.A.T @ cost.A < 0.0, -1.0, 1.0)
        if np.array_equal(projected, signs):
            break
        signs = projected
    return signs


def descend(cost: SignCost, signs: Array) -> Array:
    """(K, S) sign vectors after flipping the segment that helps most, again and again, until none helps."""
    s, Q = np.array(signs, dtype=float), cost.Q
    gradient, diagonal = s @ Q, np.diag(Q)
    tolerance = 1e-12 * cost.total
    moving = np.arange(len(s))
    while len(moving):
        gains = diagonal - s[moving] * gradient[moving]
        best = np.argmax(gains, axis=1)
        helps = gains[np.arange(len(moving)), best] > tolerance
        moving, best = moving[helps], best[helps]
        gradient[moving] -= 2.0 * s[moving, best][:, None] * Q[best]
        s[moving, best] *= -1.0
    return s


def distinct(cost: SignCost, signs: Array, most: int) -> tuple[Array, Array]:
    """The best `most` of sign vectors (K, S) with their costs; a vector and its negative, and equal ones, count once."""
    canonical = np.unique(signs * np.where(signs[:, :1] < 0.0, -1.0, 1.0), axis=0)
    costs = cost.cost(canonical)
    best = np.argsort(costs, kind="stable")[:most]
    return canonical[best], costs[best]
