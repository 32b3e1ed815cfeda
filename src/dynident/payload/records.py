"""A payload as rows of plain values: its ten numbers, what was declared beside them, and what both do to the joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.core.files import finite_or_none
from dynident.payload.quantities import NAMES, UNITS
from dynident.payload.result import PayloadEstimate


def payload_records(payload: PayloadEstimate) -> list[dict[str, Any]]:
    rows = zip(NAMES, payload.values.tolist(), payload.std.tolist(), payload.intervals.tolist(), UNITS, payload.told.tolist(), strict=True)
    return [
        {"name": name, "value": value, "std": std, "low": finite_or_none(low), "high": finite_or_none(high), "unit": unit, "told": told}
        for name, value, std, (low, high), unit, told in rows
    ]


def declared_records(payload: PayloadEstimate) -> list[dict[str, Any]]:
    """Mass and centre of mass as declared and as identified; empty where nothing was declared."""
    if payload.declared is None:
        return []
    stated = (payload.declared.mass, *payload.declared.com)
    return [
        {
            "name": item["name"],
            "declared": float(said),
            "identified": item["value"],
            "difference": float(said) - item["value"],
            "in_std": (float(said) - item["value"]) / item["std"],
            "unit": item["unit"],
        }
        for said, item in zip(stated, payload_records(payload)[:4], strict=True)
    ]


def effort_records(payload: PayloadEstimate) -> list[dict[str, Any]]:
    """Per joint the payload's share of the effort along the loaded log, and the error of a controller that believes what was declared."""
    error = payload.declared_effort_error
    return [
        {
            "joint": joint.name,
            "rms": _rms(payload.effort[j]),
            "largest": float(np.abs(payload.effort[j]).max()),
            "error_rms": None if error is None else _rms(error[j]),
            "error_largest": None if error is None else float(np.abs(error[j]).max()),
            "unit": joint.units.effort,
        }
        for j, joint in enumerate(payload.robot.joints)
    ]


def _rms(values: np.ndarray[Any, Any]) -> float:
    return float(np.sqrt(np.mean(values**2)))
