"""What a run was made from, as far as its results tell: no command replaces it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dynident.core.files import file_digest
from dynident.errors import FileError
from dynident.runs.stages import Folder, RunFolder, Stage


def refuse_source(run: Folder, file: Path) -> None:
    """FileError where a file that is to be written is one that the run was made from.

    That is a log, which is known by its content wherever it lies, the YAML beside one, and the description of the robot.
    """
    folder = RunFolder.of(run)
    if not file.is_file():
        return
    estimate = folder.find_any(Stage.ESTIMATE)
    logs, robot = dict(_logs(folder)), "" if estimate is None else estimate.result.base.robot.source
    described = os.path.isfile(robot) and file.samefile(robot)
    if described or file.name in {f"{Path(name).name}.yaml" for name in logs} or (logs and file_digest(file) in logs.values()):
        raise FileError(file, f"is what the run {folder.path} was made from, and is not replaced; name another file")


def _logs(run: RunFolder) -> Iterator[tuple[str, str]]:
    """Name and SHA-256 of the data of all stages."""
    for stage in Stage:
        content = run.find_any(stage)
        if content is not None:
            provenance = getattr(content.result, "provenance", None)
            yield from (provenance.files if provenance is not None else {}).items()
            yield from (content.origin.files or {}).items()
