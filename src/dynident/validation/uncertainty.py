"""How uncertain a prediction is: coefficients that the data tell only so well, those that they don't tell at all, and what is left over.

A row y of the regressor is predicted with the variance y Σ yᵀ + σ². Σ is the covariance of the estimate, widened by what coefficients that
are not part of the model may be; σ is the noise of the joint, with which the errors of a cross-validation are within the band. A
motion leaves the region that the data of the fit cover where y Σ yᵀ, the leverage of the row, is much larger than it is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.linear_algebra import least_squares
from dynident.core.records import Shape
from dynident.regression.equations.factors import triangular
from dynident.regression.estimate import Estimate
from dynident.regression.problem import Problem
from dynident.regression.solution import largest_coefficients, residuals
from dynident.regression.uncertainty.covariance import inverse_normal
from dynident.validation.models import COEFFICIENTS, NewtonEuler
from dynident.validation.series import JointSeries

#: 97.5 % quantile of the normal distribution: a band of so many standard deviations covers 95 %.
BAND = 1.959963984540054
#: A sample is outside of what the data of the fit cover when its prediction is so many times as uncertain as theirs (RMS) ...
OUTSIDE = 5.0
#: ... and a motion leaves it in a joint when so many of its samples do.
OUTSIDE_SHARE = 0.1


@dataclass(frozen=True, kw_only=True)
class Departure:
    """A joint whose torque is predicted outside of what the data of the fit cover.

    share : of the samples, 0 to 1; since : time of the first [s]; factor : how many times as uncertain as on the data of the fit, at most.
    """

    joint: str
    share: float
    since: float
    factor: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Band:
    """The 95 % bands around the predictions.

    noise : {model: (n,)}             What is left over beside the uncertainty of the parameters [N·m | N]; empty where it is not known.
    coverage_percent : {model: (n,)}  Share of the samples within the band.
    departures : joints whose predictions are outside of what the data of the fit cover.
    """

    noise: Mapping[str, Annotated[Array, Shape("n", finite=False)]]
    coverage_percent: Mapping[str, Annotated[Array, Shape("n", finite=False)]]
    departures: tuple[Departure, ...]

    @staticmethod
    def of(series: Sequence[JointSeries], noise: Mapping[str, Array], departures: tuple[Departure, ...]) -> Band:
        covered = {
            model: np.array([_covered_percent(item, model, float(level)) for item, level in zip(series, levels, strict=True)])
            for model, levels in noise.items()
        }
        return Band(noise=noise, coverage_percent=covered, departures=departures)


def half_width(series: JointSeries, model: str, noise: float) -> Array:
    """(N,) half of the 95 % band."""
    return BAND * np.sqrt(series.std[model] ** 2 + noise**2)


def _covered_percent(series: JointSeries, model: str, noise: float) -> float:
    return 100.0 * float(np.mean(np.abs(series.error(model)) <= half_width(series, model, noise)))


def prediction_covariance(estimate: Estimate) -> Array:
    """(b, b) of the coefficients, where those outside the model are zero give or take what they may be.

    The others then err by what they took over from them. A dropped one may be what it was, one that the data don't determine as large as
    one that makes the whole effort by itself. Without the data of the fit nothing is known of them.
    """
    problem = estimate.problem
    if problem is None or problem.base.equations != estimate.base.equations:
        return estimate.covariance
    scale = largest_coefficients(problem, _levels(estimate))
    for item in estimate.dropped:
        if np.isfinite(item.std):
            scale[item.index] = np.hypot(item.value, item.std)
    return estimate.covariance + _open_covariance(_factor(estimate, problem), estimate.kept, scale)


def part_covariance(estimate: Estimate, part: Problem, kept: BoolArray) -> Array:
    """(b, b) the same for a fit to a part of the data: that of the estimate as fewer data make it; zero where its data are not there.

    Σ = A⁻¹ B A⁻¹ with the information A tells B, what noise and model error add up to; of a part there is as much as it has rows.
    """
    whole = estimate.problem
    if whole is None or whole.base.equations != part.base.equations:
        return np.zeros((len(kept), len(kept)))
    R, factor = triangular([_factor(estimate, whole)]), _factor(estimate, part)
    moved = inverse_normal(factor, kept) @ R.T
    share = float(part.counts.sum()) / float(whole.counts.sum())
    known = share * moved @ (R @ estimate.covariance @ R.T) @ moved.T
    return known + _open_covariance(factor, kept, largest_coefficients(part, _levels(estimate)))


def covering_noise(errors: Array, std: Array, *, least: float, independent: float) -> float:
    """The noise with which 95 % of further errors like these are within the band; at least what the fit left over.

    independent : how many independent ones the errors are worth. Of n, the share 0.95 (1 + 1 / n) must be inside for 95 % of others to be
        (split conformal prediction: Vovk, Gammerman, Shafer 2005).
    """
    needed = np.sqrt(np.maximum((errors / BAND) ** 2 - std**2, 0.0))
    return max(float(np.quantile(needed, min(1.0, 0.95 * (1.0 + 1.0 / max(independent, 1.0))))), least) if len(needed) else least


def model_noise(estimate: Estimate, others: Sequence[NewtonEuler], left: Array | None) -> dict[str, Array]:
    """Per model (n,) what it leaves over beside the uncertainty of its parameters; empty where the fit was not one to torques.

    left : (n,) of the coefficients, by default the RMS residual of the fit. Links leave as many times more as they do on those data.
    """
    if estimate.base.equations != "torque":
        return {}
    fitted = estimate.residuals.rms_per_group
    noise = {COEFFICIENTS: fitted if left is None else left}
    for other in others:
        if other.covariance is not None:
            noise[other.name] = noise[COEFFICIENTS] * np.maximum(_left_by(estimate, other) / np.maximum(fitted, np.finfo(float).tiny), 1.0)
    return noise


def fitted_std(estimate: Estimate, covariance: Array) -> Array | None:
    """(n,) RMS of the predictions' standard deviation over the data of the fit; None where these are not there, or not torques."""
    problem = estimate.problem
    if problem is None or problem.base.equations != "torque":
        return None
    squares = [
        np.sum((factor[:, :-1] @ covariance[np.ix_(group.columns, group.columns)]) * factor[:, :-1])
        for group, factor in zip(problem.groups, problem.factors, strict=True)
    ]
    return np.sqrt(np.maximum(squares, 0.0) / np.maximum(problem.counts, 1))


