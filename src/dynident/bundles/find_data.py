"""The data of a run, where they still are: files of the command that made it whose content is what the run remembers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dynident.bundles.documents import split_command
from dynident.core.files import file_digest
from dynident.runs import Stage, load_run


def find_data(folder: str | Path) -> list[Path]:
    """Files and folders with the data that a run was identified from; empty where one of them is gone, has changed, or was never named.

    The command may be anybody's: only files of the names that the run remembers are looked at, wherever it says that they are.
    """
    run = Path(folder)
    provenance: Mapping[str, Any] = load_run(run).documents[Stage.ESTIMATE]["provenance"]
    wanted: dict[str, str] = {digest: name for recording in provenance.get("recordings", []) for name, digest in recording["files"].items()}
    found: list[Path] = []
    for word in (word for word in split_command(provenance.get("command", ""))[1] if word and not word.startswith("-")):
        for place in (base / word for base in (Path(), run, run.parent)):
            held = {file: digest for file, digest in _digests(place, set(wanted.values())).items() if digest in wanted}
            if held:
                found += [place] if not os.path.isfile(place / Stage.ESTIMATE.file) else held
                wanted = {digest: name for digest, name in wanted.items() if digest not in held.values()}
                break
    return found if not wanted else []


def _digests(place: Path, names: set[str]) -> dict[Path, str]:
    """SHA-256 of a file, or of the files in a folder, of these names; empty where there are none."""
    files = [place] if place.name in names else []
    files += [place / name for name in sorted(names) if name == os.path.basename(name)]
    return {file: file_digest(file) for file in files if os.path.isfile(file)}  # False where the system can't be asked for such a name
