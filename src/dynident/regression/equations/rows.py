"""Rows of the regression, streamed: from a log (torque rows) or from controller samples (inertia stack and gravity).

A group of rows shares one noise level and one set of columns: a joint, or one element of M or g. Sources yield tables
(columns + 1, rows) whose last line is the right-hand side; they can be iterated as often as needed and hold no more
than a chunk in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.core.large_arrays import release
from dynident.data import ControllerSamples, Dataset, ParallelFilter
from dynident.dynamics import inertia_gravity_regressor, iterate_regressor_blocks
from dynident.friction.model import FrictionModel, Motion
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import FrictionColumn, moved_columns
from dynident.robots.robot import JointType

#: Samples per chunk: enough that Python's share of the time is small, few enough to stay in cache.
_CHUNK = 1000
#: A log that lives on disk is let go of after so many samples.
_KEPT = 64 * _CHUNK
#: A filtered row is used when at least this share of the filter's weight fell on unmasked samples.
MASK_SHARE = 0.5


@dataclass(frozen=True, kw_only=True, eq=False)
class RowGroup:
    """Rows with one noise level. columns : (c,) the base parameters that appear in them."""

    name: str
    unit: str
    columns: IntArray


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


def collect_tables(sources: Sequence[RowSource], groups: int) -> Tables:
    """All rows, in memory; every group has a table of every segment, empty where a mask leaves it none."""
    pieces: dict[tuple[int, int], list[list[Array]]] = {}
    for number, source in enumerate(sources):
        for group, table, segment in source.tables():
            empty = [[np.zeros((len(own.columns) + 1, 0))] for own in source.groups]
            pieces.setdefault((number, segment), empty)[group].append(table.copy())
    return tuple(tuple(np.concatenate(parts[g], axis=1) for parts in pieces.values()) for g in range(groups))


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

    def motion(self, part: slice) -> Motion:
        """What friction depends on, of these samples."""
        data = self.dataset
        assert data.dq is not None  # noqa: S101 (build_problem sees to dq, ddq and effort)
        assert data.ddq is not None  # noqa: S101
        assert data.effort is not None  # noqa: S101
        load = data.effort if self.load is None else self.load
        temperature = None if data.temperature is None else data.temperature[part]
        return Motion(data.q[part], data.dq[part], data.ddq[part], load[part], temperature)

    def tables(self) -> Iterator[RowTable]:
        offsets = np.cumsum([0, *(len(group.columns) + 1 for group in self.groups)])
        for number, segment in enumerate(self.dataset.segments):
            for joined, mask in self._filter_rows(segment, int(offsets[-1])):
                for j in range(len(self.groups)):
                    table = joined[offsets[j] : offsets[j + 1]]
                    if mask is not None:
                        table = table[:, mask[j]]
                    if self.weights is not None:
                        table = self.weights[number, j] * table
                    if table.shape[1]:
                        yield RowTable(j, table, number)

    def _filter_rows(self, segment: slice, height: int) -> Iterator[tuple[Array, BoolArray | None]]:
        """Tables of all joints below each other, and which of their rows to use."""
        if self.filter is None:
            yield from self._raw(segment, height)
            return
        tables, masks = self.filter.stream(), self.filter.stream()
        lines = [len(group.columns) + 1 for group in self.groups]
        for joined, mask in self._raw(segment, height):
            kept = None
            if mask is not None:
                # equations times 0 or 1 are still equations: masked samples then reach no filtered row, however wrong they are
                np.multiply(joined, np.repeat(mask, lines, axis=0), out=joined)
                kept = masks.push(mask.astype(float)) >= MASK_SHARE
            yield tables.push(joined), kept
        if segment.stop > segment.start:
            yield tables.finish(), None if self.dataset.mask is None else masks.finish() >= MASK_SHARE

    def _raw(self, segment: slice, height: int) -> Iterator[tuple[Array, BoolArray | None]]:
        data, base = self.dataset, self.base
        memory = np.empty((height, _CHUNK))
        for start in range(segment.start, segment.stop, _CHUNK):
            part = slice(start, min(start + _CHUNK, segment.stop))
            joined = memory[:, : part.stop - part.start]
            motion = self.motion(part)
            phi = None if base.friction is None else _friction_columns(base.friction, motion)
            for block in iterate_regressor_blocks(base.robot, motion.q, motion.dq, motion.ddq):
                self._gather(block.matrix, joined[:, block.start : block.start + block.matrix.shape[2]])
            self._append(joined, phi, part)
            if (start - segment.start) % _KEPT == 0:
                release(data.q, data.dq, data.ddq, data.effort)
            yield joined, None if data.mask is None else data.mask[part].T

    @cached_property
    def _known_links(self) -> Array | None:
        known = self.base.known_vector[self.base.columns.link_slice]
        return known if np.any(known) else None

    @cached_property
    def _places(self) -> list[tuple[int, IntArray, IntArray, IntArray]]:
        """Per joint: first line, links' columns of the regressor, friction columns in the joint's row, extra columns."""
        places: list[tuple[int, IntArray, IntArray, IntArray]] = []
        line, columns = 0, self.base.columns
        first = columns.extra_slice.start
        for j, group in enumerate(self.groups):
            standard = self.base.independent[group.columns]
            links, extra = standard[columns.is_link[standard]], standard[standard >= first] - first
            chosen = [columns[i] for i in standard.tolist()]
            friction = [self._friction_place(column, j) for column in chosen if isinstance(column, FrictionColumn)]
            places.append((line, links, np.array(friction, dtype=np.int64), extra))
            line += len(standard) + 1
        return places

    def _friction_place(self, column: FrictionColumn, joint: int) -> int:
        """Where a friction column of a joint's row is among the model's columns and, after these, its shared ones."""
        assert self.base.friction is not None  # noqa: S101 (it has columns)
        return column.slot if column.shared is None or column.joint == joint else len(self.base.friction.parameters) + column.shared

    @cached_property
    def _known_friction(self) -> Array:
        """(n, k + shared) of each joint's row, what is known of its own parameters and of those that other joints share with it."""
        model, known = self.base.friction, self.base.columns.friction(self.base.known_vector)
        others = np.zeros((len(known), 0 if model is None else len(model.shared)))
        for s, (owner, name, acts_on) in enumerate(() if model is None else model.shared):
            assert model is not None  # noqa: S101 (it has shared parameters)
            others[[joint for joint in acts_on if joint != owner], s] = known[owner, model.parameter_names.index(name)]
        return np.concatenate([known, others], axis=1)

    def _gather(self, matrix: Array, joined: Array) -> None:
        known = self._known_links
        for j, (line, links, friction, extra) in enumerate(self._places):
            joined[line : line + len(links)] = matrix[j, links]
            last = line + len(links) + len(friction) + len(extra)
            joined[last] = 0.0 if known is None else known @ matrix[j]

    def _append(self, joined: Array, phi: Array | None, part: slice) -> None:
        """Friction and extra columns, and the right-hand side: effort minus what known parameters explain."""
        assert self.dataset.effort is not None  # noqa: S101
        base, columns = self.base, self.base.columns
        known_friction, known_extra = self._known_friction, base.known_vector[columns.extra_slice]
        extras = [values[part] for values in self.extra.values()]
        for j, (line, links, friction, extra) in enumerate(self._places):
            at = line + len(links)
            if phi is not None:
                joined[at : at + len(friction)] = phi[:, j, friction].T
            at += len(friction)
            for offset, k in enumerate(extra):
                joined[at + offset] = extras[k][:, j]
            explained = joined[at + len(extra)]
            if phi is not None and np.any(known_friction[j]):
                explained += phi[:, j] @ known_friction[j]
            for value, column in zip(known_extra, extras, strict=True):
                explained += value * column[:, j]
            joined[at + len(extra)] = self.dataset.effort[part, j] - explained


def _friction_columns(model: FrictionModel, motion: Motion) -> Array:
    """(N, n, k + shared) of its parameters in their own joints' rows, then of the shared ones in all rows."""
    phi = model.columns(motion)
    return np.concatenate([phi, model.shared_columns(motion)], axis=2) if model.shared else phi


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
        return tuple(
            RowGroup(name=names[row], unit=units[names[row]], columns=np.flatnonzero(filled[row]))
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
