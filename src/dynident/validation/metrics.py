"""Errors of a prediction: RMS, relative error, R², the moments where it is worst, and the spectrum of what it leaves over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np

from dynident.core.arrays import Array
from dynident.validation.series import JointSeries

#: 97.5 % quantile of the normal distribution: a band of so many standard deviations covers 95 %.
BAND = 1.959963984540054
#: Worst moments of one joint are at least so far apart [s]; samples beside the worst one say the same thing.
APART = 1.0
_MOMENTS = 3
_LONGEST_WINDOW = 256


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelErrors:
    """Errors of one model. friction : whether its friction is part of it.

    rms : (n,)                 √mean(e²) [N·m | N].
    relative_percent : (n,)    100 ‖e‖ / ‖measured‖.
    r_squared : (n,)           1 - Σ e² / Σ (measured - mean)²; NaN where the measured effort is constant.
    overall_percent : float    100 ‖e‖ / ‖measured‖ over all joints.
    """

    model: str
    friction: bool
    rms: Array
    relative_percent: Array
    r_squared: Array
    overall_percent: float


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

    frequency: Array
    measured: Array
    error: Array


def model_errors(series: tuple[JointSeries, ...], key: str, *, model: str, friction: bool) -> ModelErrors:
    tiny = np.finfo(float).tiny
    errors = [item.error(key) for item in series]
    squares = np.array([float(e @ e) for e in errors])
    totals = np.array([float(item.measured @ item.measured) for item in series])
    variations = np.array([float(np.sum((item.measured - item.measured.mean()) ** 2)) for item in series])
    varies = variations > 1e-24 * totals  # else the mean is all that there is, and R² would be 0 / 0
    return ModelErrors(
        model=model,
        friction=friction,
        rms=np.sqrt(squares / np.array([len(e) for e in errors])),
        relative_percent=100.0 * np.sqrt(squares / np.maximum(totals, tiny)),
        r_squared=np.where(varies, 1.0 - squares / np.where(varies, variations, 1.0), np.nan),
        overall_percent=100.0 * float(np.sqrt(squares.sum() / max(totals.sum(), tiny))),
    )


def worst_moments(series: JointSeries, key: str) -> tuple[Moment, ...]:
    """The moments with the largest |error| of one joint, the worst first."""
    error = series.error(key)
    rms = max(float(np.sqrt(np.mean(error**2))), float(np.finfo(float).tiny))
    left, found = np.abs(error), list[Moment]()
    for _ in range(_MOMENTS):
        k = int(np.argmax(left))
        if left[k] <= 0.0:
            break
        time, value = float(series.time[k]), float(error[k])
        found.append(Moment(joint=series.joint, time=time, error=value, measured=float(series.measured[k]), sigmas=abs(value) / rms))
        left = np.where((series.segment == series.segment[k]) & (np.abs(series.time - time) < APART), 0.0, left)
    return tuple(found)


def coverage_percent(series: JointSeries, key: str, noise: float) -> float:
    """Share of the samples within the band of the prediction and the noise; 95 % when both are as estimated."""
    return 100.0 * float(np.mean(np.abs(series.error(key)) <= BAND * np.sqrt(series.std**2 + noise**2)))


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
