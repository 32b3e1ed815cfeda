# pyright: basic
"""HDF5 files: every dataset by its path, such as log/q; a dataset of records gives a column per field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.core.options import Options, option
from dynident.data.formats.reader import Reader
from dynident.errors import FileError, UnknownNameError

#: What h5py raises on a damaged file depends on where the bytes stop making sense.
_DAMAGED = (OSError, RuntimeError, KeyError, ValueError, TypeError, OverflowError, MemoryError)


@dataclass(frozen=True, kw_only=True)
class Hdf5Options(Options):
    """What of the file is read."""

    group: str | None = option(None, "Path of a group, such as trial2: read only what is in it.")


def read_hdf5(path: Path, options: Hdf5Options) -> dict[str, NDArray[Any]]:
    """The datasets by path. Links to other files are not followed."""
    import h5py

    if not h5py.is_hdf5(path):
        raise FileError(path, "is not an HDF5 file; check that it is the right file")
    return collect_arrays(path, "HDF5", lambda name, item: _arrays(path, name, item), group=options.group)


READER = Reader(name="hdf5", read=read_hdf5, suffixes=(".h5", ".hdf5"), options=Hdf5Options, apart=True)


def collect_arrays(
    path: Path, kind: str, arrays: Callable[[str, Any], dict[str, NDArray[Any]]], *, group: str | None = None
) -> dict[str, NDArray[Any]]:
    """What `arrays(name, item)` makes of every dataset in the file, or in a group of it. kind : of the file, for messages.

    Every HDF5 file is opened here, whatever its suffix: a dataset that is stored in another file is refused.
    """
    import h5py

    content: dict[str, NDArray[Any]] = {}

    def visit(name: str, item: Any) -> None:
        if not isinstance(item, h5py.Dataset):
            return
        if item.shape is not None and (item.is_virtual or item.external):
            raise FileError(path, "holds data of other files; copy them into this one", place=name)
        content.update(arrays(name, item))

    try:
        with h5py.File(path, "r") as file:
            where = file if group is None else file.get(group)
            if not isinstance(where, h5py.Group):
                groups = sorted(name for name, item in file.items() if isinstance(item, h5py.Group))
                raise UnknownNameError(f"group in {path.name}", str(group), groups)
            where.visititems(visit)
    except _DAMAGED as error:
        raise FileError(path, f"can't be read as {kind}, it is damaged: {str(error).strip(chr(39))}") from None
    return content


def _arrays(path: Path, name: str, item: Any) -> dict[str, NDArray[Any]]:
    import h5py

    if item.shape is None:
        return {}
    if h5py.check_string_dtype(item.dtype) is not None:
        return {name: np.array(item.asstr()[()])}
    if item.dtype.kind == "O":
        raise FileError(path, "holds references or lists of changing length; arrays of numbers were expected", place=name)
    values = np.asarray(item[()])
    if values.dtype.names:
        return {f"{name}/{field}": values[field] for field in values.dtype.names}
    return {name: values}
