# pyright: basic
"""Kernels that Numba compiles, and the folder in which compiled code is kept between processes.

Compiled code is machine code in a pickle: who can write it can do anything in the user's name, and a damaged bit computes something else.
So it is kept in a folder that only the user can write, by default `~/.cache/dynident`; NUMBA_CACHE_DIR names another. Each file begins
with the SHA-256 of its content, and its name has that of all that the code depends on. Where the folder is another's, can't be written
or holds something else, that is said once, and kernels are compiled in memory.

Numba's own cache is beside the source or in ~/.cache/numba, believes whatever it finds, and raises what pickle raises.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import platform
import stat
import tempfile
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite
import numba
from numba.core import config
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from dynident.core.files import write_atomically
from dynident.errors import FileError

_log = logging.getLogger(__name__)
_SUFFIX = ".kernel"
_DIGEST = hashlib.sha256().digest_size
#: Files that nobody has loaded for so long are removed; a file is marked as loaded once a day [s].
_FORGOTTEN, _DAY = 90 * 86400.0, 86400.0
_said: set[str] = set()


def compiler(*, calls: tuple[ModuleType, ...] = (), **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a function on its first call, or finds it in the cache.

    calls : other modules whose compiled functions it calls, which become part of it. options : of `numba.njit`.
    """
    files = tuple(str(module.__file__) for module in calls)

    def compile(function: Callable[..., Any]) -> Any:
        dispatcher: Any = numba.njit(**options)(function)
        if hasattr(dispatcher, "_cache"):  # not under NUMBA_DISABLE_JIT
            dispatcher._cache = KernelCache(function, files)
        return dispatcher

    return compile


class KernelCache:
    """What has been compiled of one function; Numba asks it before it compiles."""

    def __init__(self, function: Callable[..., Any], files: tuple[str, ...] = ()) -> None:
        self._function, self._files = function, files

    @property
    def cache_path(self) -> str | None:
        folder = cache_folder()
        return None if folder is None else str(folder)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled code for these types; None where it has to be compiled."""
        target.refresh()
        file = self._file(signature, target.codegen())
        content = None if file is None else _read(file)
        if content is None:
            return None
        kept, payload = pickle.loads(content)  # noqa: S301 (only the user can have written it, and it is what was written)
        return CompileResult._rebuild(target, *payload) if kept == signature else None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep what was compiled, where it can be kept."""
        if compiled.lifted or compiled.library.has_dynamic_globals:
            return
        file = self._file(signature, compiled.codegen)
        if file is None:
            return
        content = dumps((signature, compiled._reduce()))
        try:
            write_atomically(file, hashlib.sha256(content).digest() + content)
            _remove_forgotten(file.parent)
        except (FileError, OSError) as error:
            _say(f"compiled code can't be kept: {error}; it is compiled again in every process; make room, or set NUMBA_CACHE_DIR")

    def flush(self) -> None:
        """Numba calls it where a function is compiled anew, which then replaces its file."""

    def enable(self) -> None:
        """Always on."""

    def disable(self) -> None:
        """Always on; NUMBA_DISABLE_JIT compiles nothing."""

    def _file(self, signature: Any, codegen: Any) -> Path | None:
        """Where the code of these types belongs; its name has all that it depends on."""
        folder, code = cache_folder(), self._function.__code__
        if folder is None:
            return None
        parts = (
            *(platform.python_version(), numba.__version__, llvmlite.__version__),
            *map(_source_digest, (code.co_filename, *self._files)),
            *(self._function.__module__, code.co_qualname, code.co_firstlineno),
            *(repr(signature), repr(codegen.magic_tuple())),
        )
        key = hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()
        return folder / f"{code.co_name}-{key}{_SUFFIX}"


def cache_folder() -> Path | None:
    """The folder for compiled code, made if need be; None where there is none that only the user can write, which is said once."""
    return _find_folder(getattr(config, "CACHE_DIR", ""), os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", ""))


@lru_cache(maxsize=4)
def _find_folder(given: str, caches: str, home: str) -> Path | None:
    user = os.geteuid()
    if given:
        places = [Path(given) / "dynident"]
    else:
        places = [Path(caches) if os.path.isabs(caches) else Path(home or "/nonexistent") / ".cache", Path(tempfile.gettempdir())]
        places = [places[0] / "dynident", places[1] / f"dynident-{user}"]
    problem = ""
    for place in places:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.mkdir(mode=0o700, exist_ok=True)
            found = place.stat()
        except OSError as error:
            problem = problem or f"can't be written: {error.strerror}"
            continue
        if found.st_uid != user or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            problem = "belongs to another user" if found.st_uid != user else "can be written by others"
            _say(f"{place} {problem}, so compiled code in it is not loaded; remove it, or set NUMBA_CACHE_DIR to a folder of your own")
            return None
        if os.access(place, os.W_OK | os.X_OK):
            return place
        problem = problem or "can't be written: its permissions don't allow it"
    _say(f"{places[0]} {problem}; kernels are compiled again in every process; set NUMBA_CACHE_DIR to a folder of your own")
    return None


def _read(file: Path) -> bytes | None:
    """The content that was written; None where there is none, or another, which is said."""
    try:
        raw = file.read_bytes()
        if time.time() - file.stat().st_mtime > _DAY:
            os.utime(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        _say(f"{file.parent}: compiled code can't be read ({error.strerror}), and is compiled again")
        return None
    content = raw[_DIGEST:]
    if hashlib.sha256(content).digest() != raw[:_DIGEST]:
        _say(f"{file.parent}: compiled code is damaged, and is compiled again")
        return None
    return content


def _remove_forgotten(folder: Path) -> None:
    for entry in os.scandir(folder):
        if entry.name.endswith(_SUFFIX) and time.time() - entry.stat().st_mtime > _FORGOTTEN:
            Path(entry.path).unlink(missing_ok=True)


@lru_cache(maxsize=64)
def _source_digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _say(sentence: str) -> None:
    """One sentence per process, however many kernels it is about."""
    if not _said:
        _log.warning(sentence)
    _said.add(sentence)
