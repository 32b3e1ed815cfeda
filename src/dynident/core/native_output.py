"""What C and C++ libraries print past Python, caught.

The URDF parser of Pinocchio writes on stderr what its exception does not contain. Warnings of MuJoCo are ignored: callers check the state
that it computes, or get the exception that follows.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import IO, Any

_STDERR = 2


@contextmanager
def catch_native_errors(lines: list[str]) -> Generator[None]:
    """Nothing that is written to the process's stderr within is shown; the list gets its lines.

    The descriptor is the whole process's: what other threads print meanwhile is caught too, so that it is for short calls.
    """
    with suppress(OSError, ValueError):  # a stderr that is closed has nothing to lose
        sys.stderr.flush()
    try:
        shown = os.dup(_STDERR)
    except OSError:
        yield
        return
    with _file_in_memory() as caught:
        os.dup2(caught.fileno(), _STDERR)
        try:
            yield
        finally:
            os.dup2(shown, _STDERR)
            os.close(shown)
            caught.seek(0)
            lines += caught.read().decode("utf-8", "replace").splitlines()


def _file_in_memory() -> IO[bytes]:
    """A file for a few lines, which a full disk has room for; a temporary one on systems that have none in memory."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("stderr"), "w+b")
    return tempfile.TemporaryFile()


@contextmanager
def silence_mujoco(mujoco: Any) -> Generator[None]:
    """No warning of MuJoCo is printed within, or logged in MUJOCO_LOG.TXT; a handler of the user's own is there again afterwards."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(_ignore)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)


def _ignore(message: str) -> None:
    pass
