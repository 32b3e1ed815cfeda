"""The documents of a run folder: what a result says to people and programs, as standard JSON. They are made from results, never read back.

What the data don't determine, and what is infinite, is null.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dynident.core.files import finite_or_none
from dynident.parameters import INERTIA_NAMES, link_inertia
from dynident.runs.stages import Origin

if TYPE_CHECKING:
    from dynident.data.provenance import Provenance
    from dynident.feasibility.result import LinkParameters, Solution
    from dynident.feasibility.samples import PosteriorSamples
    from dynident.monitoring.contact_monitor import ContactMonitor
    from dynident.payload.result import PayloadEstimate
    from dynident.regression.coefficients import Coefficient
    from dynident.regression.estimate import Estimate, Residuals
    from dynident.regression.friction.refit import FrictionRefit
    from dynident.regression.vendor_model import VendorModelTest
    from dynident.signs.result import SignRecovery
    from dynident.validation.folds import CrossValidation
    from dynident.validation.metrics import ModelErrors
    from dynident.validation.result import Validation, ValidationSummary

#: Names of a link's ten linear parameters, whose ranges are given.
PARAMETER_NAMES = ("m", "mcx", "mcy", "mcz", *(f"J{element}" for element in INERTIA_NAMES))


# ----------------------------------------------------------------------------------------------------------------------- estimate


def estimate_document(estimate: Estimate, origin: Origin, *, folds: CrossValidation | None = None) -> dict[str, Any]:
    from dynident.regression.coefficients import coefficients, friction, route_name

    summary, reached = estimate.summary, estimate.reached
    return {
        "robot": estimate.base.robot.name,
        "source": summary.source,
        "route": route_name(estimate),
        "status": estimate.status.value,
        "rank": summary.rank,
        "condition_number": finite_or_none(estimate.condition_number),
        "coefficients": [_coefficient(item) for item in coefficients(estimate)],
        "friction": [asdict(item) for item in friction(estimate)],
        "friction_shapes": [asdict(shape) for shape in estimate.shapes],
        "friction_choice": None if estimate.choice is None else {"sentence": estimate.choice.sentence, "trials": estimate.choice.records()},
        "vendor_model": None if estimate.vendor_model is None else _vendor_model(estimate.vendor_model),
        "residual": residual_document(estimate.residuals),
        "samples": summary.samples,
        "reached_speeds": None if reached is None else dict(zip(estimate.base.robot.joint_names, reached.tolist(), strict=True)),
        "preprocessing": summary.processing.to_dict(),
        "notes": list(estimate.notes),
        "versions": dict(origin.versions),
        "seed": origin.seed,
        "provenance": _provenance(estimate.provenance, origin),
        "cross_validation": None if folds is None else folds_document(folds),
    }


def _vendor_model(test: VendorModelTest) -> dict[str, Any]:
    return {
        "sentence": test.sentence,
        "contradicted": test.contradicted,
        "limit": test.limit,
        "chi_squared": test.chi_squared,
        "freedom": test.freedom,
        "probability": test.probability,
        "coefficients": [{**asdict(item), "verdict": item.verdict.value} for item in test.coefficients],
    }


def _provenance(data: Provenance | None, origin: Origin) -> dict[str, Any]:
    """The SHA-256 of every file by its name, the recordings with the ranges of their samples that were used, and what is known beside."""
    return {**origin.provenance, **({} if data is None else {"files": data.files, **data.to_dict()})}


def residual_document(residuals: Residuals) -> dict[str, Any]:
    """Errors in all and per joint, or per element of M and g, by name."""
    names = residuals.names
    return {
        "relative_percent": residuals.relative_percent,
        "rms_per_joint": dict(zip(names, residuals.rms_per_group.tolist(), strict=True)),
        "relative_percent_per_joint": dict(zip(names, residuals.relative_percent_per_group.tolist(), strict=True)),
    }


def _coefficient(item: Coefficient) -> dict[str, Any]:
    record = asdict(item)
    if item.kept:
        del record["reason"]
    return record


def folds_document(folds: CrossValidation) -> dict[str, Any]:
    """What was held out, the errors there by joint, and their mean and spread."""
    return {
        "parts": list(folds.parts),
        "relative_percent": folds.relative_percent.tolist(),
        "relative_percent_per_joint": [_by_joint(folds.joints, values) for values in folds.relative_percent_per_joint],
        "rms_per_joint": [_by_joint(folds.joints, values) for values in folds.rms_per_joint],
        "noise_per_joint": _by_joint(folds.joints, folds.noise),
        "cutoff_hz": folds.cutoff_hz,
        "mean_percent": folds.mean_percent,
        "std_percent": folds.std_percent,
        "wide_percent": folds.wide_percent,
    }


def _by_joint(joints: tuple[str, ...], values: Iterable[float]) -> dict[str, float | None]:
    return {name: finite_or_none(value) for name, value in zip(joints, values, strict=True)}


# ---------------------------------------------------------------------------------------------------------- signs, friction, payload


_SIGN_NUMBERS = ("gap", "unsure_share", "unsure_energy", "strain", "density", "inflation", "certificate")


def signs_document(recovery: SignRecovery, origin: Origin) -> dict[str, Any]:
    """The verdict first, then its evidence, then the segments."""
    from dynident.signs.result import segment_records

    confidence, joints = recovery.confidence, recovery.estimate.base.robot.joint_names
    return {
        "robot": recovery.estimate.base.robot.name,
        "source": recovery.log.source,
        "verdict": recovery.verdict.name.lower(),
        "sentence": recovery.sentence,
        "reason": recovery.reason,
        "advice": recovery.advice,
        "method": recovery.method,
        "confidence": {name: finite_or_none(getattr(confidence, name)) for name in _SIGN_NUMBERS}
        | {"proven": confidence.proven}
        | {f"{name}_per_joint": _by_joint(joints, getattr(confidence, name)) for name in ("flip_margins", "levels", "noise")},
        "threshold_per_joint": dict(zip(joints, recovery.threshold.tolist(), strict=True)),
        "segments": segment_records(recovery),
        "unsure": list(recovery.unsure),
        "notes": list(recovery.notes),
        "versions": dict(origin.versions),
        "seed": origin.seed,
    }


def friction_document(refit: FrictionRefit, origin: Origin) -> dict[str, Any]:
    """What has changed, joint by joint, and the parameters before and now."""
    parameters = [[asdict(item) for item in change.parameters] for change in refit.changes]
    return {
        "robot": refit.estimate.base.robot.name,
        "source": refit.estimate.summary.source,
        "links_source": refit.links_source,
        "sentence": refit.sentence,
        "compared": not refit.uncompared,
        "changed": list(refit.changed),
        "joints": [{**record, "parameters": items} for record, items in zip(refit.records(), parameters, strict=True)],
        "notes": list(refit.estimate.notes),
        "versions": dict(origin.versions),
        "provenance": origin.provenance,
    }


def payload_document(payload: PayloadEstimate, origin: Origin) -> dict[str, Any]:
    """What is known first, then its evidence."""
    from dynident.payload.records import declared_records, effort_records, payload_records

    body, evidence = link_inertia(payload.parameters), payload.evidence
    return {
        "robot": payload.robot.name,
        "source": payload.evidence.source,
        "status": payload.status.name.lower(),
        "sentence": payload.status.value,
        "link": payload.link,
        "flange": payload.flange.tolist(),
        "mass": body.mass,
        "com": body.com.tolist(),
        "inertia": body.elements,
        "parameters": payload.parameters.tolist(),
        "quantities": payload_records(payload),
        "declared": declared_records(payload),
        "efforts": effort_records(payload),
        "evidence": asdict(evidence) | {"blur": finite_or_none(evidence.blur), "gap": finite_or_none(evidence.gap)},
        "notes": list(payload.notes),
        "versions": dict(origin.versions),
        "provenance": origin.provenance,
    }


# ------------------------------------------------------------------------------------------------------------- parameters, samples


def parameters_document(result: LinkParameters, origin: Origin) -> dict[str, Any]:
    base = result.base
    return {
        "robot": base.robot.name,
        "links": [_link(result, i) for i in range(base.robot.n)],
        "friction": _link_friction(result),
        "total_mass": result.total_mass,
        "feasible": result.feasible,
        "status": result.status.value,
        "objective": result.objective,
        "objective_name": result.objective_name,
        "lower_bound": finite_or_none(result.lower_bound),
        "gap": finite_or_none(result.gap),
        "gap_in_words": result.gap_in_words,
        "objective_scale": result.scale,
        "training": None if result.training is None else dict(zip(("coefficients_percent", "links_percent"), result.training, strict=True)),
        "branches": _branches(result.branches),
        "solver": result.solver,
        "method": result.method or None,
        "solutions": [_solution(result, item) for item in result.solutions],
        "violations": [{"name": item.name, "amount": finite_or_none(item.amount), "unit": item.unit} for item in result.violations],
        "notes": list(result.notes),
        "versions": dict(origin.versions),
        "seed": origin.seed,
        **({} if origin.held is None else {"held_gravity": dict(origin.held)}),
    }


def _branches(branches: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"rule": rule, "branch": branch} for rule, branch in branches]


def _link(result: LinkParameters, index: int) -> dict[str, Any]:
    link = result.base.robot.links[index]
    body, ranges = result.com_and_inertia(index), result.link_ranges(index)
    return {
        "name": link.name,
        "frame": link.frame,
        "mass": body.mass,
        "com": body.com.tolist(),
        "inertia": body.elements,
        "margin": float(result.margins[index]),
        "range": {name: [finite_or_none(item.low), finite_or_none(item.high)] for name, item in zip(PARAMETER_NAMES, ranges, strict=False)},
        "bounds": _bounds(result, index),
        "determined_by": {name: item.determined_by for name, item in zip(PARAMETER_NAMES, ranges, strict=False)},
    }


def _bounds(result: LinkParameters, index: int) -> dict[str, list[float | None]]:
    """The bounds that were asked for on a link's mass and first moments, by name."""
    places = zip(PARAMETER_NAMES, result.base.columns.of_link(index), strict=True)
    return {name: list(result.bounds[place]) for name, place in places if place in result.bounds}


