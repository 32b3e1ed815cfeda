"""A payload as rows of plain values: its ten numbers, what was declared beside them, and what both do to the joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from dynident.core.documents import Number
from dynident.routes.payload.quantities import NAMES, UNITS
from dynident.routes.payload.result import PayloadEstimate


@dataclass(frozen=True, kw_only=True)
class PayloadQuantity:
    """One of mass, centre of mass and inertia."""

    name: str
    value: float
    std: float
    low: Annotated[Number, "of the 95 % interval; null where the data leave it open"]
    high: Annotated[Number, "of the 95 % interval; null where the data leave it open"]
    unit: str
    told: Annotated[bool, "by the data"]


@dataclass(frozen=True, kw_only=True)
class DeclaredQuantity:
    """What the controller was told, beside what was found."""

    name: str
    declared: float
    identified: float
    difference: float
    in_std: Annotated[float, "the difference over the standard deviation"]
    unit: str


@dataclass(frozen=True, kw_only=True)
class PayloadEffort:
    """What the payload, and an error in what was declared, does to a joint along the log."""

    joint: str
    rms: float
    largest: float
    error_rms: Annotated[Number, "of a controller that believes what was declared; null where nothing was"]
    error_largest: Number
    unit: str


def payload_quantities(payload: PayloadEstimate) -> tuple[PayloadQuantity, ...]:
    rows = zip(NAMES, payload.values.tolist(), payload.std.tolist(), payload.intervals.tolist(), UNITS, payload.told.tolist(), strict=True)
    return tuple(
        PayloadQuantity(name=name, value=value, std=std, low=low, high=high, unit=unit, told=determined)
        for name, value, std, (low, high), unit, determined in rows
    )


def compare_declared(payload: PayloadEstimate) -> tuple[DeclaredQuantity, ...]:
    """Mass and centre of mass as declared and as identified; empty where nothing was declared."""
    if payload.declared is None:
        return ()
    stated = (payload.declared.mass, *payload.declared.com)
    return tuple(
        DeclaredQuantity(
            name=item.name,
            declared=float(declared),
            identified=item.value,
            difference=float(declared) - item.value,
            in_std=(float(declared) - item.value) / item.std,
            unit=item.unit,
        )
        for declared, item in zip(stated, payload_quantities(payload)[:4], strict=True)
    )


def payload_efforts(payload: PayloadEstimate) -> tuple[PayloadEffort, ...]:
    """Per joint the payload's share of the effort along the loaded log, and the error of a controller that believes what was declared."""
    error = payload.declared_effort_error
    return tuple(
        PayloadEffort(
            joint=joint.name,
            rms=_rms(payload.effort[j]),
            largest=float(np.abs(payload.effort[j]).max()),
            error_rms=None if error is None else _rms(error[j]),
            error_largest=None if error is None else float(np.abs(error[j]).max()),
            unit=joint.units.effort,
        )
        for j, joint in enumerate(payload.robot.joints)
    )


def _rms(values: np.ndarray[Any, Any]) -> float:
    return float(np.sqrt(np.mean(values**2)))
