"""Files that may be written, and the command that was typed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dynident.errors import FileError

if TYPE_CHECKING:
    from dynident.data.reading.reading import Reading
    from dynident.runs.stages import StageOrigin


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


def running_command() -> str:
    """What the user has typed."""
    return shlex.join(["dynident", *sys.argv[1:]])


def typed_call(data: Sequence[Path] = (), reading: Reading | None = None) -> StageOrigin:
    """What a run remembers of the running command. data : the files that a step gets; reading : how they are read."""
    from dynident.runs.stages import StageOrigin

    return StageOrigin(command=running_command(), data=tuple(map(str, data)), reading=reading)
