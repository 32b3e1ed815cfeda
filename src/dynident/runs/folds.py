"""A cross-validation as standard JSON, beside the estimate whose data it is about, and in a validation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dynident.core.files import finite_or_none
from dynident.validation.folds import CrossValidation


def folds_document(folds: CrossValidation) -> dict[str, Any]:
    """What was held out, the errors there by joint, and their mean and spread."""
    return {
        "parts": list(folds.parts),
        "relative_percent": folds.relative_percent.tolist(),
        "relative_percent_per_joint": [by_joint(folds.joints, values) for values in folds.relative_percent_per_joint],
        "rms_per_joint": [by_joint(folds.joints, values) for values in folds.rms_per_joint],
        "noise_per_joint": by_joint(folds.joints, folds.noise),
        "cutoff_hz": folds.cutoff_hz,
        "mean_percent": folds.mean_percent,
        "std_percent": folds.std_percent,
        "wide_percent": folds.wide_percent,
    }


def by_joint(joints: tuple[str, ...], values: Iterable[float]) -> dict[str, float | None]:
    """Numbers by the joints' names; null where they are not finite."""
    return {name: finite_or_none(value) for name, value in zip(joints, values, strict=True)}
