"""What a reader is, and the simplest one: NumPy's archives."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dynident.core.archives import read_npz
from dynident.core.options import NoOptions, Options
from dynident.errors import FileError

Table: TypeAlias = Mapping[str, NDArray[Any]]
Progress: TypeAlias = Callable[[float], None]
#: Files of more bytes are read piece by piece, where the format allows it.
LARGE = 64 << 20


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A reader of one format, with everything that the registry, the command line and the tests ask of it.

    read : a path and the reader's own options to named arrays. It decides nothing about meaning: the names are the file's
        own, in its order, and the first axis is the sample. Descriptions ("joint_names", "effort_kind") come as arrays of
        text. Broken files raise FileError. Libraries are imported in here, not before.
    read_large : the same for a file of more than LARGE bytes, piece by piece into arrays that live on disk (`large_arrays`), with a call
        now and then of the share that is done; None where a format has no such way.
    suffixes : of the files that it reads, in lower case.
    marker : name or wildcard of a file by which a folder is known as one recording of this format; empty for files alone.
    options : dataclass of the options that it has of its own.
    apart : a damaged file can crash or hang the library behind it, so that it works in a process of its own.
    extra : the extra of dynident that installs what it imports; empty when nothing beyond dynident's own is needed.
    """

    name: str
    read: Callable[[Path, Any], Table]
    read_large: Callable[[Path, Any, Progress], Table] | None = None
    suffixes: tuple[str, ...] = ()
    marker: str = ""
    options: type[Options] = NoOptions
    apart: bool = False
    extra: str = ""

    def reads(self, path: Path) -> bool:
        """Whether a file or folder is of this format, by its looks."""
        if path.is_dir():
            return bool(self.marker) and next(path.glob(self.marker), None) is not None
        return path.suffix.lower() in self.suffixes

    @property
    def known_by(self) -> tuple[str, ...]:
        """For messages: the suffixes, and what a folder must hold."""
        return (*self.suffixes, *([f"folders with {self.marker}"] if self.marker else []))


def parse_description(path: Path, text: str | bytes, place: str) -> dict[str, NDArray[Any]]:
    """What `write_dataset` says beside a table of numbers, as JSON, each value as an array. place : where in the file it stands."""
    try:
        content = json.loads(text)
        return {str(name): np.array(value) for name, value in content.items()}
    except (ValueError, AttributeError, RecursionError, OverflowError):  # no JSON, no mapping, or lists that are no arrays
        problem = "the description that dynident keeps there is damaged"
        raise FileError(path, problem, place=place, remedy="remove it, or write the file again") from None


def _read(path: Path, options: NoOptions) -> Table:
    return read_npz(path)


READER = Reader(name="npz", read=_read, suffixes=(".npz",))
