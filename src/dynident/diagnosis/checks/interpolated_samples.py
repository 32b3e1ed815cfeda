"""Samples on straight lines between those of a slower clock."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.large_arrays import row_blocks
from dynident.diagnosis.case import Case
from dynident.diagnosis.checks.repeated_samples import read_slower
from dynident.diagnosis.finding import Check, CheckStage, Finding

#: From this share of samples on a line between their neighbours on it matters; and how near to it they are, as a share of the step.
_SHARE, _ON_LINE = 0.4, 1e-6


def _look(case: Case) -> Iterator[Finding]:
    data = case.data
    what, values = ("position", data.q) if data.effort is None else ("effort", data.effort)
    on_line = np.concatenate([_on_line(data.time, values, block) for block in row_blocks(data.samples - 2, values, width=data.n)])
    if np.mean(on_line) >= _SHARE:
        sentence = "samples lie on straight lines between those of a slower clock of about {slower:.4g} Hz"
        joint, knots = int(np.argmax(np.std(values, axis=0))), np.concatenate([[True], ~on_line, [True]])[: data.samples]
        yield read_slower(case, CHECK.name, sentence, knots, what, joint, advice=", or use the log before it was resampled")


def _on_line(time: Array, values: Array, block: slice) -> BoolArray:
    """(k,) whether the samples after these rows are on the line between their neighbours."""
    rows = slice(block.start, block.stop + 2)
    slopes = np.diff(values[rows], axis=0) / np.diff(time[rows])[:, None]
    change, size = np.abs(np.diff(slopes, axis=0)), np.abs(slopes[1:]) + np.abs(slopes[:-1])
    return np.all(change <= _ON_LINE * size, axis=1) & np.any(size > 0.0, axis=1)


CHECK = Check(
    name="interpolated samples",
    symptom="samples on straight lines between a few of them",
    cause="a log that was resampled from a slower one",
    fix="a `cutoff` below a quarter of the slower rate, or the log before it was resampled",
    stage=CheckStage.SIGNALS,
    look=_look,
)
