"""`validate`: an estimate, and the link parameters made from it, on data that they may not have seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import cast

import numpy as np

from dynident.core.arrays import Array
from dynident.data import ControllerSamples, Dataset
from dynident.errors import InputError
from dynident.regression.equations.rows import LogRows
from dynident.regression.estimate import Estimate, Residuals
from dynident.regression.identify import Auto, default_cutoff
from dynident.regression.problem import Problem, problem_on_base
from dynident.regression.solution import residuals
from dynident.validation.folds import cross_validate
from dynident.validation.metrics import ModelErrors, coverage_percent, model_errors, spectrum, worst_moments
from dynident.validation.models import (
    COEFFICIENTS,
    LINKS,
    NOMINAL,
    RIGID,
    LinkModel,
    as_torque_model,
    newton_euler_models,
    sign_as_predicted,
)
from dynident.validation.result import SEEN, WORSE_THAN_FIT, Validation, ValidationSummary
from dynident.validation.series import JointSeries, joint_series
from dynident.validation.spread import sensitivity_of

_UNSIGNED = (
    "the log has no signs, so those of the predicted torque were taken: a torque that is predicted with the wrong sign does not show"
)


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

    dataset : a log; of one that holds magnitudes alone, |measured| is compared with |predicted|.
    links : what `retrieve` or `read_parameters` returned.
    folds : also cross-validate on this log, in so many parts.
    cutoff, rate : of the parallel filter, None for no filter; "auto" are those of the identification.
    """
    if not isinstance(dataset, Dataset):
        raise InputError("validation needs a log with torques, and the data are samples of M and g", remedy="use validate_samples")
    estimate = as_torque_model(model)
    cutoff, rate, chosen = _settle_filter(model, dataset, cutoff, rate)
    if dataset.effort_kind is not None and dataset.effort_kind.unsigned:
        dataset, chosen = sign_as_predicted(estimate, dataset), (*chosen, _UNSIGNED)
    problem = problem_on_base(estimate.base, dataset, cutoff=cutoff, rate=rate, progress=_share(progress, 0.0, 0.4))
    series = joint_series(estimate, cast("LogRows", problem.rows[0]), newton_euler_models(estimate, links))
    if progress is not None:
        progress(0.6)
    crossed = None
    if folds is not None:
        crossed = cross_validate(estimate, dataset, folds=folds, cutoff=cutoff, rate=rate, progress=_share(progress, 0.6, 1.0))
    noise = model.residuals.rms_per_group if model.base.equations == "torque" else None
    errors = _errors(series)
    fitted, judged = model.provenance, problem.provenance
    seen = None if fitted is None or judged is None else judged.overlap(fitted)
    return Validation(
        models=errors,
        series=series,
        spectra=tuple(spectrum(item, COEFFICIENTS) for item in series),
        worst=tuple(moment for item in series for moment in worst_moments(item, COEFFICIENTS)),
        noise=noise,
        coverage_percent=_coverage(series, noise),
        folds=crossed,
        summary=_summary(problem, model),
        seen=seen,
        sensitivity=sensitivity_of(problem),
        provenance=problem.provenance,
        notes=(*chosen, *problem.notes, *_notes(model, seen, errors)),
    )


def validate_samples(model: Estimate, samples: ControllerSamples, *, progress: Callable[[float], None] | None = None) -> Residuals:
    """Errors of the coefficients on the M and g of a controller, element by element; the model must be one of M and g too."""
    return residuals(problem_on_base(model.base, samples, progress=progress), model.values)


def _settle_filter(
    model: Estimate, dataset: Dataset, cutoff: float | Auto | None, rate: float | None
) -> tuple[float | None, float | None, tuple[str, ...]]:
    """Cutoff, rate, and a note where neither the user nor the identification chose the filter."""
    if cutoff != "auto":
        return cutoff, rate, ()
    identified = model.summary.processing
    if identified.cutoff_hz is not None:
        return identified.cutoff_hz, rate or identified.rate_hz, ()
    complete = dataset.dq is not None and dataset.ddq is not None
    if model.base.equations == "torque" and complete:
        return None, rate, ()  # identified without a filter
    cutoff, notes = default_cutoff(dataset)
    return cutoff, rate, notes


def _errors(series: tuple[JointSeries, ...]) -> tuple[ModelErrors, ...]:
    """Each model complete, then without its friction where it has one."""
    found: list[ModelErrors] = []
    for model in (key for key in series[0].predicted if not key.endswith(RIGID)):
        has_friction = model + RIGID in series[0].predicted
        found.append(model_errors(series, model, model=model, friction=has_friction))
        if has_friction:
            found.append(model_errors(series, model + RIGID, model=model, friction=False))
    return tuple(found)


def _coverage(series: tuple[JointSeries, ...], noise: Array | None) -> Array | None:
    if noise is None:
        return None
    return np.array([coverage_percent(item, COEFFICIENTS, float(level)) for item, level in zip(series, noise, strict=True)])


def _summary(problem: Problem, model: Estimate) -> ValidationSummary:
    return ValidationSummary(
        robot=model.base.robot.name,
        source=problem.source,
        samples=problem.samples,
        equations=int(problem.counts.sum()),
        processing=problem.processing,
        identified_from=model.summary.source,
        identified_percent=model.residuals.relative_percent,
    )


def _notes(model: Estimate, seen: float | None, errors: Sequence[ModelErrors]) -> Iterator[str]:
    """What the numbers mean, where they surprise."""
    complete: dict[str, ModelErrors] = {}
    for item in errors:
        complete.setdefault(item.model, item)  # the one with friction comes first
    found = complete[COEFFICIENTS]
    fitted = model.residuals.relative_percent
    if seen is None:
        yield "it is not known which data the identification has seen, so this may be no test on new data; identify again to know it"
    elif seen >= SEEN:
        yield f"{seen:.1%} of the samples are those of the identification, so this is no test on new data; validate on what was held out"
    if model.base.equations == "torque" and found.overall_percent > WORSE_THAN_FIT * fitted > 0.0:
        yield (
            f"the error is {found.overall_percent:.3g} %, and {fitted:.3g} % on the data of the fit; the model doesn't carry over fully to "
            "this motion, and a longer or richer log for the fit would help"
        )
    if LINKS in complete and complete[LINKS].overall_percent > 1.1 * found.overall_percent:
        yield (
            f"the link parameters are off by {complete[LINKS].overall_percent:.3g} %, the coefficients by {found.overall_percent:.3g} %; "
            "the constraints of the retrieval, or its prior, cost accuracy"
        )
    if NOMINAL in complete and complete[NOMINAL].overall_percent < found.overall_percent:
        yield (
            f"the nominal links with the identified friction are off by {complete[NOMINAL].overall_percent:.3g} % only, less than what was "
            "identified; prefer them, or identify again from a better log"
        )


def _share(progress: Callable[[float], None] | None, low: float, high: float) -> Callable[[float], None] | None:
    return None if progress is None else lambda share: progress(low + (high - low) * share)
