"""Rows of a log in parts that are each predicted without themselves: whole segments, phases of a motion that repeats, or blocks.

Neighbouring samples say the same thing, so a part is never a random choice of them. A motion that repeats says the same thing once per
period: a block of it would be predicted by a fit that has seen the very same motion, so there a part is a phase, in all its periods.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.errors import ValueRangeError
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.rows import RowGroup, RowTable, Tables

#: Rows a lag apart are alike when the mean square of their difference is below the first share of that of unrelated rows; a motion has
#: left where it was when it exceeds the second.
_ALIKE, _UNLIKE = 0.2, 0.5
#: A period is told from at least so many rows that are one apart, and this share of the log.
_LEAST_ROWS, _LEAST_SHARE = 20, 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class Parts:
    """names : what each part is; labels : per group and segment (rows,) the part that each row belongs to."""

    names: tuple[str, ...]
    labels: tuple[tuple[IntArray, ...], ...]

    def held_out(self, tables: Tables, part: int) -> list[Array]:
        """Per group the rows (c + 1, rows) of a part."""
        return [
            np.concatenate([table[:, marks == part] for table, marks in zip(group, labels, strict=True)], axis=1)
            for group, labels in zip(tables, self.labels, strict=True)
        ]

    def near(self, group: int, part: int, guard: int) -> BoolArray:
        """(rows,) which of a group's rows, all segments in a line, are in a part or within `guard` rows of it."""
        return np.concatenate([_widen(marks == part, guard) for marks in self.labels[group]])

    def others(self, tables: Tables, part: int, guard: int) -> Tables:
        """Per group the unbroken runs of rows in other parts, `guard` rows away from this one: a filter mixes the noise of neighbours."""
        return tuple(
            tuple(run for table, marks in zip(group, labels, strict=True) for run in _runs(table, ~_widen(marks == part, guard)))
            for group, labels in zip(tables, self.labels, strict=True)
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class TableRows:
    """Rows that are in memory, as a source of a problem. runs : per group, unbroken runs in the order of time."""

    base: BaseParameters
    groups: tuple[RowGroup, ...]
    runs: Tables

    @property
    def rows_per_group(self) -> int:
        return max(sum(table.shape[1] for table in group) for group in self.runs)

    def tables(self) -> Iterator[RowTable]:
        for g, group in enumerate(self.runs):
            for number, table in enumerate(group):
                yield RowTable(g, table.copy(), number)


def partition_rows(tables: Tables, folds: int) -> Parts:
    """The rows in `folds` parts that are disjoint and make the whole."""
    lengths = [[table.shape[1] for table in group] for group in tables]
    if not 2 <= folds <= 100:
        raise ValueRangeError("folds", f"are {folds}; from 2 to 100 are possible")
    least = min(sum(group) for group in lengths)
    if folds > least // 2:
        raise ValueRangeError("folds", f"are {folds} for {least} samples; each needs at least 2", remedy="use fewer folds")
    if len(lengths[0]) >= folds:
        groups = _balance([sum(group[s] for group in lengths) for s in range(len(lengths[0]))], folds)
        names = tuple(f"segment{'s' if len(group) > 1 else ''} {', '.join(str(i + 1) for i in group)}" for group in groups)
        owner = {segment: part for part, group in enumerate(groups) for segment in group}
        return Parts(names=names, labels=tuple(tuple(np.full(n, owner[s]) for s, n in enumerate(group)) for group in lengths))
    alike = len(lengths[0]) == 1 and all(group == lengths[0] for group in lengths)
    period = find_period(tables[0][0][:-1]) if alike else None
    shares = [f"{k / folds:.0%} to {(k + 1) / folds:.0%}" for k in range(folds)]
    if period is not None:
        numbers = (np.arange(lengths[0][0], dtype=np.int64) % period) * folds // period
        return Parts(names=tuple(f"phase {share}" for share in shares), labels=tuple((numbers,) for _ in tables))
    labels: list[tuple[IntArray, ...]] = []
    for group in lengths:
        whole = np.arange(sum(group), dtype=np.int64) * folds // sum(group)
        labels.append(tuple(np.split(whole, np.cumsum(group)[:-1])))
    return Parts(names=tuple(f"samples {share}" for share in shares), labels=tuple(labels))


def find_period(Y: Array) -> int | None:
    """The rows after which a motion repeats, from its regressor (columns, rows); None where it doesn't."""
    rows = Y.shape[1]
    centred = Y - Y.mean(axis=1, keepdims=True)
    size = np.sqrt(np.mean(centred**2, axis=1))
    moves = size > 1e-9 * max(float(size.max()), 1e-300)
    longest = rows - max(_LEAST_ROWS, round(_LEAST_SHARE * rows))
    if longest < 2 or not moves.any():
        return None
    scaled = centred[moves] / size[moves, None]
    spectrum = np.sum(np.abs(np.fft.rfft(scaled, 2 * rows, axis=1)) ** 2, axis=0)
    products = np.fft.irfft(spectrum)[:longest]
    squares = np.append(0.0, np.cumsum(np.sum(scaled**2, axis=0)))
    lags = np.arange(longest, dtype=np.int64)
    apart = squares[rows - lags] + squares[rows] - squares[lags] - 2.0 * products
    unlike: Array = apart / (2.0 * len(scaled) * (rows - lags))
    away = np.flatnonzero(unlike > _UNLIKE)
    back = np.flatnonzero(unlike[away[0] :] < _ALIKE) + away[0] if len(away) else away
    if not len(back):
        return None
    gone = np.flatnonzero(unlike[back[0] :] > _UNLIKE)
    stop = back[0] + int(gone[0]) if len(gone) else longest
    return int(back[0] + np.argmin(unlike[back[0] : stop]))


def _balance(lengths: Sequence[int], folds: int) -> list[list[int]]:
    """Segments in groups of about equal length: the longest first, each to the group that has least."""
    groups: list[list[int]] = [[] for _ in range(folds)]
    totals = [0] * folds
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        least = min(range(folds), key=lambda g: (totals[g], g))
        groups[least].append(i)
        totals[least] += lengths[i]
    return [sorted(group) for group in groups]


def _widen(chosen: BoolArray, by: int) -> BoolArray:
    """True also next to where it is."""
    sums = np.append(0, np.cumsum(chosen))
    places = np.arange(len(chosen))
    return sums[np.minimum(places + by + 1, len(chosen))] > sums[np.maximum(places - by, 0)]


def _runs(table: Array, chosen: BoolArray) -> list[Array]:
    """The unbroken runs of the chosen rows."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], chosen, [False]])))
    return [table[:, start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True)]
