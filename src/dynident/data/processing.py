"""Processing of logs, as pure functions from Dataset to Dataset; nothing ever crosses a segment boundary."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynident._typing import Array
from dynident.data.dataset import Dataset
from dynident.errors import ValueRangeError


def differentiate(dataset: Dataset) -> Dataset:
    """Fill in dq (from q) and ddq (from dq) where they are missing, by central differences on the recorded stamps.

    Exact for quadratics, second order at the edges of a segment too. Differences amplify noise: white noise of standard
    deviation s in q becomes s / (√2 h) in dq at a step of h, and that of dq likewise in ddq. Filter afterwards, as
    ParallelFilter does to the regressor: what a linear filter takes away later need not be taken away before.
    """
    if dataset.dq is not None and dataset.ddq is not None:
        return dataset
    dq = dataset.dq if dataset.dq is not None else _derivative(dataset, dataset.q)
    ddq = dataset.ddq if dataset.ddq is not None else _derivative(dataset, dq)
    made = ["dq"] * (dataset.dq is None) + ["ddq"] * (dataset.ddq is None)
    return replace(dataset, dq=dq, ddq=ddq, source=f"{dataset.source}, {' and '.join(made)} by differences")


def _derivative(dataset: Dataset, values: Array) -> Array:
    result = np.empty_like(values)
    for number, segment in enumerate(dataset.segments):
        if segment.stop - segment.start < 3:
            raise ValueRangeError(
                "segment", f"{number} has {segment.stop - segment.start} samples; a derivative needs 3: drop it with trim, or join it"
            )
        result[segment] = np.gradient(values[segment], dataset.time[segment], axis=0, edge_order=2)
    return result
