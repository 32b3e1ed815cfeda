"""The data of a run, where they still are: files of the command that made it whose content is what the run remembers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from dynident.bundles.documents import split_command
from dynident.core.files import file_digest, read_json
from dynident.runs.stages import Stage

#: Characters of a word that no path has, and of which a system can't be asked.
_LONGEST = 1000


def find_data(folder: str | Path) -> list[Path]:
    """Files and folders with the data that a run was identified from; empty where one of them is gone, has changed, or was never named."""
    run = Path(folder)
    document = run / Stage.ESTIMATE.value.document
    provenance: Mapping[str, Any] = read_json(document).get("provenance", {}) if document.is_file() else {}
    recordings = cast("list[Mapping[str, Any]]", provenance.get("recordings", []))
    wanted = {str(digest) for recording in recordings for digest in recording["files"].values()}
    found: list[Path] = []
    words = split_command(str(provenance.get("command", "")))[1]
    for word in (word for word in words if word and not word.startswith("-") and len(word) < _LONGEST):
        for place in (base / word for base in (Path(), run, run.parent)):
            held = {file: digest for file, digest in _digests(place).items() if digest in wanted}
            if held:
                found += [place] if not (place / Stage.ESTIMATE.value.document).exists() else held
                wanted -= set(held.values())
                break
    return found if not wanted else []


def _digests(place: Path) -> dict[Path, str]:
    """SHA-256 of a file, or of the files in a folder; empty where there is nothing."""
    files = [place] if place.is_file() else [file for file in sorted(place.iterdir()) if file.is_file()] if place.is_dir() else []
    return {file: file_digest(file) for file in files}
