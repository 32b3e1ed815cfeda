"""The files of a run folder without names, tied to each other by new digests: what could be read before can be read after.

The stages are taken in the order in which they are made from each other. A digest of a file that has been written anew is replaced
wherever a later stage refers to it, so that what was up to date still is, and what was stale too.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from dynident.bundles.documents import clean
from dynident.bundles.pseudonyms import Pseudonyms
from dynident.core.archives import Arrays, read_npz, write_npz
from dynident.core.files import errors_in_file, file_digest, json_text, read_json
from dynident.robots.serialize import robot_from_dict, robot_to_dict
from dynident.runs.stages import PROBLEM, ROBOT, Stage, read_document

#: Files that hold what was measured, sample by sample, or as filtered rows.
SAMPLE_FILES = frozenset({PROBLEM, Stage.VALIDATION.value.arrays, Stage.SIGNS.value.arrays})
#: Keys of a document whose number is a time on the log's clock [s].
_CLOCK_KEYS = {Stage.VALIDATION: ("time", "since"), Stage.SIGNS: ("start", "stop")}


def anonymise_run(folder: Path, names: Pseudonyms, *, samples: bool = True) -> dict[str, bytes]:
    """{name: content} of a run folder's files. samples : False leaves out those with measured samples."""
    contents: dict[str, bytes] = {}
    digests: dict[str, str] = {}
    for stage in Stage:
        document = folder / stage.value.document
        if not document.is_file():
            continue
        beside = (stage.value.arrays, *((PROBLEM, ROBOT) if stage is Stage.ESTIMATE else ()))
        kept = [name for name in beside if (folder / name).is_file() and (samples or name not in SAMPLE_FILES)]
        start = _clock_start(folder / stage.value.arrays) if stage in _CLOCK_KEYS else 0.0
        for name in kept:
            content = _anonymise_file(folder / name, names, digests, start)
            digests[file_digest(folder / name)] = hashlib.sha256(content).hexdigest()
            contents[name] = content
        told = _anonymise_document(read_document(folder, stage), names, digests)
        told["files"] = {name: digest for name, digest in told.get("files", {}).items() if name in kept}
        _shift_clock(told, _CLOCK_KEYS.get(stage, ()), start)
        contents[document.name] = json_text(told).encode()
    return contents


def _anonymise_file(file: Path, names: Pseudonyms, digests: Mapping[str, str], start: float) -> bytes:
    if file.suffix == ".json":
        with errors_in_file(file):
            return json_text(_anonymise_document(robot_to_dict(robot_from_dict(read_json(file))), names, digests)).encode()
    arrays = read_npz(file)
    description = _anonymise_document(json.loads(str(arrays.pop("description"))), names, digests)
    _shift_clock(description, ("time", "since"), start)
    return write_npz({"description": np.array(json.dumps(description, ensure_ascii=False)), **_shift_arrays(arrays, start)})


def _anonymise_document(document: Mapping[str, Any], names: Pseudonyms, digests: Mapping[str, str]) -> dict[str, Any]:
    return _renew_digests(clean(document, names), digests)


def _renew_digests(value: Any, digests: Mapping[str, str]) -> Any:
    """With those of the files as they are now, wherever a text is one of those that they had."""
    if isinstance(value, Mapping):
        return {name: _renew_digests(item, digests) for name, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list):
        return [_renew_digests(item, digests) for item in cast("list[Any]", value)]
    return digests.get(value, value) if isinstance(value, str) else value


def _clock_start(file: Path) -> float:
    """Whole seconds [s] that have passed on the log's clock before its first sample; 0 where the file is not there."""
    if not file.is_file():
        return 0.0
    stamps = [float(values.min()) for name, values in read_npz(file).items() if _is_clock(name) and values.size]
    return float(math.floor(min(stamps))) if stamps else 0.0


def _is_clock(name: str) -> bool:
    return name == "time" or (name.startswith("time_") and name.removeprefix("time_").isdecimal())


def _shift_arrays(arrays: Arrays, start: float) -> Arrays:
    return {name: values - start if start and _is_clock(name) else values for name, values in arrays.items()}


def _shift_clock(value: Any, keys: tuple[str, ...], start: float) -> None:
    """Let times begin with the first second, in place."""
    if not start:
        return
    if isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        for name, item in found.items():
            if name in keys and isinstance(item, float):
                found[name] = item - start
            else:
                _shift_clock(item, keys, start)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            _shift_clock(item, keys, start)
