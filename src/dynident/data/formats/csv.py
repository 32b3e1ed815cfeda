# pyright: basic
"""Text tables: CSV, TSV and columns separated by blanks, with a header line or without.

Lines that begin with # are comments; "# dynident: {...}" is the description that dynident's own writer leaves there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.core.files import read_text
from dynident.core.options import NoOptions
from dynident.data.formats.csv_layout import MISSING, Layout, arrow_options, is_number, look_at, split_cells
from dynident.data.formats.large_csv import read_large_csv
from dynident.data.formats.reader import Reader
from dynident.errors import FileError


def read_csv(path: Path, options: NoOptions | None = None) -> dict[str, NDArray[Any]]:
    """The columns by their name in the header; column1, column2, ... without one. Text columns stay text."""
    with path.open("rb") as stream:
        if b"\x00" in stream.read(4096):
            raise FileError(path, "is not text; check that it is the right file")
    layout, description = look_at(path)
    table = _read_blanks(path, layout) if layout.delimiter == "" else _read_delimited(path, layout)
    return table | description


READER = Reader(name="csv", read=read_csv, read_large=read_large_csv, suffixes=(".csv", ".tsv", ".txt"))


def _read_delimited(path: Path, layout: Layout) -> dict[str, NDArray[Any]]:
    import pyarrow as pa
    from pyarrow import csv

    try:
        with pa.OSFile(os.fsencode(path)) as stream:  # of a str, Arrow wants UTF-8
            table = csv.read_csv(stream, *arrow_options(layout))
    except pa.ArrowInvalid as error:
        raise _wrong_width(path, layout) or FileError(path, f"can't be read as a table: {error}") from None
    return {name: _column(path, layout, name, table.column(name)) for name in layout.names}


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
        line, cells = _rows(path, layout)[wrong[0]]
        raise _garbage(path, cells[layout.names.index(name)], line, name)
    return np.array(texts)


def _garbage(path: Path, cell: str, line: int, name: str) -> FileError:
    return FileError(path, f"{cell!r} is not a number; correct or remove that line", place=f"line {line}, column {name!r}")


def _rows(path: Path, layout: Layout) -> list[tuple[int, list[str]]]:
    """The lines of the table with their number, for files that blanks separate and for the search of a broken line."""
    lines = read_text(path).removeprefix("\ufeff").splitlines()
    first = layout.skip + layout.header
    return [
        (number, split_cells(line, layout.delimiter))
        for number, line in enumerate(lines[first:], start=first + 1)
        if line.strip() and not line.startswith("#")
    ]


def _wrong_width(path: Path, layout: Layout) -> FileError | None:
    for number, cells in _rows(path, layout):
        if len(cells) != len(layout.names):
            return FileError(path, f"has {len(cells)} cells where {len(layout.names)} were expected", place=f"line {number}")
    return None


def _read_blanks(path: Path, layout: Layout) -> dict[str, NDArray[Any]]:
    try:
        values = np.loadtxt(path, skiprows=layout.skip + layout.header, ndmin=2, encoding="utf-8-sig")
    except ValueError:
        raise _broken_blanks(path, layout) from None
    if values.shape[1] != len(layout.names):
        raise _broken_blanks(path, layout)
    return {name: values[:, i] for i, name in enumerate(layout.names)}


def _broken_blanks(path: Path, layout: Layout) -> FileError:
    if wrong := _wrong_width(path, layout):
        return wrong
    for number, cells in _rows(path, layout):
        for name, cell in zip(layout.names, cells, strict=True):
            if not is_number(cell, "."):
                return _garbage(path, cell, number, name)
    return FileError(path, "can't be read as columns of numbers")
