"""Recorded velocities and accelerations against the derivatives of what is recorded beside them: factor, likeness and lag of each joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.data import Dataset
from dynident.data.signals.butterworth import forward_backward, shortest
from dynident.data.signals.sampling import is_uniform
from dynident.doctor.excerpt import motion_cutoff
from dynident.regression.prepare import JITTER_TOLERANCE

_ORDER = 4
#: A joint stands still whose position stays within this [rad | m], or whose derivative is this share of the largest.
_STILL, _SLOW = 1e-2, 1e-3


@dataclass(frozen=True, kw_only=True, eq=False)
class RateComparison:
    """A recorded quantity of n joints and the derivative of another, both smooth.

    factors : (n,)     The recorded one is about this many times the derivative.
    likeness : (n, n)  Correlation of the recorded column i with the derivative of column k.
    lags : (n,)        How much later than the derivative the recorded one is [s].
    moving : (m,)      Joints, from 0, that move.
    time : (N,), recorded, derived : (N, n)   Of one segment, for pictures.
    """

    factors: Array
    likeness: Array
    lags: Array
    moving: IntArray
    time: Array
    recorded: Array
    derived: Array

    @property
    def own(self) -> Array:
        """(n,) correlation of each column with its own derivative."""
        return np.diagonal(self.likeness)


def compare_derivative(data: Dataset, recorded: Array, source: Array) -> RateComparison | None:
    """A recorded quantity (N, n) with the derivative of a source (N, n) on the log's stamps; None where all segments are too short."""
    cutoff = motion_cutoff(data)
    edge = max(round(data.rate / cutoff), 2)
    pieces = [piece for segment in data.segments if (piece := _piece(data, segment, recorded, source, cutoff, edge)) is not None]
    if not pieces:
        return None
    own, other, change = (np.concatenate([piece[k] for piece in pieces]) for k in (1, 2, 3))
    sizes, others = (np.sqrt(np.mean(values**2, axis=0)) + 1e-300 for values in (own, other))
    factors, lags = np.empty(data.n), np.empty(data.n)
    for j in range(data.n):
        A = np.stack([other[:, j], change[:, j]], axis=1)
        (factors[j], slope), *_ = np.linalg.lstsq(A, own[:, j], rcond=None)
        lags[j] = -slope / factors[j] if factors[j] else 0.0
    likeness = (own / sizes).T @ (other / others) / len(own)
    longest = max(pieces, key=lambda piece: len(piece[0]))
    moving = np.flatnonzero((np.ptp(data.q, axis=0) > _STILL) & (others > _SLOW * others.max()))
    return RateComparison(
        factors=factors, likeness=likeness, lags=lags, moving=moving, time=longest[0], recorded=longest[1], derived=longest[2]
    )


def _piece(data: Dataset, segment: slice, recorded: Array, source: Array, cutoff: float, edge: int) -> tuple[Array, ...] | None:
    """Stamps, recorded quantity, derivative and its derivative of a segment, on an even clock and without the filter's edges."""
    if segment.stop - segment.start <= max(4 * edge, 2 * shortest(_ORDER)):
        return None
    time, rate = data.time[segment], data.rate
    columns = np.concatenate([recorded[segment], source[segment]], axis=1)
    if not is_uniform(data, tolerance=JITTER_TOLERANCE):
        grid = np.arange(time[0], time[-1], 1.0 / rate)
        even: list[Array] = [np.interp(grid, time, columns[:, k]) for k in range(columns.shape[1])]
        columns, time = np.stack(even, axis=1), grid
    smooth = forward_backward(columns, cutoff=cutoff, rate=rate, order=_ORDER)
    own, derived = smooth[:, : data.n], np.gradient(smooth[:, data.n :], 1.0 / rate, axis=0)
    inner = slice(edge, -edge)
    return time[inner], own[inner], derived[inner], np.gradient(derived, 1.0 / rate, axis=0)[inner]
