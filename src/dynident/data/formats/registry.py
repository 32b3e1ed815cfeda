"""Readers by name: a file's suffix, or a marker in a folder, chooses one. A new format is its file and one line here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.isolation import read_apart
from dynident.core.options import settle_options
from dynident.data.formats import bag, csv, hdf5, lerobot, mat, parquet, reader
from dynident.data.formats.reader import Progress, Reader, Table
from dynident.errors import FileError, MissingExtraError, MissingFileError

READERS: dict[str, Reader] = {
    item.name: item for item in (csv.READER, reader.READER, parquet.READER, hdf5.READER, mat.READER, bag.READER, lerobot.READER)
}


def known_formats() -> str:
    """What can be read, for messages: ".csv, .tsv, ..."."""
    return ", ".join(word for item in READERS.values() for word in item.known_by)


def reader_of(path: Path) -> Reader | None:
    """Whoever reads this file or folder."""
    return next((item for item in READERS.values() if item.reads(path)), None)


def read_table(
    path: Path, options: Mapping[str, object] | None = None, *, robot_joints: Sequence[str] = (), progress: Progress | None = None
) -> Table:
    """The content of one file, or of one folder that is a recording.

    options : of the reader's own, by name. robot_joints : for readers with an option `joints`, unless it was given.
    progress : called with the share of a large file that was read.
    """
    if not path.exists():
        raise MissingFileError(path, "no such file; check the path")
    if not path.is_file() and not path.is_dir():
        raise FileError(path, "is a device or a pipe; copy what comes from it to a file first")
    chosen = reader_of(path)
    if chosen is None and path.is_dir():
        raise FileError(path, "is a folder; a file was expected")
    if chosen is None:
        raise FileError(path, f"unknown suffix {path.suffix!r}; known: {known_formats()}")
    settled: Any = settle_options(chosen.options, options, f"the reader of {chosen.name} ({path.name})")
    if robot_joints and getattr(settled, "joints", "") is None:
        settled = replace(settled, joints=",".join(robot_joints))
    try:
        large = chosen.read_large is not None and path.is_file() and path.stat().st_size > reader.LARGE
        if chosen.read_large and large:
            table = chosen.read_large(path, settled, progress or _ignore)
        else:
            table = read_apart(chosen.read, path, settled) if chosen.apart else chosen.read(path, settled)
    except ModuleNotFoundError as error:
        if not chosen.extra:
            raise
        package = (error.name or chosen.name).partition(".")[0]
        raise MissingExtraError(chosen.extra, package, f"reading {chosen.name}") from None
    except OSError as error:
        raise FileError(path, f"can't be read: {error.strerror or error}") from None
    if not any(np.size(values) for values in table.values()):
        raise FileError(path, "holds no data; check that it is the right file")
    return table


def _ignore(share: float) -> None:
    """For those who want to hear nothing."""
