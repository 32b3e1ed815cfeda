"""A few hundred smooth rows of a log: enough to tell how well a model explains it, few enough to try hundreds of models."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.data import Dataset
from dynident.data.reading.quantities import factor
from dynident.data.signals.agreement import find_disagreements, replace_derivatives
from dynident.data.signals.butterworth import forward_backward, shortest
from dynident.doctor.correction import Correction, used_rows
from dynident.regression.prepare import even_clock

#: Rows of an excerpt.
ROWS = 360
#: Nearly all of the motion's power (this share) is below a frequency of which the filter keeps so many times.
_POWER, _ABOVE = 0.99, 8.0
#: It keeps at least so many periods in the whole log.
_SLOWEST = 20.0
#: A row is used where the filter has seen nothing but samples in use.
_CLEAN = 0.98
#: No model explains efforts better than to this share of a joint's own, and of the largest joint's: torque sensors feel what their
#: neighbours carry (in a KUKA LWR 4+, 0.2 N·m in a wrist of an arm that lifts 25).
LEAST_FLOOR, _CROSSTALK = 0.02, 0.007
_ORDER = 4


@dataclass(frozen=True, kw_only=True, eq=False)
class Excerpt:
    """N smooth rows of n joints; motion and effort went through the same zero-phase filter, and so did the sign of the velocity.

    time : (N,)                       Stamps [s].
    q, dq, ddq, sign, effort : (N, n)
    slope : (N, n)                    Rate of change of the effort [N·m/s | N/s].
    use : (N, n) bool                 Which rows of which joint are used.
    floor : (n,)                      What no model can explain of a joint, as a share of its RMS effort.
    seconds : float                   Of the log, that the rows stand for.
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
    seconds: float

    def correct(self, correction: Correction) -> Excerpt:
        """The rows of the log with a correction of its columns; a delay to first order, and nothing left out."""
        motion, effort = np.ones(self.q.shape[1]), np.ones(self.q.shape[1])
        motion *= factor("q", correction.units["q"]) if "q" in correction.units else 1.0
        effort *= factor("effort", correction.units["effort"]) if "effort" in correction.units else 1.0
        for values in (correction.signs, None if correction.counts is None else 1.0 / correction.counts):
            motion *= 1.0 if values is None else values
        for values in (correction.effort_signs, correction.effort_gains):
            effort *= 1.0 if values is None else values
        late = 0.0 if correction.delay is None else correction.delay
        speed = motion / correction.clock
        order = slice(None) if correction.order is None else list(correction.order)
        efforts = slice(None) if correction.effort_order is None else list(correction.effort_order)
        return replace(
            self,
            time=self.time * correction.clock,
            q=(self.q * motion + (0.0 if correction.offsets is None else correction.offsets))[:, order],
            dq=(self.dq * speed)[:, order],
            ddq=(self.ddq * speed / correction.clock)[:, order],
            sign=(self.sign * np.sign(motion))[:, order],
            effort=((self.effort + late * self.slope)[:, efforts] * effort)[:, order],
            slope=(self.slope[:, efforts] * effort / correction.clock)[:, order],
            use=self.use[:, order],
            floor=self.floor[efforts][order],
        )


def take_excerpt(data: Dataset) -> Excerpt | None:
    """The rows of a log with effort; None where no part of it is long enough for a filter."""
    log = even_clock(data)
    log = replace_derivatives(log, find_disagreements(log))
    cutoff = motion_cutoff(log)
    edge = max(round(log.rate / cutoff), 1)
    pieces = [
        _smooth(log, window, cutoff, edge) for window in log.segments if window.stop - window.start > max(4 * edge, 2 * shortest(_ORDER))
    ]
    if not pieces:
        return None
    columns = [np.concatenate(column) for column in zip(*pieces, strict=True)]
    step = max(1, len(columns[0]) // ROWS)
    time, q, dq, ddq, sign, effort, slope, use = (column[::step] for column in columns)
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
        seconds=len(columns[0]) / log.rate,
    )


def _floor(effort: Array) -> Array:
    sizes = np.sqrt(np.mean(effort**2, axis=0))
    return np.maximum(LEAST_FLOOR, _CROSSTALK * sizes.max() / np.maximum(sizes, _CROSSTALK * sizes.max() + 1e-300))


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


def _smooth(log: Dataset, window: slice, cutoff: float, edge: int) -> tuple[Array, ...]:
    time, inner = log.time[window], slice(edge, -edge)

    def smooth(values: Array) -> Array:
        return forward_backward(values, cutoff=cutoff, rate=log.rate, order=_ORDER)

    q = smooth(log.q[window])
    dq = smooth(np.gradient(log.q[window], time, axis=0) if log.dq is None else log.dq[window])
    ddq = np.gradient(dq, time, axis=0) if log.ddq is None else smooth(log.ddq[window])
    effort, use = smooth(log.require("effort")[window]), smooth(used_rows(log)[window].astype(float))
    rows = (time, q, dq, ddq, smooth(np.sign(dq)), effort, np.gradient(effort, time, axis=0), use)
    return tuple(values[inner] for values in rows)
