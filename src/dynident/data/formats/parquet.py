# pyright: basic
"""Parquet files: columns of numbers, or of lists of numbers (one list per sample)."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.core.isolation import read_apart
from dynident.core.options import NoOptions
from dynident.core.sizes import check_unpacked
from dynident.data.formats.columns_on_disk import LONG_INTEGER, ColumnSpool
from dynident.data.formats.reader import Progress, Reader, parse_description
from dynident.errors import FileError

#: Rows of a large file that are read at once.
_ROWS = 1 << 16
#: Key of the file's metadata in which write_dataset keeps what a table of numbers can't.
DESCRIPTION = b"dynident"


def read_parquet(path: Path, options: NoOptions | None = None) -> dict[str, NDArray[Any]]:
    """The columns by name; a column of lists of one length is an array of two axes."""
    import pyarrow as pa

    check_unpacked_size(path)
    try:
        with _open(path) as file:
            table = file.read()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FileError(path, f"can't be read as Parquet: {str(error).splitlines()[0]}") from None
    names = table.column_names
    if len(set(names)) < len(names):
        raise FileError(path, "has two columns of one name; names must be unique")
    content = {name: _column(path, name, table.column(name)) for name in names}
    return content | _description(path, table.schema)


def read_large_parquet(path: Path, options: NoOptions | None, progress: Progress) -> dict[str, NDArray[Any]]:
    """The same for a file that is too large for memory: columns of numbers, dates and lists of numbers alone, which live on disk."""
    import pyarrow as pa

    read_apart(check_unpacked_size, path)  # Arrow ends the process at some damaged metadata
    try:
        with _open(path, pre_buffer=False) as file:
            names = [field.name for field in file.schema_arrow if not pa.types.is_dictionary(field.type)]
            rows = file.metadata.num_rows
            columns, done = ColumnSpool(rows), 0
            for batch in file.iter_batches(_ROWS, columns=names, use_threads=False):
                columns.append({name: _floats(_column(path, name, pa.chunked_array([batch.column(name)]))) for name in names})
                done += batch.num_rows
                progress(done / max(rows, 1))
            return columns.arrays() | _description(path, file.schema_arrow)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FileError(path, f"can't be read as Parquet: {str(error).splitlines()[0]}") from None


def check_unpacked_size(path: Path) -> None:
    """FileError where a file unpacks to far more than it is: a column of one value is a few bytes, however often it is repeated."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with pa.OSFile(os.fsencode(path)) as stream, parquet.ParquetFile(stream) as file:
            metadata = file.metadata
            groups = [metadata.row_group(g) for g in range(metadata.num_row_groups)]
            columns = [group.column(c) for group in groups for c in range(metadata.num_columns)]
            size = sum(max(8.0 * column.num_values, column.total_uncompressed_size) for column in columns)
            rows = metadata.num_rows
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FileError(path, f"can't be read as Parquet: {str(error).splitlines()[0]}") from None
    check_unpacked(path, max(size, 8.0 * rows), remedy="split it into several files")


READER = Reader(name="parquet", read=read_parquet, read_large=read_large_parquet, suffixes=(".parquet",), apart=True)


@contextmanager
def _open(path: Path, **options: Any) -> Generator[Any]:
    """The file. Texts stay in its dictionary, because one of them may be repeated without end."""
    import pyarrow as pa
    from pyarrow import parquet

    with pa.OSFile(os.fsencode(path)) as stream:  # of a str, Arrow wants UTF-8
        with parquet.ParquetFile(stream) as file:
            texts = [field.name for field in file.schema_arrow if _is_text(field.type)]
        stream.seek(0)
        with parquet.ParquetFile(stream, read_dictionary=texts, **options) as file:
            yield file


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or _is_binary(kind)


def _is_binary(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)


def _floats(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers as floats, because a piece without gaps may be of integers; long stamps and dates as they are."""
    long = values.dtype == np.int64 and values.size > 0 and abs(int(values.flat[0])) > LONG_INTEGER
    return values if values.dtype.kind in "mM" or long else values.astype(float)


def _column(path: Path, name: str, column: Any) -> NDArray[Any]:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind) and not _is_binary(kind.value_type):
        return _texts(path, column)
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
        if pa.types.is_nested(kind) or pa.types.is_dictionary(kind) or _is_binary(kind):
            return np.full(len(column), f"<{kind}>")  # which nobody needs, or is refused as text
        values = column.to_numpy()
        return values.astype(str) if values.dtype == object else values
    import pyarrow.compute as module

    compute: Any = module
    lengths = compute.fill_null(compute.list_value_length(column), 0).unique().to_pylist()
    if len(lengths) > 1:
        raise FileError(
            path, f"column {name!r} has lists of {min(lengths)} to {max(lengths)} elements; one length was expected", place=name
        )
    return compute.list_flatten(column).to_numpy().reshape(len(column), *lengths)


def _texts(path: Path, column: Any) -> NDArray[Any]:
    """Texts as an array, in which each takes the room of the longest."""
    longest = max((len(text) for chunk in column.chunks for text in chunk.dictionary.to_pylist() if text is not None), default=0)
    check_unpacked(path, 4.0 * longest * len(column), remedy="leave columns of long texts out")
    return column.cast(column.type.value_type).to_numpy().astype(str)


def _description(path: Path, schema: Any) -> dict[str, NDArray[Any]]:
    text = (schema.metadata or {}).get(DESCRIPTION)
    return {} if text is None else parse_description(path, text, "metadata")
