"""What a run was made from, as far as its documents tell: no command replaces it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from dynident.core.files import file_digest, read_json
from dynident.errors import FileError
from dynident.runs.stages import ROBOT, Stage


def refuse_source(run: str | Path, file: Path) -> None:
    """FileError where a file that is to be written is one that the run was made from.

    That is a log, which is known by its content wherever it lies, the YAML beside one, and the description of the robot.
    """
    folder = Path(run)
    if not file.is_file():
        return
    logs = dict(_logs(folder))
    robot = str(_read(folder / ROBOT).get("source", ""))
    described = os.path.isfile(robot) and file.samefile(robot)
    if described or file.name in {f"{Path(name).name}.yaml" for name in logs} or (logs and file_digest(file) in logs.values()):
        raise FileError(file, f"is what the run {folder} was made from, and is not replaced; name another file")


def _logs(run: Path) -> Iterator[tuple[str, str]]:
    """Name and SHA-256 of the data of all stages."""
    for stage in Stage:
        provenance = _read(run / stage.value.document).get("provenance")
        files = cast("dict[str, Any]", provenance).get("files") if isinstance(provenance, dict) else None
        if isinstance(files, dict):
            yield from ((name, str(digest)) for name, digest in cast("dict[str, Any]", files).items())


def _read(document: Path) -> Mapping[str, Any]:
    """Empty where there is none, or where it is damaged, which whoever needs it says."""
    try:
        return read_json(document)
    except FileError:
        return {}
