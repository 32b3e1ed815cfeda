"""Work that a damaged file can crash, hang or make greedy, done in a process of its own with a limit of memory and time.

Libraries in C that read binary formats may end the whole process on a flipped bit. In a child that is an answer like any other.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from dynident.errors import FileError

_T = TypeVar("_T")
#: What a reader may take: so many times the file, and at least [bytes]; and so long [s], more for a file of this many bytes a second.
_TIMES_THE_FILE, _LEAST_MEMORY = 30, 2 << 30
_LEAST_TIME, _BYTES_PER_SECOND = 60.0, 5e6
#: How often a process looks whether the one that began it is still there, where the system doesn't tell [s].
_WATCH = 0.2
_PR_SET_PDEATHSIG = 1  # of Linux's prctl


def read_apart(read: Callable[..., _T], path: Path, *arguments: object) -> _T:
    """read(path, *arguments) from a child process; FileError where the child crashes, hangs, or wants far more memory than the file has."""
    size = _size(path)
    seconds, memory = _LEAST_TIME + size / _BYTES_PER_SECOND, max(_LEAST_MEMORY, _TIMES_THE_FILE * size)
    context = multiprocessing.get_context("fork")
    mine, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(theirs, os.getpid(), seconds, memory, read, path, *arguments), daemon=True)
    child.start()
    theirs.close()
    try:
        if not mine.poll(seconds):
            raise FileError(path, f"can't be read within {seconds:.0f} s; it is damaged, or of another kind than its suffix says")
        found = mine.recv()
    except EOFError:
        child.join()
        code = child.exitcode or 0
        how = f"ended with signal {-code}" if code < 0 else "gave up, or had too little memory"
        raise FileError(path, f"is damaged: its reader {how}; copy or record the file again") from None
    finally:
        mine.close()
        child.kill()
        child.join()
    if isinstance(found, MemoryError):
        raise FileError(path, "asks for far more memory than a file of its size holds; it is damaged") from None
    if isinstance(found, BaseException):
        raise found
    return found


def _size(path: Path) -> int:
    """Of a file, or of all files in a folder; 0 of what is no file, such as the standard input [bytes]."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size if path.exists() else 0


def end_with_parent(parent: int) -> None:
    """In a child process: end when the process that began it is gone, whatever ended that one. parent : its number."""
    if sys.platform == "linux":  # also where a library in C holds Python's lock
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _answer(theirs: Connection, parent: int, seconds: float, memory: int, read: Callable[..., Any], *arguments: object) -> None:
    gc.freeze()  # looking for garbage among the parent's objects would copy all of its memory
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asked, which ends this one
    end_with_parent(parent)
    _limit(seconds, memory)
    try:
        found = read(*arguments)
    except Exception as error:  # noqa: BLE001 (it is raised again where the reading was asked for)
        found = error.with_traceback(None)
        found.__context__ = found.__cause__ = None  # where Dask is loaded, errors are sent with their whole story, however deep
    with contextlib.suppress(Exception):  # no answer is one, too: the reader gave up
        theirs.send(found)


def _limit(seconds: float, memory: int) -> None:
    """Of this process: its processor time [s], and what memory it has now and so much more [bytes], where the system tells what it has."""
    import resource

    _lower(resource.RLIMIT_CPU, math.ceil(time.process_time() + seconds))
    pages = Path("/proc/self/statm")
    if sys.platform == "linux" and pages.exists():
        _lower(resource.RLIMIT_AS, int(pages.read_text().split()[0]) * resource.getpagesize() + memory)


def _lower(kind: int, limit: int) -> None:
    import resource

    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
