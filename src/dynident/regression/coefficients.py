"""The coefficients and the friction of an estimate as records: tables, files and exports all take these."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from dynident.core.documents import LEFT_OUT
from dynident.core.files import finite_or_none
from dynident.regression.estimate import Estimate

#: By which route an estimate was made: from a log, from a controller's samples, or from both.
Route: TypeAlias = Literal["classical", "controller", "combined"]


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """One base parameter. value, std and relative_std_percent are None where the data don't determine them;
    for a dropped one they are as they were when it was dropped, and `reason` says why it was.

    symbolic : the expression with the names of the DH constants; None for a robot that is not described by a DH table.
    noise_std, block_std : std by the noise and by the variation between blocks of the log, of which std is the larger; the second is
        None where it was not measured.
    """

    name: str
    expression: str
    symbolic: str | None
    value: float | None
    std: float | None
    noise_std: float | None
    block_std: float | None
    relative_std_percent: float | None
    unit: str
    kept: bool
    reason: str = field(default="", metadata=LEFT_OUT)


@dataclass(frozen=True, kw_only=True)
class JointFriction:
    """Friction of one joint, as its model has it. parameters : value by name; None for one that is only known as part of another
    coefficient."""

    joint: str
    model: str
    parameters: Mapping[str, float | None]


def coefficients(estimate: Estimate) -> tuple[Coefficient, ...]:
    """One record per base parameter."""
    base, std, relative = estimate.base, estimate.std, estimate.relative_std_percent
    noise_std, block_std = estimate.noise_std, estimate.block_std
    dropped = {item.index: item for item in estimate.dropped}
    records: list[Coefficient] = []
    for i, name in enumerate(base.names):
        item = dropped.get(i)
        value = float(estimate.values[i]) if item is None else item.value
        records.append(
            Coefficient(
                name=name,
                expression=base.expressions[i],
                symbolic=None if base.symbolic_expressions is None else base.symbolic_expressions[i],
                value=value if math.isfinite(std[i]) else None,
                std=finite_or_none(std[i]),
                noise_std=finite_or_none(noise_std[i]),
                block_std=None if block_std is None else finite_or_none(block_std[i]),
                relative_std_percent=finite_or_none(relative[i]),
                unit=base.units[i],
                kept=bool(estimate.kept[i]),
                reason="" if item is None else item.reason,
            )
        )
    return tuple(records)


def friction(estimate: Estimate) -> tuple[JointFriction, ...]:
    """One record per joint; empty without a friction model. A dropped parameter is zero, a known one has its known value."""
    base, values = estimate.base, estimate.friction_parameters
    if base.friction is None or values is None:
        return ()
    separate = {int(i) for i in base.independent} | {base.columns.index(name) for name in base.known}
    records: list[JointFriction] = []
    for j, joint in enumerate(base.robot.joint_names):
        entries = zip(base.columns.of_joint(j).values(), base.friction.values_of(j, values[j]).items(), strict=True)
        parameters = {name: value if place in separate else None for place, (name, value) in entries}
        records.append(JointFriction(joint=joint, model=base.friction.of_joint(j).name, parameters=parameters))
    return tuple(records)


def route_name(estimate: Estimate) -> Route:
    """By which route an estimate was made: from a log, from a controller's samples, or from both."""
    if estimate.vendor_model is not None:
        return "combined"
    return "classical" if estimate.base.equations == "torque" else "controller"