def _link_friction(result: LinkParameters) -> list[dict[str, Any]]:
    base, values = result.base, result.friction_parameters
    if base.friction is None or values is None:
        return []
    return [
        {"joint": joint, "model": base.friction.of_joint(j).name, "parameters": base.friction.values_of(j, row)}
        for j, (joint, row) in enumerate(zip(base.robot.joint_names, values, strict=True))
    ]


def _solution(result: LinkParameters, item: Solution) -> dict[str, Any]:
    return {
        "start": item.start,
        "objective": item.objective,
        "with_prior": item.merit,
        "feasible": item.feasible,
        "masses": result.base.columns.links(item.x)[:, 0].tolist(),
    }


def samples_document(samples: PosteriorSamples, origin: Origin) -> dict[str, Any]:
    """How many, whether they converged, and how far the links spread."""
    return {
        "robot": samples.base.robot.name,
        "count": len(samples),
        "seed": samples.seed,
        "convergence": convergence_document(samples),
        "branches": _branches(samples.branches),
        "total_mass": {"mean": float(samples.total_mass.mean()), "std": float(samples.total_mass.std())},
        "links": samples.spread(),
        "versions": dict(origin.versions),
    }


def convergence_document(samples: PosteriorSamples) -> dict[str, Any]:
    """What tells that the chains have converged. No samples leave the library without it."""
    from dynident.feasibility.sampling import AGREEMENT

    return {"r_hat": samples.agreement, "r_hat_limit": AGREEMENT, "effective_draws": samples.effective, "draws": samples.draws}


