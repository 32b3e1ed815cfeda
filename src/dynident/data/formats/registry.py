"""The registry of readers: a file's suffix chooses the reader, which returns the file's content as named arrays.

A reader decides nothing about meaning: it returns a mapping from the file's own names to arrays, in the file's order, whose
first axis is the sample. Descriptions ("joint_names", "effort_kind") come as arrays of text. Broken files raise FileError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dynident.errors import FileError

Table: TypeAlias = Mapping[str, NDArray[Any]]
Reader: TypeAlias = Callable[[Path], Table]


def read_table(path: Path) -> Table:
    """The content of one file, by the reader that its suffix chooses."""
    if not path.exists():
        raise FileError(path, "no such file; check the path")
    if path.is_dir():
        raise FileError(path, "is a folder; a file was expected")
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise FileError(path, f"unknown suffix {path.suffix!r}; known: {', '.join(READERS)}")
    try:
        table = reader(path)
    except OSError as error:
        raise FileError(path, f"can't be read: {error.strerror or error}") from None
    if not any(np.size(values) for values in table.values()):
        raise FileError(path, "holds no data; check that it is the right file")
    return table


def _read_csv(path: Path) -> Table:
    from dynident.data.formats.csv import read_csv

    return read_csv(path)


def _read_npz(path: Path) -> Table:
    from dynident.core.archives import read_npz

    return read_npz(path)


def _read_parquet(path: Path) -> Table:
    from dynident.data.formats.parquet import read_parquet

    return read_parquet(path)


def _read_hdf5(path: Path) -> Table:
    from dynident.data.formats.hdf5 import read_hdf5

    return read_hdf5(path)


def _read_mat(path: Path) -> Table:
    from dynident.data.formats.mat import read_mat

    return read_mat(path)


#: A new format is one reader and one line here. Readers import their library when they are used, not before.
READERS: dict[str, Reader] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".txt": _read_csv,
    ".npz": _read_npz,
    ".parquet": _read_parquet,
    ".h5": _read_hdf5,
    ".hdf5": _read_hdf5,
    ".mat": _read_mat,
}
