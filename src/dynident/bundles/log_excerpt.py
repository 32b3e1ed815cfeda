"""The samples that go along: joints without names, a clock that starts anew, and no more of them than a maintainer needs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynident.bundles.pseudonyms import Pseudonyms
from dynident.data import ControllerSamples, Dataset
from dynident.data.formats.writing import WRITERS
from dynident.data.provenance import NEW

#: Samples beyond which a log is cut: 20 s at 1 kHz, which is 5 MB of seven joints with velocities and efforts.
MOST_SAMPLES = 20_000


def cut_log(data: Dataset | ControllerSamples, most: int | None = MOST_SAMPLES) -> Dataset | ControllerSamples:
    """The first samples, as they follow each other: what is thinned out has another bandwidth, and other faults. most : None keeps all."""
    return data if most is None or data.samples <= most else data.part(0.0, most / data.samples)


def log_bytes(data: Dataset | ControllerSamples, names: Pseudonyms) -> bytes:
    """An NPZ file with the samples as dynident reads them: SI units, joint side, efforts with their gains and signs."""
    joints = tuple(names.of_name(name, "joint") for name in data.joint_names)
    timed = restart_clock(data) if isinstance(data, Dataset) else data
    return WRITERS[".npz"](replace(timed, joint_names=joints, source="", provenance=NEW), ())


def restart_clock(data: Dataset) -> Dataset:
    """Every recording begins within its first second; by whole seconds, so that stamps that begin with 0 stay as they are."""
    time = np.array(data.time)
    starts: dict[int, float] = {}
    for segment, recording in zip(data.segments, data.recordings, strict=True):
        time[segment] -= starts.setdefault(recording, float(np.floor(data.time[segment.start])))
    return replace(data, time=time)
