"""Trajectories as the files that data are kept in: time, q, dq and ddq in columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from dynident.core.options import NoOptions
from dynident.data.dataset import Dataset
from dynident.data.formats.writing import WRITERS
from dynident.data.reading.load import load_recording
from dynident.data.reading.reading import Reading
from dynident.errors import FileError
from dynident.motions.formats.format import TrajectoryFormat


def read_samples(path: Path, reading: Reading) -> Dataset:
    """The motion in a data file of any kind; FileError where it holds what a controller says instead."""
    recorded = load_recording(path, reading)
    if not isinstance(recorded, Dataset):
        raise FileError(path, "holds controller samples (q, M, g), not a motion; give a file with time and q")
    return recorded


def _encoder(suffix: str) -> Callable[[Dataset, Sequence[str], NoOptions], bytes]:
    def encode(samples: Dataset, lines: Sequence[str], options: NoOptions) -> bytes:
        return WRITERS[suffix](samples, tuple(lines))

    return encode


def _table(name: str, about: str, suffix: str) -> TrajectoryFormat:
    return TrajectoryFormat(name=name, about=about, suffixes=(suffix,), encode=_encoder(suffix), read=read_samples, marks=True)


CSV = _table("csv", "time, q, dq, ddq in columns", ".csv")
NPZ = _table("npz", "the same as NumPy arrays", ".npz")
PARQUET = _table("parquet", "the same as Parquet", ".parquet")


def encode_positions(samples: Dataset, lines: Sequence[str], options: NoOptions) -> str | bytes:
    """A CSV of time [s] and q1, q2, ... [rad | m] alone, for clients that give a robot one line per cycle; `load_dataset` reads it."""
    return CSV.encode(replace(samples, dq=None, ddq=None), lines, options)
