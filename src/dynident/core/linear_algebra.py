"""Singular values and least squares that give an answer for every finite matrix.

The divide-and-conquer SVD that NumPy uses gives up on some ordinary matrices (one in ten thousand retrievals of a small arm). Those are
done again by an algorithm that doesn't: QR with pivoting (LAPACK's gelsy), and the SVD by implicit QR (gesvd).
"""

# pyright: basic

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array


def least_squares(A: Array, b: Array, *, rcond: float | None = None) -> Array:
    """(p, ...) the shortest x that minimises ‖A x - b‖. rcond : singular values below this share of the largest are zero."""
    try:
        return np.asarray(np.linalg.lstsq(A, b, rcond=rcond)[0], dtype=float)
    except np.linalg.LinAlgError:
        from scipy.linalg import lstsq  # here, because importing SciPy takes long

        cut = float(np.finfo(float).eps) * max(A.shape) if rcond is None else rcond
        solution, *_ = lstsq(A, b, cond=cut, lapack_driver="gelsy")  # pyright: ignore[reportGeneralTypeIssues]
        return np.asarray(solution, dtype=float)


def constrained_least_squares(A: Array, b: Array, G: Array) -> Array:
    """(p,) the x that minimises ‖A x - b‖ among those with G x >= 0. A has independent columns."""
    sizes = np.linalg.norm(A, axis=0)
    Q, R = np.linalg.qr(A / sizes)
    x, _ = nearest_within(R, Q.T @ b, G / sizes, np.zeros(len(G)))
    return np.asarray(x / sizes, dtype=float)


def nearest_within(R: Array, z: Array, G: Array, h: Array) -> tuple[Array, Array]:
    """The x (p,) that minimises ‖R x - z‖ among those with G x >= h, and the multipliers (m,) of these; R is triangular.

    Where there are none, x is what it is without them.

    x = R⁻¹ (z + Ĝᵀ λ) with Ĝ = G R⁻¹, a least distance problem, whose dual is one of nonnegative multipliers alone (Lawson and Hanson,
    Solving Least Squares Problems, 1974, chapter 23).
    """
    free, multipliers = np.asarray(np.linalg.solve(R, z), dtype=float), np.zeros(len(h))
    if np.all(G @ free >= h):
        return free, multipliers
    from scipy.optimize import nnls

    rows = np.linalg.solve(R.T, G.T)
    lengths = np.linalg.norm(rows, axis=0)
    lengths[lengths == 0.0] = 1.0
    missing = (h - G @ free) / lengths
    weights, _ = nnls(np.concatenate([rows / lengths, missing[None]]), np.append(np.zeros(len(z)), 1.0))
    left = 1.0 - float(missing @ weights)  # zero where no x satisfies all
    if left <= 1e-14:
        return free, multipliers
    multipliers = weights / left / lengths
    return free + np.asarray(np.linalg.solve(R, rows @ multipliers), dtype=float), multipliers


def singular_vectors(A: Array, *, full: bool = False) -> tuple[Array, Array, Array]:
    """U, s and Vᵀ with A = U diag(s) Vᵀ. full : whether U and V are square."""
    try:
        U, s, V = np.linalg.svd(A, full_matrices=full)
    except np.linalg.LinAlgError:
        from scipy.linalg import svd

        U, s, V = svd(A, full_matrices=full, lapack_driver="gesvd")
    return np.asarray(U, dtype=float), np.asarray(s, dtype=float), np.asarray(V, dtype=float)


def singular_values(A: Array) -> Array:
    """The singular values, the largest first."""
    try:
        return np.asarray(np.linalg.svd(A, compute_uv=False), dtype=float)
    except np.linalg.LinAlgError:
        from scipy.linalg import svd

        return np.asarray(svd(A, compute_uv=False, lapack_driver="gesvd"), dtype=float)


def condition_number(A: Array) -> float:
    """The largest singular value over the smallest; infinite where that is zero."""
    s = singular_values(A)
    return float(s[0] / s[-1]) if s[-1] > 0.0 else float("inf")
