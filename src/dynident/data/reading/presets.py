"""Presets: recipes for the files that common recorders write, as YAML files of the package that a user can copy and change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from dynident.core.documents import Document
from dynident.core.options import describe_options
from dynident.data.formats.registry import READERS, Table
from dynident.data.reading.columns import list_names, match
from dynident.data.reading.reading import YAML, Patterns, Reading, read_reading
from dynident.errors import FileError, UnknownNameError


@dataclass(frozen=True, kw_only=True)
class Preset(Document):
    """How the files of a recorder are read; `dynident presets --json` prints a list."""

    FILE = "presets.json"
    SEVERAL = True

    name: str
    about: Annotated[str, "whose files it reads"]
    source: Annotated[str, "where its names come from"]
    file: Annotated[str, "the YAML file"]


@dataclass(frozen=True, kw_only=True)
class DataFormat(Document):
    """A format of data that can be read; `dynident presets --formats --json` prints a list."""

    FILE = "data-formats.json"
    SEVERAL = True

    name: str
    known_by: Annotated[tuple[str, ...], "suffixes of its files, or what is in a folder"]
    options: Annotated[str, "what --reader-option can say, with the default; empty where there is nothing"]


def list_formats() -> tuple[DataFormat, ...]:
    """The formats of data that can be read."""
    readers = READERS.values()
    return tuple(DataFormat(name=item.name, known_by=tuple(item.known_by), options=describe_options(item.options)) for item in readers)


def list_presets() -> tuple[Preset, ...]:
    """The presets that come with dynident: how the logs of common recorders are read.

    Returns
    -------
    tuple of Preset
        All presets that come with dynident, by name.
    """
    folder = Path(str(resources.files("dynident.data"))) / "presets"
    files = {file: read_reading(file) for file in sorted(folder.glob("*.yaml"))}
    return tuple(Preset(name=file.stem, about=preset.about, source=preset.source, file=str(file)) for file, preset in files.items())


def find_preset(name: str) -> Preset:
    """The preset of that name; UnknownNameError lists those there are."""
    presets = {item.name: item for item in list_presets()}
    if name not in presets:
        raise UnknownNameError("preset", name, presets, remedy="or give a YAML file of your own")
    return presets[name]


def read_preset(name_or_file: str | Path) -> Reading:
    """The recipe of a preset, by name, or in a YAML file of the user's."""
    path = Path(name_or_file)
    return read_reading(path if path.suffix.lower() in YAML else Path(find_preset(str(name_or_file)).file))


def present_columns(file: Path, table: Table, preset: Mapping[str, Patterns], columns: Mapping[str, Patterns]) -> dict[str, Any]:
    """The columns that a preset expects and the file has, with those that somebody else gave before them.

    A recorder writes what it is told to, so that all but the positions may be missing. Positions that a preset doesn't name have
    their usual names.
    """
    there = {name: patterns for name, patterns in preset.items() if name not in columns and _matches(table, patterns)}
    if "q" in preset and "q" not in there and "q" not in columns:
        names = ", ".join(np.atleast_1d(preset["q"]).tolist())
        problem = f"has no positions under the preset's name, {names}; found: {list_names(table)}"
        raise FileError(file, problem, remedy="use another preset")
    return there | dict(columns)


def _matches(table: Table, patterns: Patterns) -> bool:
    """Whether every pattern finds a column."""
    return all(match(table, pattern) for pattern in ([patterns] if isinstance(patterns, str) else patterns))
