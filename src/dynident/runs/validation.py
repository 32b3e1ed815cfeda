"""The validation's part of a run folder: validation.json for people and programs, validation.npz with the curves.

Like the parameters, they remember which estimate they were made from: after another identification they no longer count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.archives import Arrays, pack, unpack
from dynident.core.files import json_text, write_together
from dynident.errors import FileError
from dynident.runs.parameters import ARRAYS as PARAMETER_ARRAYS
from dynident.runs.parameters import estimate_digest
from dynident.runs.problem import provenance_from_parts
from dynident.runs.validation_document import validation_document
from dynident.validation.folds import CrossValidation
from dynident.validation.metrics import ModelErrors, Moment, Spectrum
from dynident.validation.result import Validation, ValidationSummary
from dynident.validation.series import JointSeries

VALIDATION, ARRAYS = "validation.json", "validation.npz"
#: Samples per joint that are kept for the report's pictures.
MOST_SAMPLES = 4000
_SCHEMA = "dynident/validation-arrays/1"
_CURVES = ("time", "segment", "velocity", "measured", "std")
_SPECTRA = ("frequency", "measured", "error")
_ERRORS = ("rms", "relative_percent", "r_squared")
_FOLDS = ("relative_percent", "relative_percent_per_joint", "rms_per_joint")


def write_validation(folder: str | Path, validation: Validation, *, provenance: Mapping[str, Any] | None = None) -> None:
    """Write validation.npz and validation.json into the run folder that the estimate is in."""
    run = Path(folder)
    content = json_text(validation_document(validation, provenance))
    write_together(run, {ARRAYS: _bytes(run, validation), VALIDATION: content}, last=VALIDATION)


def read_validation(folder: str | Path) -> Validation:
    """The validation in a run folder, its curves thinned out; FileError where there is none, or where it is out of date."""
    run = Path(folder)
    remedy = f"make it with: dynident validate {run} DATA"
    if not run.is_dir():
        raise FileError(run, "no such run folder; make it with: dynident identify ROBOT DATA -o RUN")
    for name in (VALIDATION, ARRAYS):
        if not (run / name).is_file():
            raise FileError(run, f"has no {name}, so nothing has been validated in it", remedy=remedy)
    validation = unpack(run / ARRAYS, _SCHEMA, _validation)
    if validation.summary.estimate != estimate_digest(run):
        raise FileError(run / VALIDATION, "belongs to another estimate than the one in the folder", remedy=remedy)
    return validation


def parameters_digest(run: Path) -> str:
    """What tells one set of link parameters from another; empty where there is none."""
    file = run / PARAMETER_ARRAYS
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def _bytes(run: Path, validation: Validation) -> bytes:
    arrays: Arrays = {}
    thinned = [item.thinned(MOST_SAMPLES) for item in validation.series]
    for j, (item, spectrum) in enumerate(zip(thinned, validation.spectra, strict=True)):
        arrays |= {f"{name}_{j}": getattr(item, name) for name in _CURVES}
        arrays |= {f"predicted_{name}_{j}": values for name, values in item.predicted.items()}
        arrays |= {f"spectrum_{name}_{j}": getattr(spectrum, name) for name in _SPECTRA}
    for k, item in enumerate(validation.models):
        arrays |= {f"model_{name}_{k}": getattr(item, name) for name in _ERRORS}
    if validation.folds is not None:
        arrays |= {f"folds_{name}": getattr(validation.folds, name) for name in _FOLDS}
    if validation.noise is not None and validation.coverage_percent is not None:
        arrays |= {"noise": validation.noise, "coverage_percent": validation.coverage_percent}
    description = {
        "joints": [{"name": item.joint, "prismatic": item.prismatic} for item in thinned],
        "predictions": list(thinned[0].predicted),
        "models": [{"model": m.model, "friction": m.friction, "overall_percent": m.overall_percent} for m in validation.models],
        "worst": [vars(moment) for moment in validation.worst],
        "folds": None if validation.folds is None else list(validation.folds.parts),
        "details": replace(validation.summary, estimate=estimate_digest(run), parameters=parameters_digest(run)).to_dict(),
        "seen": validation.seen,
        "provenance": None if validation.provenance is None else validation.provenance.to_dict(),
        "notes": list(validation.notes),
    }
    return pack(_SCHEMA, arrays, description)


def _validation(arrays: Arrays, description: dict[str, Any]) -> Validation:
    joints = tuple(item["name"] for item in description["joints"])
    folds = None
    if description["folds"] is not None:
        folds = CrossValidation(joints=joints, parts=tuple(description["folds"]), **{name: arrays[f"folds_{name}"] for name in _FOLDS})
    spectra = [Spectrum(**{name: arrays[f"spectrum_{name}_{j}"] for name in _SPECTRA}) for j in range(len(joints))]
    errors: list[dict[str, Any]] = [
        {**item, **{name: arrays[f"model_{name}_{k}"] for name in _ERRORS}} for k, item in enumerate(description["models"])
    ]
    return Validation(
        models=tuple(ModelErrors(**item) for item in errors),
        series=tuple(_series(arrays, description, j) for j in range(len(joints))),
        spectra=tuple(spectra),
        worst=tuple(Moment(**item) for item in description["worst"]),
        noise=arrays.get("noise"),
        coverage_percent=arrays.get("coverage_percent"),
        folds=folds,
        summary=ValidationSummary.from_dict(description["details"]),
        seen=description.get("seen"),
        provenance=provenance_from_parts(description),
        notes=tuple(description["notes"]),
    )


def _series(arrays: Arrays, description: dict[str, Any], j: int) -> JointSeries:
    joint = description["joints"][j]
    return JointSeries(
        joint=joint["name"],
        prismatic=joint["prismatic"],
        predicted={name: arrays[f"predicted_{name}_{j}"] for name in description["predictions"]},
        **{name: np.asarray(arrays[f"{name}_{j}"]) for name in _CURVES},
    )
