"""Run folders that somebody has changed, with digests that fit: arrays of other types, shapes and values, and other words.

What is known here of the files of a run: a stage is a record file, which names the digests of the stages that it was made from.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

from numpy.random import Generator

from dynident.core.records import OpenedFile, RecordFile
from dynident.runs.stages import Stage
from tests.faults.damage import damage_arrays, damage_tree, pick

#: What a command may do with such a folder: its work, or a sentence.
FINE = (0, 1, 2)


def forge(run: Path, rng: Generator) -> str:
    """Change one file of a run folder, and let all digests fit; what was changed."""
    while True:
        file = pick(rng, sorted(path for path in run.iterdir() if path.suffix in (".safetensors", ".json")))
        try:
            content, what = _changed(file, rng)
        except (TypeError, ValueError, OverflowError, NotImplementedError, IndexError, KeyError, RecursionError):
            continue  # what the format can't hold
        old = {} if file.suffix == ".json" else {stage: OpenedFile(run / stage.file, remedy="").digest for stage in _there(run)}
        file.write_bytes(content)
        fit_digests(run, old)
        return f"{file.name}: {what}"


def _changed(file: Path, rng: Generator) -> tuple[bytes, str]:
    if file.suffix == ".json":
        return json.dumps(damage_tree(rng, json.loads(file.read_text(encoding="utf-8")))).encode(), "words"
    record = OpenedFile(file, remedy="").file
    if not record.arrays or rng.random() < 0.4:
        part = pick(rng, ["content", "content", "about"])
        texts = {"content": record.content, "about": record.about}
        texts[part] = json.dumps(damage_tree(rng, json.loads(texts[part])), allow_nan=False)
        return RecordFile(record.arrays, **texts).to_bytes(), part
    damaged = damage_arrays(rng, dict(record.arrays))
    changed = [name for name in {**record.arrays, **damaged} if record.arrays.get(name) is not damaged.get(name)]
    return RecordFile(damaged, record.content, record.about).to_bytes(), ", ".join(changed)


def damage_record(rng: Generator, content: bytes) -> bytes:
    """A record file with other words or numbers, and with a digest that fits."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "stage.safetensors"
        file.write_bytes(content)
        while True:
            with contextlib.suppress(TypeError, ValueError, OverflowError, NotImplementedError, IndexError, KeyError, RecursionError):
                return _changed(file, rng)[0]


def _there(run: Path) -> list[Stage]:
    return [stage for stage in sorted(Stage, key=lambda stage: len(stage.value.made_from)) if (run / stage.file).is_file()]


def fit_digests(run: Path, old: dict[Stage, str]) -> None:
    """Every stage says that it was made from the files that are there now. old : the digests before."""
    new: dict[str, str] = {}
    for stage in _there(run) if old else []:
        record = OpenedFile(run / stage.file, remedy="").file
        texts = [json.dumps(_replace(json.loads(part), new), allow_nan=False) for part in (record.content, record.about)]
        fitted = RecordFile(record.arrays, *texts)
        new[old[stage]] = fitted.digest
        (run / stage.file).write_bytes(fitted.to_bytes())


def _replace(value: Any, new: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _replace(item, new) for key, item in value.items()}
    if isinstance(value, list):
        return [_replace(item, new) for item in value]
    return new.get(value, value) if isinstance(value, str) else value
