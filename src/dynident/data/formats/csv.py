# pyright: basic
"""Text tables: CSV, TSV and columns separated by blanks, with a header line or without.

Lines that begin with # are comments; "# dynident: {...}" is the description that dynident's own writer leaves there. Arrow reads all of
them: what blanks separate gets tabs on the way.
"""

from __future__ import annotations

import io
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from dynident.core.options import NoOptions
from dynident.data.formats.columns_on_disk import LONG_INTEGER, ColumnSpool
from dynident.data.formats.csv_layout import MISSING, Layout, arrow_options, is_number, look_at, split_cells
from dynident.data.formats.reader import Progress, Reader
from dynident.errors import FileError

#: Lines of a large file that tell the types of its columns.
_TYPE_LINES = 2000


def read_csv(path: Path, options: NoOptions | None = None) -> dict[str, NDArray[Any]]:
    """The columns by their name in the header; column1, column2, ... without one. Text columns stay text."""
    from pyarrow import csv

    with path.open("rb") as stream:
        if b"\x00" in stream.read(4096):
            raise FileError(path, "is not text; check that it is the right file")
    layout, description = look_at(path)
    with _open(path, layout) as (_, stream):
        table = csv.read_csv(stream, *arrow_options(layout))
    return {name: _column(path, layout, name, table.column(name)) for name in layout.names} | description


def read_large_csv(path: Path, options: NoOptions | None, progress: Progress) -> dict[str, NDArray[Any]]:
    """The columns of numbers and dates of a file that is too large for memory, some thousand lines at a time; they live on disk."""
    import pyarrow as pa
    from pyarrow import csv

    layout, description = look_at(path)
    read, parse, convert = arrow_options(layout)
    with _open(path, layout) as (_, stream):
        first = csv.read_csv(pa.BufferReader(b"".join(islice(stream, layout.skip + layout.header + _TYPE_LINES))), read, parse, convert)
    kinds, stamps = {field.name: field.type for field in first.schema}, _long_integers(first)
    types = {name: kind if pa.types.is_temporal(kind) or name in stamps else pa.float64() for name, kind in kinds.items()}
    chosen = {name: kind for name, kind in types.items() if _column(path, layout, name, first.column(name)).dtype.kind != "U"}
    convert.column_types, convert.include_columns = chosen, list(chosen)
    columns, size = ColumnSpool(_count_lines(path)), path.stat().st_size
    with _open(path, layout) as (file, stream), csv.open_csv(stream, read, parse, convert) as reader:
        for batch in reader:
            if batch.num_rows:
                columns.append({name: batch.column(name).to_numpy(zero_copy_only=False) for name in chosen})
                progress(min(1.0, file.tell() / size))
    return columns.arrays() | description


READER = Reader(name="csv", read=read_csv, read_large=read_large_csv, suffixes=(".csv", ".tsv", ".txt"))


@contextmanager
def _open(path: Path, layout: Layout) -> Generator[tuple[BinaryIO, BinaryIO]]:
    """The file, and its text as Arrow reads it; a line that Arrow refuses is named."""
    import pyarrow as pa

    try:
        with path.open("rb") as file:
            yield file, file if layout.delimiter else io.BufferedReader(_Tabbed(file))
    except pa.ArrowInvalid as error:
        raise _wrong_width(path, layout) or FileError(path, f"can't be read as a table: {error}; correct or remove that line") from None


class _Tabbed(io.RawIOBase):
    """Lines whose cells blanks separate, with tabs in their place and without comments."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._rest = file, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            lines = self._file.readlines(1 << 20)
            self._rest = b"".join(b"\t".join(line.partition(b"#")[0].split()) + b"\n" for line in lines)
        part, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def _column(path: Path, layout: Layout, name: str, column: Any) -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if not pa.types.is_string(column.type):
        return np.asarray(column.to_numpy())
    texts = [text or "" for text in column.to_pylist()]
    wrong = [i for i, text in enumerate(texts) if not is_number(text, layout.decimal)]
    missing = sum(text.lower() in MISSING for text in texts)
    if wrong and len(wrong) + missing < len(texts):  # numbers with garbage among them; a column of texts only is left alone
        line, cells = next(islice(_rows(path, layout), wrong[0], None))
        wrong_cell = cells[layout.names.index(name)]
        raise FileError(path, f"{wrong_cell!r} is not a number; correct or remove that line", place=f"line {line}, column {name!r}")
    return np.array(texts)


def _rows(path: Path, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """The lines of the table with their number, for the search of a broken one."""
    with path.open(encoding="utf-8-sig", errors="replace") as stream:
        for number, line in enumerate(stream, start=1):
            if number > layout.skip + layout.header and line.strip() and not line.startswith("#"):
                yield number, split_cells(line, layout.delimiter)


def _wrong_width(path: Path, layout: Layout) -> FileError | None:
    for number, cells in _rows(path, layout):
        if len(cells) != len(layout.names):
            return FileError(path, f"has {len(cells)} cells where {len(layout.names)} were expected", place=f"line {number}")
    return None


def _long_integers(table: Any) -> set[str]:
    """Columns of integers that floats can't hold."""
    import pyarrow as pa

    return {
        name
        for name in table.column_names
        if pa.types.is_integer(table.column(name).type) and len(table) and abs(table.column(name)[0].as_py() or 0) > LONG_INTEGER
    }


def _count_lines(path: Path) -> int:
    with path.open("rb") as stream:
        return 1 + sum(piece.count(b"\n") for piece in iter(lambda: stream.read(1 << 22), b""))
