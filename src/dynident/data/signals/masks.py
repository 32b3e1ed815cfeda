"""Masks: which samples of which joint to use; functions that can only take samples away."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import BoolArray, per_joint
from dynident.data.dataset import Dataset
from dynident.errors import ValueRangeError


def mask_standstill(dataset: Dataset, speed: ArrayLike) -> Dataset:
    """Leave out a joint's samples below a speed [rad/s | m/s], one or one per joint: friction near standstill has no definite sign."""
    if dataset.dq is None:
        raise ValueRangeError("dq", "is missing, so standstill can't be seen; differentiate first")
    least = per_joint("speed", speed, dataset.n, sign="nonnegative", infinite=True)
    return _mask(dataset, np.abs(dataset.dq) >= least, "without standstill")


def mask_saturation(dataset: Dataset, limits: ArrayLike) -> Dataset:
    """Leave out a joint's samples whose |effort| reaches a limit (in the effort's unit), one or one per joint: the sensor clips there."""
    if dataset.effort is None:
        raise ValueRangeError("effort", "is missing, so saturation can't be seen")
    largest = per_joint("limits", limits, dataset.n, sign="nonnegative", infinite=True)
    return _mask(dataset, np.abs(dataset.effort) < largest, "without saturation")


def _mask(dataset: Dataset, use: BoolArray, what: str) -> Dataset:
    mask = use if dataset.mask is None else dataset.mask & use
    return dataset.after(what, mask=mask)
