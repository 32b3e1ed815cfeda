"""Which samples of a log are used, and on what clock: resampling, decimation, trimming, masks; all within segments."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, BoolArray, per_joint
from dynident.core.large_arrays import allocate, row_blocks
from dynident.core.sizes import check_count
from dynident.data.dataset import Dataset
from dynident.data.signals.clocks import Places, hermite, locate
from dynident.errors import ValueRangeError

_log = logging.getLogger(__name__)

#: Steps that differ by less than this fraction of a period count as uniform: below it nothing is gained by resampling.
UNIFORM = 1e-3
#: A clock that leaps by more than so many of its median periods leaves a gap, of which nothing is known.
GAP = 10.0


def is_uniform(dataset: Dataset, *, tolerance: float = UNIFORM) -> bool:
    """Whether all steps within segments are equal, to a fraction `tolerance` of the period.

    Parameters
    ----------
    dataset : Dataset
        The log.
    tolerance : float
        Largest difference of a step from the median one, as a share of it.

    Returns
    -------
    bool
        Whether all steps are equal.
    """
    period = 1.0 / dataset.rate
    return all(np.abs(np.diff(dataset.time[segment]) - period).max(initial=0.0) <= tolerance * period for segment in dataset.segments)


def resample(dataset: Dataset, rate: float | None = None, *, gap: float = GAP) -> Dataset:
    """The log on a uniform clock of `rate` [Hz] (by default its own median rate), from the first stamp of each segment.

    Positions are interpolated by cubic Hermite polynomials with the measured velocities as slopes, and velocities with
    the accelerations, where these are recorded; everything else linearly, which never overshoots and lowers white noise
    (by up to a half of its variance, midway between samples). A segment is split where the clock leaps by more than `gap` of its
    median periods, as nothing is known there; pieces of one sample are dropped. Where a log is masked, the samples on
    either side must both be in use.

    There is no filter here: resample to about the log's own rate, then filter, then decimate.

    Parameters
    ----------
    dataset : Dataset
        The log.
    rate : float or None
        Of the new clock [Hz]; None for the median rate of the log.
    gap : float
        A segment is split where the clock leaps by more than so many of its median periods.

    Returns
    -------
    Dataset
        On a uniform clock.
    """
    hertz = dataset.rate if rate is None else float(rate)
    if not (np.isfinite(hertz) and hertz > 0):
        raise ValueRangeError("rate", f"is {hertz:g} Hz; it must be above 0")
    gaps = find_gaps(dataset, gap)
    if not gaps and abs(hertz / dataset.rate - 1.0) < 1e-9 and is_uniform(dataset, tolerance=1e-6):
        return dataset
    bounds = sorted({*dataset.starts, *gaps, dataset.samples})
    pieces = [slice(a, b) for a, b in pairwise(bounds) if b - a >= 2]
    if not pieces:
        raise ValueRangeError("time", f"leaps by more than {gap:g} periods at every sample; check the stamps and their unit")
    parts = [_resample_piece(dataset, piece, hertz) for piece in pieces]
    note = f"resampled to {hertz:.6g} Hz"
    if gaps:
        note += f" and split at {len(gaps)} gap{'s' if len(gaps) > 1 else ''} longer than {gap / dataset.rate:.3g} s"
        _log.info("%s: %s", dataset.source, note)
    joined = Dataset.concatenate(parts)
    return joined.after(note)


def find_gaps(dataset: Dataset, gap: float = GAP) -> list[int]:
    """Samples before which the stamps leap, within segments, by more than so many median periods."""
    steps = np.diff(dataset.time)
    steps[np.asarray(dataset.starts[1:], dtype=np.intp) - 1] = 0.0
    return (1 + np.flatnonzero(steps > gap / dataset.rate)).tolist()


def _resample_piece(dataset: Dataset, piece: slice, rate: float) -> Dataset:
    time = dataset.time[piece]
    check_count("rate", float(time[-1] - time[0]) * rate, remedy="take a lower rate")
    # a last stamp that rounding puts just behind the grid is still on it
    count = int(np.floor((time[-1] - time[0]) * rate + 1e-6)) + 1
    if count < 2:
        raise ValueRangeError("rate", f"of {rate:g} Hz leaves one sample of a piece of {time[-1] - time[0]:.3g} s; raise it")
    grid = time[0] + np.arange(count) / rate

    def at(values: Array | None, slopes: Array | None = None) -> Array | None:
        if values is None:
            return None
        y, result = values[piece], allocate((count, dataset.n))
        for block in row_blocks(count, values, slopes, result, width=dataset.n):
            places = locate(time, grid[block])
            result[block] = _linear(y, places) if slopes is None else hermite(y, slopes[piece], places)
        return result

    left = locate(time, grid).left
    mask = None if dataset.mask is None else dataset.mask[piece][left] & dataset.mask[piece][left + 1]
    q, dq = at(dataset.q, dataset.dq), at(dataset.dq, dataset.ddq)
    provenance = dataset.provenance.take(piece).resample(count)
    others = {name: at(getattr(dataset, name)) for name in ("ddq", "effort", "temperature")}
    period = None if dataset.period is None else dataset.period[piece][left]
    arrays = {"time": grid, "q": q, "dq": dq, **others, "mask": mask, "period": period}
    return dataset.after("", **arrays, starts=(0,), provenance=provenance)


def _linear(y: Array, places: Places) -> Array:
    s = places.share[:, None]
    return (1.0 - s) * y[places.left] + s * y[places.left + 1]


def mask_standstill(dataset: Dataset, speed: ArrayLike) -> Dataset:
    """Leave out a joint's samples below a speed [rad/s | m/s], one or one per joint: friction near standstill has no definite sign.

    Parameters
    ----------
    dataset : Dataset
        The log.
    speed : array_like
        Smallest |velocity| that is used, one or one per joint [rad/s | m/s].

    Returns
    -------
    Dataset
        With a mask.
    """
    if dataset.dq is None:
        raise ValueRangeError("dq", "is missing, so standstill can't be seen; differentiate first")
    least = per_joint("speed", speed, dataset.n, sign="nonnegative", infinite=True)
    return dataset.restrict(np.abs(dataset.dq) >= least, "without standstill")


def mask_saturation(dataset: Dataset, limits: ArrayLike) -> Dataset:
    """Leave out a joint's samples whose |effort| reaches a limit (in the effort's unit), one or one per joint: the sensor clips there.

    Parameters
    ----------
    dataset : Dataset
        The log.
    limits : array_like
        Largest |effort| that the sensor shows, one or one per joint, in the unit of the effort.

    Returns
    -------
    Dataset
        With a mask.
    """
    if dataset.effort is None:
        raise ValueRangeError("effort", "is missing, so saturation can't be seen")
    largest = per_joint("limits", limits, dataset.n, sign="nonnegative", infinite=True)
    return dataset.restrict(np.abs(dataset.effort) < largest, "without saturation")


def mask_times(dataset: Dataset, intervals: Sequence[tuple[float, float]]) -> Dataset:
    """Leave out the samples of all joints whose stamps [s] lie in one of the intervals (from, to), both ends included.

    A contact, a push or a fault of the recorder then reaches no equation.

    Parameters
    ----------
    dataset : Dataset
        The log.
    intervals : sequence of (from, to)
        Stamps between which no sample is used [s].

    Returns
    -------
    Dataset
        With a mask.

    Raises
    ------
    InputError
        Where no sample lies in one of the intervals.
    """
    check_left_out(dataset, intervals)
    return leave_out(dataset, [(start, stop, None) for start, stop in intervals])


def within(time: Array, interval: tuple[float, float]) -> BoolArray:
    """(N,) whether stamps are in an interval (from, to) [s], both ends included."""
    return (time >= interval[0]) & (time <= interval[1])


def check_left_out(dataset: Dataset, intervals: Sequence[tuple[float, float]]) -> None:
    """An error where one of the intervals (from, to) [s] holds no sample, or all of them every sample."""
    kept = np.ones(dataset.samples, dtype=bool)
    for start, stop in intervals:
        inside = within(dataset.time, (start, stop))
        if not inside.any():
            first, last = dataset.time.min(), dataset.time.max()
            raise ValueRangeError("without", f"{start:g}:{stop:g} holds no sample; the log's stamps are {first:.6g} to {last:.6g} s")
        kept[inside] = False
    if not kept.any():
        raise ValueRangeError("without", "leaves no sample of the log; give shorter intervals")


def leave_out(dataset: Dataset, intervals: Sequence[tuple[float, float, int | None]]) -> Dataset:
    """Leave out the samples of a joint, None for all of them, whose stamps lie in an interval (from, to, joint) [s]."""
    mask = np.ones(dataset.q.shape, dtype=bool)
    for start, stop, joint in intervals:
        mask[within(dataset.time, (start, stop)), slice(None) if joint is None else joint] = False
    spans = dict.fromkeys(f"{start:g}:{stop:g} s" for start, stop, _ in intervals)
    return dataset.restrict(mask, f"without {', '.join(spans)}")


def trim(dataset: Dataset, seconds: float) -> Dataset:
    """Without the first and last `seconds` of every segment, where filters are wrong; segments shorter than both are dropped.

    Parameters
    ----------
    dataset : Dataset
        The log.
    seconds : float
        What is cut at each end of each segment [s].

    Returns
    -------
    Dataset
        With shorter segments.
    """
    if not seconds >= 0:
        raise ValueRangeError("seconds", f"is {seconds:g}; it must be 0 or more")
    kept: list[range] = []
    rounding = 1e-6 / dataset.rate
    for segment in dataset.segments:
        time = dataset.time[segment]
        first = int(np.count_nonzero(time < time[0] + seconds - rounding))
        stop = int(np.count_nonzero(time <= time[-1] - seconds + rounding))
        if stop - first >= 2:
            kept.append(range(segment.start + first, segment.start + stop))
    if not kept:
        raise ValueRangeError("seconds", f"is {seconds:g}, and no segment is longer than twice that; trim less")
    return _keep(dataset, kept, f"trimmed by {seconds:g} s")


def decimate(dataset: Dataset, factor: int) -> Dataset:
    """Every factor-th sample of each segment. Filter first: frequencies above half the new rate fold back as noise.

    Parameters
    ----------
    dataset : Dataset
        The log.
    factor : int
        How many samples become one, at least 1.

    Returns
    -------
    Dataset
        At rate / factor.
    """
    if factor < 1:
        raise ValueRangeError("factor", f"is {factor}; it must be at least 1")
    return _keep(dataset, [range(s.start, s.stop, factor) for s in dataset.segments], f"every {factor}th sample")


def _keep(dataset: Dataset, kept: Sequence[range], what: str) -> Dataset:
    starts = np.cumsum([0, *map(len, kept[:-1])]).tolist()
    return dataset.take(np.concatenate([np.array(part, dtype=np.intp) for part in kept]), starts=starts, step=what)
