"""Channels on another clock than the positions: values where other stamps want them, and efforts that were stamped late or early."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynident.core.arrays import Array, BoolArray, per_joint
from dynident.data.dataset import Dataset
from dynident.errors import ValueRangeError

#: A wanted stamp that is closer to a sample than this share of the step is that sample's.
_ON_SAMPLE = 1e-6
#: A channel that was silent for more than so many of its periods says nothing there.
_SILENCE = 10.0


class Places(NamedTuple):
    """Where stamps lie on a clock: the sample before each, the share of the step after it, and that step [s]."""

    left: NDArray[np.intp]
    share: Array
    step: Array


def locate(time: Array, stamps: Array) -> Places:
    """Where stamps (k,), none of them outside of the clock, lie on a clock (N,) of at least two stamps."""
    after = np.searchsorted(time, stamps, side="right")
    left = np.clip(after - 1, 0, len(time) - 2)
    step = time[left + 1] - time[left]
    return Places(left, np.clip((stamps - time[left]) / step, 0.0, 1.0), step)


def hermite(y: Array, slope: Array, places: Places) -> Array:
    """(k, ...) the cubics through the samples of y (N, ...) on either side, with the given slopes there."""
    shape = (-1, *([1] * (y.ndim - 1)))
    left, s, step = places.left, places.share.reshape(shape), places.step.reshape(shape)
    rise = s * s * (3.0 - 2.0 * s)
    tangents = s * (1.0 - s) * step * ((1.0 - s) * slope[left] - s * slope[left + 1])
    return (1.0 - rise) * y[left] + rise * y[left + 1] + tangents


def values_at(time: Array, values: Array, stamps: Array) -> Array:
    """(k, ...) values (N, ...) of a clock (N,) at stamps between its first and last, by cubics with the slopes of the neighbours.

    Quadratics are exact on an even clock; white noise loses up to 36 % of its variance, midway between samples. A stamp on a sample
    gets that sample as it is.
    """
    left, share, step = locate(time, stamps)
    share = np.where(share < _ON_SAMPLE, 0.0, np.where(share > 1.0 - _ON_SAMPLE, 1.0, share))
    slopes = np.gradient(values, time, axis=0, edge_order=2 if len(time) > 2 else 1)
    return hermite(values, np.asarray(slopes), Places(left, share, step))


class Merged(NamedTuple):
    """Channels on one clock (k,); none where they have less than two stamps in common.

    kept : (N,) which stamps of the clock are within all channels;  values : (k, ...) of each;  heard : (k,) of each, whether it had
    samples around these times.
    """

    kept: BoolArray
    values: list[Array]
    heard: list[BoolArray]


def merge_clocks(clock: NDArray[Any], channels: Sequence[tuple[NDArray[Any], Array]]) -> Merged:
    """Channels, stamps (N,) that increase and values (N, ...) each, at the stamps of a clock at which all of them were recorded.

    Stamps are dates, or numbers of one unit. A channel that was silent for more than ten of its periods says nothing there.
    """
    time, *times = (_ticks(stamps - clock[0]) for stamps in (clock, *(stamps for stamps, _ in channels)))
    kept = (time >= max(each[0] for each in times)) & (time <= min(each[-1] for each in times))
    merged, instants = Merged(kept, [], []), time[kept]
    for each, (_, values) in zip(times, channels if len(instants) > 1 else (), strict=False):
        if np.array_equal(each, instants) or len(each) < 2:  # one value is for all
            merged.values.append(np.broadcast_to(np.asarray(values, dtype=float), (len(instants), *np.shape(values)[1:])))
            merged.heard.append(np.ones(len(instants), dtype=bool))
            continue
        places = locate(each, instants)
        on_sample = (places.share == 0.0) | (places.share == 1.0)
        merged.values.append(values_at(each, np.asarray(values, dtype=float), instants))
        merged.heard.append(on_sample | (places.step <= _SILENCE * float(np.median(np.diff(each)))) | (len(each) < 3))
    return merged


def _ticks(spans: NDArray[Any]) -> Array:
    return np.asarray(spans / np.timedelta64(1, "ns") if spans.dtype.kind == "m" else spans, dtype=float)


def shift_effort(dataset: Dataset, delay: ArrayLike) -> Dataset:
    """The log with efforts that were stamped `delay` [s] later than they acted, one or one per joint, put back to when they did.

    Each effort is the recorded one at its stamp plus the delay, which may be negative. Samples for which none was recorded, at one end
    of every segment, are left out. Where a log is masked, all samples that the shifted one is made of must be in use.

    Parameters
    ----------
    dataset : Dataset
        The log.
    delay : array_like
        How much later than they acted the efforts were stamped, one or one per joint [s]; negative where they were earlier.

    Returns
    -------
    Dataset
        With efforts at the stamps at which they acted.
    """
    if dataset.effort is None:
        raise ValueRangeError("effort", "is missing, so there is nothing to shift")
    delays = per_joint("delay", delay, dataset.n)
    if not np.any(delays):
        return dataset
    effort, mask = np.array(dataset.effort), None if dataset.mask is None else np.array(dataset.mask)
    rows: list[NDArray[np.intp]] = []
    slack = _ON_SAMPLE / dataset.rate
    for segment in dataset.segments:
        time = dataset.time[segment]
        inside = (time + delays.min() >= time[0] - slack) & (time + delays.max() <= time[-1] + slack)
        kept = segment.start + np.flatnonzero(inside)
        if len(kept) < 2:
            continue
        rows.append(kept)
        for j, shift in enumerate(delays.tolist()):
            stamps = dataset.time[kept] + shift
            effort[kept, j] = values_at(time, dataset.effort[segment, j], stamps)
            if mask is not None and dataset.mask is not None:
                mask[kept, j] &= _all_in_use(dataset.mask[segment, j], locate(time, stamps))
    if not rows:
        raise ValueRangeError("delay", f"is {delays.tolist()} s, and no segment of the log is longer; check that it is in seconds")
    starts = np.cumsum([0, *map(len, rows[:-1])]).tolist()
    shifted = f"efforts {_text(delays)} s earlier"
    return dataset.after("", effort=effort, mask=mask).take(np.concatenate(rows), starts=starts, step=shifted)


def _all_in_use(mask: BoolArray, places: Places) -> BoolArray:
    """(k,) whether the sample, or the four samples, that a value is made of are used."""
    neighbours = [mask[np.clip(places.left + k, 0, len(mask) - 1)] for k in (-1, 0, 1, 2)]
    first, last = places.share < _ON_SAMPLE, places.share > 1.0 - _ON_SAMPLE
    return np.where(first, neighbours[1], np.where(last, neighbours[2], np.logical_and.reduce(neighbours)))


def _text(delays: Array) -> str:
    return f"{delays[0]:g}" if np.all(delays == delays[0]) else ", ".join(f"{delay:g}" for delay in delays)
