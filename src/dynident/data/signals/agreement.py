"""Whether recorded velocities and accelerations are the derivatives of what was recorded beside them.

Both are compared where it matters, in the band that a filter keeps. A factor, a sign, a unit, a delay or noise in the recorded
signal are disagreement; noise and steps of the signal that is differentiated are not, because then the recorded one is the better.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.large_arrays import column_of, concatenate_rows, row_blocks
from dynident.data.dataset import Dataset
from dynident.data.signals.derivatives import derivative, differentiate, low_pass
from dynident.data.signals.encoder_noise import fill_derivatives
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
    rate = data.rate
    band = min(cutoff or _BAND, _BAND, rate / 4.0)
    filter = ParallelFilter(cutoff=band, rate_in=rate, rate_out=min(4.0 * band, rate), truncation=1e-4)
    windows = [window for segment in data.segments for window in _windows(segment, data.samples)]
    windows = [window for window in windows if filter.valid(window.stop - window.start)]
    if not windows:
        return {}
    joints = np.arange(data.n)
    dq = {} if data.dq is None else _differences(data, "dq", joints, data.q, 1, windows, filter)
    ddq: dict[str, float] = {}
    if data.ddq is not None:
        by_dq = np.array([data.dq is not None and name not in dq for name in data.joint_names])
        for chosen, source, order in ((joints[by_dq], data.dq, 1), (joints[~by_dq], data.q, 2)):
            if source is not None and len(chosen):
                ddq |= _differences(data, "ddq", chosen, source, order, windows, filter)
    return {quantity: differences for quantity, differences in (("dq", dq), ("ddq", ddq)) if differences}


def replace_derivatives(data: Dataset, disagreements: Disagreements) -> Dataset:
    """The log with derivatives by differences in place of the recorded signals that disagree with them."""
    dq, ddq = data.dq, data.ddq
    if wrong := disagreements.get("dq"):
        dq = _with_columns(data, data.require("dq"), [data.joint_names.index(name) for name in wrong], data.q)
    if wrong := disagreements.get("ddq"):
        source = derivative(data, data.q) if dq is None else dq
        ddq = _with_columns(data, data.require("ddq"), [data.joint_names.index(name) for name in wrong], source)
    return data.after(f"{' and '.join(disagreements)} partly by differences", dq=dq, ddq=ddq) if disagreements else data


def smooth_motion(log: Dataset, cutoff: float) -> Dataset:
    """q, dq and ddq through a zero-phase low-pass [Hz], with derivatives where they are missing or wrong; the effort as it is."""
    bare = replace(log, effort=None, effort_kind=None, provenance=log.provenance)
    bare = replace_derivatives(bare, find_disagreements(bare, cutoff))
    smooth = low_pass(bare, cutoff)
    smooth = fill_derivatives(smooth) if smooth.dq is None else differentiate(smooth)
    return replace(smooth, effort=log.effort, effort_kind=log.effort_kind)


def _with_columns(data: Dataset, values: Array, joints: list[int], source: Array) -> Array:
    """The values (N, n) with the derivatives of these joints of the source in place of theirs."""
    changed = concatenate_rows([values])
    for j in joints:
        column = derivative(data, column_of(source, j))
        for block in row_blocks(len(changed), changed, width=data.n):
            changed[block, j] = column[block]
    return changed


def _differences(
    data: Dataset, quantity: str, joints: IntArray, source: Array, order: int, windows: list[slice], filter: ParallelFilter
) -> dict[str, float]:
    """Difference [%] of a recorded quantity of these joints from the derivative of this order of a signal (N, n), where they disagree."""
    recorded: Array = getattr(data, quantity)
    pieces = [source[window][:, joints] for window in windows]
    squares, count = np.zeros((3, len(joints))), 0  # of the difference, of the derivative, of the recorded signal
    for window, piece in zip(windows, pieces, strict=True):
        time = data.time[window]
        expected = reduce(lambda x, _: np.gradient(x, time, axis=0, edge_order=2), range(order), piece)
        use = 1.0 if data.mask is None else data.mask[window][:, joints]
        measured, differentiated = filter.apply(use * recorded[window][:, joints]), filter.apply(use * expected)
        squares += [np.sum(x * x, axis=0) for x in (measured - differentiated, differentiated, measured)]
        count += len(measured)
    difference, derived, recorded_rms = np.sqrt(squares / count)
    noise = _derivative_noise(pieces, order, filter)
    allowed = np.maximum(np.maximum(TOLERANCE * np.minimum(derived, recorded_rms), _NOISE_FACTOR * noise), _STILL[quantity])
    wrong = np.flatnonzero(difference > allowed)
    percent = 100.0 * difference[wrong] / np.maximum(derived[wrong], difference[wrong] / _LARGEST)
    return {data.joint_names[joints[k]]: float(value) for k, value in zip(wrong, percent, strict=True)}


def _windows(segment: slice, samples: int) -> list[slice]:
    """A segment, or evenly spread windows of it where a log is so long that a part of it tells as much."""
    length = segment.stop - segment.start
    count = max(1, round(_ENOUGH * length / samples / _WINDOW))
    if samples <= _ENOUGH or length <= count * _WINDOW:
        return [segment]
    starts = [segment.start + k * (length - _WINDOW) // max(count - 1, 1) for k in range(count)]
    return [slice(start, start + _WINDOW) for start in starts]


def _derivative_noise(pieces: list[Array], order: int, filter: ParallelFilter) -> Array:
    """(k,) what is left in the band of the derivative of white noise and of a staircase, for signals (N, k) in pieces.

    Third differences tell the noise of a smooth signal: 20 times its variance. In a signal that mostly stays where it is and then leaps,
    the error of a step is at any frequency.
    """
    third = np.concatenate([np.diff(x, 3, axis=0) for x in pieces])
    kernel = reduce(lambda taps, _: np.convolve(taps, [0.5, 0.0, -0.5]) * filter.rate_in, range(order), filter.taps)
    white = np.sqrt(np.mean(third**2, axis=0) / 20.0) * np.linalg.norm(kernel)
    steps = np.abs(np.concatenate([np.diff(x, axis=0) for x in pieces]))
    for k in np.flatnonzero(np.mean(steps > 0.0, axis=0) <= 0.5):
        leaps = steps[steps[:, k] > 0.0, k]
        step = float(np.median(leaps)) if len(leaps) else _COARSEST
        white[k] = np.hypot(white[k], step / np.sqrt(12.0) * (2.0 * np.pi * filter.cutoff) ** order)
    return white
