# pyright: basic
"""Which samples of which joint to use: functions that can only take samples away, within segments."""

from __future__ import annotations

from collections.abc import Sequence

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


def trim(dataset: Dataset, seconds: float) -> Dataset:
    """Without the first and last `seconds` of every segment, where filters are wrong; segments shorter than both are dropped."""
    if not seconds >= 0:
        raise ValueRangeError("seconds", f"is {seconds:g}; it must be 0 or more")
    kept: list[range] = []
    rounding = 1e-6 / dataset.rate
    for segment in dataset.segments:
        time = dataset.time[segment]
        first = int(np.searchsorted(time, time[0] + seconds - rounding, side="left"))
        stop = int(np.searchsorted(time, time[-1] - seconds + rounding, side="right"))
        if stop - first >= 2:
            kept.append(range(segment.start + first, segment.start + stop))
    if not kept:
        raise ValueRangeError("seconds", f"is {seconds:g}, and no segment is longer than twice that; trim less")
    return _keep(dataset, kept, f"trimmed by {seconds:g} s")


def decimate(dataset: Dataset, factor: int) -> Dataset:
    """Every factor-th sample of each segment. Filter first: frequencies above half the new rate fold back as noise."""
    if factor < 1:
        raise ValueRangeError("factor", f"is {factor}; it must be at least 1")
    return _keep(dataset, [range(s.start, s.stop, factor) for s in dataset.segments], f"every {factor}th sample")


def _mask(dataset: Dataset, use: BoolArray, what: str) -> Dataset:
    mask = use if dataset.mask is None else dataset.mask & use
    return dataset.after(what, mask=mask)


def _keep(dataset: Dataset, kept: Sequence[range], what: str) -> Dataset:
    starts = np.cumsum([0, *map(len, kept[:-1])]).tolist()
    return dataset.take(np.concatenate([np.array(part, dtype=np.intp) for part in kept]), starts=starts, step=what)
