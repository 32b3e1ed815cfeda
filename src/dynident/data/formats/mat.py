# pyright: basic
"""MATLAB files: up to v7 through SciPy, v7.3 (which is HDF5) through h5py. Fields of a struct are named struct/field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.core.options import NoOptions
from dynident.data.formats.hdf5 import collect_arrays
from dynident.data.formats.reader import Reader
from dynident.errors import FileError


def read_mat(path: Path, options: NoOptions | None = None) -> dict[str, NDArray[Any]]:
    """The numeric and text variables; cell arrays and objects are left out."""
    import h5py

    return collect_arrays(path, "a MATLAB v7.3 file", _characters_or_numbers) if h5py.is_hdf5(path) else _read_v5(path)


READER = Reader(name="mat", read=read_mat, suffixes=(".mat",), apart=True)


def _read_v5(path: Path) -> dict[str, NDArray[Any]]:
    from scipy.io import loadmat

    try:
        variables = loadmat(path, simplify_cells=True)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 (what SciPy raises depends on where the bytes stop making sense)
        raise FileError(path, "is not a MATLAB file, or it is damaged; save it again, with -v7 or -v7.3") from None
    content: dict[str, NDArray[Any]] = {}
    _flatten({name: value for name, value in variables.items() if not name.startswith("__")}, "", content)
    return content


def _flatten(values: dict[str, Any], prefix: str, content: dict[str, NDArray[Any]]) -> None:
    for name, value in values.items():
        if isinstance(value, dict):
            _flatten(value, f"{prefix}{name}/", content)
            continue
        array = np.asarray(value)
        if array.dtype != object:
            content[prefix + name] = array


def _characters_or_numbers(name: str, item: Any) -> dict[str, NDArray[Any]]:
    """MATLAB stores its arrays column by column, so that HDF5 shows them transposed; characters are numbers there."""
    kind = item.attrs.get("MATLAB_class", b"")
    if name.startswith("#") or item.dtype.kind == "O" or item.shape is None or "MATLAB_empty" in item.attrs or kind == b"cell":
        return {}
    values = np.asarray(item[()]).T
    return {name: np.array(["".join(map(chr, row)).strip() for row in values]) if kind == b"char" else np.squeeze(values)}
