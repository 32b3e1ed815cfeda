"""Triangular factors of very many rows by Gram matrices of preconditioned rows, which are as accurate as QR and half the work.

With R₀ the factor of some rows from all over the log, the rows A R₀⁻¹ are nearly orthonormal, so that the Cholesky factor L of their
Gram matrix G loses nothing, and R = L R₀ is the factor of A (Yamamoto et al., ETNA 44, 2015, on CholeskyQR2; Fukaya et al., SIAM J. Sci.
Comput. 42, 2020). Two errors are made, and both are measured afterwards:

- Solving for A R₀⁻¹ changes column j of A by about ε Σ_k √G_kk |R₀_kj|, where Householder's QR changes it by about ε times its length.
  The largest ratio of the two is `growth`.
- L is wrong by about ε times the condition number of G with its diagonal scaled to one (Demmel, 1989), `condition`.

Where either is beyond its limit, R₀ has not seen what the log contains, and there is no factor: the caller falls back on QR.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, IntArray, freeze
from dynident.regression.equations.factors import triangular

#: R₀ is made regular by this share of the length of each column, so that columns that depend on others have a pivot.
RIDGE = 1e-12
#: Limits beyond which the caller has to use QR. Of random rows growth is about the root of the number of columns, the condition about 2.
LARGEST_GROWTH, LARGEST_CONDITION = 50.0, 1e3


def precondition(table: Array) -> Array:
    """(c, c) R₀ of rows (c, m): their triangular factor, made regular."""
    lengths = np.linalg.norm(table, axis=1)
    return triangular([table.T, np.diag(RIDGE * np.where(lengths > 0.0, lengths, 1.0))])


@dataclass(frozen=True, eq=False)
class Precision:
    """How far a factor is from one by QR."""

    growth: float
    condition: float

    @property
    def kept(self) -> bool:
        return self.growth <= LARGEST_GROWTH and self.condition <= LARGEST_CONDITION


def restore(gram: Array, preconditioner: Array) -> tuple[Array, Precision]:
    """(c, c) the triangular factor R of rows A, from G = (A R₀⁻¹)ᵀ (A R₀⁻¹) and R₀, and how good it is; zero where that is too bad."""
    sizes = np.sqrt(np.maximum(np.diag(gram), 0.0))
    used = np.flatnonzero(sizes > 0.0)
    scaled = gram[np.ix_(used, used)] / np.outer(sizes[used], sizes[used])
    if not np.all(np.isfinite(scaled)):
        return np.zeros_like(gram), Precision(np.inf, np.inf)
    values = np.linalg.eigvalsh(scaled) if len(used) else np.ones(1)
    condition = float(values[-1] / values[0]) if values[0] > 0.0 else np.inf
    if not condition <= LARGEST_CONDITION:
        return np.zeros_like(gram), Precision(np.inf, condition)
    R = np.zeros_like(gram)
    R[used] = np.linalg.cholesky(scaled).T * sizes[used] @ preconditioner[used]
    lengths, changes = np.linalg.norm(R, axis=0), sizes @ np.abs(preconditioner)
    growth = float(np.max(changes[lengths > 0.0] / lengths[lengths > 0.0], initial=0.0))
    return np.triu(R), Precision(growth, condition)


class GramSum:
    """Gram matrices of the preconditioned rows of all groups, summed up over lines (see row_kernels.py).

    offsets : (groups + 1,) first line of each group; preconditioners : R₀ of each, as large as the group has columns.
    """

    def __init__(self, offsets: IntArray, preconditioners: Sequence[Array]) -> None:
        self.preconditioners = tuple(preconditioners)
        self._offsets = freeze(offsets)
        padded = [np.eye(size) for size in np.diff(offsets)]
        for square, R in zip(padded, preconditioners, strict=True):
            square[: len(R), : len(R)] = R
        self._factors = freeze(np.concatenate([square.ravel() for square in padded]))
        self.total = np.zeros(len(self._factors))

    def empty(self) -> GramSum:
        """The same with nothing in it."""
        return GramSum(self._offsets, self.preconditioners)

    def add(self, lines: Array) -> None:
        """Rows as lines (lines, WIDTH), whose memory is overwritten."""
        from dynident.regression.equations.row_kernels import add_grams  # here, because importing Numba takes long

        add_grams(lines.reshape(-1), *self.state)

    @property
    def state(self) -> tuple[IntArray, Array, Array]:
        """First line of each group, R₀ of all groups as one line, and the sums in the same order, which compiled code adds to."""
        return self._offsets, self._factors, self.total

    @property
    def grams(self) -> list[Array]:
        """(c, c) of each group."""
        found: list[Array] = []
        at = 0
        for size, R in zip(np.diff(self._offsets).tolist(), self.preconditioners, strict=True):
            upper = np.triu(self.total[at : at + size * size].reshape(size, size)[: len(R), : len(R)])
            found.append(upper + np.triu(upper, 1).T)
            at += size * size
        return found

    def factors(self) -> list[Array] | None:
        """(c, c) of each group; None where one of them would be worse than that of QR."""
        found = [restore(*pair) for pair in zip(self.grams, self.preconditioners, strict=True)]
        return [R for R, _ in found] if all(precision.kept for _, precision in found) else None
