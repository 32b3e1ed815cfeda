# pyright: basic
"""Kernels that Numba compiles on their first call and keeps in its own cache, in a folder of dynident.

The folder is `~/.cache/dynident` (`$XDG_CACHE_HOME/dynident`; with NUMBA_CACHE_DIR, the folder `dynident` in it). A cached kernel is
machine code in a pickle, so the folder is used only where it belongs to the user and nobody else can write it. Without such a folder,
every process compiles its kernels in memory, and a warning says so once.

Numba compiles anew when the kernel's source file, the types, the processor or Numba's version change. It does not see a change in another
module that the kernel uses; `calls` names those.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
from numba.core import config

_log = logging.getLogger(__name__)
_settings: Any = config  # pyright does not see what it makes of the environment


def compiler(*, calls: tuple[ModuleType, ...] = (), **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a function on its first call, or loads it from the cache; the import compiles nothing.

    calls : other modules whose compiled functions or constants become part of it. options : of `numba.njit`.
    """
    sources = b"".join(Path(str(module.__file__)).read_bytes() for module in calls)

    def compile(function: Callable[..., Any]) -> Any:
        folder = cache_folder(_settings.CACHE_DIR, os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", ""))
        if folder is None:
            return numba.njit(**options)(function)
        given = _settings.CACHE_DIR
        _settings.CACHE_DIR = str(folder / hashlib.sha256(sources).hexdigest()[:16] if calls else folder)
        try:  # Numba asks for its folder now, where the function is defined
            return numba.njit(cache=True, **options)(function)
        finally:
            _settings.CACHE_DIR = given

    return compile


@lru_cache(maxsize=4)
def cache_folder(numba_folder: str, user_caches: str, home: str) -> Path | None:
    """The folder for compiled kernels, made if need be; None, after a warning, where there is none that only the user can write."""
    caches = Path(numba_folder or (user_caches if os.path.isabs(user_caches) else Path(home or "/nonexistent") / ".cache"))
    folder = caches / "dynident"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        if status.st_uid != os.geteuid():
            problem = "belongs to another user"
        elif status.st_mode & 0o022:
            problem = "can be written by others"
        elif not os.access(folder, os.W_OK | os.X_OK):
            problem = "can't be written: its permissions don't allow it"
        else:
            _remove_empty(folder)
            return folder
    except OSError as error:
        problem = f"can't be used: {error.strerror}"
    _log.warning(f"{folder} {problem}; kernels are compiled again in every process; set NUMBA_CACHE_DIR to a folder of your own")
    return None


def _remove_empty(folder: Path) -> None:
    """After a loss of power a file that was just written can be empty, on which Numba fails."""
    for pattern in ("**/*.nbi", "**/*.nbc"):
        for file in folder.glob(pattern):
            with contextlib.suppress(FileNotFoundError):  # another process removed it
                if file.stat().st_size == 0:
                    file.unlink()
