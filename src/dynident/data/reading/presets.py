"""Presets: recipes for the files that common recorders write, as YAML files of the package that a user can copy and change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from dynident.core.documents import Document, fill
from dynident.core.files import read_yaml
from dynident.data.formats.registry import Table
from dynident.data.reading.reading import Patterns, Reading, read_reading
from dynident.errors import FileError, UnknownNameError

_YAML = (".yaml", ".yml")


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A preset of the package. about : whose files it reads; source : where its names come from; path : the YAML file."""

    name: str
    about: str
    source: str
    path: Path


@dataclass(frozen=True, kw_only=True)
class PresetDocument(Document):
    """How the files of a recorder are read; `dynident presets --json` prints a list."""

    FILE = "presets.json"
    SEVERAL = True

    name: str
    about: Annotated[str, "whose files it reads"]
    source: Annotated[str, "where its names come from"]
    file: Annotated[str, "the YAML file"]

    @staticmethod
    def of(preset: Preset) -> PresetDocument:
        return fill(PresetDocument, preset, file=str(preset.path))


def list_presets() -> tuple[Preset, ...]:
    """The presets that come with dynident: how the logs of common recorders are read.

    Returns
    -------
    tuple of Preset
        All presets that come with dynident, by name.
    """
    folder = Path(str(resources.files("dynident.data"))) / "presets"
    found: list[Preset] = []
    for file in sorted(folder.glob("*.yaml")):
        content = read_yaml(file)
        found.append(Preset(name=file.stem, about=str(content["about"]), source=str(content["source"]), path=file))
    return tuple(found)


def find_preset(name: str) -> Preset:
    """The preset of that name; UnknownNameError lists those there are."""
    presets = {item.name: item for item in list_presets()}
    if name not in presets:
        raise UnknownNameError("preset", name, presets, remedy="or give a YAML file of your own")
    return presets[name]


def read_preset(name_or_file: str | Path) -> Reading:
    """The recipe of a preset, by name, or in a YAML file of the user's."""
    path = Path(name_or_file)
    return read_reading(path if path.suffix.lower() in _YAML else find_preset(str(name_or_file)).path)


def present_columns(file: Path, table: Table, preset: Mapping[str, Patterns], columns: Mapping[str, Patterns]) -> dict[str, Any]:
    """The columns that a preset expects and the file has, with those that somebody else gave before them.

    A recorder writes what it is told to, so that all but the positions may be missing. Positions that a preset doesn't name have
    their usual names.
    """
    there = {name: patterns for name, patterns in preset.items() if name not in columns and _matches(table, patterns)}
    if "q" in preset and "q" not in there and "q" not in columns:
        names = list(table)
        listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        patterns = preset["q"]
        called = patterns if isinstance(patterns, str) else ", ".join(patterns)
        raise FileError(file, f"has no positions under the preset's name, {called}; found: {listed}", remedy="use another preset")
    return there | dict(columns)


def _matches(table: Table, patterns: Patterns) -> bool:
    """Whether every pattern, name or range finds a column."""
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        first, _, last = pattern.partition(":")
        if pattern not in table and not (first in table and last in table) and not any(fnmatchcase(name, pattern) for name in table):
            return False
    return True
