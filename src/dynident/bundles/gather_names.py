"""The names in a run folder: of its robot, and of the data, files and folders that its documents tell of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, cast

from dynident.bundles.documents import command_places
from dynident.bundles.pseudonyms import Pseudonyms
from dynident.robots.robot import Robot
from dynident.runs.stages import Stage

#: Files of a run folder, which keep their names.
RUN_FILES = tuple(name for stage in Stage for name in stage.files)
#: Keys whose text tells where data came from, and then what was done to them.
_SOURCES = ("source", "identified_from", "links_source", "arm")


def gather_names(robot: Robot, folder: Path, documents: Iterable[Mapping[str, Any]], joints: Iterable[str] = ()) -> Pseudonyms:
    """joints : names in the data that go along."""
    found = list(documents)
    steps = [step for item in _below(found, "steps") if isinstance(item, list) for step in cast("list[str]", item)]
    recordings = [entry for item in _below(found, "provenance") for entry in cast("Mapping[str, Any]", item).get("recordings", ())]
    files = [name for entry in recordings for name in entry["files"]]
    sources = [text for key in _SOURCES for item in _below(found, key) if isinstance(item, str) for text in _origins(item, steps)]
    places = [str(item) for key in ("selection", "links", "run") for item in _below(found, key) if isinstance(item, str)]
    for command in (item for item in _below(found, "command") if isinstance(item, str)):
        words = command_places(command)
        places += [*words, *(PurePath(word).name for word in words)]
    places += [str(folder), str(folder.absolute()), folder.name]
    return Pseudonyms.of(robot, joints=joints, files=[*files, *sources], places=places).keeping(RUN_FILES)


def _origins(source: str, steps: Iterable[str]) -> Iterator[str]:
    """The data that a source names, without what was done to them afterwards."""
    for part in source.split("; "):
        text = part
        while shorter := next((text.removesuffix(f", {step}") for step in steps if text.endswith(f", {step}")), ""):
            text = shorter
        if text:
            yield text


def _below(value: object, key: str) -> Iterator[object]:
    """Everything that stands below a key, at any depth."""
    if isinstance(value, Mapping):
        for name, item in cast("Mapping[str, object]", value).items():
            if name == key:
                yield item
            yield from _below(item, key)
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _below(item, key)
