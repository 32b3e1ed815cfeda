"""Rows of the regression, streamed: from a log (torque rows) or from controller samples (inertia stack and gravity).

A group of rows shares one noise level and one set of columns: a joint, or one element of M or g. Sources yield tables
(columns + 1, rows) whose last line is the right-hand side; they can be iterated as often as needed and hold no more
than a chunk in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, NamedTuple, Protocol, TypeAlias

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.core.large_arrays import release
from dynident.core.records import Shape
from dynident.core.threads import map_in_order, thread_count
from dynident.data import ControllerSamples, Dataset, ParallelFilter
from dynident.dynamics import inertia_gravity_regressor
from dynident.dynamics.friction.model import Motion
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import moved_columns
from dynident.regression.equations.lines import LineFiller, RowLayout
from dynident.robots.robot import JointType

#: Samples per table: enough that Python's share of the time is small, few enough to stay in cache.
_CHUNK = 1000
#: Samples whose friction is computed at once, about.
_PIECE = 4 * _CHUNK
#: Samples that are filtered at once, in stretches of so many, which give at most so many rows.
_FILTERED_CHUNK, _FILTERED, _FILTERED_ROWS = 400, 64_000, 8_000
#: A log that lives on disk is let go of after so many pieces.
_KEPT = 16
#: A filtered row is used when at least this share of the filter's weight fell on unmasked samples.
MASK_SHARE = 0.5
#: Values of a controller with more decimals than this have all that there are.
_MOST_DECIMALS = 9


@dataclass(frozen=True, kw_only=True, eq=False)
class RowGroup:
    """Rows with one noise level.

    columns : (c,)       The base parameters that appear in them.
    rounding : float     Standard deviation by which the digits of their right-hand side are wrong; their noise is no less.
    """

    name: str
    unit: str
    columns: Annotated[IntArray, Shape("c#", below="b")]
    rounding: float = 0.0


#: Per group and segment the rows (c + 1, rows) in the order of time.
Tables: TypeAlias = tuple[tuple[Array, ...], ...]


class RowTable(NamedTuple):
    """Some rows of one group.

    group : int                   Index of the group.
    table : (c + 1, rows)         Regressor columns, then the right-hand side; the memory is reused for the next table.
    segment : int                 Rows of one group and segment follow each other in time.
    """

    group: int
    table: Array
    segment: int


class RowSource(Protocol):
    """Where a problem's rows come from."""

    @property
    def base(self) -> BaseParameters: ...

    @property
    def groups(self) -> tuple[RowGroup, ...]: ...

    @property
    def rows_per_group(self) -> int:
        """About how many rows each group will have, for a progress bar."""
        ...

    def tables(self) -> Iterator[RowTable]: ...


def row_units(base: BaseParameters) -> dict[str, str]:
    """Name and unit of every kind of row: the joints' efforts for torque equations, else M11, M21, M22, ..., g1, ..."""
    joints = base.robot.joints
    if base.equations == "torque":
        return {joint.name: joint.units.effort for joint in joints}
    comma = "," if len(joints) > 9 else ""
    inertia = ("kg·m²", "kg·m", "kg")  # by how many of the two joints slide
    slides = [joint.type is JointType.PRISMATIC for joint in joints]
    units = {f"M{j + 1}{comma}{k + 1}": inertia[slides[j] + slides[k]] for j, k in zip(*np.tril_indices(len(joints)), strict=True)}
    return units | {f"g{j + 1}": joint.units.effort for j, joint in enumerate(joints)}


class TableCollection:
    """Rows of a source as they come; every group has a table of every segment, empty where a mask leaves it none."""

    def __init__(self, source: RowSource) -> None:
        self._sizes = [len(group.columns) + 1 for group in source.groups]
        self._segments: dict[int, list[list[Array]]] = {}

    def add(self, group: int, table: Array, segment: int) -> None:
        if segment not in self._segments:
            self._segments[segment] = [[np.zeros((size, 0))] for size in self._sizes]
        self._segments[segment][group].append(table)

    def joined(self) -> Tables:
        return tuple(tuple(np.concatenate(tables[g], axis=1) for tables in self._segments.values()) for g in range(len(self._sizes)))


def collect_tables(sources: Sequence[RowSource], groups: int) -> Tables:
    """All rows, in memory."""
    collected: list[Tables] = []
    for source in sources:
        collection = TableCollection(source)
        for group, table, segment in source.tables():
            collection.add(group, table.copy(), segment)
        collected.append(collection.joined())
    return tuple(tuple(table for tables in collected for table in tables[g]) for g in range(groups))


