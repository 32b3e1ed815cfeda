"""Archives of arrays (NPZ), exact to the last bit; never unpickled: a pickle can run any program."""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from collections import Counter
from pathlib import Path
from tokenize import TokenError
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from dynident.core.sizes import check_unpacked
from dynident.errors import FileError

Arrays: TypeAlias = dict[str, NDArray[Any]]
#: What NumPy and zipfile raise at bytes that are not as they wrote them, compressed or encrypted in an unknown way included.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, KeyError, MemoryError, OverflowError, RuntimeError),
    *(SyntaxError, TokenError),  # a header is the text of a Python expression
)
_MAGIC = b"\x93NUMPY"


def write_npz(arrays: Arrays) -> bytes:
    """The bytes of an archive of these arrays."""
    stream = io.BytesIO()
    np.savez(stream, **cast("Any", arrays))
    return stream.getvalue()


def read_npz(path: Path) -> Arrays:
    """The arrays of an archive, by key. Its unpacked size is checked before anything is unpacked."""
    try:
        with path.open("rb") as stream:
            if stream.read(len(_MAGIC)) == _MAGIC:  # a single .npy array under another name has no keys
                raise FileError(path, "holds one array without a name; write it with numpy.savez(file, t=..., q=...)")
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            entries = archive.zip.infolist()
            check_unpacked(path, sum(entry.file_size for entry in entries), remedy="save it uncompressed, with numpy.savez")
            twice = next((key for key, count in Counter(cast("list[str]", archive.files)).items() if count > 1), None)
            if twice is not None:
                raise FileError(path, f"holds two arrays of the name {twice!r}, and which one is meant is not known; write it again")
            return {key: _array(path, archive, key) for key in archive.files}
    except FileError:
        raise
    except (zipfile.BadZipFile, struct.error, NotImplementedError):
        raise FileError(path, "is not an .npz archive, or it is damaged; write it with numpy.savez") from None
    except (ValueError, EOFError):  # np.load takes what is no archive for a pickle, and refuses
        raise FileError(path, "is not an .npz archive; write it with numpy.savez") from None


def _array(path: Path, archive: Any, key: str) -> NDArray[Any]:
    try:
        _check_header(path, archive.zip, key)
        return np.asarray(archive[key])
    except (ValueError, *_DAMAGE):
        raise FileError(path, f"key {key!r} is damaged; copy or record the file again", place=key) from None


def _check_header(path: Path, archive: zipfile.ZipFile, key: str) -> None:
    """FileError where an array's header promises more than its entry holds: NumPy would make room for all of it first."""
    name = key if key in archive.NameToInfo else f"{key}.npy"
    with archive.open(name) as stream:
        if stream.read(len(_MAGIC)) != _MAGIC:
            return  # no array: NumPy hands out the bytes
        version = tuple(stream.read(2))
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(stream)
    if dtype.hasobject:
        why = "which are not loaded because they can run code; save numeric arrays"
        raise FileError(path, f"key {key!r} holds pickled Python objects, {why}", place=key)
    size = math.prod(shape) * dtype.itemsize
    if size > archive.NameToInfo[name].file_size:
        held = archive.NameToInfo[name].file_size
        raise FileError(path, f"key {key!r} promises {size:.3g} bytes and holds {held}; copy or record the file again", place=key)
