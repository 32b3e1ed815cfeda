"""Errors of a prediction: RMS, relative error and its spread, R², how near to the best, the worst moments, and the spectrum of the rest."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, cast

import numpy as np

from dynident.core.arrays import Array
from dynident.core.records import Shape
from dynident.core.texts import short_number
from dynident.validation.series import JointSeries

#: Worst moments of one joint are at least so far apart [s]; samples beside the worst one say the same thing.
APART = 1.0
#: Blocks of the data, one after the other, whose errors tell how much the error varies; each has at least so many samples.
BLOCKS, _LEAST_BLOCK = 5, 5
#: A model predicts well when it leaves at most so many times what the best model in hindsight leaves, and is far from it beyond the second.
NEAR_BEST, FAR_FROM_BEST = 2.0, 4.0
#: Relative errors [%] up to which nothing better is asked for, beyond which a model that is far from the best is bad, beyond which
#: even one near it leaves too much to be called good, and beyond which the best is bad.
NEGLIGIBLE, VISIBLE, LARGE, USELESS = 0.5, 5.0, 15.0, 50.0
_MOMENTS = 3
_LONGEST_WINDOW = 256


class Grade(Enum):
    """How good a prediction is; the value is what a reader is told."""

    GOOD = "well"
    FAIR = "with visible errors, so use it with care"
    POOR = "badly"

    @staticmethod
    def of(percent: float, ratio: float) -> Grade:
        """

        Parameters
        ----------
        percent
            Relative error;.
        ratio
            The error over what the best model in hindsight leaves on the same data.
        """
        if percent <= NEGLIGIBLE or (ratio <= NEAR_BEST and percent <= LARGE):
            return Grade.GOOD
        far = percent > VISIBLE and ratio > (FAR_FROM_BEST if percent <= LARGE else NEAR_BEST)
        return Grade.POOR if far else Grade.FAIR


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelErrors:
    """Errors of one model. friction : whether its friction is part of it.

    rms : (n,)                 √mean(e²) [N·m | N].
    relative_percent : (n,)    100 ‖e‖ / ‖measured‖.
    r_squared : (n,)           1 - Σ e² / Σ (measured - mean)²; NaN where the measured effort is constant.
    overall_percent : float    100 ‖e‖ / ‖measured‖ over all joints.
    block_percent : (blocks,)  The same of each block of the data, one after the other; empty where they are too few to cut.
    ratio : (n,)               RMS over that of the best model in hindsight.
    overall_ratio : float      ‖e‖ over that of the best model in hindsight, over all joints.
    wide_percent : float       overall_percent behind a filter that lets through more; None where the log is too slow for it.
    """

    model: str
    friction: bool
    rms: Annotated[Array, Shape("n", finite=False)]
    relative_percent: Annotated[Array, Shape("n", finite=False)]
    r_squared: Annotated[Array, Shape("n", finite=False)]
    overall_percent: float
    block_percent: Annotated[Array, Shape("k#", finite=False)]
    ratio: Annotated[Array, Shape("n", finite=False)]
    overall_ratio: float
    wide_percent: float | None = None

    @property
    def mse(self) -> Array:
        """(n,) mean(e²) [N²·m² | N²], the square of the RMS, as papers print it."""
        with np.errstate(over="ignore"):
            return self.rms**2

    @property
    def spread_percent(self) -> float:
        """Standard deviation of the blocks' errors, not the uncertainty of their mean; NaN where there are no blocks."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(self.block_percent.std(ddof=1)) if len(self.block_percent) > 1 else math.nan

    @property
    def percent_text(self) -> str:
        """The error with its spread."""
        spread = "" if np.isnan(self.spread_percent) else f" ± {short_number(self.spread_percent)}"
        return f"{short_number(self.overall_percent)}{spread} %"

    @property
    def grade(self) -> Grade:
        """Of all joints together; where most of the torque is unexplained, that the best model leaves as much is no comfort."""
        return Grade.POOR if self.overall_percent > USELESS else Grade.of(self.overall_percent, self.overall_ratio)

    @property
    def joint_grades(self) -> tuple[Grade, ...]:
        return tuple(Grade.of(*item) for item in zip(self.relative_percent.tolist(), self.ratio.tolist(), strict=True))


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A moment at which the prediction is far off. sigmas : the error in units of the joint's RMS error."""

    joint: str
    time: float
    error: float
    measured: float
    sigmas: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Spectrum:
    """One-sided amplitude densities [N·m/√Hz] of the measured effort and of what the model leaves over; frequency [Hz]."""

    frequency: Annotated[Array, Shape("f#")]
    measured: Annotated[Array, Shape("f#")]
    error: Annotated[Array, Shape("f#")]


