# pyright: basic
"""Text tables that are too large for memory, some thousand lines at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.core.options import NoOptions
from dynident.data.formats.columns_on_disk import LONG_INTEGER, ColumnSpool
from dynident.data.formats.csv_layout import Layout, arrow_options, look_at
from dynident.data.formats.reader import Progress
from dynident.errors import FileError

#: Lines that tell the types of the columns, and that are read at once where blanks separate them.
_TYPE_LINES, _LINES = 2000, 50_000


def read_large_csv(path: Path, options: NoOptions | None, progress: Progress) -> dict[str, NDArray[Any]]:
    """The columns of numbers and dates, which live on disk."""
    layout, description = look_at(path)
    pieces = _large_blanks(path, layout) if layout.delimiter == "" else _large_delimited(path, layout)
    columns = ColumnSpool(_count_lines(path))
    size = path.stat().st_size
    for piece, position in pieces:
        columns.append(piece)
        progress(min(1.0, position / size))
    return columns.arrays() | description


def _large_delimited(path: Path, layout: Layout) -> Iterator[tuple[dict[str, NDArray[Any]], int]]:
    """Columns of numbers and dates, some thousand lines at a time, and how many bytes of the file that were in all."""
    import pyarrow as pa
    from pyarrow import csv

    read, parse, convert = arrow_options(layout)
    with path.open("rb") as stream:
        head = b"".join(line for line, _ in zip(stream, range(layout.skip + layout.header + _TYPE_LINES), strict=False))
    try:
        first = csv.read_csv(pa.BufferReader(head), read, parse, convert)
    except pa.ArrowInvalid as error:
        raise FileError(path, f"can't be read as a table: {error}; correct or remove that line") from None
    kinds, stamps = {field.name: field.type for field in first.schema}, _long_integers(first)
    types = {name: kind if pa.types.is_temporal(kind) or name in stamps else pa.float64() for name, kind in kinds.items()}
    texts = {name for name, kind in kinds.items() if pa.types.is_string(kind)}
    chosen = {name: kind for name, kind in types.items() if name not in texts}
    convert.column_types, convert.include_columns = chosen, list(chosen)
    try:
        with path.open("rb") as stream, csv.open_csv(stream, read, parse, convert) as reader:
            for batch in reader:
                if batch.num_rows:
                    yield {name: batch.column(name).to_numpy(zero_copy_only=False) for name in chosen}, stream.tell()
    except pa.ArrowInvalid as error:
        raise FileError(path, f"can't be read as a table: {error}; correct or remove that line") from None


def _long_integers(table: Any) -> set[str]:
    """Columns of integers that floats can't hold."""
    import pyarrow as pa

    return {
        name
        for name in table.column_names
        if pa.types.is_integer(table.column(name).type) and len(table) and abs(table.column(name)[0].as_py() or 0) > LONG_INTEGER
    }


def _large_blanks(path: Path, layout: Layout) -> Iterator[tuple[dict[str, NDArray[Any]], int]]:
    with path.open("rb") as stream:
        for _ in range(layout.skip + layout.header):
            stream.readline()
        while lines := list(islice(stream, _LINES)):
            try:
                values = np.loadtxt(lines, ndmin=2)
            except ValueError as error:
                raise FileError(path, f"can't be read as columns of numbers: {error}") from None
            if values.size and values.shape[1] != len(layout.names):
                raise FileError(path, f"has {values.shape[1]} cells where {len(layout.names)} were expected")
            yield {name: values[:, i] for i, name in enumerate(layout.names)}, stream.tell()


def _count_lines(path: Path) -> int:
    with path.open("rb") as stream:
        return 1 + sum(piece.count(b"\n") for piece in iter(lambda: stream.read(1 << 22), b""))
