"""Recorded data from a file, several files or a folder, with an optional YAML beside the data that says how to read it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias, cast

from dynident.core.options import takes
from dynident.data.controller_samples import ControllerSamples
from dynident.data.dataset import Dataset
from dynident.data.formats.registry import known_formats, read_table, reader_of
from dynident.data.reading.assemble import assemble
from dynident.data.reading.columns import understand
from dynident.data.reading.presets import present_columns, read_preset
from dynident.data.reading.quantities import natural_order
from dynident.data.reading.reading import YAML, Reading, read_reading
from dynident.data.reading.separate_files import digests_of, load_quantities
from dynident.errors import FileError, Remedy

_FOLDER_RECIPE = "dataset.yaml"

DataPath: TypeAlias = str | Path | Sequence[str | Path]


@takes(Reading)
def load_dataset(path: DataPath, reading: Reading) -> Dataset:
    """Read a log of a moving robot; what a controller returned (q with M or g) is for `load_controller_samples`.

    `<file>.yaml` beside a file, or `dataset.yaml` in its folder, can say the same as the keywords, which override it. All files are read
    before anything is returned.

    Parameters
    ----------
    path : str, Path or sequence of them
        A file, a list of files, a folder (one recording where a format is a folder, else all data files in it, in natural order), or a YAML
        file that lists the files under `files`. Many files make one dataset with a segment (or more) per file.
    reading : Reading
        How the files are read. In place of it, its fields are given as keywords: `load_dataset(path, sampling_rate=500.0)`.

    Returns
    -------
    Dataset
        All files, joined.

    Raises
    ------
    FileError
        Where a file cannot be read or is not what it should be; the message names the file and the place.

    Examples
    --------
    >>> from dynident import load_dataset
    >>> load_dataset("log.csv", joints=["shoulder", "elbow"], skip=100).samples
    1400
    """
    data = load_recording(path, reading)
    if isinstance(data, ControllerSamples):
        held = ", ".join(data.present)
        raise FileError(data.source or "data", f"holds a controller's samples ({held}) and no log; read it with load_controller_samples")
    return data


@takes(Reading)
def load_controller_samples(path: DataPath, reading: Reading) -> ControllerSamples:
    """Read what a controller returned: q with M or g or both, and dq with c.

    Parameters
    ----------
    path : str, Path or sequence of them
        As in `load_dataset`.
    reading : Reading
        How the files are read. In place of it, its fields are given as keywords: `load_dataset(path, sampling_rate=500.0)`.

    Returns
    -------
    ControllerSamples
        All files, joined.

    Raises
    ------
    FileError
        Where a file cannot be read or is not what it should be; the message names the file and the place.

    Examples
    --------
    >>> from dynident import load_controller_samples
    >>> load_controller_samples("controller.npz").M.shape
    (60, 2, 2)
    """
    data = load_recording(path, reading)
    if isinstance(data, Dataset):
        raise FileError(data.source or "data", "holds a log, and no M or g of a controller; read it with load_dataset")
    return data


@takes(Reading)
def load_recording(path: DataPath, reading: Reading) -> Dataset | ControllerSamples:
    """Whichever of the two the files hold: q with M or g but no effort are controller samples, anything else is a log.

    Parameters
    ----------
    path : str, Path or sequence of them
        As in `load_dataset`.
    reading : Reading
        How the files are read. In place of it, its fields are given as keywords: `load_dataset(path, sampling_rate=500.0)`.

    Returns
    -------
    Dataset or ControllerSamples
        What the files hold.

    Raises
    ------
    FileError
        Where a file cannot be read or is not what it should be; the message names the file and the place.
    """
    log, samples = load_log_and_samples(path, reading)
    if log is not None and samples is not None:
        raise FileError(samples.source, f"holds controller samples (q, M, g), but {log.source} is a log; load them one by one")
    return cast("Dataset | ControllerSamples", log or samples)


def load_log_and_samples(path: DataPath, reading: Reading) -> tuple[Dataset | None, ControllerSamples | None]:
    """Both kinds of data that files may hold, each joined to one; None for what none of them holds."""
    paths = [Path(path)] if isinstance(path, (str, Path)) else [Path(item) for item in path]
    if not paths:
        raise FileError("data", "no file was given")
    loaded: list[tuple[Path, Dataset | ControllerSamples]] = []
    for i, item in enumerate(paths):
        if item.resolve() in {earlier.resolve() for earlier in paths[:i]}:
            raise FileError(item, "is given twice, so that its samples would count twice; give it once")
        progress = None if reading.progress is None else partial(_report_share, reading.progress, i, len(paths))
        loaded += _load(item, replace(reading, progress=progress))
    parts = _name_apart(loaded)
    if reading.without and not isinstance(reading.without, Mapping) and len(parts) > 1:
        remedy = Remedy("say of which one, such as {without}", without={paths[-1].name: [list(pair) for pair in reading.without]})
        raise FileError(paths[0], f"without is of one recording, and there are {len(parts)}", remedy=remedy)
    reading.check_recordings([file for file, _ in loaded])
    logs = [part for part in parts if isinstance(part, Dataset)]
    samples = [part for part in parts if isinstance(part, ControllerSamples)]
    return Dataset.concatenate(logs) if logs else None, ControllerSamples.concatenate(samples) if samples else None


def _report_share(progress: Callable[[float], None], done: int, count: int, share: float) -> None:
    progress((done + share) / count)


def _name_apart(loaded: Sequence[tuple[Path, Dataset | ControllerSamples]]) -> list[Dataset | ControllerSamples]:
    """The data, whose recordings are named by their files, with as much of the path as tells those of one name apart."""
    paths = [Path(os.path.abspath(file)).parts for file, _ in loaded]
    parts: list[Dataset | ControllerSamples] = []
    for path, (_, data) in zip(paths, loaded, strict=True):
        ends = ((path[-k:], sum(other[-k:] == path[-k:] for other in paths)) for k in range(1, len(path) + 1))
        name = "/".join(next(end for end, count in ends if count == 1 or end == path))
        parts.append(replace(data, provenance=data.provenance.named(name)))
    return parts


def _load(path: Path, given: Reading) -> list[tuple[Path, Dataset | ControllerSamples]]:
    """The data of one argument, with their files: a file, a folder, or a YAML that lists files."""
    if path.is_dir():
        listing = path / _FOLDER_RECIPE
        if listing.is_file() and read_reading(listing).files:
            return _load(listing, given)
        if reader_of(path) is not None:
            return [(path, _load_file(path, _reading_beside(path, given)))]
        files = [path / name for name in natural_order(file.name for file in path.iterdir() if _is_data(file))]
        if not files:
            raise FileError(path, f"holds no data file; known suffixes: {known_formats()}")
        return [(file, _load_file(file, _reading_beside(file, given))) for file in files]
    if path.suffix.lower() not in YAML:
        return [(path, _load_file(path, _reading_beside(path, given)))]
    reading = given.over(read_reading(path))
    if not reading.files:
        raise FileError(path, "lists no data; give the data file, or list files in the YAML under `files`")
    if isinstance(reading.files, Mapping):
        return [(path, load_quantities(path, reading.files, reading.of_recording(path)))]
    return [(file, _load_file(file, reading)) for file in (path.parent / name for name in reading.files)]


def _is_data(file: Path) -> bool:
    return not file.name.startswith(".") and reader_of(file) is not None


def _reading_beside(file: Path, given: Reading) -> Reading:
    """What is given for the file, and what the YAML beside it says."""
    beside = find_reading(file)
    return given if beside is None else given.of_recording(file).over(read_reading(beside))


def find_reading(file: Path) -> Path | None:
    """The YAML that says how a file is read: itself, `<file>.yaml`, else `dataset.yaml` in its folder (its own where it is a folder)."""
    beside = (file.with_name(file.name + ".yaml"), file / _FOLDER_RECIPE, file.with_name(_FOLDER_RECIPE))
    return file if file.suffix.lower() in YAML else next((path for path in beside if path.is_file()), None)


def _load_file(file: Path, reading: Reading) -> Dataset | ControllerSamples:
    reading = reading.of_recording(file)
    preset = read_preset(reading.preset) if reading.preset else Reading()
    columns = reading.patterns
    reading = replace(reading.over(preset), files=reading.files)
    table = read_table(file, reading.reader_options, robot_joints=tuple(reading.robot_joints), progress=reading.progress)
    if reading.segment:
        if reading.segment not in table:
            raise FileError(file, f"has no column {reading.segment!r}, which is to tell its segments; correct or drop `segment`")
        table = {**table, "segment": table[reading.segment]}
    columns = present_columns(file, table, preset.patterns, columns)
    content = understand(file, table, columns, effort_role=reading.effort_kind or "")
    return assemble(file, content, reading, digests_of(file))
