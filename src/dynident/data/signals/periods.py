"""Logs of a motion that was driven several times: which samples are whole repetitions of it, and their average.

A robot that repeats a motion does the same again, but for noise: the mean of N repetitions, sample by sample, has 1/√N of the noise in all
signals, also in the positions that a regressor is made of, where more samples would not help (Swevers et al., IEEE T-RA 13(5), 1997).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynident.core.arrays import Array, IntArray
from dynident.data.dataset import Dataset
from dynident.data.provenance import Provenance
from dynident.errors import InputError, ValueRangeError

#: Repetitions are of one motion when their positions differ (rms) by less than this share of how far the joint goes.
_SAME = 0.02
#: A shift of fewer standard deviations is taken for noise: samples that are not shifted need no interpolation.
_SHIFT = 4.0
#: A repetition with fewer than this share of the samples of the longest was not driven to its end.
_WHOLE = 0.99


def marks_at(motion: Dataset, time: Array) -> IntArray | None:
    """(N,) the marks of a motion at other times [s from its first sample]: those of the sample before; None where it has none."""
    if motion.period is None:
        return None
    rounding = 1e-6 / motion.rate
    place = np.searchsorted(motion.time - motion.time[0], np.asarray(time) + rounding, side="right") - 1
    return motion.period[np.clip(place, 0, motion.samples - 1)]


def keep_periods(dataset: Dataset, first: int = 1, last: int | None = None) -> Dataset:
    """Use only the whole repetitions from `first` to `last`, both included and counted from 1; by default all of them.

    Samples on the way there and back are masked out, not cut: filters see them.

    Parameters
    ----------
    dataset : Dataset
        A log whose repetitions are marked in `period`.
    first : int
        First repetition to use.
    last : int or None
        Last repetition to use; None for the last one that is whole.

    Returns
    -------
    Dataset
        With a mask.

    Raises
    ------
    InputError
        Where the repetitions of the log are not marked.
    """
    if dataset.period is None:
        raise InputError(_UNMARKED.format(dataset.source or "the log"))
    most = int(dataset.period.max())
    end = most if last is None else last
    if not 1 <= first <= end or first > most:
        raise ValueRangeError("periods", f"{first}:{end} are none of the log's, which are 1 to {most}")
    use = (dataset.period >= first) & (dataset.period <= end)
    step = "without approach and return" if (first, end) == (1, most) else f"periods {first} to {min(end, most)}"
    return dataset.restrict(np.broadcast_to(use[:, None], dataset.q.shape), step)


def average_periods(dataset: Dataset) -> Dataset:
    """Each recording's whole repetitions as one, sample by sample their mean; only those that are in use.

    Repetitions are laid on each other by their positions, to a fraction of a sample, and put on one even clock. Before and after the mean
    stands the same again, masked out, so that filters find no edge.

    Parameters
    ----------
    dataset : Dataset
        A log whose repetitions are marked in `period`.

    Returns
    -------
    Dataset
        One repetition per recording.

    Raises
    ------
    InputError
        Where repetitions are not of one motion, or where there is one alone.
    """
    if dataset.period is None:
        raise InputError(_UNMARKED.format(dataset.source or "the log"))
    windows: dict[int, list[_Window]] = {}
    for segment, recording in zip(dataset.segments, dataset.recordings, strict=True):
        marks = dataset.period[segment]
        edges = [0, *(np.flatnonzero(np.diff(marks)) + 1).tolist(), len(marks)]
        for start, stop in pairwise(edges):
            rows = slice(segment.start + start, segment.start + stop)
            if marks[start] > 0 and (dataset.mask is None or dataset.mask[rows].any()):
                windows.setdefault(recording, []).append(_Window(segment, rows))
    if not windows:
        raise InputError(f"{dataset.source or 'the log'} has no whole period that is in use")
    if all(len(repetitions) == 1 for repetitions in windows.values()):
        raise InputError(f"{dataset.source or 'the log'} has one whole period of each motion, so that there is nothing to average")
    return Dataset.concatenate([_average(dataset, repetitions) for repetitions in windows.values()])


class _Window(NamedTuple):
    """A repetition: the segment that it is in, and its rows."""

    segment: slice
    rows: slice

    @property
    def indices(self) -> NDArray[np.intp]:
        """Of its rows."""
        return np.arange(int(self.rows.start), int(self.rows.stop), dtype=np.intp)

    def duration(self, time: Array) -> float:
        """[s]"""
        return float(time[self.rows.stop - 1] - time[self.rows.start])


def _average(dataset: Dataset, windows: list[_Window]) -> Dataset:
    """One recording's repetitions as their mean, with the same before and after."""
    longest = max(window.duration(dataset.time) for window in windows)
    whole = [window for window in windows if window.duration(dataset.time) >= _WHOLE * longest]
    count = round((longest + 1.0 / dataset.rate) * dataset.rate)
    grid = np.arange(count) / dataset.rate
    times = _align(dataset, whole, grid)
    arrays = {name: None if getattr(dataset, name) is None else _thrice(_mean(dataset, name, whole, times)) for name in _SIGNALS}
    inside = np.repeat([False, True, False], count)
    used = np.ones((count, dataset.n), dtype=bool)
    if dataset.mask is not None:
        used = _mean(dataset, "mask", whole, times) > 1.0 - 1e-9
    rows = np.concatenate([window.indices for window in whole])
    piece = dataset.provenance.take(rows).resample(count)
    mean = replace(
        dataset,
        time=times[0][0] + np.arange(-count, 2 * count) / dataset.rate,
        **arrays,
        mask=_thrice(used) & inside[:, None],
        period=inside.astype(np.int64),
        starts=(0,),
        provenance=Provenance.join([piece] * 3),
    )
    return mean.after(f"mean of {len(whole)} periods")


