"""CSV files of positions alone, for clients that give a robot one line per cycle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dynident.core.options import NoOptions
from dynident.data.dataset import Dataset
from dynident.excitation.formats.tables import CSV


def encode_positions(samples: Dataset, lines: Sequence[str], options: NoOptions) -> str | bytes:
    """time [s] and q1, q2, ... [rad | m], which `load_dataset` reads as they are."""
    return CSV.encode(replace(samples, dq=None, ddq=None), lines, options)
