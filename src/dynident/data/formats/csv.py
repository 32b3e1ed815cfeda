# pyright: basic
"""Text tables: CSV, TSV and columns separated by blanks, with a header line or without.

Lines that begin with # are comments; "# dynident: {...}" is the description that dynident's own writer leaves there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynident.core.files import read_text
from dynident.core.options import NoOptions
from dynident.data.formats.columns_on_disk import LONG_INTEGER, ColumnSpool
from dynident.data.formats.reader import Progress, Reader
from dynident.errors import FileError

#: Marks the comment line in which write_dataset keeps what a table of numbers can't.
DESCRIPTION = "# dynident: "
#: Lines that tell the types of the columns of a large file, and that are read at once where blanks separate them.
_TYPE_LINES, _LINES = 2000, 50_000
_MISSING = ("", "nan", "na", "n/a", "null", "none")


class _Layout(NamedTuple):
    """How the file is written: comment lines before the table, delimiter ("" means blanks), and the column names."""

    skip: int
    delimiter: str
    names: list[str]
    header: bool
    decimal: str


def read_csv(path: Path, options: NoOptions | None = None) -> dict[str, NDArray[Any]]:
    """The columns by their name in the header; column1, column2, ... without one. Text columns stay text."""
    with path.open("rb") as stream:
        if b"\x00" in stream.read(4096):
            raise FileError(path, "is not text; check that it is the right file")
    layout, description = _look(path)
    table = _read_blanks(path, layout) if layout.delimiter == "" else _read_delimited(path, layout)
    return table | {key: np.array(value) for key, value in description.items()}


def read_large_csv(path: Path, options: NoOptions | None, progress: Progress) -> dict[str, NDArray[Any]]:
    """The same for a file that is too large for memory: columns of numbers and dates alone, which live on disk."""
    layout, description = _look(path)
    pieces = _large_blanks(path, layout) if layout.delimiter == "" else _large_delimited(path, layout)
    columns = ColumnSpool(_count_lines(path))
    size = path.stat().st_size
    for piece, position in pieces:
        columns.append(piece)
        progress(min(1.0, position / size))
    return columns.arrays() | {key: np.array(value) for key, value in description.items()}


READER = Reader(name="csv", read=read_csv, read_large=read_large_csv, suffixes=(".csv", ".tsv", ".txt"))


def _look(path: Path) -> tuple[_Layout, dict[str, Any]]:
    """The layout, from the first lines of the file."""
    lines, comments, description = _first_lines(path)
    skip = len(comments)
    if not lines:
        raise FileError(path, "holds no data; check that it is the right file")
    delimiter = _delimiter(lines)
    cells = _split(lines[0], delimiter)
    # European spreadsheets: semicolons between the cells, commas in the numbers
    decimal = "," if delimiter == ";" and any("," in line for line in lines[1:]) else "."
    header = any(not _is_number(cell, decimal) for cell in cells)
    names = [cell.strip().strip('"') for cell in cells] if header else _commented_names(comments, delimiter, len(cells))
    if header and len(lines) == 1:
        raise FileError(path, "holds no data below its first line; check that it is the right file")
    for name in names:
        if names.count(name) > 1:
            raise FileError(path, f"two columns are named {name!r}; names must be unique", place=f"line {skip + 1}")
    return _Layout(skip, delimiter, names, header, decimal), description


def _first_lines(path: Path) -> tuple[list[str], list[str], dict[str, Any]]:
    """Up to ten lines of the table, the lines above it, and the description found there."""
    lines: list[str] = []
    comments: list[str] = []
    description: dict[str, Any] = {}
    try:
        with path.open(encoding="utf-8-sig") as stream:
            for line in stream:
                if not lines and (line.startswith("#") or not line.strip()):
                    comments.append(line.strip())
                    if line.startswith(DESCRIPTION):
                        description = _description(path, line, len(comments))
                elif line.strip():
                    lines.append(line.rstrip("\r\n"))
                if len(lines) == 10:
                    break
    except UnicodeDecodeError:
        raise FileError(path, "is not text (UTF-8); save it as UTF-8") from None
    return lines, comments, description


def _commented_names(comments: list[str], delimiter: str, count: int) -> list[str]:
    """The names that numpy.savetxt leaves in the last comment line; else column1, column2, ..."""
    cells = _split(comments[-1].lstrip("#").strip(), delimiter) if comments else []
    if len(cells) == count and not any(_is_number(cell, ".") for cell in cells):
        return cells
    return [f"column{i + 1}" for i in range(count)]


def _description(path: Path, line: str, number: int) -> dict[str, Any]:
    try:
        content = json.loads(line.removeprefix(DESCRIPTION))
    except json.JSONDecodeError:
        raise FileError(path, f"what follows {DESCRIPTION.strip()!r} is not valid JSON", place=f"line {number}") from None
    if not isinstance(content, dict):
        raise FileError(path, "the description must be a JSON object", place=f"line {number}")
    return content


def _delimiter(lines: list[str]) -> str:
    for delimiter in ("\t", ";", ","):
        if all(delimiter in line for line in lines):
            return delimiter
    return "" if any(re.search(r"\S\s+\S", line.strip()) for line in lines[-1:]) else ","


def _split(line: str, delimiter: str) -> list[str]:
    return [cell.strip() for cell in (line.split(delimiter) if delimiter else line.split())]


def _is_number(text: str, decimal: str) -> bool:
    try:
        float(text.replace(",", ".") if decimal == "," else text)
    except ValueError:
        return text.lower() in _MISSING
    return True


def _read_delimited(path: Path, layout: _Layout) -> dict[str, NDArray[Any]]:
    import pyarrow as pa
    from pyarrow import csv

    try:
        table = csv.read_csv(path, *_arrow_options(layout))
    except pa.ArrowInvalid as error:
        raise _wrong_width(path, layout) or FileError(path, f"can't be read as a table: {error}") from None
    return {name: _column(path, layout, name, table.column(name)) for name in layout.names}


def _arrow_options(layout: _Layout) -> tuple[Any, Any, Any]:
    from pyarrow import csv

    read = csv.ReadOptions(skip_rows=layout.skip + layout.header, column_names=layout.names)
    convert = csv.ConvertOptions(decimal_point=layout.decimal, null_values=[*_MISSING, "NaN", "NAN", "NA", "N/A", "NULL", "None"])
    return read, csv.ParseOptions(delimiter=layout.delimiter), convert


def _large_delimited(path: Path, layout: _Layout) -> Iterator[tuple[dict[str, NDArray[Any]], int]]:
    """Columns of numbers and dates, some thousand lines at a time, and how many bytes of the file that were in all."""
    import pyarrow as pa
    from pyarrow import csv

    read, parse, convert = _arrow_options(layout)
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


def _large_blanks(path: Path, layout: _Layout) -> Iterator[tuple[dict[str, NDArray[Any]], int]]:
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


def _column(path: Path, layout: _Layout, name: str, column: Any) -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if not pa.types.is_string(column.type):
        return np.asarray(column.to_numpy())
    texts = [text or "" for text in column.to_pylist()]
    wrong = [i for i, text in enumerate(texts) if not _is_number(text, layout.decimal)]
    missing = sum(text.lower() in _MISSING for text in texts)
    if wrong and len(wrong) + missing < len(texts):  # numbers with garbage among them; a column of texts only is left alone
        line, cells = _rows(path, layout)[wrong[0]]
        raise _garbage(path, cells[layout.names.index(name)], line, name)
    return np.array(texts)


def _garbage(path: Path, cell: str, line: int, name: str) -> FileError:
    return FileError(path, f"{cell!r} is not a number; correct or remove that line", place=f"line {line}, column {name!r}")


def _rows(path: Path, layout: _Layout) -> list[tuple[int, list[str]]]:
    """The lines of the table with their number, for files that blanks separate and for the search of a broken line."""
    lines = read_text(path).removeprefix("\ufeff").splitlines()
    first = layout.skip + layout.header
    return [
        (number, _split(line, layout.delimiter))
        for number, line in enumerate(lines[first:], start=first + 1)
        if line.strip() and not line.startswith("#")
    ]


def _wrong_width(path: Path, layout: _Layout) -> FileError | None:
    for number, cells in _rows(path, layout):
        if len(cells) != len(layout.names):
            return FileError(path, f"has {len(cells)} cells where {len(layout.names)} were expected", place=f"line {number}")
    return None


def _read_blanks(path: Path, layout: _Layout) -> dict[str, NDArray[Any]]:
    try:
        values = np.loadtxt(path, skiprows=layout.skip + layout.header, ndmin=2, encoding="utf-8-sig")
    except ValueError:
        raise _broken_blanks(path, layout) from None
    if values.shape[1] != len(layout.names):
        raise _broken_blanks(path, layout)
    return {name: values[:, i] for i, name in enumerate(layout.names)}


def _broken_blanks(path: Path, layout: _Layout) -> FileError:
    if wrong := _wrong_width(path, layout):
        return wrong
    for number, cells in _rows(path, layout):
        for name, cell in zip(layout.names, cells, strict=True):
            if not _is_number(cell, "."):
                return _garbage(path, cell, number, name)
    return FileError(path, "can't be read as columns of numbers")
