"""Run folders that somebody has changed, with digests that fit: arrays of other types, shapes and values, and other words in documents.

What is known here of the files of a run: a stage is an archive of arrays with a JSON description and a JSON document that names the
SHA-256 of what belongs to it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from dynident.runs.stages import Stage
from tests.faults.damage import damage_arrays, damage_tree, load_npz, pick, save_npz

#: What a command may do with such a folder: its work, or a sentence.
FINE = (0, 1, 2)


def forge(run: Path, rng: Generator) -> str:
    """Change one file of a run folder, and let all digests fit; what was changed."""
    while True:
        file = pick(rng, sorted(path for path in run.iterdir() if path.suffix in (".npz", ".json")))
        try:
            content, what = _changed(file, rng)
        except (TypeError, ValueError, OverflowError, NotImplementedError, IndexError, KeyError, RecursionError):
            continue  # what the format can't hold
        file.write_bytes(content)
        fit_digests(run)
        return f"{file.name}: {what}"


def _changed(file: Path, rng: Generator) -> tuple[bytes, str]:
    if file.suffix == ".json":
        return json.dumps(damage_tree(rng, json.loads(file.read_text(encoding="utf-8")))).encode(), "words"
    arrays = load_npz(file.read_bytes())
    description = arrays.pop("description")
    if not arrays or rng.random() < 0.4:
        words = json.dumps(damage_tree(rng, json.loads(str(description))))
        return save_npz({"description": np.array(words), **arrays}), "description"
    damaged = damage_arrays(rng, arrays)
    changed = [name for name in {**arrays, **damaged} if arrays.get(name) is not damaged.get(name)]
    return save_npz({"description": description, **damaged}), ", ".join(changed)


def fit_digests(run: Path) -> None:
    """Every stage says that it was made from the files that are there now."""
    for stage in Stage:
        files = stage.value
        if not (run / files.arrays).is_file() or not (run / files.document).is_file():
            continue
        if stage is not Stage.ESTIMATE:
            _fit_archive(run, run / files.arrays)
        document = _object((run / files.document).read_text(encoding="utf-8"))
        for key in ("files", "made_from"):
            if isinstance(document.get(key), dict):
                document[key] = {name: _digest(run / name) if (run / name).is_file() else old for name, old in document[key].items()}
        if document:
            (run / files.document).write_text(json.dumps(document), encoding="utf-8")


def _fit_archive(run: Path, file: Path) -> None:
    arrays = load_npz(file.read_bytes())
    description = _object(str(arrays.get("description")))
    for holder in (description, description.get("details")):
        if isinstance(holder, dict):
            for key, stage in (("estimate", Stage.ESTIMATE), ("parameters", Stage.PARAMETERS)):
                if isinstance(holder.get(key), str) and holder[key]:
                    holder[key] = _digest(run / stage.value.arrays)
    if description:
        file.write_bytes(save_npz({**arrays, "description": np.array(json.dumps(description))}))


def _object(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