# ------------------------------------------------------------------------------------------------------------- validation, monitor


def validation_document(validation: Validation, origin: Origin) -> dict[str, Any]:
    """At the top level are the errors of the coefficients, friction included; `models` has all."""
    joints, summary = validation.joints, validation.summary
    top = _errors(validation.coefficients, joints)
    return {
        "robot": summary.robot,
        "source": summary.source,
        "identified_from": summary.identified_from,
        "samples": summary.samples,
        "rows_per_joint": dict(zip(joints, summary.rows, strict=True)),
        "equations": summary.equations,
        "recommended": validation.recommended.model,
        "advice": validation.advice,
        "links_hold": validation.links_hold,
        "fit": _fit(summary),
        "units": {item.joint: item.unit for item in validation.series},
        "relative_percent": top["relative_percent"],
        **{f"{name}_per_joint": top[f"{name}_per_joint"] for name in ("rms", "mse", "relative_percent", "r_squared")},
        "nominal": None if validation.nominal is None else _errors(validation.nominal, joints),
        "models": [_errors(item, joints) for item in validation.models],
        "band": _band(validation),
        "worst": [vars(moment) for moment in validation.worst],
        "folds": None if validation.folds is None else folds_document(validation.folds),
        "preprocessing": summary.processing.to_dict(),
        "notes": list(validation.notes),
        "seen_by_fit": validation.seen,
        "provenance": _provenance(validation.provenance, origin),
        "versions": dict(origin.versions),
    }


