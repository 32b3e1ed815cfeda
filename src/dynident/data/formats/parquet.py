# pyright: basic
"""Parquet files: columns of numbers, or of lists of numbers (one list per sample)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.core.options import NoOptions
from dynident.data.formats.reader import Reader
from dynident.errors import FileError

#: Key of the file's metadata in which write_dataset keeps what a table of numbers can't.
DESCRIPTION = b"dynident"


def read_parquet(path: Path, options: NoOptions | None = None) -> dict[str, NDArray[Any]]:
    """The columns by name; a column of lists of one length is an array of two axes."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(path).read()
    except (pa.ArrowException, OSError) as error:
        raise FileError(path, f"can't be read as Parquet: {str(error).splitlines()[0]}") from None
    names = table.column_names
    if len(set(names)) < len(names):
        raise FileError(path, "has two columns of one name; names must be unique")
    content = {name: _column(path, name, table.column(name)) for name in names}
    return content | _description(path, (table.schema.metadata or {}).get(DESCRIPTION))


READER = Reader(name="parquet", read=read_parquet, suffixes=(".parquet",))


def _column(path: Path, name: str, column: Any) -> NDArray[Any]:
    import pyarrow as pa

    kind = column.type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
        values = column.to_numpy()
        return values.astype(str) if values.dtype == object else values
    rows = [np.asarray(row if row is not None else []) for row in column.to_pylist()]
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise FileError(
            path, f"column {name!r} has lists of {min(lengths)} to {max(lengths)} elements; one length was expected", place=name
        )
    return np.array(rows)


def _description(path: Path, text: bytes | None) -> dict[str, NDArray[Any]]:
    if text is None:
        return {}
    try:
        content = json.loads(text)
    except ValueError:
        raise FileError(path, "the description in the file's metadata is not valid JSON", place="metadata") from None
    return {key: np.array(value) for key, value in content.items()} if isinstance(content, dict) else {}
