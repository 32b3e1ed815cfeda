"""All rows of a source as one triangular factor per recording and group, on as many threads as there are, whatever their number.

A long log is cut into stretches of fixed length, and what they give is added up in their order: the bits of a factor don't depend on
the number of threads. Its rows go into Gram matrices of preconditioned rows (see gram.py), a short log's and all others by QR.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.large_arrays import release
from dynident.core.threads import map_in_order, thread_count
from dynident.regression.equations.factors import compress
from dynident.regression.equations.gram import GramSum, precondition
from dynident.regression.equations.lines import LineFiller, RowLayout
from dynident.regression.equations.rows import ControllerRows, LogRows, RowSource, TableCollection, Tables

#: Samples of a stretch: enough that starting one costs nothing, few enough that threads end at about the same time.
STRETCH = 50 * 320
#: Shorter logs go by QR.
LEAST_SAMPLES = 20_000
#: Rows that the preconditioner is made of, and at least so many per column.
_CHOSEN, _CHOSEN_PER_COLUMN = 2_000, 8


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
    if not isinstance(rows, LogRows) or rows.dataset.samples < LEAST_SAMPLES or rows.filter is not None:
        return condense_by_qr(rows, progress, kept=kept)
    return condense_by_gram(rows, progress) or condense_by_qr(rows, progress)


def condense_by_qr(rows: RowSource, progress: Callable[[float], None] | None = None, *, kept: int = 0) -> Condensed:
    """The same by QR, table by table."""
    owners = rows.dataset.recordings if isinstance(rows, LogRows) else ()
    height = sum(len(group.columns) + 1 for group in rows.groups)
    dependent = rows.filter is not None if isinstance(rows, LogRows) else isinstance(rows, ControllerRows)
    keep = dependent and height * rows.rows_per_group <= kept
    tables = TableCollection(rows) if keep else None
    factors = [[np.zeros((len(group.columns) + 1, len(group.columns) + 1), order="F") for group in rows.groups] for _ in {0, *owners}]
    counts = np.zeros((len(factors), len(rows.groups)), dtype=np.int64)
    for group, table, segment in rows.tables():
        recording = owners[segment] if owners else 0
        counts[recording, group] += table.shape[1]
        if tables is not None:
            tables.add(group, table.copy(), segment)
        factors[recording][group] = compress(factors[recording][group], table)
        if progress is not None and group == 0:
            progress(min(1.0, int(counts[:, 0].sum()) / max(rows.rows_per_group, 1)))
    found = [[np.ascontiguousarray(factor) for factor in own] for own in factors]
    return Condensed(found, counts, None if tables is None else tables.joined())


def condense_by_gram(rows: LogRows, progress: Callable[[float], None] | None = None, *, threads: int | None = None) -> Condensed | None:
    """The same for the unfiltered rows of a log, by Gram matrices; None where that would lose digits. threads : for none the usual."""
    from dynident.regression.equations.row_kernels import LINES, WIDTH  # here, because importing Numba takes long

    owners, layout = rows.dataset.recordings, rows.layout(LINES)
    nothing = GramSum(layout.offsets, _preconditioners(rows, layout))
    totals = [nothing.empty() for _ in {0, *owners}]
    counts = np.zeros((len(totals), len(rows.groups)), dtype=np.int64)

    def add_stretch(stretch: tuple[int, slice]) -> tuple[int, GramSum, IntArray]:
        segment, part = stretch
        own = nothing.empty()
        return segment, own, rows.add_grams(segment, part, LineFiller(layout, WIDTH), own)

    done = 0
    for segment, own, used in map_in_order(add_stretch, rows.stretches(STRETCH), threads or thread_count()):
        totals[owners[segment]].total += own.total
        counts[owners[segment]] += used
        done += STRETCH
        if progress is not None:
            progress(min(1.0, done / rows.dataset.samples))
    factors = [total.factors() for total in totals]
    return None if any(own is None for own in factors) else Condensed([own for own in factors if own is not None], counts)


def _preconditioners(rows: LogRows, layout: RowLayout) -> list[Array]:
    """R₀ of each group, of samples from all over the log. They are drawn, because equal steps could fall in with a motion's period."""
    data = rows.dataset
    columns = max(len(group.columns) + 1 for group in rows.groups)
    edges = np.linspace(0, data.samples, max(_CHOSEN, _CHOSEN_PER_COLUMN * columns) + 1)
    chosen = np.unique(np.random.default_rng(0).uniform(edges[:-1], edges[1:]).astype(np.int64))
    filler = LineFiller(layout, -(-len(chosen) // 40) * 40)
    found: list[Array] = []
    for lines, mask in rows.iterate_lines(chosen, filler):
        tables = [layout.table(lines, g) for g in range(len(rows.groups))]
        found = [precondition(table if mask is None else table * mask[g]) for g, table in enumerate(tables)]
    release(data.q, data.dq, data.ddq, data.effort)
    return found
