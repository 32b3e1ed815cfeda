"""Formats of trajectory files: written by suffix or name, read by what a file says of itself. A new one is its file and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Unpack

import numpy as np

from dynident.core.files import write_atomically
from dynident.core.options import describe_all, settle_options
from dynident.data.dataset import Dataset
from dynident.data.reading.load import ReadingArguments
from dynident.errors import FileError, UnknownNameError
from dynident.excitation.formats import franka, joint_trajectory, kuka_fri, kuka_rsi, tables, urscript
from dynident.excitation.formats.format import FileHeader, TrajectoryFile, TrajectoryFormat, named_format, require_regular, restore_marks

#: No joint of a robot goes farther [rad | m].
_FARTHEST = 1e6
FORMATS: dict[str, TrajectoryFormat] = {
    item.name: item
    for item in (
        tables.CSV,
        tables.NPZ,
        tables.PARQUET,
        joint_trajectory.YAML,
        joint_trajectory.JSON,
        urscript.FORMAT,
        franka.FORMAT,
        kuka_rsi.FORMAT,
        kuka_fri.FORMAT,
    )
}


def trajectory_suffixes() -> tuple[str, ...]:
    """All that trajectory files end with."""
    return tuple(dict.fromkeys(suffix for item in FORMATS.values() for suffix in item.suffixes))


def describe_formats() -> str:
    """The formats that a suffix alone does not choose, for help, with what they are."""
    return "; ".join(f"{item.name}: {item.about}" for item in FORMATS.values())


def format_options() -> str:
    """The options of the formats that have some, for help."""
    return describe_all(FORMATS)


def format_of(path: str | Path, name: str | None = None) -> TrajectoryFormat:
    """The format of that name, or the first that has the file's suffix."""
    suffix = Path(path).suffix.lower()
    if name is not None and name not in FORMATS:
        raise UnknownNameError("trajectory format", name, FORMATS)
    found = next((item for item in FORMATS.values() if suffix in item.suffixes and name in (None, item.name)), None)
    if found is None:
        known = trajectory_suffixes() if name is None else FORMATS[name].suffixes
        of_format = "" if name is None else f" for format {name!r}"
        raise FileError(path, f"unknown suffix {suffix!r} for the trajectory{of_format}; known: {', '.join(known)}")
    return found


def write_trajectory(
    samples: Dataset,
    path: str | Path,
    *,
    header: FileHeader | None = None,
    format: str | None = None,
    options: Mapping[str, object] | None = None,
) -> None:
    """Write samples of a trajectory, all or nothing; the suffix says as what, unless `format` names it.

    header : what the first lines say; without one they say that nothing was checked. options : of the format's own.
    """
    found = format_of(path, format)
    require_regular(samples, found)
    lines = (header or FileHeader()).lines(found, samples)
    write_atomically(path, found.encode(samples, lines, settle_options(found.options, options, f"format {found.name}")))


def read_trajectory(path: str | Path, **reading: Unpack[ReadingArguments]) -> TrajectoryFile:
    """The motion in a trajectory file of any format, or in any file with time and positions.

    reading : as for `load_dataset`, for data files that dynident has not written.
    """
    file = Path(path)
    by_suffix = [item for item in FORMATS.values() if file.suffix.lower() in item.suffixes] or [tables.CSV]
    comments = by_suffix[0].comments(file) if file.is_file() else ()
    named = named_format(comments)
    found = next((item for item in by_suffix if item.name == named), by_suffix[0])
    samples = restore_marks(found.read(file, reading), comments)
    if (farthest := float(np.abs(samples.q).max(initial=0.0))) > _FARTHEST:
        raise FileError(file, f"has a position of {farthest:.3g} rad or m; at most {_FARTHEST:g} was expected", remedy="check its columns")
    return TrajectoryFile(samples=samples, format=found.name, comments=comments)
