"""The content of a run folder's estimate.json: what was identified, from what, how well, for people and other programs."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from dataclasses import asdict
from importlib import metadata
from typing import Any

from dynident.data.provenance import Provenance
from dynident.regression.estimate import Estimate, Residuals
from dynident.regression.tables import Coefficient, coefficients, friction

SCHEMA = "dynident/estimate/1"
_PACKAGES = ("dynident", "numpy", "scipy", "numba")


def estimate_document(estimate: Estimate, *, seed: int = 0, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Standard JSON: what the data don't determine is null. provenance : what is known beside the data."""
    summary = estimate.summary
    return {
        "schema": SCHEMA,
        "robot": estimate.base.robot.name,
        "source": summary.source,
        "route": "classical" if estimate.base.equations == "torque" else "controller",
        "status": estimate.status.value,
        "rank": summary.rank,
        "condition_number": estimate.condition_number if math.isfinite(estimate.condition_number) else None,
        "coefficients": [_coefficient(item) for item in coefficients(estimate)],
        "friction": [asdict(item) for item in friction(estimate)],
        "residual": residual_document(estimate.residuals),
        "samples": summary.samples,
        "preprocessing": summary.processing.to_dict(),
        "notes": list(estimate.notes),
        "versions": {"python": platform.python_version()} | {name: metadata.version(name) for name in _PACKAGES},
        "seed": seed,
        "provenance": provenance_document(estimate.provenance, provenance),
    }


def provenance_document(data: Provenance | None, beside: Mapping[str, Any] | None) -> dict[str, Any]:
    """The SHA-256 of every file by its name, the recordings with the ranges of their samples that were used, and what is known beside."""
    return {**(beside or {}), **({} if data is None else {"files": data.files, **data.to_dict()})}


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
