"""Recorded data from a file, several files or a folder, with an optional YAML beside the data that says how to read it."""

from __future__ import annotations

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
from dynident.data.reading.reading import Reading, read_reading
from dynident.data.reading.separate_files import digests_of, load_quantities
from dynident.errors import FileError

_FOLDER_RECIPE = "dataset.yaml"
_YAML = (".yaml", ".yml")

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
        How the files are read. In place of it, its fields are given as keywords: `load_dataset(path, rate=500.0)`.

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
        How the files are read. In place of it, its fields are given as keywords: `load_dataset(path, rate=500.0)`.

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
        How the files are read. In place of it, its fields are given as keywords: `load_dataset(path, rate=500.0)`.

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


@takes(Reading)
def load_log_and_samples(path: DataPath, reading: Reading) -> tuple[Dataset | None, ControllerSamples | None]:
    """Both kinds of data that files may hold, each joined to one.

    Parameters
    ----------
    path : str, Path or sequence of them
        As in `load_dataset`.
    reading : Reading
        How the files are read. In place of it, its fields are given as keywords: `load_dataset(path, rate=500.0)`.

    Returns
    -------
    log, samples : tuple of Dataset or None and ControllerSamples or None
        None for what none of the files holds.

    Raises
    ------
    FileError
        Where a file cannot be read or is not what it should be; the message names the file and the place.
    """
    paths = [Path(path)] if isinstance(path, (str, Path)) else [Path(item) for item in path]
    if not paths:
        raise FileError("data", "no file was given")
    parts: list[Dataset | ControllerSamples] = []
    for i, item in enumerate(paths):
        if item.resolve() in {earlier.resolve() for earlier in paths[:i]}:
            raise FileError(item, "is given twice, so that its samples would count twice; give it once")
        progress = None if reading.progress is None else partial(_report_share, reading.progress, i, len(paths))
        parts += _load(item, replace(reading, progress=progress))
    if reading.without and len(parts) > 1:
        example = f"`without: {[list(pair) for pair in reading.without]}`"
        raise FileError(paths[0], f"without is for one recording, and there are {len(parts)}; write {example} into the YAML beside the one")
    logs = [part for part in parts if isinstance(part, Dataset)]
    samples = [part for part in parts if isinstance(part, ControllerSamples)]
    return Dataset.concatenate(logs) if logs else None, ControllerSamples.concatenate(samples) if samples else None


def _report_share(progress: Callable[[float], None], done: int, count: int, share: float) -> None:
    progress((done + share) / count)


def _load(path: Path, given: Reading) -> list[Dataset | ControllerSamples]:
    """The data of one argument: a file, a folder, or a YAML that lists files."""
    if path.is_dir():
        listing = path / _FOLDER_RECIPE
        if listing.is_file() and read_reading(listing).files:
            return _load(listing, given)
        if reader_of(path) is not None:
            return [_load_file(path, _reading_beside(path, given))]
        files = [path / name for name in natural_order(file.name for file in path.iterdir() if _is_data(file))]
        if not files:
            raise FileError(path, f"holds no data file; known suffixes: {known_formats()}")
        return [_load_file(file, _reading_beside(file, given)) for file in files]
    if path.suffix.lower() not in _YAML:
        return [_load_file(path, _reading_beside(path, given))]
    reading = given.over(read_reading(path))
    if not reading.files:
        raise FileError(path, "lists no data; give the data file, or list files in the YAML under `files`")
    if isinstance(reading.files, Mapping):
        return [load_quantities(path, reading.files, reading)]
    return [_load_file(path.parent / name, reading) for name in reading.files]


def _is_data(file: Path) -> bool:
    return not file.name.startswith(".") and reader_of(file) is not None


def _reading_beside(file: Path, given: Reading) -> Reading:
    """What is given, and what `<file>.yaml` says, else `dataset.yaml` in the folder (its own, where the recording is a folder)."""
    for candidate in (file.with_name(file.name + ".yaml"), file / _FOLDER_RECIPE, file.with_name(_FOLDER_RECIPE)):
        if candidate.is_file():
            return given.over(read_reading(candidate))
    return given


def _load_file(file: Path, reading: Reading) -> Dataset | ControllerSamples:
    if reading.preset:
        reading = reading.fill(read_preset(reading.preset))
    table = read_table(file, reading.reader_options, robot_joints=tuple(reading.robot_joints), progress=reading.progress)
    if reading.segment:
        if reading.segment not in table:
            raise FileError(file, f"has no column {reading.segment!r}, which is to tell its segments; correct or drop `segment`")
        table = {**table, "segment": table[reading.segment]}
    columns = present_columns(file, table, reading.preset_columns, reading.patterns)
    content = understand(file, table, columns, effort_role=reading.effort_kind or "")
    return assemble(file, content, reading, digests_of(file))
