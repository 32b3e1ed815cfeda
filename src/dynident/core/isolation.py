"""Work that a damaged file can crash, hang or make greedy, done in a process of its own with a limit of memory and time.

Libraries in C that read binary formats may end the whole process on a flipped bit. In a child that is an answer like any other.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Generic, TypeVar

from dynident.errors import FileError

_T = TypeVar("_T")
#: What a reader may take: so many times the file, and at least [bytes]; and so long [s], more for a file of this many bytes a second.
_TIMES_THE_FILE, _LEAST_MEMORY = 30, 2 << 30
_LEAST_TIME, _BYTES_PER_SECOND = 60.0, 5e6
#: How often a process checks whether its parent still runs, where the system does not report it [s].
_WATCH = 0.2
_PR_SET_PDEATHSIG = 1  # of Linux's prctl


def read_apart(read: Callable[..., _T], path: Path, *arguments: object) -> _T:
    """read(path, *arguments) from a child process; FileError where the child crashes, hangs, or wants far more memory than the file has."""
    reader = ReaderApart(read)
    try:
        return reader(path, *arguments)
    finally:
        reader.close()


class ReaderApart(Generic[_T]):
    """A function of a path and arguments that runs in a child process, the same one for all calls; after a crash, in a new one.

    Parameters
    ----------
    read
        Called as read(path, *arguments) in the child, which is forked at the first call.
    least_time, bytes_per_second
        A file may take so long [s], and longer by its size over so many bytes per second [B/s].
    least_memory
        The child may take so much memory [bytes], more for a large file.

    Attributes
    ----------
    late : bool
        Whether a call took too long.
    """

    def __init__(
        self,
        read: Callable[..., _T],
        *,
        least_time: float | None = None,
        bytes_per_second: float | None = None,
        least_memory: int = _LEAST_MEMORY,
    ) -> None:
        self._read = read
        self._least_time = _LEAST_TIME if least_time is None else least_time
        self._speed = _BYTES_PER_SECOND if bytes_per_second is None else bytes_per_second
        self._least_memory = least_memory
        self._child: _Child | None = None
        self.late = False

    def __call__(self, path: Path, *arguments: object) -> _T:
        """read(path, *arguments), or what it raised; FileError where it crashes, hangs, or wants far more memory than the file has."""
        size = _size(path)
        seconds, memory = self._least_time + size / self._speed, max(self._least_memory, _TIMES_THE_FILE * size)
        question = (seconds, memory, path, *arguments)
        if self._child is None:
            self._child = _Child(self._read, question)
        else:
            self._child.questions.send(question)
        try:
            if not self._child.answers.poll(seconds):
                self.late = True
                raise FileError(path, f"can't be read within {seconds:.0f} s; it is damaged, or of another kind than its suffix says")
            answer = self._child.answers.recv()
        except EOFError:
            code = self._child.join()
            self.close()
            how = f"ended with signal {-code}" if code < 0 else "gave up, or had too little memory"
            raise FileError(path, f"is damaged: its reader {how}; copy or record the file again") from None
        except BaseException:
            self.close()
            raise
        if isinstance(answer, MemoryError):
            raise FileError(path, "asks for far more memory than a file of its size holds; it is damaged") from None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def close(self) -> None:
        """End the child, which also ends when nothing refers to this any more."""
        if self._child is not None:
            self._child.end()
            self._child = None


class _Child:
    """A child process that reads. The first question goes with the fork, so that it can be anything; the others are sent."""

    def __init__(self, read: Callable[..., Any], question: tuple[Any, ...]) -> None:
        context = multiprocessing.get_context("fork")
        self.answers, theirs = context.Pipe(duplex=False)
        asked, self.questions = context.Pipe(duplex=False)
        self._process = context.Process(target=_answer, args=(asked, theirs, os.getpid(), read, question), daemon=True)
        self._process.start()
        theirs.close()
        asked.close()
        self.end = weakref.finalize(self, _end, self._process, self.answers, self.questions)

    def join(self) -> int:
        """Its exit code."""
        self._process.join()
        return self._process.exitcode or 0


def _end(process: Any, *pipes: Connection) -> None:
    for pipe in pipes:
        pipe.close()
    process.kill()
    process.join()


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


def _answer(asked: Connection, theirs: Connection, parent: int, read: Callable[..., Any], question: tuple[Any, ...]) -> None:
    """In the child: answer the question, and others until there are no more. A question begins with its limits of time and memory."""
    gc.freeze()  # looking for garbage among the parent's objects would copy all of its memory
    faulthandler.disable()  # a crash is an answer like any other; nothing is printed about it
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asked, which ends this one
    end_with_parent(parent)
    while True:
        seconds, memory, *arguments = question
        _limit(seconds, memory)
        try:
            answer = read(*arguments)
        except Exception as error:  # noqa: BLE001 (it is raised again where the reading was asked for)
            answer = error.with_traceback(None)
            answer.__context__ = answer.__cause__ = None  # where Dask is loaded, errors are sent with their whole story, however deep
        try:
            theirs.send(answer)
            question = asked.recv()
        except Exception:  # noqa: BLE001 (no answer is one, too: the reader gave up; and there may be no more questions)
            return


def _limit(seconds: float, memory: int) -> None:
    """Of this process: its processor time [s], and its present memory and so much more [bytes], where the system reports it."""
    import resource

    _lower(resource.RLIMIT_CPU, math.ceil(time.process_time() + seconds))
    pages = Path("/proc/self/statm")
    if sys.platform == "linux" and pages.exists():
        _lower(resource.RLIMIT_AS, int(pages.read_text().split()[0]) * resource.getpagesize() + memory)


def _lower(kind: int, limit: int) -> None:
    import resource

    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
