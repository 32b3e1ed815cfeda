# pyright: basic
"""`write_dataset`: NPZ, CSV and Parquet files that load_dataset reads back as they were, without a map."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.core.archives import write_npz
from dynident.core.files import write_atomically
from dynident.data.checks import default_names
from dynident.data.controller_samples import ControllerSamples
from dynident.data.dataset import Dataset, EffortKind
from dynident.data.formats.comments import COMMENTS
from dynident.data.formats.csv_layout import DESCRIPTION as CSV_DESCRIPTION
from dynident.data.formats.parquet import DESCRIPTION as PARQUET_DESCRIPTION
from dynident.errors import FileError

_EFFORT_NAMES = {
    EffortKind.TORQUE: "tau",
    EffortKind.CURRENT: "current",
    EffortKind.MAGNITUDE: "magnitude",
    EffortKind.CURRENT_MAGNITUDE: "abs_current",
}


def write_dataset(data: Dataset | ControllerSamples, path: str | Path, *, comments: Sequence[str] = ()) -> None:
    """Write to .npz, .csv or .parquet, all of it or nothing.

    Parameters
    ----------
    data : Dataset or ControllerSamples
        What is written.
    path : str or Path
        The file; its suffix chooses the format.
    comments : sequence of str
        Sentences for people, which `read_comments` finds again; a CSV begins with them, a line each after "# ".

    Raises
    ------
    FileError
        Where the file cannot be written or has another suffix.

    Notes
    -----
    CSV and Parquet have a column per joint: time, q1.., dq1.., ddq1.., then tau1.., current1.., magnitude1.. or abs_current1..,
    temperature1.., mask1.., period, segment; M_1_1.., g1.., c1.. for controller samples. Joint names other than joint1.. stand in a comment
    line of the CSV and in the metadata of the Parquet file. Numbers keep all their digits.

    Examples
    --------
    >>> from dynident import load_dataset, write_dataset
    >>> write_dataset(load_dataset("log.csv"), "log.parquet")
    """
    file = Path(path)
    writer = WRITERS.get(file.suffix.lower())
    if writer is None:
        raise FileError(file, f"unknown suffix {file.suffix!r}; known: {', '.join(WRITERS)}")
    write_atomically(file, writer(data, tuple(comments)))


def _npz(data: Dataset | ControllerSamples, comments: tuple[str, ...]) -> bytes:
    arrays: dict[str, Any] = {"joint_names": np.array(data.joint_names)}
    if comments:
        arrays[COMMENTS] = np.array(comments)
    logged, asked = ("time", "q", "dq", "ddq", "effort", "temperature", "mask", "period"), ("q", "M", "g", "dq", "c")
    names = logged if isinstance(data, Dataset) else asked
    arrays |= {name: value for name in names if (value := getattr(data, name)) is not None}
    if isinstance(data, Dataset):
        arrays["starts"] = np.array(data.starts)
        if data.gears is not None:
            arrays["gears"] = data.gears
        if data.effort_kind is not None:
            arrays["effort_kind"] = np.array(data.effort_kind.value)
    return write_npz(arrays)


def _csv(data: Dataset | ControllerSamples, comments: tuple[str, ...]) -> bytes:
    return csv_bytes(_columns(data), comments, _own_names(data))


def csv_bytes(columns: Mapping[str, NDArray[Any]], comments: Sequence[str] = (), description: Mapping[str, Any] | None = None) -> bytes:
    """The text of a CSV file: comment lines, what a table of numbers can't hold as JSON in one more, names, numbers with all digits."""
    import pyarrow as pa
    from pyarrow import csv

    first = [f"# {' '.join(line.split())}\n" for line in comments]
    if description:
        first.append(f"{CSV_DESCRIPTION}{json.dumps(description)}\n")
    stream = io.BytesIO()
    stream.write(f"{''.join(first)}{','.join(columns)}\n".encode())
    csv.write_csv(pa.table(dict(columns)), stream, csv.WriteOptions(include_header=False))
    return stream.getvalue()


def _parquet(data: Dataset | ControllerSamples, comments: tuple[str, ...]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    names = _own_names(data) | ({COMMENTS: list(comments)} if comments else {})
    table = pa.table(_columns(data))
    if names:
        table = table.replace_schema_metadata({PARQUET_DESCRIPTION: json.dumps(names)})
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()


#: A new format is one writer and one line here.
WRITERS: dict[str, Callable[[Dataset | ControllerSamples, tuple[str, ...]], bytes]] = {".npz": _npz, ".csv": _csv, ".parquet": _parquet}


def _own_names(data: Dataset | ControllerSamples) -> dict[str, Any]:
    """What a table of numbers can't hold: names of the joints, and the gears."""
    names = {} if data.joint_names == default_names(data.n) else {"joint_names": list(data.joint_names)}
    return names | ({"gears": data.gears.tolist()} if isinstance(data, Dataset) and data.gears is not None else {})


def _columns(data: Dataset | ControllerSamples) -> dict[str, NDArray[Any]]:
    """One column per joint and quantity, by the name under which load_dataset knows it."""
    columns: dict[str, NDArray[Any]] = {}

    def add(name: str, values: NDArray[Any] | None) -> None:
        if values is not None:
            columns.update({f"{name}{j + 1}": np.ascontiguousarray(values[:, j]) for j in range(data.n)})

    if isinstance(data, ControllerSamples):
        add("q", data.q)
        if data.M is not None:
            columns.update({f"M_{i + 1}_{j + 1}": np.ascontiguousarray(data.M[:, i, j]) for i in range(data.n) for j in range(data.n)})
        for name in ("g", "dq", "c"):
            add(name, getattr(data, name))
        return columns
    columns["time"] = data.time
    for name in ("q", "dq", "ddq"):
        add(name, getattr(data, name))
    if data.effort_kind is not None:
        add(_EFFORT_NAMES[data.effort_kind], data.effort)
    add("temperature", data.temperature)
    add("mask", None if data.mask is None else data.mask.astype(np.int8))
    if data.period is not None:
        columns["period"] = data.period
    if len(data.starts) > 1:
        columns["segment"] = np.searchsorted(data.starts, np.arange(data.samples), side="right")
    return columns
