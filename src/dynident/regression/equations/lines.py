"""Torque rows as lines over samples: where each number of a joint's rows stands, and what fills them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynident.core.arrays import Array, IntArray, freeze
from dynident.dynamics import RegressorLines
from dynident.dynamics.friction.model import FrictionModel, Motion
from dynident.errors import require
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import FrictionColumn

if TYPE_CHECKING:
    from dynident.regression.equations.rows import RowGroup


@dataclass(frozen=True, kw_only=True, eq=False)
class RowLayout:
    """The lines of all joints' tables: regressor columns of a joint, then its right-hand side; k columns are not of links.

    offsets : (n + 1,)   First line of each joint's table.
    sums : (n,)          Line of each right-hand side.
    links : (n, 10 n)    Line of each entry of the torque regressor, -1 where it is not wanted.
    others : (n, k)      Line of each friction column, shared one and extra one, -1 where a joint's rows don't have it.
    known : (n, k)       What is known of their parameters.
    known_links : (10 n,) or None  What is known of the links.
    """

    base: BaseParameters
    offsets: IntArray
    sums: IntArray
    links: IntArray
    others: IntArray
    known: Array
    known_links: Array | None

    @classmethod
    def of(cls, base: BaseParameters, groups: Sequence[RowGroup]) -> RowLayout:
        n, columns = base.robot.n, base.columns
        first = columns.extra_slice.start
        known = np.concatenate([_known_friction(base), np.tile(base.known_vector[columns.extra_slice], (n, 1))], axis=1)
        links, others = np.full((n, len(columns.of_links)), -1), np.full(known.shape, -1)
        offsets, sums = [0], list[int]()
        for j, group in enumerate(groups):
            for line, standard in enumerate(base.independent[group.columns].tolist(), start=offsets[-1]):
                column = columns[standard]
                if columns.is_link[standard]:
                    links[j, standard] = line
                elif isinstance(column, FrictionColumn):
                    others[j, _friction_place(base.friction, column, j)] = line
                else:
                    others[j, known.shape[1] - len(columns.of_extra) + standard - first] = line
            sums.append(offsets[-1] + len(group.columns))
            offsets.append(sums[-1] + 1)
        of_links = base.known_vector[columns.link_slice]
        return cls(
            base=base,
            offsets=freeze(np.array(offsets)),
            sums=freeze(np.array(sums)),
            links=links,
            others=freeze(others),
            known=freeze(known),
            known_links=of_links if np.any(of_links) else None,
        )

    @property
    def height(self) -> int:
        return int(self.offsets[-1])

    def table(self, lines: Array, group: int) -> Array:
        """(c + 1, samples) one joint's table, out of all lines."""
        return lines[self.offsets[group] : self.sums[group] + 1]


class LineFiller:
    """Fills lines with rows; it has memory of its own, so every thread needs its own. width : samples per line, a multiple of 40."""

    def __init__(self, layout: RowLayout, width: int) -> None:
        self._layout = layout
        self._regressor = RegressorLines(layout.base.robot, layout.links, layout.sums, layout.known_links)
        self.lines = np.zeros((layout.height, width))

    def fill(self, motion: Motion, effort: Array, extras: Sequence[Array]) -> Iterator[slice]:
        """Some samples after the others into `lines`, from the left, the rest zero; each time, which ones. extras : (N, n) each."""
        from dynident.regression.equations.row_kernels import append_columns  # here, because importing Numba takes long

        others = self._others(motion, effort, extras)
        for part in self._regressor.iterate(motion.q, motion.dq, motion.ddq, self.lines):
            append_columns(*others, part.start, self.lines)
            yield part

    def _others(self, motion: Motion, effort: Array, extras: Sequence[Array]) -> tuple[Array, IntArray, Array, Array, IntArray]:
        """The first arguments of `append_columns`."""
        layout = self._layout
        columns = _other_columns(layout.base.friction, motion, extras)
        return freeze(columns), layout.others, layout.known, freeze(effort), layout.sums


def _other_columns(model: FrictionModel | None, motion: Motion, extras: Sequence[Array]) -> Array:
    """(N, n, k) of friction parameters in their own joints' rows, of the shared ones in all rows, and the user's own."""
    parts = [column[:, :, None] for column in extras]
    if model is not None:
        shared = [model.shared_columns(motion)] if model.shared else []
        parts = [model.columns(motion), *shared, *parts]
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros((*motion.q.shape, 0)), *parts], axis=2)


def _friction_place(model: FrictionModel | None, column: FrictionColumn, joint: int) -> int:
    """Where a friction column of a joint's row is among the model's columns and, after these, its shared ones."""
    if column.shared is None or column.joint == joint:
        return column.slot
    return len(require(model, "the friction model of a column").parameters) + column.shared


def _known_friction(base: BaseParameters) -> Array:
    """(n, k + shared) of each joint's row, what is known of its own parameters and of those that other joints share with it."""
    model, known = base.friction, base.columns.friction(base.known_vector)
    if model is None:
        return known
    others = np.zeros((len(known), len(model.shared)))
    for s, (owner, name, acts_on) in enumerate(model.shared):
        others[[joint for joint in acts_on if joint != owner], s] = known[owner, model.parameter_names.index(name)]
    return np.concatenate([known, others], axis=1)
