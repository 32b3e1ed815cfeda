"""The content of a run folder's validation.json."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

from dynident.runs.estimate_document import provenance_document
from dynident.validation.folds import CrossValidation
from dynident.validation.metrics import ModelErrors
from dynident.validation.result import Validation

SCHEMA = "dynident/validation/1"
_PACKAGES = ("dynident", "numpy", "scipy", "numba")


def validation_document(validation: Validation, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Standard JSON. At the top level are the errors of the coefficients, friction included; `models` has all.

    provenance : what is known beside the data, such as the command that was run.
    """
    joints, summary = validation.joints, validation.summary
    top = _errors(validation.coefficients, joints)
    return {
        "schema": SCHEMA,
        "robot": summary.robot,
        "source": summary.source,
        "identified_from": summary.identified_from,
        "samples": summary.samples,
        "units": {item.joint: item.unit for item in validation.series},
        **{name: top[name] for name in ("relative_percent", "rms_per_joint", "relative_percent_per_joint", "r_squared_per_joint")},
        "nominal": None if validation.nominal is None else _errors(validation.nominal, joints),
        "models": [_errors(item, joints) for item in validation.models],
        "band": _band(validation),
        "worst": [vars(moment) for moment in validation.worst],
        "folds": None if validation.folds is None else _folds(validation.folds),
        "preprocessing": summary.processing.to_dict(),
        "notes": list(validation.notes),
        "seen_by_fit": validation.seen,
        "provenance": provenance_document(validation.provenance, provenance),
        "versions": {"python": platform.python_version()} | {name: metadata.version(name) for name in _PACKAGES},
    }


def _errors(item: ModelErrors, joints: tuple[str, ...]) -> dict[str, Any]:
    return {
        "model": item.model,
        "friction": item.friction,
        "relative_percent": item.overall_percent,
        "rms_per_joint": _by_joint(joints, item.rms),
        "relative_percent_per_joint": _by_joint(joints, item.relative_percent),
        "r_squared_per_joint": _by_joint(joints, item.r_squared),
    }


def _band(validation: Validation) -> dict[str, Any] | None:
    """The 95 % band: what the coefficients' uncertainty and the noise of the data each contribute, and how much it covers."""
    if validation.noise is None or validation.coverage_percent is None:
        return None
    joints = validation.joints
    return {
        "prediction_std_rms_per_joint": _by_joint(joints, (float((item.std**2).mean() ** 0.5) for item in validation.series)),
        "noise_per_joint": _by_joint(joints, validation.noise),
        "coverage_percent_per_joint": _by_joint(joints, validation.coverage_percent),
    }


def _folds(folds: CrossValidation) -> dict[str, Any]:
    return {
        "parts": list(folds.parts),
        "relative_percent": folds.relative_percent.tolist(),
        "relative_percent_per_joint": [_by_joint(folds.joints, values) for values in folds.relative_percent_per_joint],
        "rms_per_joint": [_by_joint(folds.joints, values) for values in folds.rms_per_joint],
        "mean_percent": folds.mean_percent,
        "std_percent": folds.std_percent,
    }


def _by_joint(joints: tuple[str, ...], values: Iterable[float]) -> dict[str, float | None]:
    return {name: float(value) if math.isfinite(value) else None for name, value in zip(joints, values, strict=True)}
