"""Stretches of a log, as intervals of its clock."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array, BoolArray


def find_intervals(time: Array, inside: BoolArray, *, wider: float = 0.0, apart: float = 0.0) -> list[tuple[float, float]]:
    """The stretches of stamps (N,) that are inside (N,), wider on both sides and merged where they are not apart [s]."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(int)))
    found: list[tuple[float, float]] = []
    for first, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        start, end = float(time[first]) - wider, float(time[stop - 1]) + wider
        if found and start - found[-1][1] <= apart:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def total(intervals: list[tuple[float, float]]) -> float:
    """Their length [s]."""
    return sum(stop - start for start, stop in intervals)
