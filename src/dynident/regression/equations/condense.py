"""All rows of a source as one triangular factor per recording and group, by QR.

The rows of an unfiltered log are worked on in stretches of fixed length, on as many threads as there are, and what these give is joined in
their order: the bits of a factor don't depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.threads import map_in_order, thread_count
from dynident.regression.equations.factors import compress
from dynident.regression.equations.rows import ControllerRows, LogRows, RowGroup, RowSource, TableCollection, Tables

#: Samples of a stretch: enough that starting one costs nothing, few enough that threads end at about the same time.
STRETCH = 16_000


class Condensed(NamedTuple):
    """factors : per recording and group, (c + 1, c + 1); counts : (recordings, groups) rows behind each; tables : where they were kept."""

    factors: list[list[Array]]
    counts: IntArray
    tables: Tables | None = None


def condense(rows: RowSource, progress: Callable[[float], None] | None = None, *, kept: int = 0) -> Condensed:
    """The factors of all rows of a source.

    progress : called with the share that is done. kept : rows whose noise is not independent are, where they are no more than so
    many numbers: filtered ones, and those of configurations.
    """
    if isinstance(rows, LogRows) and rows.filter is None:
        return condense_stretches(rows, progress)
    owners = rows.dataset.recordings if isinstance(rows, LogRows) else ()
    height = sum(len(group.columns) + 1 for group in rows.groups)
    dependent = isinstance(rows, (LogRows, ControllerRows))
    keep = dependent and height * rows.rows_per_group <= kept
    tables = TableCollection(rows) if keep else None
    factors = [_empty(rows.groups) for _ in {0, *owners}]
    counts = np.zeros((len(factors), len(rows.groups)), dtype=np.int64)
    for group, table, segment in rows.tables():
        recording = owners[segment] if owners else 0
        counts[recording, group] += table.shape[1]
        if tables is not None:
            tables.add(group, table.copy(), segment)
        factors[recording][group] = compress(factors[recording][group], table)
        if progress is not None and group == 0:
            progress(min(1.0, int(counts[:, 0].sum()) / max(rows.rows_per_group, 1)))
    return Condensed(_ordered(factors), counts, None if tables is None else tables.joined())


def condense_stretches(rows: LogRows, progress: Callable[[float], None] | None = None, *, threads: int | None = None) -> Condensed:
    """The same for the unfiltered rows of a log. threads : for none the usual."""
    owners = rows.dataset.recordings
    factors = [_empty(rows.groups) for _ in {0, *owners}]
    counts = np.zeros((len(factors), len(rows.groups)), dtype=np.int64)

    def condense_stretch(stretch: tuple[int, slice]) -> tuple[int, list[Array], IntArray]:
        triangles, used = _empty(rows.groups), np.zeros(len(rows.groups), dtype=np.int64)
        for group, table, _ in rows.unfiltered_tables(*stretch):
            triangles[group] = compress(triangles[group], table)
            used[group] += table.shape[1]
        return stretch[0], triangles, used

    done = 0
    for segment, triangles, used in map_in_order(condense_stretch, rows.stretches(STRETCH), threads or thread_count()):
        whole = factors[owners[segment]]
        whole[:] = [compress(factor, further.T.copy()) for factor, further in zip(whole, triangles, strict=True)]
        counts[owners[segment]] += used
        done += STRETCH
        if progress is not None:
            progress(min(1.0, done / rows.dataset.samples))
    return Condensed(_ordered(factors), counts)


def _empty(groups: tuple[RowGroup, ...]) -> list[Array]:
    """The factors of no rows."""
    return [np.zeros((len(group.columns) + 1, len(group.columns) + 1), order="F") for group in groups]


def _ordered(factors: list[list[Array]]) -> list[list[Array]]:
    return [[np.ascontiguousarray(factor) for factor in row] for row in factors]
