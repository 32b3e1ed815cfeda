"""Least squares that grows segment by segment, so that a sign more costs a small product rather than a new fit.

The rows of the first k segments are the same whatever their signs, so one triangular factor per step serves every hypothesis:
with [F; A] = Q F' of the factor so far and the rows A of the next segment, d' = Q₁ᵀ d + s Q₂ᵀ z is what a sign s makes of d, and
‖d‖² + ‖z‖² - ‖d'‖² is what it costs. What the first k segments cost is a lower bound of what all cost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.regression.equations.factors import triangular
from dynident.routes.signs.magnitudes import Magnitudes

#: Coefficients that the first segments leave open are held by this share of their column, which costs next to nothing.
HOLD = 1e-6


@dataclass(frozen=True, eq=False)
class SegmentRows:
    """The rows of one segment, compressed, in units of the noise.

    A, z : (k, rank), (k,)   ‖A π - s z‖² + rest is what coefficients π leave of the segment with sign s.
    """

    A: Array
    z: Array
    rest: float


@dataclass(frozen=True, eq=False)
class FitStep:
    """A segment more. F : (rank, rank) factor with it; turn, shift, energy : Q₁ᵀ, Q₂ᵀ z and ‖z‖²; rest : cost whatever the sign."""

    F: Array
    turn: Array
    shift: Array
    energy: float
    rest: float

    def grow(self, d: Array, costs: Array, sign: float) -> tuple[Array, Array]:
        """d (rank, m) and costs (m,) of m hypotheses with one more sign, `rest` not counted."""
        grown = self.turn @ d + sign * self.shift[:, None]
        return grown, costs + np.sum(d**2, axis=0) + self.energy - np.sum(grown**2, axis=0)


def compress_segments(magnitudes: Magnitudes, levels: Array) -> list[SegmentRows]:
    """The rows of each segment; one without any sample to work with has none. levels : (n,) noise of the joints [N·m | N]."""
    rank = magnitudes.base.rank
    compressed = [SegmentRows(np.zeros((0, rank)), np.zeros(0), 0.0)] * len(magnitudes.segments)
    for j, pairs in enumerate(magnitudes.segment_rows):
        for k, at in pairs:
            R = triangular([_rows(magnitudes, j, at, levels)])
            compressed[k] = SegmentRows(R[:-1, :-1], R[:-1, -1], float(R[-1, -1] ** 2))
    return compressed


def quiet_rows(magnitudes: Magnitudes, levels: Array) -> Array:
    """(rank, rank) factor of the rows below the threshold, which say Y π ≈ 0."""
    quiet = magnitudes.used & (magnitudes.segment_of < 0)
    return triangular([_rows(magnitudes, j, np.flatnonzero(quiet[:, j]), levels)[:, :-1] for j in range(magnitudes.log.n)])


def grow_steps(rows: Iterable[SegmentRows], start: Array) -> list[FitStep]:
    """The steps of segments in this order. start : (rank, rank) factor of rows that count from the beginning."""
    ordered, rank = list(rows), start.shape[1]
    sizes = np.linalg.norm(np.concatenate([start, *(item.A for item in ordered)]), axis=0)
    F = triangular([start, np.diag(HOLD * np.where(sizes > 0.0, sizes, 1.0))])
    steps: list[FitStep] = []
    for item in ordered:
        Q, F = np.linalg.qr(np.concatenate([F, item.A]))
        steps.append(FitStep(F, Q[:rank].T, Q[rank:].T @ item.z, float(item.z @ item.z), item.rest))
    return steps


def _rows(magnitudes: Magnitudes, joint: int, at: IntArray, levels: Array) -> Array:
    """(rows, rank + 1) regressor and |τ| of a joint at places (rows,) among the working samples, in units of the noise."""
    table = np.zeros((len(at), magnitudes.base.rank + 1))
    table[:, magnitudes.groups[joint].columns] = magnitudes.rows[joint][at]
    table[:, -1] = magnitudes.b[magnitudes.working[at], joint]
    return table / levels[joint]
