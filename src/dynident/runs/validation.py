"""The validation's part of a run folder: validation.json for people and programs, validation.npz with the curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from dynident.core.archives import Arrays, pack
from dynident.core.files import finite_or_none
from dynident.runs.estimate import provenance_document
from dynident.runs.folds import by_joint, folds_document
from dynident.runs.problem import provenance_from_parts, provenance_parts
from dynident.runs.stages import Absent, Stage, open_stage, present, write_stage
from dynident.validation.folds import CrossValidation
from dynident.validation.metrics import ModelErrors, Moment, Spectrum
from dynident.validation.result import Validation, ValidationSummary
from dynident.validation.series import CURVES, JointSeries
from dynident.validation.uncertainty import Band, Departure

#: Samples per joint that are kept for the report's pictures.
MOST_SAMPLES = 4000
_SPECTRA = ("frequency", "measured", "error")
_ERRORS = ("rms", "relative_percent", "r_squared", "block_percent", "ratio")
_NUMBERS = ("overall_percent", "overall_ratio", "wide_percent")
_FOLDS = ("relative_percent", "relative_percent_per_joint", "rms_per_joint", "noise")


def write_validation(folder: str | Path, validation: Validation, *, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Write validation.npz and validation.json into the run folder that the estimate is in.

    provenance : what is known beside the data, such as the command that was run.
    """
    run, stage = Path(folder), Stage.VALIDATION
    document = validation_document(validation, provenance)
    return write_stage(run, stage, document, {stage.value.arrays: _bytes(run, validation)}, made_from=(Stage.ESTIMATE, Stage.PARAMETERS))


def read_validation(folder: str | Path) -> Validation:
    """The validation in a run folder, its curves thinned out; FileError where there is none, or where it is out of date."""
    return present(find_validation(folder))


def find_validation(folder: str | Path) -> Validation | Absent:
    """The validation in a run folder, or why there is none that counts."""
    return open_stage(folder, Stage.VALIDATION, _validation)


