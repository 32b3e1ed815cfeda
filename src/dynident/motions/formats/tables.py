"""Trajectories as tables: in the files that data are kept in, and as the positions that a robot's client sends one by one.

A client of a robot's position interface gets time [s] and positions alone, a line per cycle: libfranka and pylibfranka ask for one every
millisecond, KUKA's Fast Robot Interface (LBR iiwa, LBR Med) every 1 to 100 ms, KUKA's Robot Sensor Interface every 4 or 12 ms and in
degrees. RSI takes corrections: with RSI_ON(#ABSOLUTE) what is sent as AKorr is added to where the arm stood then, so that a client sends
the difference of each line to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.options import NoOptions
from dynident.data.dataset import Dataset
from dynident.data.formats.writing import WRITERS, csv_bytes
from dynident.data.reading.load import load_recording
from dynident.data.reading.reading import Reading
from dynident.errors import FileError
from dynident.motions.formats.format import TrajectoryFormat

_AXES = tuple(f"A{axis}" for axis in range(1, 7))


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


def _encode_positions(samples: Dataset, lines: Sequence[str], options: NoOptions) -> bytes:
    """A CSV of time [s] and q1, q2, ... [rad | m] alone, which `load_dataset` reads."""
    return WRITERS[".csv"](replace(samples, dq=None, ddq=None), tuple(lines))


def _encode_degrees(samples: Dataset, lines: Sequence[str], options: NoOptions) -> bytes:
    """A CSV of time [s] and A1 to A6 [deg]."""
    columns: dict[str, Any] = {"time": samples.time, **dict(zip(_AXES, np.degrees(samples.q).T.copy(), strict=True))}
    if samples.period is not None:
        columns["period"] = samples.period
    return csv_bytes(columns, [*lines, "axis positions in degrees, time in s"], {"joint_names": list(samples.joint_names)})


def _read_degrees(path: Path, reading: Reading) -> Dataset:
    return read_samples(path, Reading(columns={"q": _AXES}, units={"q": "deg"}).over(reading))


#: name, what it is, suffix
_DATA = (
    ("csv", "time, q, dq, ddq in columns", ".csv"),
    ("npz", "the same as NumPy arrays", ".npz"),
    ("parquet", "the same as Parquet", ".parquet"),
)
#: name, what it is, rate [Hz], joints, cycles [ms], how it is written, how it is read
_CLIENTS = (
    ("franka", "CSV of positions (rad) at 1 kHz for libfranka and pylibfranka", 1000.0, 7, (1,), _encode_positions, read_samples),
    (
        "kuka_rsi",
        "CSV of axis positions (deg) at 250 Hz for RSI clients of KUKA's six-axis arms",
        250.0,
        6,
        (4, 12),
        _encode_degrees,
        _read_degrees,
    ),
    (
        "kuka_fri",
        "CSV of positions (rad) at 200 Hz for FRI clients of KUKA's LBR arms",
        200.0,
        7,
        range(1, 101),
        _encode_positions,
        read_samples,
    ),
)

DATA = tuple(
    TrajectoryFormat(name=name, about=about, suffixes=(suffix,), encode=_encoder(suffix), read=read_samples, marks=True)
    for name, about, suffix in _DATA
)
CLIENTS = tuple(
    TrajectoryFormat(
        name=name, about=about, suffixes=(".csv",), encode=encode, read=read, rate=rate, joints=joints, marks=True, periods=periods
    )
    for name, about, rate, joints, periods, encode, read in _CLIENTS
)