def find_departures(series: Sequence[JointSeries], model: str, usual: Array) -> Iterator[Departure]:
    """The joints whose samples are outside. usual : (n,) RMS of the standard deviations over the data of the fit."""
    for item, fitted in zip(series, usual.tolist(), strict=True):
        values = item.std[model]
        outside = np.flatnonzero(values > OUTSIDE * fitted)
        if len(outside) > OUTSIDE_SHARE * len(values):
            factor = float(values.max()) / max(fitted, float(np.finfo(float).tiny))
            yield Departure(joint=item.joint, share=len(outside) / len(values), since=float(item.time[outside[0]]), factor=factor)


def _left_by(estimate: Estimate, other: NewtonEuler) -> Array:
    """(n,) RMS that links leave of the data of the fit; that of the coefficients where these are not there, or need other columns too."""
    columns = estimate.base.columns
    if estimate.problem is None or columns.of_extra or (columns.of_friction and other.friction is None):
        return estimate.residuals.rms_per_group
    return residuals(estimate.problem, estimate.base.coefficients(columns.join(other.links, other.friction))).rms_per_group


def _levels(estimate: Estimate) -> Array:
    return np.asarray(estimate.summary.noise_levels, dtype=float)


def _factor(estimate: Estimate, problem: Problem) -> Array:
    """(·, b) rows whose squares are the information of a problem, in units of the noise."""
    return problem.stack(1.0 / _levels(estimate))[:, :-1]


def _open_covariance(factor: Array, kept: BoolArray, scale: Array) -> Array:
    """What coefficients outside the model add: each with its scale, and in the kept ones what they took over from it."""
    b, gone = len(kept), np.flatnonzero(~kept)
    if not len(gone):
        return np.zeros((b, b))
    sizes = np.linalg.norm(factor[:, kept], axis=0)
    sizes[sizes == 0.0] = 1.0
    effect = np.zeros((b, len(gone)))
    effect[gone, np.arange(len(gone))] = 1.0
    effect[kept] = -least_squares(factor[:, kept] / sizes, factor[:, gone]) / sizes[:, None]
    return (effect * scale[gone] ** 2) @ effect.T