def validation_document(validation: Validation, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Standard JSON. At the top level are the errors of the coefficients, friction included; `models` has all."""
    joints, summary = validation.joints, validation.summary
    top = _errors(validation.coefficients, joints)
    return {
        "schema": Stage.VALIDATION.value.schema,
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
        "provenance": provenance_document(validation.provenance, provenance),
        "versions": Stage.VALIDATION.versions,
    }


def _errors(item: ModelErrors, joints: tuple[str, ...]) -> dict[str, Any]:
    return {
        "model": item.model,
        "friction": item.friction,
        "relative_percent": item.overall_percent,
        "rms_per_joint": by_joint(joints, item.rms),
        "mse_per_joint": by_joint(joints, item.mse),
        "relative_percent_per_joint": by_joint(joints, item.relative_percent),
        "r_squared_per_joint": by_joint(joints, item.r_squared),
        "spread_percent": finite_or_none(item.spread_percent),
        "block_percent": item.block_percent.tolist(),
        "ratio_to_best": item.overall_ratio,
        "ratio_to_best_per_joint": by_joint(joints, item.ratio),
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
            "prediction_std_rms_per_joint": by_joint(joints, (float((item.std[model] ** 2).mean() ** 0.5) for item in validation.series)),
            "noise_per_joint": by_joint(joints, noise),
            "coverage_percent_per_joint": by_joint(joints, band.coverage_percent[model]),
        }
        for model, noise in band.noise.items()
    }
    return {"models": models, "departures": [vars(item) for item in band.departures]}


def _bytes(run: Path, validation: Validation) -> bytes:
    arrays: Arrays = {}
    thinned = [item.thin(MOST_SAMPLES) for item in validation.series]
    for j, (item, spectrum) in enumerate(zip(thinned, validation.spectra, strict=True)):
        arrays |= {f"{name}_{j}": getattr(item, name) for name in CURVES}
        arrays |= {} if item.temperature is None else {f"temperature_{j}": item.temperature}
        arrays |= {f"predicted_{name}_{j}": values for name, values in item.predicted.items()}
        arrays |= {f"std_{name}_{j}": values for name, values in item.std.items()}
        arrays |= {f"spectrum_{name}_{j}": getattr(spectrum, name) for name in _SPECTRA}
    arrays |= {f"sensitivity_{j}": rows for j, rows in enumerate(validation.sensitivity)}
    for k, item in enumerate(validation.models):
        arrays |= {f"model_{name}_{k}": getattr(item, name) for name in _ERRORS}
    folds = validation.folds
    if folds is not None:
        arrays |= {f"folds_{name}": getattr(folds, name) for name in _FOLDS}
    for model, noise in validation.band.noise.items():
        arrays |= {f"noise_{model}": noise, f"coverage_{model}": validation.band.coverage_percent[model]}
    description = {
        "joints": [{"name": item.joint, "prismatic": item.prismatic} for item in thinned],
        "predictions": list(thinned[0].predicted),
        "deviations": list(thinned[0].std),
        "models": [{name: getattr(item, name) for name in ("model", "friction", *_NUMBERS)} for item in validation.models],
        "band": {"models": list(validation.band.noise), "departures": [vars(item) for item in validation.band.departures]},
        "worst": [vars(moment) for moment in validation.worst],
        "folds": None if folds is None else {"parts": list(folds.parts), "cutoff_hz": folds.cutoff_hz},
        "details": replace(validation.summary, estimate=Stage.ESTIMATE.digest(run), parameters=Stage.PARAMETERS.digest(run)).to_dict(),
        "seen": validation.seen,
        "provenance": provenance_parts(validation.provenance),
        "notes": list(validation.notes),
    }
    return pack(Stage.VALIDATION.value.arrays_schema, arrays, description)


def _validation(arrays: Arrays, description: dict[str, Any]) -> tuple[Validation, str]:
    joints = tuple(item["name"] for item in description["joints"])
    folds = None
    if description["folds"] is not None:
        words: dict[str, Any] = {**description["folds"], "parts": tuple(description["folds"]["parts"])}
        folds = CrossValidation(joints=joints, **words, **cast("Any", {name: arrays[f"folds_{name}"] for name in _FOLDS}))
    spectra = [Spectrum(**{name: arrays[f"spectrum_{name}_{j}"] for name in _SPECTRA}) for j in range(len(joints))]
    models: list[dict[str, Any]] = [
        {**item, **{name: arrays[f"model_{name}_{k}"] for name in _ERRORS}} for k, item in enumerate(description["models"])
    ]
    validation = Validation(
        models=tuple(ModelErrors(**item) for item in models),
        series=tuple(_series(arrays, description, j) for j in range(len(joints))),
        spectra=tuple(spectra),
        worst=tuple(Moment(**item) for item in description["worst"]),
        band=Band(
            noise={model: arrays[f"noise_{model}"] for model in description["band"]["models"]},
            coverage_percent={model: arrays[f"coverage_{model}"] for model in description["band"]["models"]},
            departures=tuple(Departure(**item) for item in description["band"]["departures"]),
        ),
        folds=folds,
        summary=ValidationSummary.from_dict(description["details"]),
        seen=description.get("seen"),
        sensitivity=tuple(arrays[key] for j in range(len(joints)) if (key := f"sensitivity_{j}") in arrays),
        provenance=provenance_from_parts(description),
        notes=tuple(description["notes"]),
    )
    return validation, validation.summary.estimate


def _series(arrays: Arrays, description: dict[str, Any], j: int) -> JointSeries:
    joint = description["joints"][j]
    return JointSeries(
        joint=joint["name"],
        prismatic=joint["prismatic"],
        predicted={name: arrays[f"predicted_{name}_{j}"] for name in description["predictions"]},
        std={name: arrays[f"std_{name}_{j}"] for name in description["deviations"]},
        **{name: np.asarray(arrays[f"{name}_{j}"]) for name in CURVES},
        temperature=arrays.get(f"temperature_{j}"),
    )