@dataclass(frozen=True, kw_only=True, eq=False)
class LogRows:
    """Torque rows of a log with q, dq, ddq and effort, filtered in parallel and decimated when there is a filter.

    extra : {name: (N, n)}  The user's own columns: effort of each joint per unit of the parameter.
    weights : (segments, n) or None   By which the rows of each segment and joint are multiplied; None where they are as they are.
    load : (N, n) or None   Torque that the joints transmit, for friction that depends on it [N·m | N]; the effort where it is None.
    """

    base: BaseParameters
    dataset: Dataset
    filter: ParallelFilter | None
    extra: Mapping[str, Array]
    load: Array | None = None
    weights: Array | None = None

    @property
    def groups(self) -> tuple[RowGroup, ...]:
        return self._groups

    @cached_property
    def _groups(self) -> tuple[RowGroup, ...]:
        base = self.base
        return tuple(
            RowGroup(name=name, unit=unit, columns=np.flatnonzero(np.isin(base.independent, moved_columns(base.robot, base.columns, j))))
            for j, (name, unit) in enumerate(row_units(base).items())
        )

    @property
    def rows_per_group(self) -> int:
        lengths = [segment.stop - segment.start for segment in self.dataset.segments]
        return sum(length if self.filter is None else self.filter.valid(length) for length in lengths)

    def motion(self, part: slice | IntArray) -> Motion:
        """What friction depends on, of these samples."""
        data = self.dataset
        load = data.require("effort") if self.load is None else self.load
        temperature = None if data.temperature is None else data.temperature[part]
        return Motion(data.q[part], data.require("dq")[part], data.require("ddq")[part], load[part], temperature)

    def tables(self) -> Iterator[RowTable]:
        if self.filter is None:
            for number, segment in enumerate(self.dataset.segments):
                yield from self.unfiltered_tables(number, segment)
            return
        for number, lines, mask in map_in_order(partial(self._filter_stretch, self.filter), self.stretches(_FILTERED), thread_count()):
            yield from self._tables_of(number, lines, mask)

    def unfiltered_tables(self, number: int, part: slice) -> Iterator[RowTable]:
        """Of some samples of a segment, as they are without a filter."""
        for lines, mask in self._iterate_lines(part, LineFiller(self._layout, _CHUNK)):
            yield from self._tables_of(number, lines, mask)

    def _tables_of(self, number: int, lines: Array, mask: BoolArray | None) -> Iterator[RowTable]:
        """lines : tables of all joints below each other; mask : (n, samples) which of their rows to use."""
        for j in range(len(self.groups)):
            table = self._layout.table(lines, j)
            if mask is not None:
                table = table[:, mask[j]]
            if self.weights is not None:
                table = self.weights[number, j] * table
            if table.shape[1]:
                yield RowTable(j, table, number)

    @cached_property
    def _layout(self) -> RowLayout:
        return RowLayout.of(self.base, self.groups)

    def stretches(self, samples: int) -> Iterator[tuple[int, slice]]:
        """Segment and samples of each stretch of a log, about so long; those of a filtered one overlap by what a row needs beside it."""
        for number, segment in enumerate(self.dataset.segments):
            if self.filter is None:
                yield from ((number, part) for part in _cut(segment, samples))
                continue
            rows = max(1, min(samples // self.filter.factor, _FILTERED_ROWS))
            for part in _cut(slice(0, self.filter.valid(segment.stop - segment.start)), rows):
                support = slice(self.filter.output_support(part.start).start, self.filter.output_support(part.stop - 1).stop)
                yield number, slice(segment.start + support.start, segment.start + support.stop)

    def _filter_stretch(self, filter: ParallelFilter, stretch: tuple[int, slice]) -> tuple[int, Array, BoolArray | None]:
        number, part = stretch
        tables, masks = filter.stream(), filter.stream()
        counts = np.diff(self._layout.offsets)
        filtered: list[Array] = []
        kept: list[Array] = []
        for lines, mask in self._iterate_lines(part, LineFiller(self._layout, _FILTERED_CHUNK)):
            if mask is not None:
                # equations times 0 or 1 are still equations: masked samples then reach no filtered row, however wrong they are
                np.multiply(lines, np.repeat(mask, counts, axis=0), out=lines)
                kept.append(masks.push(mask.astype(float)))
            filtered.append(tables.push(lines))
        if self.dataset.mask is not None:
            kept.append(masks.finish())
        rows = np.concatenate([*filtered, tables.finish()], axis=1)
        return number, rows, np.concatenate(kept, axis=1) >= MASK_SHARE if kept else None

    def _iterate_lines(self, part: slice, filler: LineFiller) -> Iterator[tuple[Array, BoolArray | None]]:
        """The unfiltered rows of some samples as (lines, samples) of the filler, whose memory is reused; and (n, samples) which to use."""
        data, width = self.dataset, filler.lines.shape[1]
        effort = data.require("effort")
        for number, piece in enumerate(_cut(part, max(1, _PIECE // width) * width)):
            for rows in filler.fill(self.motion(piece), effort[piece], [values[piece] for values in self.extra.values()]):
                mask = None if data.mask is None else data.mask[piece][rows].T
                yield filler.lines[:, : rows.stop - rows.start], mask
            if number % _KEPT == 0:
                release(data.q, data.dq, data.ddq, effort)


def _cut(part: slice, length: int) -> Iterator[slice]:
    for start in range(part.start, part.stop, length):
        yield slice(start, min(start + length, part.stop))


@dataclass(frozen=True, kw_only=True, eq=False)
class ControllerRows:
    """Rows of the inertia stack and of gravity at static configurations; eqs. (17) to (20) of the Panda paper."""

    base: BaseParameters
    samples: ControllerSamples

    @property
    def groups(self) -> tuple[RowGroup, ...]:
        return self._groups

    @cached_property
    def _groups(self) -> tuple[RowGroup, ...]:
        base, units = self.base, row_units(self.base)
        names = list(units)
        # which columns a row contains shows at any configurations; a few are enough
        Y = inertia_gravity_regressor(base.robot, self.samples.q[:: max(1, len(self.samples.q) // 50)])[:, :, base.independent]
        filled = np.abs(Y).max(axis=0) > 1e-12 * np.abs(Y).max()
        values = self._values(slice(None), np.tril_indices(base.robot.n))
        rounding = {"M": _rounding(self.samples.M), "g": _rounding(self.samples.g)}
        return tuple(
            RowGroup(
                name=names[row],
                unit=units[names[row]],
                columns=np.flatnonzero(filled[row]),
                # a value that is the same in all samples has one rounding error in all of them
                rounding=rounding[names[row][0]] * (1.0 if np.ptp(values[:, row]) > 0.0 else float(np.sqrt(len(values)))),
            )
            for row in self._rows
            if np.any(filled[row])
        )

    @property
    def _rows(self) -> range:
        n = self.base.robot.n
        stack = n * (n + 1) // 2
        return {"inertia": range(stack), "gravity": range(stack, stack + n)}.get(self.base.equations, range(stack + n))

    @property
    def rows_per_group(self) -> int:
        return self.samples.samples

    def tables(self) -> Iterator[RowTable]:
        n, index = self.base.robot.n, {name: row for row, name in enumerate(row_units(self.base))}
        lower = np.tril_indices(n)
        for start in range(0, len(self.samples.q), _CHUNK):
            part = slice(start, start + _CHUNK)
            Y = inertia_gravity_regressor(self.base.robot, self.samples.q[part])
            z = self._values(part, lower) - Y @ self.base.known_vector
            for g, group in enumerate(self.groups):
                row = index[group.name]
                table = np.concatenate([Y[:, row, self.base.independent[group.columns]].T, z[None, :, row]])
                yield RowTable(g, table, 0)

    def _values(self, part: slice, lower: tuple[IntArray, IntArray]) -> Array:
        """(samples, stack + n) the measured stack; what was not measured is zero, and no group refers to it."""
        n, samples = self.base.robot.n, self.samples
        values = np.zeros((len(samples.q[part]), n * (n + 1) // 2 + n))
        if samples.M is not None:
            M = samples.M[part]
            values[:, :-n] = 0.5 * (M + M.swapaxes(1, 2))[:, lower[0], lower[1]]
        if samples.g is not None:
            values[:, -n:] = samples.g[part]
        return values


def _rounding(values: Array | None) -> float:
    """Standard deviation of the error of values that were written with few decimals, or in single precision; zero for all digits."""
    if values is None:
        return 0.0
    some = values[:: -(-len(values) // _CHUNK)]
    size = float(np.abs(some).max())
    for decimals in range(_MOST_DECIMALS + 1):
        if np.all(np.abs(np.round(some, decimals) - some) <= 4.0 * np.finfo(float).eps * size):
            return 10.0**-decimals / float(np.sqrt(12.0))
    single = np.all(some.astype(np.float32) == some)
    return float(np.finfo(np.float32).eps) * size / float(np.sqrt(12.0)) if single else 0.0
