# pyright: basic
"""Columns of a file that is read piece by piece, in arrays that live on disk where they are large."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from dynident.core.large_arrays import allocate, release

#: Integers beyond this are stamps, of which a float would lose digits; others become floats, because a column may begin with them.
LONG_INTEGER = 1e15


class ColumnSpool:
    """Pieces of columns, put one after another. rows : how many there are at most."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._filled = 0
        self._flat: NDArray[Any] | None = None  # (columns, rows) of 8 bytes each: columns of numbers and dates
        self._columns: dict[str, NDArray[Any]] = {}

    def append(self, piece: Mapping[str, NDArray[Any]]) -> None:
        """Further rows of all columns, (k,) or (k, width) each, of the same types as before."""
        if not self._columns:
            self._begin(piece)
        stop = self._filled + len(next(iter(piece.values())))
        for name, values in piece.items():
            self._columns[name][self._filled : stop] = values
        self._filled = stop
        release(self._flat, *self._columns.values())

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {name: values[: self._filled] for name, values in self._columns.items()}

    def _begin(self, piece: Mapping[str, NDArray[Any]]) -> None:
        flat = [name for name, values in piece.items() if values.ndim == 1 and values.dtype.itemsize == 8]
        self._flat = allocate((len(flat), self._rows)) if flat else None
        for name, values in piece.items():
            if name in flat and self._flat is not None:
                self._columns[name] = self._flat[flat.index(name)].view(values.dtype)
            else:
                self._columns[name] = allocate((self._rows, *values.shape[1:]), values.dtype)
