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
        found, *_ = lstsq(A, b, cond=cut, lapack_driver="gelsy")  # pyright: ignore[reportGeneralTypeIssues]
        return np.asarray(found, dtype=float)


def constrained_least_squares(A: Array, b: Array, G: Array) -> Array:
    """(p,) the x that minimises ‖A x - b‖ among those with G x >= 0. A has independent columns.

    With A = Q R the dual problem is one of nonnegative multipliers alone: minimise ‖R⁻ᵀ (Gᵀ λ + Aᵀ b)‖ over λ >= 0, and
    x = R⁻¹ R⁻ᵀ (Aᵀ b + Gᵀ λ) (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23).
    """
    from scipy.optimize import nnls

    sizes = np.linalg.norm(A, axis=0)
    Q, R = np.linalg.qr(A / sizes)
    free, H = Q.T @ b, np.linalg.solve(R.T, (G / sizes).T)
    largest = np.linalg.norm(H, axis=0)
    multipliers, _ = nnls(H / np.where(largest > 0.0, largest, 1.0), -free)
    return np.asarray(np.linalg.solve(R, free + (H / np.where(largest > 0.0, largest, 1.0)) @ multipliers) / sizes, dtype=float)


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
