"""Which samples are of joints that stand still: there the sign of a measured velocity is noise, and friction holds what it must.

Told by positions alone, over blocks that are long enough to tell a slow motion from noise and quantisation; a joint that turns back
is slow for less time than one that rests.
"""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.large_arrays import column_ranges, release
from dynident.data.dataset import Dataset
from dynident.data.signals.encoder_noise import position_noise

#: A joint rests where it moves by less than this share of its fastest, in so many blocks of this length [s] one after the other.
SLOW, BLOCKS, BLOCK = 0.01, 3, 0.05
#: A joint whose positions span less than so many standard deviations of their noise never moves; noise spans 10 in a million samples.
_SPAN = 12.0


def find_rest(dataset: Dataset) -> BoolArray:
    """(N, n) whether a joint stands still at a sample; to the length of a block."""
    length = max(1, round(BLOCK * dataset.rate))
    speeds = {segment.start: _block_speeds(dataset, segment, length) for segment in dataset.segments}
    fastest = np.max([blocks.max(axis=0, initial=0.0) for blocks in speeds.values()], axis=0)
    resting = np.zeros(dataset.q.shape, dtype=bool)
    for start, blocks in speeds.items():
        at_rest = np.repeat(_long_enough(blocks <= SLOW * fastest), length, axis=0)
        resting[start : start + len(at_rest)] = at_rest
    if dataset.samples > BLOCKS * length:
        low, high = column_ranges(dataset.q)
        resting[:, high - low <= _SPAN * position_noise(dataset)] = True
    release(dataset.q, dataset.time)
    return resting


def _block_speeds(dataset: Dataset, segment: slice, length: int) -> Array:
    """(blocks, n) mean speed of every whole block of a segment [rad/s | m/s]."""
    ends = slice(segment.start, segment.stop, length)
    return np.abs(np.diff(dataset.q[ends], axis=0)) / np.diff(dataset.time[ends])[:, None]


def _long_enough(slow: BoolArray) -> BoolArray:
    """The slow blocks (blocks, n) that have enough others beside them."""
    first = len(slow) - BLOCKS + 1
    kept = np.zeros_like(slow)
    if first > 0:
        whole = np.logical_and.reduce([slow[k : k + first] for k in range(BLOCKS)])
        for k in range(BLOCKS):
            kept[k : k + first] |= whole
    return kept
