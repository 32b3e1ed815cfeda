"""A few hundred smooth rows of a log: enough to tell how well a model explains it, few enough to try hundreds of models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.data import Dataset
from dynident.data.signals.agreement import find_disagreements, replace_derivatives
from dynident.data.signals.butterworth import forward_backward, shortest
from dynident.diagnosis.correction import Correction
from dynident.regression.prepare import even_clock

#: Rows of an excerpt.
ROWS = 360
#: Nearly all of the motion's power (this share) is below a frequency of which the filter keeps so many times.
_POWER, _ABOVE = 0.99, 8.0
#: It keeps at least so many periods in the whole log.
_SLOWEST = 20.0
#: A row is used where the filter has seen nothing but samples in use.
_CLEAN = 0.98
#: No model explains efforts better than to this share of a joint's own, and of the largest other joint's: torque sensors feel what others
#: carry (in a KUKA LWR 4+, 0.2 N·m in a wrist of an arm that lifts 25).
LEAST_FLOOR, _CROSSTALK = 0.003, 0.01
_ORDER = 4
#: Independent rows per second, as what a model lacks stays the same for about a quarter of a second, and per period of the cutoff, as it
#: stays the same for longer where the motion is slow: of a slow arm gravity that was compensated was taken for gains. Fewest and most.
_PER_SECOND, _PER_PERIOD = 4.0, 0.9
_FEWEST, _MOST = 20.0, 240.0


class Efforts(NamedTuple):
    """Efforts as they are read: recorded column `source` times a gain; each (n,)."""

    source: tuple[int, ...]
    gain: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Excerpt:
    """N smooth rows of n joints; motion and effort went through the same zero-phase filter, and so did the sign of the velocity.

    time : (N,)                       Stamps [s].
    q, dq, ddq, sign, effort : (N, n)
    slope : (N, n)                    Rate of change of the effort [N·m/s | N/s].
    use : (N, n) bool                 Which rows of which joint are used.
    floor : (n,)                      What no model can explain of a joint, as a share of its RMS effort.
    independent : float               How many independent rows of a joint the log has.
    rate : float                      Of the log [Hz].
    recording : (N,)                  The recording that each row is of, numbered as in `Dataset.recordings`.
    """

    time: Array
    q: Array
    dq: Array
    ddq: Array
    sign: Array
    effort: Array
    slope: Array
    use: BoolArray
    floor: Array
    independent: float
    rate: float
    recording: IntArray

    def correct(self, correction: Correction) -> Excerpt:
        """The rows with the motion of a correction, joint by joint, and its clock; efforts stay as they were recorded, column by column."""
        transform, clock = correction.transform, correction.transform.timing_of().factor(self.rate)
        speed = transform.q / clock
        return replace(
            self,
            time=self.time * clock,
            q=self.q @ transform.q.T + transform.offset,
            dq=self.dq @ speed.T,
            ddq=self.ddq @ speed.T / clock,
            sign=self.sign @ np.sign(transform.q).T,
            slope=self.slope / clock,
            use=self.use[:, list(transform.order)],
        )

    def read_efforts(self, correction: Correction) -> Efforts:
        """How a correction reads the recorded efforts, joint by joint."""
        efforts = correction.transform.effort
        source = np.argmax(np.abs(efforts), axis=1)
        gain = efforts[np.arange(len(efforts)), source]
        return Efforts(tuple(source.tolist()), gain)


def take_excerpt(data: Dataset) -> Excerpt | None:
    """The rows of a log with effort; None where no part of it is long enough for a filter."""
    log = even_clock(data)
    log = replace_derivatives(log, find_disagreements(log))
    cutoff = motion_cutoff(log)
    edge = max(round(log.rate / cutoff), 1)
    numbered = zip(log.recordings, log.segments, strict=True)
    windows = [(number, window) for number, window in numbered if window.stop - window.start > max(4 * edge, 2 * shortest(_ORDER))]
    if not windows:
        return None
    rows = sum(window.stop - window.start - 2 * edge for _, window in windows)
    step, pieces, first = max(1, rows // ROWS), list[tuple[Array, ...]](), 0
    for _, window in windows:
        inner = slice(edge + first, window.stop - window.start - edge, step)
        pieces.append(_smooth(log, window, cutoff, inner))
        first = (first - (window.stop - window.start - 2 * edge)) % step  # every step-th row of all windows one after another
    time, q, dq, ddq, sign, effort, slope, use = (np.concatenate(column) for column in zip(*pieces, strict=True))
    return Excerpt(
        time=time,
        q=q,
        dq=dq,
        ddq=ddq,
        sign=sign,
        effort=effort,
        slope=slope,
        use=use > _CLEAN,
        floor=_floor(effort),
        independent=independent_rows(rows / log.rate, cutoff),
        rate=log.rate,
        recording=np.repeat([number for number, _ in windows], [len(piece[0]) for piece in pieces]),
    )


def _floor(effort: Array) -> Array:
    sizes = np.sqrt(np.mean(effort**2, axis=0))
    others = np.where(np.eye(len(sizes), dtype=bool), 0.0, sizes).max(axis=1)
    return np.maximum(LEAST_FLOOR, _CROSSTALK * others / np.maximum(sizes, _CROSSTALK * others + 1e-300))


def independent_rows(seconds: float, cutoff: float) -> float:
    """How many a log has: a slow one of some length tells less."""
    return min(max(min(_PER_SECOND, _PER_PERIOD * cutoff) * seconds, _FEWEST), _MOST)


def motion_cutoff(log: Dataset) -> float:
    """Cutoff [Hz] that keeps the motion and little else, also where the clock is wrong by a large factor."""
    highest = 0.0
    for segment in log.segments:
        # ends that don't meet would look like fast motion
        window = np.hanning(segment.stop - segment.start)[:, None]
        power = np.abs(np.fft.rfft(window * (log.q[segment] - log.q[segment].mean(axis=0)), axis=0)) ** 2
        if len(power) < 3 or not power.sum() > 0.0:
            continue
        share = np.cumsum(power.sum(axis=1)) / power.sum()
        highest = max(highest, float(np.searchsorted(share, _POWER)) * log.rate / (segment.stop - segment.start))
    return min(max(_ABOVE * highest, _SLOWEST / log.duration), log.rate / 4.0)


def _smooth(log: Dataset, window: slice, cutoff: float, inner: slice) -> tuple[Array, ...]:
    """The columns of an excerpt at the rows `inner` of a window; each smooth signal of the whole window is let go of before the next."""
    time = log.time[window]

    def smooth(values: Array) -> Array:
        return forward_backward(values, cutoff=cutoff, rate=log.rate, order=_ORDER)

    def take(values: Array) -> Array:
        return values[inner].copy()  # a view would keep the whole signal

    q = take(smooth(log.q[window]))
    dq = smooth(np.gradient(log.q[window], time, axis=0) if log.dq is None else log.dq[window])
    ddq = take(np.gradient(dq, time, axis=0) if log.ddq is None else smooth(log.ddq[window]))
    sign = take(smooth(np.sign(dq)))
    dq, use = take(dq), take(smooth(log.in_use[window].astype(float)))
    effort = smooth(log.require("effort")[window])
    return time[inner], q, dq, ddq, sign, take(effort), take(np.gradient(effort, time, axis=0)), use
