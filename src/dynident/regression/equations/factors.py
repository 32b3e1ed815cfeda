"""Any number of rows as one triangular factor, and which columns of it are independent: QR, never the normal equations."""

# pyright: basic

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array

# Panel width of the blocked QR; small panels are fastest for tables of a few dozen columns.
_PANEL = 8


def compress(factor: Array, table: Array) -> Array:
    """The triangular factor (c, c) of [factor; tableᵀ]: R with Rᵀ R = factorᵀ factor + table tableᵀ.

    factor : (c, c)    Upper triangular in Fortran order; a new one is returned.
    table : (c, rows)  Rows of the problem as columns; its memory is overwritten.
    """
    from scipy.linalg import lapack  # here, because importing SciPy takes longer than all of dynident

    rows = np.asfortranarray(table.T)
    result, _, _, info = lapack.dtpqrt(0, min(_PANEL, len(factor)), factor, rows, overwrite_b=1)  # pyright: ignore
    if info != 0:
        raise RuntimeError(f"LAPACK's dtpqrt refused argument {-info}")
    return result


def triangular(matrices: Iterable[Array]) -> Array:
    """The triangular factor of matrices (·, c) stacked below each other."""
    stacked = np.concatenate(list(matrices))
    columns = stacked.shape[1]
    if len(stacked) < columns:
        stacked = np.concatenate([stacked, np.zeros((columns - len(stacked), columns))])
    return np.asarray(np.linalg.qr(stacked, mode="r"), dtype=float)


def independent_columns(A: Array, *, tolerance: ArrayLike, smallest: float) -> tuple[list[int], Array]:
    """The columns that are independent of those before them, and an orthonormal basis (rows, kept) of what they span.

    tolerance : a column is dependent when its part outside the span of the kept ones is below this share of its
        length; one for all, or one each.
    smallest : columns whose length is at most this share of the longest are zero.

    Gram-Schmidt, each column orthogonalised twice, which is as good as Householder (Giraud, Langou 2003).
    """
    lengths = np.linalg.norm(A, axis=0)
    shares = np.broadcast_to(np.asarray(tolerance, dtype=float), lengths.shape)
    Q = np.empty(A.shape)
    kept: list[int] = []
    for i in np.flatnonzero(lengths > smallest * lengths.max()):
        basis = Q[:, : len(kept)]
        rest = A[:, i] / lengths[i]
        for _ in range(2):
            rest = rest - basis @ (basis.T @ rest)
        size = float(np.linalg.norm(rest))
        if size > shares[i]:
            Q[:, len(kept)] = rest / size
            kept.append(int(i))
    return kept, Q[:, : len(kept)]
