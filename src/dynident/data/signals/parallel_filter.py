"""Parallel filtering: one zero-phase low-pass and decimation for regressor columns and effort alike, as a linear map.

If τ = Y π holds at every sample it holds for every linear combination of samples, so that filtering both sides with
one and the same filter removes noise without bias; filtering q and τ separately does not (Y is not linear in q).

The filter is a finite impulse response, h (odd, symmetric): that of a Butterworth filter run forward and backward.
Output k is Σ_i h_i x[k D + i]. Only what decimation keeps is computed, and in two steps: h in pieces of D taps is a matrix
H (L / D, D) of low rank r, because h is a sum of a few damped oscillations on either side of its centre (10 for a filter of
order 4, whatever its length), so that D samples matter by their products with r vectors only, H = U Vᵀ.

Output k is then Σ_i u_i y[k r + i], with matrix products: with frames of B pieces, frame f contributes W_j y_f to the group
f - j of B outputs, where W_j (B, B r) is the j-th block of the banded Toeplitz matrix of u. Every input sample is used once,
so a stream of blocks needs no overlap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, IntArray
from dynident.data.signals.butterworth import zero_phase_response
from dynident.errors import ShapeError, ValueRangeError, require

#: Frames that the support of one output spans: few, so that partial sums cost little beside the products; fewer of projected samples.
_FRAMES, _PROJECTED_FRAMES = 8, 2
#: Fewer samples per output are not worth a projection; and singular values below this share of the largest are rounding.
_LEAST_FACTOR, _NEGLIGIBLE = 16, 1e-16
#: Multiplications of one product: OpenBLAS has a faster kernel for small ones.
_SMALL_PRODUCT = 1_000_000
#: Numbers that are collected before they are multiplied: fewer calls, and still in cache.
_COLLECTED = 1 << 17
#: Numbers that `apply` works on at once, so that it stays in cache whatever the length of the log.
_CHUNK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class ParallelFilter:
    """A zero-phase Butterworth low-pass followed by decimation.

    Attributes
    ----------
    cutoff : float
        Frequency of -6 dB [Hz]: each of the two passes takes 3 dB.
    rate_in : float
        Sampling rate of the input, a uniform clock [Hz].
    rate_out : float
        Wanted rate of the output [Hz]; `rate` is the one it gets, rate_in / factor.
    order : int
        Order of the Butterworth filter of one pass.
    truncation : float
        The impulse response ends where it stays below this fraction of its peak. A larger value trims less of the log's edges: at 1e-9
        about 1.7 s are lost at each end for 5 Hz, at 1e-4 0.8 s.
    """

    cutoff: float
    rate_in: float
    rate_out: float
    order: int = 4
    truncation: float = 1e-9

    def __post_init__(self) -> None:
        if not 0 < self.rate_out <= self.rate_in:
            raise ValueRangeError("rate_out", f"is {self.rate_out:g} Hz; it must be above 0 and at most rate_in = {self.rate_in:g} Hz")
        if not 0 < self.cutoff < 0.5 * self.rate:
            allowed = f"it must be above 0 and below half the output rate, {0.5 * self.rate:g} Hz"
            raise ValueRangeError("cutoff", f"is {self.cutoff:g} Hz; {allowed}", remedy="lower it, or raise the output rate")
        if self.order < 1:
            raise ValueRangeError("order", f"is {self.order}; it must be at least 1")
        if not 0 < self.truncation < 1:
            raise ValueRangeError("truncation", f"is {self.truncation:g}; it must be between 0 and 1")

    @cached_property
    def factor(self) -> int:
        """Decimation factor D: every D-th filtered sample is kept."""
        return max(1, round(self.rate_in / self.rate_out))

    @property
    def rate(self) -> float:
        """Rate of the output [Hz]."""
        return self.rate_in / self.factor

    @cached_property
    def taps(self) -> Array:
        """(L,) impulse response: odd length, symmetric, sum 1."""
        return zero_phase_response(cutoff=self.cutoff, rate=self.rate_in, order=self.order, truncation=self.truncation)

    @property
    def half_width(self) -> int:
        """Input samples that an output needs on each side; so many are lost at each edge."""
        return len(self.taps) // 2

    def valid(self, length: int) -> int:
        """Number of outputs whose whole support lies within `length` input samples."""
        return max(0, (length - len(self.taps)) // self.factor + 1)

    def output_support(self, k: int) -> slice:
        """Input samples that output k is made of."""
        return slice(k * self.factor, k * self.factor + len(self.taps))

    def centres(self, length: int) -> IntArray:
        """(valid(length),) input sample at which each output stands; time[centres] is the output's clock."""
        return self.half_width + self.factor * np.arange(self.valid(length), dtype=np.int64)

    def apply(self, values: ArrayLike, *, axis: int = 0) -> Array:
        """Filter and decimate along an axis; only outputs whose whole support is there, `valid(length)` of them.

        White noise of variance s² leaves with variance s² Σ h², about 1.8 cutoff / rate_in times s² for the order 4.
        """
        x = np.moveaxis(np.asarray(values, dtype=float), axis, -1)
        length = x.shape[-1]
        if self.valid(length) == 0:
            raise ValueRangeError(
                "samples",
                f"are {length}, fewer than the {len(self.taps)} that one output needs; raise the cutoff, or give a longer segment",
            )
        stream = self.stream()
        step = max(self.frame, _CHUNK // max(1, x[..., 0].size))
        parts = [stream.push(x[..., start : start + step]) for start in range(0, length, step)]
        return np.moveaxis(np.concatenate([*parts, stream.finish()], axis=-1), -1, axis)

    def stream(self) -> FilterStream:
        """A filter to be fed block after block of one segment."""
        return FilterStream(self)

    @cached_property
    def group(self) -> int:
        """Outputs per frame, B."""
        frames = _FRAMES if self.projection is None else _PROJECTED_FRAMES
        return max(1, round(len(self.taps) / (frames * self.factor)))

    @property
    def frame(self) -> int:
        """Samples per frame, S = B D."""
        return self.group * self.factor

    @cached_property
    def projection(self) -> Array | None:
        """(D, r) V: what D samples matter by; None where r would be no less than about D."""
        D = self.factor
        if D < _LEAST_FACTOR:
            return None
        _, sizes, V = np.linalg.svd(self._pieces(self.taps), full_matrices=False)
        rank = int(np.sum(sizes > _NEGLIGIBLE * sizes[0]))
        return np.ascontiguousarray(V[:rank].T) if 2 * rank <= D else None

    def _pieces(self, taps: Array) -> Array:
        """(L / D, D) the taps in pieces, with zeros at the end."""
        padded = np.zeros(-(-len(taps) // self.factor) * self.factor)
        padded[: len(taps)] = taps
        return padded.reshape(-1, self.factor)

    @cached_property
    def blocks(self) -> Array:
        """(B r, J B) the Toeplitz matrix's blocks side by side: column j B + b weighs frame j for output b of a group."""
        pieces = self._pieces(self.taps) if self.projection is None else self._pieces(self.taps) @ self.projection
        B, r = self.group, pieces.shape[1]
        J = -(-(len(pieces) + B - 1) // B)
        weights = np.zeros((B, J * B, r))
        for b in range(B):
            weights[b, b : b + len(pieces)] = pieces
        return np.ascontiguousarray(weights.reshape(B, J, B * r).transpose(2, 1, 0).reshape(B * r, J * B))


class FilterStream:
    """The state of a ParallelFilter between two blocks of one segment; the outputs are those of `apply` on all of them.

    Blocks are (..., samples), of any length and with the same leading shape. Some frames are collected before they are multiplied.

    Parameters
    ----------
    filter
        What is applied.
    """

    def __init__(self, filter: ParallelFilter) -> None:
        self._filter = filter
        self._samples: Array | None = None  # (C, less than D) samples that wait for others
        self._frames: Array = np.zeros((0, 0, 0))  # (C, F, B r) frames of projected samples
        self._sums: Array = np.zeros((0, 0, 0))  # (C, J - 1 + F, B) outputs, of which the first J - 1 groups miss frames still to come
        self._filled = 0  # numbers of each line of the frames
        self._lead: tuple[int, ...] = ()
        self._length = 0
        self._skip = 0  # groups before the first output, which the first frames also contribute to
        self._given = 0

    def push(self, block: ArrayLike) -> Array:
        """Further outputs (..., k), of this block or of those before; the block may be overwritten afterwards."""
        x = np.asarray(block, dtype=float)
        if self._samples is None:
            self._begin(x.shape[:-1])
        elif x.shape[:-1] != self._lead:
            raise ShapeError("block", x.shape, f"({', '.join(map(str, self._lead))}, samples), as the blocks before")
        self._length += x.shape[-1]
        return self._give(self._collect(self._project(x.reshape(math.prod(self._lead), x.shape[-1]))))

    def finish(self) -> Array:
        """All outputs that are left; nothing is pushed after this."""
        if self._samples is None:
            return np.zeros(0)
        # taps beyond the support are zero, so that zeros after the end change no output that is given
        C, D = len(self._samples), self._filter.factor
        outputs = [] if self._filter.projection is None else self._collect(self._project(np.zeros((C, -self._samples.shape[1] % D))))
        lines, frame = self._frames.reshape(C, -1), self._frames.shape[2]
        count = -(-self._filled // frame)
        lines[:, self._filled : count * frame] = 0.0
        outputs.append(self._multiply(count))
        outputs.append(self._skipped(self._sums[:, : self._sums.shape[1] - self._frames.shape[1]]))
        return self._give(outputs)

    def _begin(self, lead: tuple[int, ...]) -> None:
        frame, width = self._filter.blocks.shape
        group, C = self._filter.group, math.prod(lead)
        count, J = max(1, _COLLECTED // max(1, C * frame)), width // group
        self._lead = lead
        self._samples = np.zeros((C, 0))
        self._frames, self._sums = np.zeros((C, count, frame)), np.zeros((C, J - 1 + count, group))
        self._skip = J - 1

    def _project(self, x: Array) -> Array:
        """(C, pieces r) of as many samples as make whole pieces of D; as they are where there is no projection."""
        V = self._filter.projection
        if V is None:
            return x
        D, r = V.shape
        before = require(self._samples, "the stream, which `push` begins,")
        joined = np.concatenate([before, x], axis=1) if before.shape[1] else x
        whole = joined.shape[1] // D * D
        self._samples = joined[:, whole:].copy()
        rows = joined[:, :whole].reshape(-1, D)
        projected, step = np.empty((len(rows), r)), max(1, _SMALL_PRODUCT // V.size)
        for start in range(0, len(rows), step):
            np.matmul(rows[start : start + step], V, out=projected[start : start + step])
        return projected.reshape(len(x), -1)

    def _collect(self, pieces: Array) -> list[Array]:
        """(C, k) each, the outputs of frames that are full, also those whose support turns out to end beyond the last sample."""
        lines = self._frames.reshape(len(self._frames), -1)
        outputs: list[Array] = []
        start = 0
        while start < pieces.shape[1]:
            part = pieces[:, start : start + lines.shape[1] - self._filled]
            lines[:, self._filled : self._filled + part.shape[1]] = part
            self._filled += part.shape[1]
            start += part.shape[1]
            if self._filled == lines.shape[1]:
                outputs.append(self._multiply(self._frames.shape[1]))
        return outputs

    def _multiply(self, count: int) -> Array:
        """(C, k) the outputs that the first frames, so many, complete; then there are none."""
        C, _, frame = self._frames.shape
        groups, B = self._sums.shape[1:]
        waiting = groups - self._frames.shape[1]  # J - 1
        products = (self._frames[:, :count].reshape(C * count, frame) @ self._filter.blocks).reshape(C, count, waiting + 1, B)
        self._sums[:, waiting:] = 0.0
        for j in range(waiting + 1):
            self._sums[:, waiting - j : waiting - j + count] += products[:, :, j]
        outputs = self._skipped(self._sums[:, :count])
        self._sums[:, :waiting] = self._sums[:, count : count + waiting].copy()
        self._filled = 0
        return outputs

    def _skipped(self, groups: Array) -> Array:
        """(C, k) a copy of groups of outputs (C, groups, B), without those before the first."""
        drop = min(self._skip, groups.shape[1])
        self._skip -= drop
        return groups[:, drop:].reshape(len(groups), -1).copy()

    def _give(self, outputs: list[Array]) -> Array:
        allowed = self._filter.valid(self._length) - self._given
        joined = np.concatenate([np.zeros((math.prod(self._lead), 0)), *outputs], axis=1) if len(outputs) != 1 else outputs[0]
        given = joined[:, : max(0, allowed)]
        self._given += given.shape[1]
        return given.reshape(*self._lead, given.shape[1])
