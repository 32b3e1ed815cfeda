"""NumPy archives (.npz), never unpickled: a pickle can run any program."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.errors import FileError


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of an archive, by key."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            return {key: _array(path, archive, key) for key in archive.files}
    except (zipfile.BadZipFile, NotImplementedError):
        raise FileError(path, "is not an .npz archive, or it is damaged; write it with numpy.savez") from None
    except (ValueError, EOFError):  # np.load takes what is no archive for a pickle, and refuses
        raise FileError(path, "is not an .npz archive; write it with numpy.savez") from None
    except AttributeError:  # a single .npy array under another name has no keys
        raise FileError(path, "holds one array without a name; write it with numpy.savez(file, t=..., q=...)") from None


def _array(path: Path, archive: Any, key: str) -> NDArray[Any]:
    try:
        return np.asarray(archive[key])
    except ValueError:
        raise FileError(
            path,
            f"key {key!r} holds pickled Python objects, which are not loaded because they can run code; save numeric arrays",
            place=key,
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):  # also compressed or encrypted in an unknown way
        raise FileError(path, f"key {key!r} is damaged; copy or record the file again", place=key) from None