def _errors(item: ModelErrors, joints: tuple[str, ...]) -> dict[str, Any]:
    return {
        "model": item.model,
        "friction": item.friction,
        "relative_percent": item.overall_percent,
        "rms_per_joint": _by_joint(joints, item.rms),
        "mse_per_joint": _by_joint(joints, item.mse),
        "relative_percent_per_joint": _by_joint(joints, item.relative_percent),
        "r_squared_per_joint": _by_joint(joints, item.r_squared),
        "spread_percent": finite_or_none(item.spread_percent),
        "block_percent": item.block_percent.tolist(),
        "ratio_to_best": item.overall_ratio,
        "ratio_to_best_per_joint": _by_joint(joints, item.ratio),
        "grade": item.grade.name.lower(),
        "wide_percent": item.wide_percent,
    }


def _fit(summary: ValidationSummary) -> dict[str, Any]:
    """What is known of the fit's own data, and the bandwidths of the errors."""
    crossed = summary.cross_validated
    return {
        "relative_percent": summary.identified_percent,
        "cross_validated": None if crossed is None else {"mean_percent": crossed[0], "std_percent": crossed[1]},
        "cutoff_hz": summary.identified_cutoff_hz,
        "wide_hz": summary.wide_hz,
    }


def _band(validation: Validation) -> dict[str, Any]:
    """The 95 % bands: what parameters and noise each contribute, how much they cover, and where the motion leaves the data of the fit."""
    joints, band = validation.joints, validation.band
    models = {
        model: {
            "prediction_std_rms_per_joint": _by_joint(joints, (float((item.std[model] ** 2).mean() ** 0.5) for item in validation.series)),
            "noise_per_joint": _by_joint(joints, noise),
            "coverage_percent_per_joint": _by_joint(joints, band.coverage_percent[model]),
        }
        for model, noise in band.noise.items()
    }
    return {"models": models, "departures": [vars(item) for item in band.departures]}


def monitor_document(monitor: ContactMonitor, origin: Origin) -> dict[str, Any]:
    from dynident.monitoring.documents import level_records

    known = monitor.calibration
    names = ("source", "seconds", "false_alarms", "contacts_possible")
    return {
        "robot": monitor.model.robot.name,
        "model": monitor.model.name,
        "confirmation": monitor.confirmation,
        "distance_level": finite_or_none(monitor.distance_level),
        "joints": level_records(monitor),
        "calibration": None if known is None else {name: getattr(known, name) for name in names},
        "notes": list(monitor.notes),
        "versions": dict(origin.versions),
        "provenance": origin.provenance,
    }
