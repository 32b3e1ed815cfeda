# pyright: basic
"""Sentences that a file carries for people: the lines with # above a CSV, the entry `comments` of an archive or of Parquet's metadata."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

from dynident.core.archives import read_npz
from dynident.data.formats.csv_layout import DESCRIPTION
from dynident.errors import FileError

#: Entry that holds them where a format has names for its entries.
COMMENTS = "comments"
#: Lines of a text that are looked at, and characters of a line, for a file may have no end of them.
_MOST, _LONGEST = 100, 1 << 20


def read_comments(path: str | Path) -> tuple[str, ...]:
    """The sentences of a file; none where its format has no place for them, or it can't be read: whoever reads the data says why."""
    file = Path(path)
    try:
        return _READERS.get(file.suffix.lower(), leading_comments)(file)
    except (FileError, OSError, ValueError):
        return ()


def leading_comments(file: Path) -> tuple[str, ...]:
    """The lines that begin with # before anything else in a text, without it; what dynident keeps there for itself is left out."""
    sentences: list[str] = []
    with file.open(encoding="utf-8-sig") as stream:
        for line in islice(iter(lambda: stream.readline(_LONGEST), ""), _MOST):
            if line.strip() and not line.startswith("#"):
                break
            if line.strip() and not line.startswith(DESCRIPTION):
                sentences.append(line.lstrip("#").strip())
    return tuple(sentences)


def _of_archive(file: Path) -> tuple[str, ...]:
    arrays = read_npz(file)
    return tuple(str(line) for line in arrays[COMMENTS].ravel()) if COMMENTS in arrays else ()


def _of_parquet(file: Path) -> tuple[str, ...]:
    from pyarrow import parquet

    from dynident.data.formats.parquet import DESCRIPTION as KEY

    text = (parquet.read_schema(file).metadata or {}).get(KEY)
    return () if text is None else tuple(str(line) for line in json.loads(text).get(COMMENTS, ()))


_READERS = {".npz": _of_archive, ".parquet": _of_parquet}
