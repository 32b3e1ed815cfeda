"""Recorded velocities and accelerations against the derivatives of what is recorded beside them, and what a reading of them costs.

A recorded signal of a joint differs from the derivative by a share m of it; for a measured one m is about σ, so that it costs
N (m²/σ² + log σ²) in -2 log p. A signal that is not used costs nothing: it is as far off as the derivative is large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.data import Dataset
from dynident.data.signals.butterworth import forward_backward, shortest
from dynident.data.signals.sampling import is_uniform
from dynident.diagnosis.correction import Correction
from dynident.diagnosis.excerpt import motion_cutoff
from dynident.regression.prepare import JITTER_TOLERANCE

_ORDER = 4
#: A joint stands still whose position stays within this [rad | m], or whose derivative is this share of the largest.
_STILL, _SLOW = 1e-2, 1e-3
#: Usual difference of measured velocities and accelerations from the derivatives, as a share of these. Below 8 Hz velocities of a Panda
#: and a KUKA LWR 4+ are within 0.03, accelerations of both within 0.2; those that were derived over a step of the encoder are worse.
USUAL = {"dq": 0.1, "ddq": 0.5}
#: Larger differences are not told apart.
_LARGEST = 3.0
#: Joints agree about one factor where each is like its derivative, and their factors are within the second of each other.
LIKE, SAME = 0.95, 1.06
#: Measured velocities come this much later or earlier than the derivative [s], or so many periods: those of a Panda 5 ms later, those of a
#: KUKA LWR 4+ 3 ms. A command leads.
_LATE, _EARLY, _PERIODS = 0.008, 0.004, 0.3
#: Beyond so many times that, what costs as much as velocities that are not used.
_LATENESS = 2.0
#: Rows longer logs are compared in.
_ENOUGH = 40_000


@dataclass(frozen=True, kw_only=True, eq=False)
class RateComparison:
    """A recorded quantity of n joints and the derivative of another, both smooth.

    Attributes
    ----------
    factors : (n,) array
        The recorded one is about this many times the derivative.
    likeness : (n, n) array
        Correlation of the recorded column i with the derivative of column k.
    sizes : (n,) array
        RMS of the recorded one over that of the derivative.
    lags : (n,) array
        How much later than the derivative the recorded one is [s].
    moving : (m,) array
        Joints, from 0, that move.
    time, recorded, derived : (N,), (N, n), (N, n) array
        Of one segment, for pictures.
    """

    factors: Array
    likeness: Array
    sizes: Array
    lags: Array
    moving: IntArray
    time: Array
    recorded: Array
    derived: Array

    @property
    def correlation(self) -> Array:
        """(n,) of each column with its own derivative."""
        return np.diagonal(self.likeness)

    @property
    def common_factor(self) -> float | None:
        """The factor that all joints that move agree about; None where they do not."""
        correlation, factors = self.correlation[self.moving], np.maximum(self.factors[self.moving], 1e-9)
        agree = len(factors) > 0 and bool(np.all(correlation > LIKE) and np.ptp(np.log(factors)) < np.log(SAME))
        return float(np.median(factors)) if agree else None

    def differences(self, ratio: float) -> Array:
        """(m,) of the joints that move: recorded times a ratio less the derivative, as a share of this."""
        scaled = ratio * self.sizes[self.moving]
        return np.sqrt(np.clip(scaled**2 - 2.0 * scaled * self.correlation[self.moving] + 1.0, 0.0, _LARGEST**2))


def compare_derivative(data: Dataset, recorded: Array, source: Array, *, times: int = 1) -> RateComparison | None:
    """A recorded quantity (N, n) with the derivative of a source (N, n) on the log's stamps; None where all segments are too short.

    times : how often the source is differentiated.
    """
    cutoff = motion_cutoff(data)
    edge = max(round(data.rate / cutoff), 2)
    pieces: list[tuple[Array, ...]] = []
    rows = 0
    for segment in data.segments:
        piece = _piece(data, slice(segment.start, min(segment.stop, segment.start + _ENOUGH)), recorded, source, cutoff, edge, times)
        if piece is not None and rows < _ENOUGH:
            pieces.append(piece)
            rows += len(piece[0])
    if not pieces:
        return None
    values, others, change = (np.concatenate([piece[k] for piece in pieces]) for k in (1, 2, 3))
    size, other = (np.sqrt(np.mean(columns**2, axis=0)) + 1e-300 for columns in (values, others))
    factors, lags = np.empty(data.n), np.empty(data.n)
    for j in range(data.n):
        A = np.stack([others[:, j], change[:, j]], axis=1)
        (factors[j], slope), *_ = np.linalg.lstsq(A, values[:, j], rcond=None)
        lags[j] = -slope / factors[j] if factors[j] else 0.0
    longest = max(pieces, key=lambda piece: len(piece[0]))
    return RateComparison(
        factors=factors,
        likeness=(values / size).T @ (others / other) / len(values),
        sizes=size / other,
        lags=lags,
        moving=np.flatnonzero((np.ptp(data.q, axis=0) > _STILL) & (other > _SLOW * other.max())),
        time=longest[0],
        recorded=longest[1],
        derived=longest[2],
    )


def _piece(data: Dataset, segment: slice, recorded: Array, source: Array, cutoff: float, edge: int, times: int) -> tuple[Array, ...] | None:
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
    values, derived = smooth[:, : data.n], smooth[:, data.n :]
    for _ in range(times):
        derived = np.gradient(derived, 1.0 / rate, axis=0)
    inner = slice(edge, -edge)
    return time[inner], values[inner], derived[inner], np.gradient(derived, 1.0 / rate, axis=0)[inner]


@dataclass(frozen=True, kw_only=True, eq=False)
class Kinematics:
    """The comparisons of a log; None where a quantity was not recorded.

    Attributes
    ----------
    velocities, accelerations, double : RateComparison or None
        dq with the derivative of q, ddq with that of dq (of q where there is none), and with the second derivative of q.
    rows, period : float
        Independent rows of a joint, and the sampling period [s].
    """

    velocities: RateComparison | None
    accelerations: RateComparison | None
    double: RateComparison | None
    rows: float
    period: float

    def comparison(self, name: str) -> RateComparison | None:
        """Of the velocities, "dq", or the accelerations, "ddq"."""
        return self.velocities if name == "dq" else self.accelerations

    @property
    def lag(self) -> float:
        """How much later than the derivatives of the positions the velocities of the joints that move are [s]."""
        velocities = self.velocities
        return 0.0 if velocities is None or not len(velocities.moving) else float(np.median(velocities.lags[velocities.moving]))

    @property
    def is_late(self) -> bool:
        """Whether the velocities are so late, or so early, that they are rather not those of the positions."""
        return self._lateness(1.0) > _LATENESS

    def _lateness(self, clock: float) -> float:
        return abs(self.lag) * clock / max(_LATE if self.lag > 0.0 else _EARLY, _PERIODS * self.period * clock)

    def cost(self, correction: Correction) -> float:
        """-2 log p of the recorded derivatives as a correction reads them."""
        q, dq, ddq = (float(np.abs(correction.transform.maps[name][0]).max()) for name in ("q", "dq", "ddq"))
        uses = {name: name not in correction.transform.ignored for name in ("dq", "ddq")}
        clock = correction.transform.timing_of().factor(1.0 / self.period)
        cost = self._cost("dq", self.velocities, dq * clock / q) + self._lag_cost(clock) if uses["dq"] else 0.0
        if uses["ddq"] and uses["dq"] and self.velocities is not None:
            return cost + self._cost("ddq", self.accelerations, ddq * clock / dq)
        return cost + (self._cost("ddq", self.double, ddq * clock**2 / q) if uses["ddq"] else 0.0)

    def _lag_cost(self, clock: float) -> float:
        if self.velocities is None:
            return 0.0
        return self.rows * len(self.velocities.moving) * min(self._lateness(clock), _LARGEST) ** 2

    def _cost(self, name: str, comparison: RateComparison | None, ratio: float) -> float:
        if comparison is None:
            return 0.0
        shares = comparison.differences(ratio) / USUAL[name]
        return self.rows * float(np.sum(shares**2 + 2.0 * np.log(USUAL[name])))
