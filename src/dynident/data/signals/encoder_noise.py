"""Velocities and accelerations of logs that have positions only: the encoder's noise is measured, and smoothed before it is differentiated.

Noise in a velocity flips its sign near reversals, where Coulomb friction leaps. A regressor with wrong signs biases the coefficients by
an amount that does not average out, while standard deviations shrink with the number of samples. So positions are smoothed, per joint and
segment, by a zero-phase low-pass whose bandwidth f leaves a velocity noise of `SHARE` times the joint's RMS speed v. A low-pass at f leaves
2πσ √(2f³ / 3fs) of white noise of standard deviation σ at the rate fs in the derivative, hence

    f = (3 fs (SHARE v)² / (8π²σ²))^(1/3),

but at least twice the cutoff of the filter that follows. Where f is above `WIDEST` fs nothing is smoothed. The effort is never changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.large_arrays import allocate, column_of, concatenate_rows, row_blocks, take_rows, thin_rows
from dynident.data.dataset import Dataset
from dynident.data.signals.butterworth import smooth_column
from dynident.errors import ValueRangeError

#: Velocity noise to be left, as a share of the RMS speed; on virtual arms 0.002 to 0.005 differ little.
SHARE = 0.003
#: Bandwidths above this share of the rate are not worth a filter.
WIDEST = 0.4
#: Length of the blocks that tell noise and speed, and how many are enough; lag of the differences that tell the speed [s].
_BLOCK, _BLOCKS, _LAG = 0.5, 400, 0.05
#: Order of the differences that tell noise from motion, and by how much they multiply the variance of white noise, binomial(10, 5).
_DIFFERENCES, _GAIN = 5, 252.0
#: Of the low-pass; its impulse response ends below this share of its peak.
_ORDER, _TRUNCATION = 4, 1e-6
#: Velocity noise per position noise and rate, of five points and of central differences.
_FIVE_POINTS, _CENTRAL = float(np.sqrt(130.0) / 12.0), float(np.sqrt(0.5))
#: Length of what is fitted at either side of a gap [s].
_BESIDE = 0.1
#: Values that have at most so many levels per sample are in steps, and levels are apart by whole numbers of them to this accuracy.
_LEVELS, _WHOLE = 0.5, 0.02


@dataclass(frozen=True, kw_only=True, eq=False)
class EncoderNoise:
    """Noise of positions, and what it makes of velocities that are derived from them; (n,) each, RMS over the segments of a log.

    position : standard deviation [rad | m]
    speed : RMS speed of the joint [rad/s | m/s]
    before, after : noise of velocities by central differences of the recorded positions, and of those that are used [rad/s | m/s]
    bandwidth : smallest of the low-passes of the positions [Hz]; infinite where they are used as they are
    """

    position: Array
    speed: Array
    before: Array
    after: Array
    bandwidth: Array

    @property
    def share(self) -> Array:
        """(n,) velocity noise over speed; zero for a joint that never moves."""
        return np.divide(self.after, self.speed, out=np.zeros_like(self.after), where=self.speed > 0.0)


def derive_motion(dataset: Dataset, *, cutoff: float, steps: Array | None = None) -> tuple[Dataset, EncoderNoise]:
    """The log with smooth positions, and with dq and ddq derived from them where they are missing; on a uniform clock.

    cutoff : of the filter that follows [Hz]; positions are smoothed at twice that frequency, or above it.
    steps : (n,) that positions were rounded to [rad | m], where the clock is not the recorded one; by default they are found.

    Samples that are masked for all joints are bridged first, so that they reach no other.
    """
    steps = position_steps(dataset.q) if steps is None else steps
    q, noises = allocate(dataset.q.shape), list[EncoderNoise]()
    for segment in dataset.segments:
        used = used_rows(dataset, segment)
        bridged = bridge(dataset.q[segment], used, dataset.rate)
        noise = _measure(bridged, used, dataset.rate, cutoff, steps)
        for j, bandwidth in enumerate(noise.bandwidth.tolist()):
            q[segment, j] = _smooth(column_of(bridged, j), bandwidth, dataset.rate)
        noises.append(noise)
    lengths = np.array([segment.stop - segment.start for segment in dataset.segments], dtype=float)
    return fill_derivatives(dataset.after("positions smoothed", q=q)), _pool(noises, lengths)


def fill_derivatives(dataset: Dataset) -> Dataset:
    """The log with dq and ddq of smooth positions where they are missing, by five points on a uniform clock.

    Exact for polynomials of degree 4, also at the ends of a segment. Central differences twice are not accurate enough: at 100 Hz
    they make accelerations of a motion of 4 Hz 2 % too small.
    """
    dq, ddq = allocate(dataset.q.shape), allocate(dataset.q.shape)
    for number, segment in enumerate(dataset.segments):
        length = segment.stop - segment.start
        if length < 3:
            raise ValueRangeError("segment", f"{number} has {length} samples, but a derivative needs 3; drop it")
        _five_points(dataset.q[segment], dataset.rate, dq[segment], ddq[segment])
    missing = " and ".join(name for name in ("dq", "ddq") if getattr(dataset, name) is None)
    dq, ddq = dq if dataset.dq is None else dataset.dq, ddq if dataset.ddq is None else dataset.ddq
    return dataset.after(f"{missing} by differences", dq=dq, ddq=ddq) if missing else dataset


def position_noise(dataset: Dataset) -> Array:
    """(n,) standard deviation of the noise of recorded positions [rad | m], that of rounding at least."""
    rounding = position_steps(dataset.q) ** 2 / 12.0
    parts = [_white_variance(_blocks(dataset.q[segment], used_rows(dataset, segment), dataset.rate)) for segment in dataset.segments]
    return np.sqrt(np.maximum(np.median(parts, axis=0), rounding))


def velocity_noise(dataset: Dataset) -> tuple[Array, Array]:
    """(n,) standard deviation of the white noise of recorded velocities, and their RMS [rad/s | m/s]."""
    noises, squares, lengths = list[Array](), list[Array](), list[int]()
    for segment in dataset.segments:
        used = used_rows(dataset, segment)
        blocks = _blocks(dataset.require("dq")[segment], used, dataset.rate)
        noises.append(_white_variance(blocks))
        squares.append(np.mean(blocks**2, axis=(0, 1)))
        lengths.append(segment.stop - segment.start)
    return np.sqrt(np.average(noises, axis=0, weights=lengths)), np.sqrt(np.average(squares, axis=0, weights=lengths))


def used_rows(dataset: Dataset, segment: slice) -> BoolArray | None:
    """(N,) whether a sample of a segment is used for at least one joint; None where nothing is masked."""
    return None if dataset.mask is None else np.asarray(dataset.mask[segment].any(axis=1))


def bridge(values: Array, used: BoolArray | None, rate: float) -> Array:
    """(N, k) with cubics in place of the samples that are not used; beyond the first and the last used sample, straight lines.

    Values and slopes at either side come from a fit to a tenth of a second of what is there, so that noise does not make them swing.
    """
    if used is None or used.all() or not used.any():
        return values
    filled = concatenate_rows([values])
    edges = np.flatnonzero(np.diff(np.concatenate([[True], used, [True]]))).reshape(-1, 2).tolist()
    width = max(3, round(_BESIDE * rate))
    for number, (start, stop) in enumerate(edges):
        following = edges[number + 1][0] if number + 1 < len(edges) else len(values)
        before, after = filled[max(start - width, 0) : start], filled[stop : min(stop + width, following)]
        x = np.arange(start, stop, dtype=float)[:, None]
        (a, slope_a), (b, slope_b) = _end(before, -1), _end(after, 0)
        if len(before) == 0:
            filled[start:stop] = b + slope_b * (x - stop)
        elif len(after) == 0:
            filled[start:stop] = a + slope_a * (x - (start - 1))
        else:  # the cubic with these values and slopes
            length = stop - start + 1.0
            s = (x - (start - 1)) / length
            filled[start:stop] = (
                (1.0 + 2.0 * s) * (1.0 - s) ** 2 * a
                + s**2 * (3.0 - 2.0 * s) * b
                + length * s * (1.0 - s) * ((1.0 - s) * slope_a - s * slope_b)
            )
    return filled


def _end(values: Array, place: int) -> tuple[Array, Array]:
    """(k,) value and slope per sample of the parabola through values (N, k) at their first (0) or last (-1) sample."""
    coefficients: Array = np.zeros((2, values.shape[1]))
    if len(values) > 0:
        x = np.arange(len(values), dtype=float) - (len(values) - 1.0) * (place == -1)
        powers = np.vander(x, min(3, len(values)), increasing=True)
        fitted = np.asarray(np.linalg.lstsq(powers, values, rcond=None)[0], dtype=float)[:2]
        coefficients[: len(fitted)] = fitted
    return coefficients[0], coefficients[1]


def position_steps(q: Array) -> Array:
    """(n,) the steps that positions (N, n) were rounded to; zero where there are none."""
    few = thin_rows(q)
    return np.array([find_step(few[:, j]) for j in range(q.shape[1])])


def find_step(values: Array) -> float:
    """The step that all values (N,) are whole multiples of; 0 where there is none."""
    levels = np.unique(values)
    if len(levels) < 3 or len(levels) > _LEVELS * len(values):
        return 0.0
    gaps = np.diff(levels)
    step = float(np.median(gaps[gaps <= 1.5 * gaps[gaps > 1e-9 * np.ptp(levels)].min()]))
    off = np.abs(gaps / step - np.round(gaps / step))
    return step if float(np.mean(off < _WHOLE)) > 0.98 else 0.0


def _measure(q: Array, used: BoolArray | None, rate: float, cutoff: float, steps: Array) -> EncoderNoise:
    """The noise of one segment, and the low-pass that it needs."""
    blocks = _blocks(q, used, rate)
    lag = min(max(1, round(_LAG * rate)), blocks.shape[1] - 1)
    speed = np.sqrt(np.mean((blocks[:, lag:] - blocks[:, :-lag]) ** 2, axis=(0, 1))) * rate / lag
    sigma = np.sqrt(np.maximum(_white_variance(blocks), steps**2 / 12.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        f = np.maximum(np.cbrt(3.0 * rate * (SHARE * speed / sigma) ** 2 / (8.0 * np.pi**2)), 2.0 * cutoff)
    bandwidth = np.where(f < WIDEST * rate, f, np.inf)
    smoothed = 2.0 * np.pi * sigma * np.sqrt(2.0 * np.minimum(f, rate) ** 3 / (3.0 * rate))
    after = np.where(np.isfinite(bandwidth), smoothed, _FIVE_POINTS * rate * sigma)
    return EncoderNoise(position=sigma, speed=speed, before=_CENTRAL * rate * sigma, after=after, bandwidth=bandwidth)


def _blocks(values: Array, used: BoolArray | None, rate: float) -> Array:
    """(blocks, L, n) of values (N, n) one after another, or evenly spread where they are many; those with unused samples left out."""
    length = min(len(values), max(round(_BLOCK * rate), 2 * _DIFFERENCES))
    starts = np.arange(0, len(values) - length + 1, length)
    if used is not None:
        whole = np.array([bool(used[start : start + length].all()) for start in starts.tolist()])
        starts = starts[whole] if whole.any() else starts
    starts = starts[:: -(-len(starts) // _BLOCKS)]
    rows = (starts[:, None] + np.arange(length)).ravel()
    return take_rows(values, rows).reshape(len(starts), length, -1)


def _white_variance(blocks: Array) -> Array:
    """(n,) of the noise in blocks (blocks, L, n) of smooth signals, by fifth differences; the median, as jerks are few."""
    if blocks.shape[1] <= _DIFFERENCES:
        return np.zeros_like(blocks[0, 0])
    squares: Array = np.diff(blocks, _DIFFERENCES, axis=1) ** 2
    return np.median(squares.mean(axis=1), axis=0) / _GAIN


def _smooth(column: Array, bandwidth: float, rate: float) -> Array:
    """(N,) through the low-pass of this bandwidth [Hz]."""
    if not np.isfinite(bandwidth):
        return column
    return smooth_column(column, cutoff=bandwidth, rate=rate, order=_ORDER, truncation=_TRUNCATION)


def _five_points(values: Array, rate: float, first: Array, second: Array) -> None:
    """Derivatives of one segment (N, n) into (N, n) each; beyond its ends go the polynomials through its outermost five samples."""
    degree = min(5, len(values))
    places = np.vander(np.arange(degree, dtype=float), increasing=True)
    ahead = np.vander(np.array([-2.0, -1.0]), degree, increasing=True) @ np.linalg.inv(places)
    ends = ahead @ values[:degree], (ahead @ values[: -degree - 1 : -1])[::-1]
    for block in row_blocks(len(values), values, first, second, width=values.shape[1]):
        inner = values[max(block.start - 2, 0) : block.stop + 2]
        x = np.concatenate([ends[0][block.start :], inner, ends[1][: max(0, block.stop + 2 - len(values))]])
        far, near, middle = (x[:-4], x[4:]), (x[1:-3], x[3:-1]), x[2:-2]
        first[block] = (8.0 * (near[1] - near[0]) - (far[1] - far[0])) * (rate / 12.0)
        second[block] = (16.0 * (near[1] + near[0]) - (far[1] + far[0]) - 30.0 * middle) * (rate**2 / 12.0)


def _pool(noises: list[EncoderNoise], lengths: Array) -> EncoderNoise:
    """Of all segments, by their lengths (segments,)."""

    def rms(name: str) -> Array:
        return np.sqrt(np.average([getattr(noise, name) ** 2 for noise in noises], axis=0, weights=lengths))

    least = np.min([noise.bandwidth for noise in noises], axis=0)
    return EncoderNoise(position=rms("position"), speed=rms("speed"), before=rms("before"), after=rms("after"), bandwidth=least)
