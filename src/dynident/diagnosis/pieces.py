"""The pieces of a log between which nothing is known: stamps or positions leap there, and no derivative or filter may cross."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.large_arrays import row_blocks
from dynident.data import Dataset
from dynident.data.signals.sampling import GAP, find_gaps

#: A step of the position this many times beyond the usual difference of neighbouring steps, and beyond the largest steps of all, is a leap;
#: smaller ones [rad | m] are those of an encoder.
_BEYOND, _LARGEST, _SMALLEST = 20.0, 3.0, 1e-2
#: A joint moves at a leap where its steps beside it are this share of its largest. Where samples were lost, at least a third of the joints
#: leap, or others' steps are longer by this factor; where one leaps alone, it is fewer than a third of those that move, and theirs are not.
_MOVES, _THIRD, _GOES_ON = 0.2, 1.0 / 3.0, 1.5
#: The position stays where it leaps to, for so many samples, by this share of the leap.
_STAYS, _SHARE = 8, 0.7
#: More leaps than this are how a log is, not what happened to it.
_MOST = 20
#: Samples that tell what is usual, and of longer logs windows of so many.
_ENOUGH, _WINDOW = 100_000, 1_000


class Leap(NamedTuple):
    """The sample after which positions leap, and the joints (from 0) that do while others move on; none where samples were lost."""

    sample: int
    joints: tuple[int, ...]


def split(data: Dataset) -> Dataset:
    """The log with a segment for every piece."""
    starts = {*data.starts, *find_gaps(data), *(leap.sample + 1 for leap in find_leaps(data))}
    return data if len(starts) == len(data.starts) else replace(data, starts=tuple(sorted(starts)), provenance=data.provenance)


def find_leaps(data: Dataset) -> list[Leap]:
    """Where positions leap although stamps don't."""
    leaps = [
        Leap(segment.start + leap.sample, leap.joints) for segment in data.segments for leap in _leaps(data.time[segment], data.q[segment])
    ]
    return leaps if len(leaps) <= _MOST else []


def _leaps(time: Array, q: Array) -> list[Leap]:
    """Rows after which positions (N, n) leap, of those that differ from the one before."""
    n = q.shape[1]
    pairs = list(row_blocks(len(q) - 1, q, width=n))
    new = np.flatnonzero(np.concatenate([[True], *(np.any(q[i.start + 1 : i.stop + 1] != q[i], axis=1) for i in pairs)]))
    if len(new) < 10:
        return []
    usual, ordinary, longest, period = _usual(time, q, new)
    result: list[Leap] = []
    for block in row_blocks(len(new) - 3, q, width=n):
        first = max(block.start - 1, 0)
        rows = new[first : block.stop + 4]
        periods = np.diff(time[rows])
        speeds = np.diff(q[rows], axis=0) / periods[:, None]
        before, at, after = speeds[:-2], speeds[1:-1], speeds[2:]
        leap = (np.minimum(np.abs(at - before), np.abs(at - after)) > _BEYOND * usual) & (np.abs(at) > _LARGEST * ordinary)
        leap &= np.abs(np.diff(q[rows], axis=0)[1:-1]) > np.maximum(_LARGEST * longest, _SMALLEST)  # else the stamp leaps
        again = leap[1:] & leap[:-1]  # there and back again is a faulty sample
        leap[1:] &= ~again
        leap[:-1] &= ~again
        moves = ~leap & (np.minimum(np.abs(before), np.abs(after)) > _MOVES * ordinary)
        for row in np.flatnonzero(leap.any(axis=1) & (periods[1:-1] < GAP * period)).tolist():
            place = first + row + 2
            if not block.start <= first + row < block.stop:
                continue
            leaping, moving = np.flatnonzero(leap[row]).tolist(), np.count_nonzero(moves[row])
            others = float(np.abs(at[row][~leap[row]]).sum())
            times = others / (0.5 * float(np.abs(before[row] + after[row])[~leap[row]].sum()) + 1e-300)
            if moving and 1.0 / _GOES_ON < times < _GOES_ON and len(leaping) <= max(1.0, _THIRD * (len(leaping) + moving)):
                stay = tuple(j for j in leaping if _stays(q[new[place - _STAYS : place + _STAYS], j]))
                result += [Leap(int(new[place]) - 1, stay)] if stay else []
            elif (times >= _GOES_ON and others * period > _SMALLEST) or len(leaping) >= max(1, n // 3):
                result.append(Leap(int(new[place]) - 1, ()))
    return result


def _usual(time: Array, q: Array, new: IntArray) -> tuple[Array, Array, Array, float]:
    """What is usual of the rows that differ: (n,) changes of the speed, (n,) speeds [rad/s | m/s], (n,) steps, and the period [s]."""
    count, length = (1, len(new)) if len(new) <= _ENOUGH else (_ENOUGH // _WINDOW, _WINDOW)
    rows = new[np.linspace(0, len(new) - length, count).astype(int)[:, None] + np.arange(length)]
    steps = np.diff(q[rows], axis=1)
    speeds = steps / np.diff(time[rows], axis=1)[:, :, None]
    usual = np.median(np.abs(np.diff(speeds, axis=1)), axis=(0, 1)) + 1e-12
    ordinary, longest = (np.percentile(np.abs(values), 99.0, axis=(0, 1)) + 1e-12 for values in (speeds, steps))
    return usual, ordinary, longest, float(np.median(np.diff(time[new])))


def _stays(q: Array) -> bool:
    """Whether positions (2 k,) go on after a leap in their middle as they did before it."""
    if len(q) < 2 * _STAYS:
        return False
    steps = np.diff(q)
    usual = float(np.median(np.delete(steps, _STAYS - 1)))
    away = float(np.median(q[_STAYS:]) - np.median(q[:_STAYS])) - usual * _STAYS
    return away / steps[_STAYS - 1] > _SHARE
