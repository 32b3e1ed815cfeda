"""Ctrl-C in the command: it ends within a second, with one sentence and the exit code that shells have for it.

Python raises KeyboardInterrupt wherever the program is. A library in C that calls Python may make another error of it, or none at all; so
it is remembered that it was pressed, and it is raised again until the command has ended.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

#: As shells have it: 128 plus the number of the signal.
INTERRUPTED = 130
#: After so long it is raised again [s].
_AGAIN = 0.1

_pressed = False
_repeated = True
_ends_search = True
_process = 0


def was_pressed() -> bool:
    """Whether Ctrl-C was pressed since the command began."""
    return _pressed


@contextmanager
def watch_ctrl_c() -> Generator[None]:
    """Remember Ctrl-C, and raise it again until the block has ended."""
    global _pressed, _process
    _pressed, _process = False, os.getpid()
    before = {number: signal.signal(number, _note) for number in (signal.SIGINT, signal.SIGALRM)}
    try:
        yield
    finally:
        if os.getpid() == _process:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def end_search_first() -> Generator[None]:
    """Ctrl-C ends a search, whose best result the command then writes: it is not raised again, unless it is pressed again."""
    global _repeated
    _repeated = not _ends_search
    try:
        yield
    finally:
        _repeated = True


@contextmanager
def end_at_once() -> Generator[None]:
    """A command that is a step of another one: Ctrl-C ends both, searches too."""
    global _ends_search
    _ends_search = False
    try:
        yield
    finally:
        _ends_search = True


def end_now() -> NoReturn:
    """End Python within a moment and in silence: libraries wait for their threads at its end, and complain about what they had begun."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    threading.Timer(_AGAIN, os._exit, (INTERRUPTED,)).start()
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage] (temporary files and processes of libraries)
    os._exit(INTERRUPTED)


def _note(number: int, frame: FrameType | None) -> None:
    global _pressed
    _pressed = True
    if _repeated and os.getpid() == _process:  # workers are ended by this process
        signal.setitimer(signal.ITIMER_REAL, _AGAIN)
    raise KeyboardInterrupt
