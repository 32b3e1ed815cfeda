"""Several recordings of one robot: each counts by its own noise, as each joint does.

With σ_rj the noise of joint j in recording r, found together with the coefficients, the rows of r are multiplied by σ_j / σ_rj, where
σ_j² is the mean of the σ_rj² over the rows: then all rows of a joint have one noise level, σ_j, and every later step may take them for
one recording. A recording of few rows tells its noise only roughly, and its logarithm is drawn toward that of all recordings.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.regression.equations.factors import triangular
from dynident.regression.equations.rows import LogRows
from dynident.regression.problem import Problem
from dynident.regression.solution import Prior, WeightedSolution

#: Independent rows of a recording at which its own noise counts as much as that of all recordings.
_PRIOR_ROWS = 20.0
#: Rows per independent one: a filter keeps four per period of its cutoff, and two would do.
_ROWS_ALIKE = 2.0
#: Noise levels that differ by less in the median over the joints are not worth a note.
_UNLIKE = 1.5


def weigh_recordings(problem: Problem, prior: Prior | None = None) -> Problem:
    """The problem with the rows of each recording weighted by its noise; as it is where there is one recording, or its rows are gone."""
    sources = [source for source in problem.rows if isinstance(source, LogRows)]
    if len(problem.parts) < 2 or len(sources) < len(problem.rows):
        return problem
    levels = recording_levels(problem, prior)
    counts = np.array([[part.rows for part in recording] for recording in problem.parts], dtype=float)
    pooled = np.sqrt(np.sum(counts * levels**2, axis=0) / np.maximum(counts.sum(axis=0), 1.0))
    weights = pooled / levels
    factors = tuple(
        triangular([weight * recording[g].factor for weight, recording in zip(weights[:, g], problem.parts, strict=True)])
        for g in range(len(problem.groups))
    )
    rows, first = list[LogRows](), 0
    for source in sources:
        owners = np.array(source.dataset.recordings) + first
        first = int(owners.max()) + 1
        rows.append(replace(source, weights=weights[owners]))
    notes = (*problem.notes, *_notes(problem, levels))
    return replace(problem, factors=factors, rows=tuple(rows), filtered=None, parts=(), notes=notes)


def recording_levels(problem: Problem, prior: Prior | None = None) -> Array:
    """(recordings, groups) standard deviation of the rows of each joint in each recording, found in turn with the coefficients."""
    parts = [part for recording in problem.parts for part in recording]
    counts = np.array([part.rows for part in parts], dtype=np.int64)
    factors, groups = tuple(part.factor for part in parts), problem.groups * len(problem.parts)
    each = replace(problem, groups=groups, factors=factors, counts=counts, rows=(), filtered=None, parts=())
    shape = (len(problem.parts), len(problem.groups))
    levels = np.log(1.0 / WeightedSolution.of(each, "per_group", prior).weights.reshape(shape))
    rows = counts.reshape(shape) / _ROWS_ALIKE
    joint = np.sum(rows * levels, axis=0) / np.maximum(rows.sum(axis=0), 1.0)
    return np.exp((rows * levels + _PRIOR_ROWS * joint) / (rows + _PRIOR_ROWS))


def _notes(problem: Problem, levels: Array) -> tuple[str, ...]:
    """Which recordings count less, and why."""
    typical = np.median(levels / levels.min(axis=0), axis=1)
    loudest, quietest = int(np.argmax(typical)), int(np.argmin(typical))
    ratio = float(np.median(levels[loudest] / levels[quietest]))
    if ratio < _UNLIKE:
        return ()
    names = _recording_names(problem, len(levels))
    return (f"the recordings count by their own noise: that of {names[loudest]} is {ratio:.1f} times that of {names[quietest]}",)


def _recording_names(problem: Problem, count: int) -> list[str]:
    known = () if problem.provenance is None else problem.provenance.recordings
    names = [", ".join(recording.files) for recording in known]
    return (
        [name or f"recording {k + 1}" for k, name in enumerate(names)]
        if len(names) == count
        else [f"recording {k + 1}" for k in range(count)]
    )
