"""The pieces of a log between which nothing is known: stamps or positions leap there, and no derivative or filter may cross."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Dataset
from dynident.data.signals.sampling import GAP

#: A step of the position this many times beyond the usual difference of neighbouring steps, and beyond the largest steps of all, is a leap.
_BEYOND, _LARGEST = 20.0, 3.0
#: More leaps than this are how a log is, not what happened to it.
_MOST = 20


def split(data: Dataset) -> Dataset:
    """The log with a segment for every piece."""
    starts = {*data.starts, *find_gaps(data), *(place + 1 for place in find_leaps(data))}
    return data if len(starts) == len(data.starts) else replace(data, starts=tuple(sorted(starts)), provenance=data.provenance)


def find_gaps(data: Dataset) -> list[int]:
    """Samples before which the stamps leap, within segments."""
    longest = GAP / data.rate
    return [segment.start + 1 + k for segment in data.segments for k in np.flatnonzero(np.diff(data.time[segment]) > longest).tolist()]


def find_leaps(data: Dataset) -> list[int]:
    """Samples after which positions leap although stamps don't."""
    found = [segment.start + k for segment in data.segments for k in _leaps(data.time[segment], data.q[segment])]
    return found if len(found) <= _MOST else []


def _leaps(time: Array, q: Array) -> list[int]:
    """Rows after which positions (N, n) leap, of those that differ from the one before."""
    new = np.flatnonzero(np.append(True, np.any(np.diff(q, axis=0) != 0.0, axis=1)))
    if len(new) < 10:
        return []
    periods = np.diff(time[new])
    speeds = np.diff(q[new], axis=0) / periods[:, None]
    usual = np.median(np.abs(np.diff(speeds, axis=0)), axis=0) + 1e-12
    ordinary = np.percentile(np.abs(speeds), 99.0, axis=0) + 1e-12
    off = np.minimum(*np.abs(speeds[1:-1] - np.stack([speeds[:-2], speeds[2:]])))
    leap = (off > _BEYOND * usual) & (np.abs(speeds[1:-1]) > _LARGEST * ordinary)
    enough = max(1, q.shape[1] // 3)
    places = 1 + np.flatnonzero((leap.sum(axis=1) >= enough) & (periods[1:-1] < GAP * np.median(periods)))
    return (new[places + 1] - 1).tolist()