def model_errors(series: tuple[JointSeries, ...], key: str, *, model: str, friction: bool, best: Array) -> ModelErrors:
    """best : (n,) RMS that the best model in hindsight leaves."""
    tiny = np.finfo(float).tiny
    errors = [item.error(key) for item in series]
    squares = np.array([float(e @ e) for e in errors])
    totals = np.array([float(item.measured @ item.measured) for item in series])
    variations = np.array([float(np.sum((item.measured - item.measured.mean()) ** 2)) for item in series])
    varies = variations > 1e-24 * totals  # else the mean is all that there is, and R² would be 0 / 0
    counts = np.array([len(e) for e in errors])
    rms = np.sqrt(squares / counts)
    least = float(np.sum(counts * best**2))
    return ModelErrors(
        model=model,
        friction=friction,
        rms=rms,
        relative_percent=100.0 * np.sqrt(squares / np.maximum(totals, tiny)),
        r_squared=np.where(varies, 1.0 - squares / np.where(varies, variations, 1.0), np.nan),
        overall_percent=100.0 * float(np.sqrt(squares.sum() / max(totals.sum(), tiny))),
        block_percent=_block_percent(errors, [item.measured for item in series]),
        ratio=np.where(rms > best, rms / np.maximum(best, tiny), 1.0),
        overall_ratio=float(np.sqrt(squares.sum() / least)) if squares.sum() > least > 0.0 else 1.0,
    )


def _block_percent(errors: list[Array], measured: list[Array]) -> Array:
    blocks = min(BLOCKS, min(len(e) for e in errors) // _LEAST_BLOCK)
    if blocks < 2:
        return np.zeros(0)
    squares, totals = (
        sum(np.array([float(part @ part) for part in np.array_split(values, blocks)]) for values in columns)
        for columns in (errors, measured)
    )
    return 100.0 * np.sqrt(squares / np.maximum(totals, np.finfo(float).tiny))


def worst_moments(series: JointSeries, key: str) -> tuple[Moment, ...]:
    """The moments with the largest |error| of one joint, the worst first."""
    error = series.error(key)
    rms = max(float(np.sqrt(np.mean(error**2))), float(np.finfo(float).tiny))
    left, moments = np.abs(error), list[Moment]()
    for _ in range(_MOMENTS):
        k = int(np.argmax(left))
        if left[k] <= 0.0:
            break
        time, value = float(series.time[k]), float(error[k])
        moments.append(Moment(joint=series.joint, time=time, error=value, measured=float(series.measured[k]), sigmas=abs(value) / rms))
        left = np.where((series.segment == series.segment[k]) & (np.abs(series.time - time) < APART), 0.0, left)
    return tuple(moments)


def spectrum(series: JointSeries, key: str) -> Spectrum:
    """By Welch's method, over the longest run of evenly spaced samples; empty where there are too few."""
    import scipy.signal

    welch = cast("Callable[..., tuple[Array, Array]]", scipy.signal.welch)  # pyright: ignore[reportUnknownMemberType]
    run = _longest_run(series)
    time = series.time[run]
    if len(time) < 16:
        return Spectrum(frequency=np.zeros(0), measured=np.zeros(0), error=np.zeros(0))
    rate = (len(time) - 1) / float(time[-1] - time[0])
    width = min(_LONGEST_WINDOW, len(time))
    densities = [welch(values[run], fs=rate, nperseg=width, detrend="constant") for values in (series.measured, series.error(key))]
    (frequency, measured), (_, error) = densities
    return Spectrum(frequency=frequency, measured=np.sqrt(measured), error=np.sqrt(error))


def _longest_run(series: JointSeries) -> slice:
    """Samples of one segment without a gap, the most that there are."""
    step = np.diff(series.time)
    usual = float(np.median(step)) if len(step) else 0.0
    breaks = np.flatnonzero((np.diff(series.segment) != 0) | (np.abs(step - usual) > 0.5 * usual)) + 1
    edges = np.array([0, *breaks, len(series.time)])
    longest = int(np.argmax(np.diff(edges)))
    return slice(int(edges[longest]), int(edges[longest + 1]))