def _align(dataset: Dataset, windows: list[_Window], grid: Array) -> list[Array]:
    """The stamps (count,) [s] at which each repetition is where the first one is on the grid.

    A shift δ is the least-squares solution of q(t + δ) ≈ q₁(t) to first order, δ = Σ dq (q₁ - q) / Σ dq², twice.
    """
    first = dataset.time[windows[0].rows.start] + grid
    q = _at(dataset, "q", windows[0], first)
    slope = np.gradient(q, 1.0 / dataset.rate, axis=0)
    stamps = [first]
    for window in windows[1:]:
        marked = dataset.time[window.rows.start] + grid
        shift, steepness = 0.0, max(float(np.sum(slope**2)), 1e-300)
        for _ in range(2):
            rest = q - _at(dataset, "q", window, marked + shift)
            shift += float(np.sum(slope * rest)) / steepness
        rest = _at(dataset, "q", window, marked + shift) - q
        times = marked if abs(shift) < _SHIFT * np.sqrt(np.mean(rest**2) / steepness) else marked + shift
        apart, way = np.sqrt(np.mean((_at(dataset, "q", window, times) - q) ** 2, axis=0)), np.ptp(q, axis=0)
        j = int(np.argmax(apart - _SAME * way))
        if apart[j] > _SAME * way[j]:
            joint = dataset.joint_names[j]
            raise InputError(f"the periods are not repetitions of one motion: joint {joint!r} differs by {apart[j]:.3g} of {way[j]:.3g}")
        stamps.append(times)
    return stamps


def _mean(dataset: Dataset, name: str, windows: list[_Window], times: list[Array]) -> Array:
    return np.mean([_at(dataset, name, window, stamps) for window, stamps in zip(windows, times, strict=True)], axis=0)


def _at(dataset: Dataset, name: str, window: _Window, times: Array) -> Array:
    """(count, n) a signal of the window's segment at other stamps, linear between samples."""
    stamps, values = dataset.time[window.segment], np.asarray(getattr(dataset, name)[window.segment], dtype=float)
    return np.column_stack([np.interp(times, stamps, values[:, j]) for j in range(dataset.n)])


def _thrice(values: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([values, values, values])


_SIGNALS = ("q", "dq", "ddq", "effort", "temperature")
_UNMARKED = "{} does not say which samples are whole periods; it has no column 'period'"
