"""Whether recorded velocities and accelerations are the derivatives of what was recorded beside them.

Both are compared where it matters, in the band that a filter keeps. A factor, a sign, a unit, a delay or noise in the recorded
signal are disagreement; noise and steps of the signal that is differentiated are not, because then the recorded one is the better.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

import numpy as np

from dynident.core.arrays import Array
from dynident.data.dataset import Dataset
from dynident.data.signals.derivatives import derivative
from dynident.data.signals.parallel_filter import ParallelFilter

#: Recorded signals further from the derivative than this share disagree. Good ones are within 0.08 (KUKA LWR 4+, Panda).
TOLERANCE = 0.4
#: The difference must be so many times what noise of the differentiated signal would make.
_NOISE_FACTOR = 3.0
#: Differences below these are those of joints that stand still: [rad/s | m/s], [rad/s² | m/s²].
_STILL = {"dq": 1e-3, "ddq": 1e-2}
#: Compared up to this frequency [Hz], also where the filter keeps more: derivatives of positions are noise above it.
_BAND = 5.0
#: Step that a signal may have which never changes [rad | m].
_COARSEST = 0.01
#: Of longer logs windows are compared, this many samples in all, each so long.
_ENOUGH, _WINDOW = 8_000, 4_000
#: Larger ratios are not told apart.
_LARGEST = 1e4

#: {"dq" or "ddq": {joint: difference from the derivative [%]}}, of joints that disagree only.
Disagreements = Mapping[str, Mapping[str, float]]


def find_disagreements(data: Dataset, cutoff: float | None = None) -> Disagreements:
    """Which recorded dq differ from the derivative of q, and which ddq from that of dq (of q where dq is missing or wrong).

    cutoff : of the filter that follows [Hz]; nothing is compared where all segments are too short for it.
    """
    if data.dq is None and data.ddq is None:
        return {}
    band = min(cutoff or _BAND, _BAND, data.rate / 4.0)
    filter = ParallelFilter(cutoff=band, rate_in=data.rate, rate_out=min(4.0 * band, data.rate), truncation=1e-4)
    found: dict[str, dict[str, float]] = {"dq": {}, "ddq": {}}
    for j, name in enumerate(data.joint_names):
        dq = None if data.dq is None else data.dq[:, j]
        if dq is not None and (percent := _difference(data, "dq", j, data.q[:, j], 1, filter)):
            found["dq"][name] = percent
            dq = None
        if data.ddq is not None:
            source, order = (data.q[:, j], 2) if dq is None else (dq, 1)
            if percent := _difference(data, "ddq", j, source, order, filter):
                found["ddq"][name] = percent
    return {quantity: joints for quantity, joints in found.items() if joints}


def replace_derivatives(data: Dataset, disagreements: Disagreements) -> Dataset:
    """The log with derivatives by differences in place of the recorded signals that disagree with them."""
    dq, ddq = data.dq, data.ddq
    for name in disagreements.get("dq", {}):
        dq = _with_column(data, dq, data.joint_names.index(name), data.q)
    for name in disagreements.get("ddq", {}):
        ddq = _with_column(data, ddq, data.joint_names.index(name), derivative(data, data.q) if dq is None else dq)
    return data.after(f"{' and '.join(disagreements)} partly by differences", dq=dq, ddq=ddq) if disagreements else data


def _with_column(data: Dataset, values: Array | None, j: int, source: Array) -> Array:
    assert values is not None  # noqa: S101 (it disagreed)
    changed = values.copy()
    changed[:, j] = derivative(data, source[:, j])
    return changed


def _difference(data: Dataset, quantity: str, j: int, source: Array, order: int, filter: ParallelFilter) -> float:
    """Difference [%] of a recorded quantity of joint j from the derivative of this order of a signal (N,); zero where they agree."""
    recorded: Array = getattr(data, quantity)[:, j]
    segments = [
        window for segment in data.segments for window in _windows(segment, data.samples) if filter.valid(window.stop - window.start)
    ]
    if not segments:
        return 0.0
    squares = np.zeros(3)  # of the difference, of the derivative, of the recorded signal
    count = 0
    for segment in segments:
        time = data.time[segment]
        expected = reduce(lambda x, _: np.gradient(x, time, edge_order=2), range(order), source[segment])
        use = 1.0 if data.mask is None else data.mask[segment, j]
        own, other = filter.apply(use * recorded[segment]), filter.apply(use * expected)
        squares += [float(np.sum(x * x)) for x in (own - other, other, own)]
        count += len(own)
    difference, derived, own = np.sqrt(squares / count)
    noise = _derivative_noise([source[segment] for segment in segments], order, filter)
    if difference <= max(TOLERANCE * min(derived, own), _NOISE_FACTOR * noise, _STILL[quantity]):
        return 0.0
    return 100.0 * float(difference / max(derived, difference / _LARGEST))


def _windows(segment: slice, samples: int) -> list[slice]:
    """A segment, or evenly spread windows of it where a log is so long that a part of it tells as much."""
    length = segment.stop - segment.start
    count = max(1, round(_ENOUGH * length / samples / _WINDOW))
    if samples <= _ENOUGH or length <= count * _WINDOW:
        return [segment]
    starts = [segment.start + k * (length - _WINDOW) // max(count - 1, 1) for k in range(count)]
    return [slice(start, start + _WINDOW) for start in starts]


def _derivative_noise(pieces: list[Array], order: int, filter: ParallelFilter) -> float:
    """What is left in the band of the derivative of white noise and of a staircase.

    Third differences tell the noise of a smooth signal: 20 times its variance. In a signal that mostly stays where it is and then leaps,
    the error of a step is at any frequency.
    """
    third = np.concatenate([np.diff(x, 3) for x in pieces])
    kernel = reduce(lambda taps, _: np.convolve(taps, [0.5, 0.0, -0.5]) * filter.rate_in, range(order), filter.taps)
    white = np.sqrt(np.mean(third**2) / 20.0) * np.linalg.norm(kernel)
    steps = np.abs(np.concatenate([np.diff(x) for x in pieces]))
    leaps = steps[steps > 0.0]
    if len(leaps) > 0.5 * len(steps):
        return float(white)
    step = float(np.median(leaps)) if len(leaps) else _COARSEST
    return float(np.hypot(white, step / np.sqrt(12.0) * (2.0 * np.pi * filter.cutoff) ** order))
