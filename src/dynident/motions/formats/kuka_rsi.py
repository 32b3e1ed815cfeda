"""Axis positions in degrees, A1 to A6, for a client of KUKA's Robot Sensor Interface, which is asked every 4 ms (or 12 ms).

RSI takes corrections: with RSI_ON(#ABSOLUTE) what is sent as AKorr is added to where the arm stood then, so that a client sends the
difference of each line to the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.core.options import NoOptions
from dynident.data.dataset import Dataset
from dynident.data.formats.writing import csv_bytes
from dynident.data.reading.reading import Reading
from dynident.motions.formats.format import TrajectoryFormat
from dynident.motions.formats.tables import read_samples

_AXES = tuple(f"A{axis}" for axis in range(1, 7))


def _encode(samples: Dataset, lines: Sequence[str], options: NoOptions) -> bytes:
    degrees = np.degrees(samples.q)
    columns: dict[str, NDArray[Any]] = {"time": samples.time, **{name: np.ascontiguousarray(degrees[:, j]) for j, name in enumerate(_AXES)}}
    if samples.period is not None:
        columns["period"] = samples.period
    return csv_bytes(columns, [*lines, "axis positions in degrees, time in s"], {"joint_names": list(samples.joint_names)})


def _read(path: Path, reading: Reading) -> Dataset:
    return read_samples(path, Reading(columns={"q": _AXES}, units={"q": "deg"}).over(reading))


FORMAT = TrajectoryFormat(
    name="kuka_rsi",
    about="CSV of axis positions (deg) at 250 Hz for RSI clients of KUKA's six-axis arms",
    suffixes=(".csv",),
    encode=_encode,
    read=_read,
    rate=250.0,
    joints=6,
    marks=True,
    periods=(4, 12),
)
