"""Compiled: a path u cos t + w sin t that is mirrored where a matrix inequality F(u) ⪰ 0 would fail.

With z = tan(t / 2), F along the path is G(z) / (1 + z²) with G(z) = F(u) + 2 z F'(w) + z² (2 F(0) - F(u)). From a z where G = L Lᵀ is
positive definite, G(z + s) still is while s ‖L⁻¹ G' L⁻ᵀ‖ + s² ‖L⁻¹ ½G'' L⁻ᵀ‖ < 1. Steps that long never leave the set, so no boundary is
overlooked, and near one they are those of Newton's method.
"""

# pyright: basic

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.compiled import compiler

_compile = compiler(nogil=True, error_model="numpy")

#: A block counts as hit when the way left to its boundary is shorter than this [rad].
_HIT = 1e-11
_STEPS = 100_000


def travel(
    tensor: Array, constant: Array, sizes: IntArray, middle: Array, u: Array, w: Array, time: float, short: float, most: int
) -> tuple[Array, int]:
    """Where a path of the given time ends, and how often it was mirrored.

    tensor : (q, d), constant : (q,)   The blocks' entries row by row, one block after the other; sizes : (blocks,) theirs.
    middle : (d,) a point well inside; a path stops short of a boundary by the share `short` of the way there.
    """
    return _travel(tensor, constant, sizes, middle, u, w, time, short, most)


@_compile
def _travel(tensor, constant, sizes, middle, u, w, time, short, most):
    for mirrored in range(most):
        at_u, at_w = constant + tensor @ u, tensor @ w
        limit = np.tan(0.5 * min(time, 3.0))  # a path of more than 3 rad goes on in the next round
        hit, first = -1, 0
        offset = 0
        for block in range(len(sizes)):
            k = sizes[block]
            z = _first_root(at_u, at_w, constant, offset, k, limit)
            if z < limit:
                limit, hit, first = z, block, offset
            offset += k * k
        turn = min(time, 3.0) if hit < 0 else 2.0 * np.arctan(limit)
        end = u * np.cos(turn) + w * np.sin(turn)
        w = w * np.cos(turn) - u * np.sin(turn)
        u = end + short * (middle - end)
        time -= turn
        if hit >= 0:
            n = _normal(tensor, constant, first, sizes[hit], u)
            w = w - 2.0 * np.dot(w, n) / np.dot(n, n) * n
        elif time <= 0.0:
            return u, mirrored
    return u, most


@_compile
def _first_root(F, V, constant, offset, k, limit):
    """The smallest z below the limit where G(z) is singular, approached from below; the limit where there is none."""
    G, D, C = np.empty((k, k)), np.empty((k, k)), np.empty((k, k))
    z = 0.0
    for _ in range(_STEPS):
        for i in range(k):
            for j in range(k):
                place = offset + i * k + j
                C[i, j] = 2.0 * constant[place] - F[place]
                G[i, j] = F[place] + z * (2.0 * V[place] + z * C[i, j])
                D[i, j] = 2.0 * (V[place] + z * C[i, j])
        if not _factorise(G):
            return z
        d, c = _size_within(G, D), _size_within(G, C)
        step = 2.0 / (d + np.sqrt(d * d + 4.0 * c))
        if step < _HIT * (1.0 + z * z):
            return z
        z += 0.999 * step
        if z >= limit:
            return limit
    return z


@_compile
def _factorise(G):
    """G = L Lᵀ in place of its lower triangle; False where it is not positive definite."""
    k = len(G)
    for j in range(k):
        for i in range(j, k):
            value = G[i, j]
            for m in range(j):
                value -= G[i, m] * G[j, m]
            if i > j:
                G[i, j] = value / G[j, j]
            elif value > 0.0:
                G[j, j] = np.sqrt(value)
            else:
                return False
    return True


@_compile
def _size_within(L, D):
    """‖L⁻¹ D L⁻ᵀ‖ (Frobenius) of a symmetric D, which is overwritten."""
    k = len(L)
    for _ in range(2):
        for j in range(k):
            for i in range(k):
                value = D[i, j]
                for m in range(i):
                    value -= L[i, m] * D[m, j]
                D[i, j] = value / L[i, i]
        for i in range(k):
            for j in range(i):
                D[i, j], D[j, i] = D[j, i], D[i, j]
    return np.sqrt(np.sum(D * D))


@_compile
def _normal(tensor, constant, offset, k, u):
    """(d,) the gradient of a block's smallest eigenvalue, which is almost zero: its vector by inverse iteration."""
    G = np.empty((k, k))
    for i in range(k):
        for j in range(k):
            place = offset + i * k + j
            G[i, j] = constant[place] + np.dot(tensor[place], u)
    _factorise(G)
    v = 1.0 + 0.1 * np.arange(k)
    for _ in range(8):
        for i in range(k):
            for m in range(i):
                v[i] -= G[i, m] * v[m]
            v[i] /= G[i, i]
        for i in range(k - 1, -1, -1):
            for m in range(i + 1, k):
                v[i] -= G[m, i] * v[m]
            v[i] /= G[i, i]
        v /= np.sqrt(np.dot(v, v))
    n = np.zeros(tensor.shape[1])
    for i in range(k):
        for j in range(k):
            n += v[i] * v[j] * tensor[offset + i * k + j]
    return n
