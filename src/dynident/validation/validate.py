"""`validate`: an estimate, and the link parameters made from it, on data that they may not have seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from dynident.core.arrays import Array
from dynident.data import ControllerSamples, Dataset, EffortKind
from dynident.errors import InputError
from dynident.regression.equations.rows import LogRows
from dynident.regression.estimate import Estimate, Residuals
from dynident.regression.identify import Auto, settle_filter
from dynident.regression.problem import Problem, problem_on_base
from dynident.regression.solution import residuals
from dynident.validation.folds import CrossValidation, cross_validate, cross_validate_fit
from dynident.validation.hindsight import best_rms, repeated_share
from dynident.validation.metrics import ModelErrors, model_errors, spectrum, worst_moments
from dynident.validation.models import COEFFICIENTS, RIGID, LinkModel, as_torque_model, newton_euler_models, sign_as_predicted
from dynident.validation.notes import validation_notes
from dynident.validation.result import Validation, ValidationSummary
from dynident.validation.series import WIDE, JointSeries, joint_series, wide_rows
from dynident.validation.spread import sensitivity_of
from dynident.validation.uncertainty import Band, find_departures, fitted_std, model_noise, prediction_covariance

_UNSIGNED = (
    "the log has no signs, so those of the predicted torque were taken: a torque that is predicted with the wrong sign does not show"
)
_CURRENT = "the log holds |current|, which was taken for the effort of the fit, as it is where that was made from currents too"


def validate(
    model: Estimate,
    dataset: Dataset | ControllerSamples,
    *,
    links: LinkModel | None = None,
    folds: int | None = None,
    cutoff: float | Auto | None = "auto",
    rate: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> Validation:
    """Errors of the coefficients, of link parameters and of the nominal model on a log, with and without friction.

    Parameters
    ----------
    model
        What `identify` returned.
    dataset
        A log; of one that holds magnitudes alone, |measured| is compared with |predicted|.
    links
        What `retrieve` or `read_parameters` returned.
    folds
        Also cross-validate on this log, in so many parts.
    cutoff, rate
        Of the parallel filter, None for no filter; "auto" are those of the identification.
    progress
        Called now and then with the share that is done, 0 to 1.

    Returns
    -------
    Validation
        The errors of every model, the 95 % bands, and a verdict.

    Examples
    --------
    >>> from dynident import load_dataset, load_run, validate
    >>> run = load_run("run")
    >>> validate(run.estimate, load_dataset("other.csv"), links=run.parameters).coefficients.overall_percent < 10.0
    True
    """
    if not isinstance(dataset, Dataset):
        raise InputError("validation needs a log with torques, and the data are samples of M and g", remedy="use validate_samples")
    estimate = as_torque_model(model, links)
    cutoff, rate, chosen = settle_filter(model, dataset, cutoff, rate)
    if model.base.equations in ("inertia", "gravity"):
        chosen = (*chosen, f"the estimate knows the robot's {model.base.equations} only: its coefficients here are those of the links")
    if dataset.effort_kind is not None and dataset.effort_kind.unsigned:
        chosen = (*chosen, _UNSIGNED, *([_CURRENT] if dataset.effort_kind is EffortKind.CURRENT_MAGNITUDE else []))
        dataset = sign_as_predicted(estimate, dataset)
    done = _share(progress, 0.0, 0.3)
    problem = problem_on_base(estimate.base, dataset, cutoff=cutoff, rate=rate, links=estimate.link_part, progress=done)
    rows, others = cast("LogRows", problem.rows[0]), newton_euler_models(estimate, links)
    covariance = prediction_covariance(estimate)
    series = joint_series(estimate, covariance, rows, others)
    errors = _errors(series, best_rms(estimate, problem, series))
    if progress is not None:
        progress(0.4)
    wide = wide_rows(rows)
    if wide is not None:
        errors = _with_wide(errors, joint_series(estimate, covariance, wide, others))
    fitted, why_not = cross_validate_fit(model, progress=_share(progress, 0.5, 0.8))
    crossed = None
    if folds is not None:
        crossed = cross_validate(estimate, dataset, folds=folds, cutoff=cutoff, rate=rate, progress=_share(progress, 0.8, 1.0))
    same_filter = cutoff == model.summary.processing.cutoff_hz
    noise = model_noise(model, others, None if fitted is None else fitted.noise) if same_filter else {}
    usual = fitted_std(estimate, covariance)
    departures = () if usual is None else tuple(find_departures(series, COEFFICIENTS, usual))
    result = Validation(
        models=errors,
        series=series,
        spectra=(),
        worst=(),
        band=Band.of(series, noise, departures),
        folds=crossed,
        summary=_summary(problem, model, links, fitted, None if wide is None else WIDE),
        seen=None if model.provenance is None or problem.provenance is None else problem.provenance.overlap(model.provenance),
        sensitivity=sensitivity_of(problem),
        provenance=problem.provenance,
    )
    use = result.recommended.model
    return replace(
        result,
        spectra=tuple(spectrum(item, use) for item in series),
        worst=tuple(moment for item in series for moment in worst_moments(item, use)),
        notes=(*chosen, *problem.notes, *validation_notes(result, repeated_share(estimate, problem), why_not)),
    )


def validate_samples(model: Estimate, samples: ControllerSamples, *, progress: Callable[[float], None] | None = None) -> Residuals:
    """Errors of the coefficients on the M and g of a controller, element by element; the model must be one of M and g too.

    Parameters
    ----------
    model
        What `identify` returned for such samples.
    samples
        What `load_controller_samples` returned.
    progress
        Called now and then with the share that is done, 0 to 1.

    Returns
    -------
    Residuals
        Group by group.
    """
    return residuals(problem_on_base(model.base, samples, progress=progress), model.values)


def _errors(series: tuple[JointSeries, ...], best: Array) -> tuple[ModelErrors, ...]:
    """Each model complete, then without its friction where it has one."""
    errors: list[ModelErrors] = []
    for model in (key for key in series[0].predicted if not key.endswith(RIGID)):
        has_friction = model + RIGID in series[0].predicted
        errors.append(model_errors(series, model, model=model, friction=has_friction, best=best))
        if has_friction:
            errors.append(model_errors(series, model + RIGID, model=model, friction=False, best=best))
    return tuple(errors)


def _with_wide(errors: Sequence[ModelErrors], wide: tuple[JointSeries, ...]) -> tuple[ModelErrors, ...]:
    wide_errors = _errors(wide, np.full(len(wide), np.inf))  # what is best there is not asked
    return tuple(replace(item, wide_percent=other.overall_percent) for item, other in zip(errors, wide_errors, strict=True))


def _summary(
    problem: Problem, model: Estimate, links: LinkModel | None, fitted: CrossValidation | None, wide_hz: float | None
) -> ValidationSummary:
    return ValidationSummary(
        robot=model.base.robot.name,
        source=problem.source,
        samples=problem.samples,
        rows=tuple(problem.counts.tolist()),
        processing=problem.processing,
        identified_from=model.summary.source,
        identified_percent=model.residuals.relative_percent,
        identified_cutoff_hz=model.summary.processing.cutoff_hz,
        of_torques=model.base.equations == "torque",
        cross_validated=None if fitted is None else (fitted.mean_percent, fitted.std_percent),
        wide_hz=wide_hz,
        doubts=model.doubts,
        link_doubts=() if links is None else tuple(item for item in links.doubts if item not in model.doubts),
    )


def _share(progress: Callable[[float], None] | None, low: float, high: float) -> Callable[[float], None] | None:
    return None if progress is None else lambda share: progress(low + (high - low) * share)
