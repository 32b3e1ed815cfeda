"""Stretches of a log, as intervals of the clocks of its recordings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.data import Dataset, Reading
from dynident.data.signals.sampling import within
from dynident.diagnosis.correction import Correction


class Stretch(NamedTuple):
    """An interval of the clock of a recording [s], which is numbered as in `Dataset.recordings`."""

    start: float
    stop: float
    recording: int = 0

    @property
    def middle(self) -> float:
        return 0.5 * (self.start + self.stop)


def recording_of_rows(data: Dataset) -> IntArray:
    """(N,) the recording that each sample is of."""
    return np.repeat(data.recordings, [segment.stop - segment.start for segment in data.segments])


def find_stretches(time: Array, inside: BoolArray, recording: IntArray, *, wider: float = 0.0, apart: float = 0.0) -> list[Stretch]:
    """The stretches of stamps (N,) that are inside (N,), wider on both sides and merged where they are not apart [s]."""
    stretches: list[Stretch] = []
    for number in np.unique(recording[inside]).tolist():
        rows = np.flatnonzero(recording == number)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], inside[rows], [False]]).astype(int)))
        for first, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            start, end = float(time[rows[first]]) - wider, float(time[rows[stop - 1]]) + wider
            if stretches and stretches[-1].recording == number and start - stretches[-1].stop <= apart:
                stretches[-1] = Stretch(stretches[-1].start, max(end, stretches[-1].stop), number)
            else:
                stretches.append(Stretch(start, end, number))
    return stretches


def cover(stretches: Iterable[Stretch], time: Array, recording: IntArray) -> BoolArray:
    """(N,) whether stamps of recordings, (N,) each, are in one of the stretches."""
    inside = np.zeros(len(time), dtype=bool)
    for start, stop, number in stretches:
        inside |= within(time, (start, stop)) & (recording == number)
    return inside


def leave_out(data: Dataset, stretches: Sequence[Stretch]) -> Correction:
    """The correction that leaves stretches of a log out: of each recording its own."""
    names = data.recording_names
    by_name = {name: [item[:2] for item in stretches if names[item.recording] == name] for name in names}
    without = by_name[names[0]] if len(names) == 1 else {name: intervals for name, intervals in by_name.items() if intervals}
    return Correction.of(data.n, Reading(without=without))


def total(stretches: Iterable[Stretch]) -> float:
    """Their length [s]."""
    return sum(item.stop - item.start for item in stretches)
