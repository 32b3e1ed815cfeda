"""The files of a run folder without names, tied to each other by new digests: what could be read before can be read after.

The stages are taken in the order in which they are made from each other. A digest of a result that has been written anew is replaced
wherever a later stage refers to it, so that what was up to date still is, and what was stale too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from dynident.bundles.documents import clean
from dynident.bundles.pseudonyms import Pseudonyms
from dynident.core.files import errors_in_file, json_text, read_json
from dynident.core.records import OpenedFile, RecordFile
from dynident.robots.serialize import robot_from_dict, robot_to_dict
from dynident.runs import RunFolder
from dynident.runs.folder import encode_stage
from dynident.runs.stages import ROBOT, Stage

#: Files that hold what was measured, sample by sample, or as filtered rows.
SAMPLE_FILES = frozenset({Stage.VALIDATION.file, Stage.SIGNS.file})
#: More than any whole number in a record.
_HIDDEN = 1 << 60
#: Keys whose number is a time on the log's clock [s].
_CLOCK_KEYS = {Stage.VALIDATION: ("time", "since"), Stage.SIGNS: ("start", "stop")}


def anonymise_run(folder: Path, names: Pseudonyms, *, samples: bool = True) -> dict[str, bytes]:
    """{name: content} of a run folder's files. samples : False leaves out measured samples, and what was made of them row by row."""
    contents: dict[str, bytes] = {}
    digests: dict[str, str] = {}
    run = RunFolder(folder)
    for stage in sorted(Stage, key=lambda stage: len(stage.value.made_from)):
        if not (folder / stage.file).is_file():
            continue
        opened = OpenedFile(folder / stage.file, remedy=stage.remedy(folder))
        start = _clock_start(run, stage)
        if samples or stage.file not in SAMPLE_FILES:
            record = opened.file if samples or stage is not Stage.ESTIMATE else _without_rows(run)
            keys = _CLOCK_KEYS[stage] if stage is Stage.VALIDATION else ()  # segments of signs are counted in samples
            hidden = {place: _HIDDEN + number for number, place in enumerate(record.arrays)}
            new = record.rewrite(
                lambda text, keys=keys, start=start, hidden=hidden: _shift_clock(_clean_record(text, hidden, names, digests), keys, start),
                lambda place, values, start=start: values - start if start and place.endswith(".time") else values,
            )
            digests[opened.digest] = new.digest
            contents[stage.file] = new.to_bytes()
        if (folder / stage.document).is_file():
            document = _anonymise_document(read_json(folder / stage.document), names, digests)
            document["files"] = {name: digest for name, digest in document.get("files", {}).items() if name in contents}
            contents[stage.document] = json_text(_shift_clock(document, _CLOCK_KEYS.get(stage, ()), start)).encode()
    if (folder / ROBOT).is_file():
        with errors_in_file(folder / ROBOT):
            robot = robot_to_dict(robot_from_dict(read_json(folder / ROBOT)))
        contents[ROBOT] = json_text(_anonymise_document(robot, names, digests)).encode()
    return contents


def _clean_record(text: Mapping[str, Any], hidden: Mapping[str, int], names: Pseudonyms, digests: Mapping[str, str]) -> dict[str, Any]:
    """The text of a record file without names. hidden : numbers that stand for the places of arrays meanwhile, which are no names."""
    objects: list[dict[str, Any]] = _exchange(text["objects"], hidden)
    places = {link: number for item in objects if item["is"] == "Robot" for number, link in enumerate(item["links"], start=1)}
    cleaned = [_clean_object(item, names, places.get(i, 0)) for i, item in enumerate(objects)]
    shown = {number: place for place, number in hidden.items()}
    return {**text, "objects": _exchange(_exchange(cleaned, shown), digests)}


def _clean_object(item: Mapping[str, Any], names: Pseudonyms, number: int) -> dict[str, Any]:
    """number : of a link."""
    match item["is"]:
        case "Reading":  # whose columns and files are names
            return {"is": "Reading"}
        case "Robot":
            apart = [[names.of_name(name, "link") for name in pair] for pair in item["apart"]]
            return {**item, "name": "robot", "notes": [], "source": "robot", "apart": apart}
        case "Joint":
            return {**item, "name": names.of_name(item["name"], "joint")}
        case "Link":
            return {**item, "name": names.of_name(item["name"], "link"), "frame": names.of_frame(item["frame"], number)}
        case "Source":
            return {**item, "name": names.of_name(item["name"], "link")}
        case kind:
            return {"is": kind, **clean({name: value for name, value in item.items() if name != "is"}, names)}


def _without_rows(run: RunFolder) -> RecordFile:
    """The estimate without the problem behind it."""
    found = run.read(Stage.ESTIMATE)
    return encode_stage(Stage.ESTIMATE, replace(found, result=replace(found.result, problem=None)), found.origin)


def _anonymise_document(document: Mapping[str, Any], names: Pseudonyms, digests: Mapping[str, str]) -> dict[str, Any]:
    return _exchange(clean(document, names), digests)


def _exchange(value: Any, others: Mapping[Any, Any]) -> Any:
    """With other texts and numbers, such as digests of files as they are now."""
    if isinstance(value, Mapping):
        return {name: _exchange(item, others) for name, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list):
        return [_exchange(item, others) for item in cast("list[Any]", value)]
    return others.get(value, value) if isinstance(value, str | int) and not isinstance(value, bool) else value


def _clock_start(run: RunFolder, stage: Stage) -> float:
    """Whole seconds [s] that have passed on the log's clock before its first sample; 0 for a stage without a clock."""
    found = run.find_any(stage) if stage in _CLOCK_KEYS else None
    if found is None:
        return 0.0
    clocks = [found.result.log] if stage is Stage.SIGNS else found.result.series
    stamps = [float(item.time.min()) for item in clocks if item.time.size]
    return float(math.floor(min(stamps))) if stamps else 0.0


def _shift_clock(value: Any, keys: tuple[str, ...], start: float) -> Any:
    """The same value, whose times begin with the first second, in place."""
    if start and isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        for name, item in found.items():
            if name in keys and isinstance(item, float):
                found[name] = item - start
            else:
                _shift_clock(item, keys, start)
    elif start and isinstance(value, list):
        for item in cast("list[Any]", value):
            _shift_clock(item, keys, start)
    return cast("Any", value)
