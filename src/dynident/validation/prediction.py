"""Torques of a motion that nobody has measured, with the band that they are in, and where the motion leaves what is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Dataset, EffortKind
from dynident.dynamics import inverse_dynamics
from dynident.errors import InputError
from dynident.regression.equations.rows import LogRows
from dynident.regression.estimate import Estimate
from dynident.regression.prepare import match_log
from dynident.validation.folds import cross_validate_fit
from dynident.validation.models import COEFFICIENTS, LINKS, LinkModel, NewtonEuler, as_torque_model, newton_euler_models
from dynident.validation.notes import departure_text
from dynident.validation.series import JointSeries, joint_series
from dynident.validation.uncertainty import Departure, find_departures, fitted_std, half_width, model_noise, prediction_covariance


@dataclass(frozen=True, kw_only=True, eq=False)
class Prediction:
    """Efforts along a motion.

    Attributes
    ----------
    model : str
        Which model it is of.
    effort : (N, n) array
        [N·m | N].
    half_width : (N, n) array
        Half of the 95 % band: parameters, and what a fit to torques left over at its bandwidth.
    departures
        Joints whose efforts are outside of what the data of the fit cover, and the notes say so.
    notes : tuple of str
        What a reader of the efforts should know.
    """

    model: str
    effort: Array
    half_width: Array
    departures: tuple[Departure, ...]
    notes: tuple[str, ...] = ()


def predict(model: Estimate, motion: Dataset, *, links: LinkModel | None = None) -> Prediction:
    """The efforts of a motion with q, dq and ddq, by link parameters whose covariance is known, else by the coefficients.

    An effort that the motion has is not looked at, and nothing is filtered.

    Parameters
    ----------
    model
        What `identify` returned.
    motion
        Samples with q, dq and ddq.
    links
        What `retrieve` returned.

    Returns
    -------
    Prediction
        Efforts and half of their 95 % band.
    """
    estimate = as_torque_model(model, links)
    covariance = prediction_covariance(estimate)
    others = newton_euler_models(estimate, links)[: 0 if links is None else 1]
    series = _series(estimate, covariance, others, motion)
    use = LINKS if LINKS in series[0].std else COEFFICIENTS
    fitted, why_not = cross_validate_fit(model)
    noise, notes = model_noise(model, others, None if fitted is None else fitted.noise), list[str]()
    if not noise:
        notes.append("the model was not fitted to torques, so the band is that of the parameters alone, without noise")
    elif why_not:
        notes.append(f"the noise in the band is what the fit left over, and may be too small: {why_not}")
    levels = noise.get(use, np.zeros(len(series)))
    usual = fitted_std(estimate, covariance)
    departures = () if usual is None else tuple(find_departures(series, COEFFICIENTS, usual))
    if departures:
        notes.append(departure_text(departures))
    return Prediction(
        model=use,
        effort=np.stack([item.predicted[use] for item in series], axis=1),
        half_width=np.stack([half_width(item, use, float(level)) for item, level in zip(series, levels, strict=True)], axis=1),
        departures=departures,
        notes=tuple(notes),
    )


def prediction_std(model: Estimate, motion: Dataset, *, links: LinkModel | None = None) -> Array:
    """(N, n) standard deviation of the efforts of `predict`, by the uncertainty of the parameters alone [N·m | N]."""
    estimate = as_torque_model(model, links)
    others = newton_euler_models(estimate, links)[: 0 if links is None else 1]
    series = _series(estimate, prediction_covariance(estimate), others, motion)
    use = LINKS if LINKS in series[0].std else COEFFICIENTS
    return np.stack([item.std[use] for item in series], axis=1)


def _series(estimate: Estimate, covariance: Array, others: tuple[NewtonEuler, ...], motion: Dataset) -> tuple[JointSeries, ...]:
    """What is predicted of a motion, unfiltered."""
    matched = match_log(estimate.base.robot, motion)
    if matched.dq is None or matched.ddq is None:
        raise InputError("prediction needs velocities and accelerations; differentiate the dataset first")
    if estimate.base.columns.of_extra:
        raise InputError("the model has columns of its own, which a motion doesn't tell; use Estimate.predict, which takes them")
    still = replace(matched, effort=np.zeros_like(matched.q), effort_kind=EffortKind.TORQUE, mask=None)
    load = inverse_dynamics(estimate.base.robot, estimate.link_part, matched.q, matched.dq, matched.ddq)
    rows = LogRows(base=estimate.base, dataset=still, filter=None, extra={}, load=load)
    return joint_series(estimate, covariance, rows, others)
