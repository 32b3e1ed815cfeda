"""Where all joints stand still, the torque is that of gravity: a log's holds as samples of g(q), one per hold."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.data.checks import add_source
from dynident.data.controller_samples import ControllerSamples
from dynident.data.dataset import Dataset
from dynident.data.signals.rest import BLOCK, find_rest
from dynident.errors import ValueRangeError


def gravity_samples(dataset: Dataset) -> ControllerSamples:
    """Mean positions and efforts [N·m | N] of every hold of a log, as q and g.

    Friction that holds a joint is part of such an effort. It averages out where configurations are approached from both sides.
    """
    effort = dataset.effort
    if effort is None:
        raise ValueRangeError("effort", "is missing, so gravity can't be told from the log")
    still = _inner(np.all(find_rest(dataset), axis=1), dataset)
    if dataset.mask is not None:
        still &= np.all(dataset.mask, axis=1)
    starts = np.isin(np.arange(dataset.samples), [segment.start for segment in dataset.segments])
    number = np.cumsum(starts | np.diff(still, prepend=False))[still]  # of the stretch between two changes
    if len(number) == 0:
        never = "never has all joints stand still, and gravity alone is seen only there"
        raise ValueRangeError("log", f"{never}; record holds of a second or so, or identify all of the dynamics")
    _, first, hold = np.unique(number, return_index=True, return_inverse=True)
    counts = np.bincount(hold)[:, None]

    def mean(values: Array) -> Array:
        total = np.zeros((len(first), dataset.n))
        np.add.at(total, hold, values[still])
        return total / counts

    return ControllerSamples(
        q=mean(dataset.q),
        g=mean(effort),
        joint_names=dataset.joint_names,
        source=add_source(dataset.source, f"{len(first)} holds"),
        provenance=dataset.provenance.take(np.flatnonzero(still)).after("holds"),
    )


def _inner(still: BoolArray, dataset: Dataset) -> BoolArray:
    """(N,) without a block at either end of every hold: rest is told to the length of a block, and a joint that brakes is slow."""
    length = max(1, round(BLOCK * dataset.rate))
    inner = still.copy()
    for segment in dataset.segments:
        resting = still[segment]
        moving = np.concatenate([[0], np.cumsum(~resting)])  # how many before each sample; what is beyond the segment counts as still
        place = np.arange(len(resting))
        near = moving[np.minimum(place + length + 1, len(resting))] - moving[np.maximum(place - length, 0)]
        inner[segment] = near == 0
    return inner
