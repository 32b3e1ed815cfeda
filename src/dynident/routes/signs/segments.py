"""Segments: runs of samples of one joint in which its torque keeps one sign, whatever that sign is.

A torque that changes its sign passes through zero, where |τ| has a prominent minimum, or leaps, which friction does where the joint
turns back. A cut too many costs a little search; a cut too few is mended later, when every sample gets a sign of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.data import Dataset

#: A minimum is a cut when both slopes beside it rise by so many standard deviations of the smoothed signal.
PROMINENCE = 4.0
#: A minimum above this share of the lower of its neighbouring peaks is no passage through zero.
SHALLOW = 0.35
#: |τ| is averaged over windows until its noise is below this share of its RMS, and over at most so many seconds.
SMOOTH_ENOUGH, LONGEST_WINDOW = 0.01, 0.1
#: Velocities below this share of the joint's largest don't tell a direction: a joint that trembles at rest has not turned back.
TREMBLE = 0.01


@dataclass(frozen=True, order=True)
class Segment:
    """Samples start to stop - 1 of a joint, counted in the prepared log.

    Attributes
    ----------
    joint : int
        Number from 0.
    start : int
        First sample.
    stop : int
        The sample after its last.
    """

    joint: int
    start: int
    stop: int

    @property
    def samples(self) -> slice:
        return slice(self.start, self.stop)


def split_segments(log: Dataset, motion: Dataset, noise: Array, threshold: Array) -> tuple[Segment, ...]:
    """The segments of all joints, joint by joint in the order of time; masked samples and those below the threshold (n,) belong to none.

    log : |τ| as recorded. motion : the smoothed motion on the same clock. noise : (n,) standard deviation of |τ|.
    """
    segments: list[Segment] = []
    for j in range(log.n):
        for piece in log.segments:
            b = log.require("effort")[piece, j]
            smooth, level = smooth_magnitudes(b, float(noise[j]), log.rate)
            cuts = np.unique(np.concatenate([_valleys(smooth, level), find_reversals(motion.require("dq")[piece, j])]))
            chosen = smooth > threshold[j]
            if log.mask is not None:
                chosen &= log.mask[piece, j]
            segments += [Segment(j, piece.start + a, piece.start + b) for a, b in runs(chosen, cuts)]
    return tuple(segments)


def find_reversals(dq: Array) -> IntArray:
    """The first samples of motion in the other direction."""
    clear = np.flatnonzero(np.abs(dq) > TREMBLE * np.abs(dq).max(initial=0.0))
    turned = np.flatnonzero(np.diff(np.sign(dq[clear])) != 0.0)
    # between two clear velocities of opposite sign the turn is after the last one of the old direction
    ends = zip(clear[turned], clear[turned + 1], strict=True)
    return np.array([a + 1 + int(np.flatnonzero(dq[a : b + 1] * dq[a] > 0.0)[-1]) for a, b in ends], dtype=np.int64)


def runs(chosen: BoolArray, cuts: IntArray) -> Iterator[tuple[int, int]]:
    """(start, stop) of the runs of chosen samples, parted at the cuts."""
    edges = np.unique(np.concatenate([[0, len(chosen)], cuts, np.flatnonzero(np.diff(chosen)) + 1]))
    for start, stop in pairwise(edges.tolist()):
        if chosen[start:stop].all():
            yield start, stop


def smooth_magnitudes(b: Array, noise: float, rate: float) -> tuple[Array, float]:
    """|τ| averaged over as few samples as make it smooth, and the noise that is left."""
    size, longest = SMOOTH_ENOUGH * float(np.sqrt(np.mean(b**2))), min(LONGEST_WINDOW * rate, len(b) / 10.0)
    window = min((noise / size) ** 2, longest) if size > 0.0 else longest
    half = int(window // 2)
    if half == 0:
        return b, noise
    taps = np.full(2 * half + 1, 1.0 / (2 * half + 1))
    return np.convolve(np.pad(b, half, mode="edge"), taps, mode="valid"), noise / np.sqrt(len(taps))


def _valleys(b: Array, noise: float) -> IntArray:
    """Minima that may be passages through zero."""
    from scipy.signal import find_peaks  # pyright: ignore[reportUnknownVariableType] (here, as importing SciPy takes long)

    top = float(b.max(initial=0.0))
    minima, properties = cast("tuple[IntArray, dict[str, Array]]", find_peaks(-b, prominence=max(PROMINENCE * noise, 1e-6 * top)))
    # a prominence counts from the lower of the two peaks beside a minimum
    return minima[b[minima] < SHALLOW * (b[minima] + properties["prominences"])]
