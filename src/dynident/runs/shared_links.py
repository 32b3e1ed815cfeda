"""Links that robots of one model share, as a file: NPZ with every digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from dynident.core.archives import Arrays, pack
from dynident.core.files import write_atomically
from dynident.feasibility.shared_links import SharedLinks
from dynident.runs.declared import read_archive

_SCHEMA = "dynident/shared-links/1"
_ARRAYS = ("nominal", "roots", "information", "vectors", "weights")
_WORDS = ("link_names", "robots", "digests")


def write_shared_links(path: str | Path, shared: SharedLinks) -> None:
    words = {name: list(getattr(shared, name)) for name in _WORDS}
    write_atomically(path, pack(_SCHEMA, {name: getattr(shared, name) for name in _ARRAYS}, words))


def read_shared_links(path: str | Path) -> SharedLinks:
    """FileError where the file is none of these."""
    return read_archive(Path(path), _SCHEMA, _shared)


def _shared(arrays: Arrays, description: dict[str, Any]) -> SharedLinks:
    words: dict[str, Any] = {name: tuple(description[name]) for name in _WORDS}
    return SharedLinks(**words, **cast("Any", {name: arrays[name] for name in _ARRAYS}))
