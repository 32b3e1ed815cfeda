"""Files that may be written, and the command that was typed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from dynident.errors import FileError

#: Of a command that another one runs; empty for one that was typed.
_WORDS: ContextVar[tuple[str, ...]] = ContextVar("_WORDS", default=())


def check_output(
    file: Path,
    what: str,
    suffixes: Iterable[str] | None = None,
    *,
    inputs: Iterable[str | Path | None] = (),
    runs: Iterable[Path | None] = (),
) -> None:
    """To be asked before the work: a file of the right kind can be made there.

    suffixes : those that are allowed; inputs : what is read; runs : folders, and nothing that they were made from is replaced either.
    """
    from dynident.core.files import check_file_target
    from dynident.runs.folder import refuse_run_file, refuse_source

    if suffixes is not None and file.suffix.lower() not in suffixes:
        raise FileError(file, f"unknown suffix {file.suffix!r} for the {what}; known: {', '.join(suffixes)}")
    check_file_target(file, what, inputs=inputs)
    refuse_run_file(file)
    for run in runs:
        if run is not None:
            refuse_source(run, file)


@contextmanager
def typed(words: Sequence[str]) -> Generator[None]:
    """Inside, these are the words of the running command: it is run by another one, as a user would type it."""
    token = _WORDS.set(tuple(words))
    try:
        yield
    finally:
        _WORDS.reset(token)


def running_command() -> str:
    """What the user has typed."""
    return shlex.join(["dynident", *(_WORDS.get() or sys.argv[1:])])
