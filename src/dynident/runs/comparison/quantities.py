"""What of a run can be compared with another: coefficients that both have, and each joint's friction at a speed that both had.

Link parameters themselves are not compared: where the data do not determine them, they are those of the prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.dynamics.friction.model import Motion, Symmetry, friction_torque
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import FrictionColumn
from dynident.regression.estimate import Estimate
from dynident.regression.friction.curves import friction_curve
from dynident.robots.parameters import ParameterEntry

#: Friction is compared at this share of the slowest run's largest speed.
_SHARE = 0.5
#: A combination of friction parameters is one of the coefficients' where it differs from one by less than this share.
_SAME = 1e-9

LINKS, FRICTION, OTHER = "links", "friction", "other"


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """What is compared. expression : its grouping, or what it is; part : links, friction or other.

    place : the link or joint, by name; links : all links whose parameters are in it. Names are not what makes two quantities the same.
    """

    name: str
    expression: str
    unit: str
    part: str
    place: str = field(compare=False)
    links: tuple[str, ...] = field(default=(), compare=False)


def read_quantities(estimates: Sequence[Estimate], speeds: Sequence[Array | None]) -> tuple[tuple[Quantity, ...], Array, Array]:
    """What at least two of the R estimates have, and values (R, Q) and standard deviations (R, Q) of it; NaN where one does not have it.

    speeds : (n,) the largest |dq| of each joint in the data of each; None where it is not known.
    """
    tables = [_coefficients(estimate) for estimate in estimates]
    common = _common_speeds(speeds)
    if common is not None:
        for table, estimate in zip(tables, estimates, strict=True):
            table.update(_friction_levels(estimate, common))
    everything = dict.fromkeys(quantity for table in tables for quantity in table)
    shared = [quantity for quantity in everything if sum(quantity in table for table in tables) > 1]
    missing = (np.nan, np.nan)
    numbers = np.array([[table.get(quantity, missing) for quantity in shared] for table in tables]).reshape(len(tables), len(shared), 2)
    return tuple(shared), numbers[..., 0], numbers[..., 1]


def _coefficients(estimate: Estimate) -> dict[Quantity, tuple[float, float]]:
    """Those that are part of the model."""
    base, std = estimate.base, estimate.std
    return {
        Quantity(name=base.names[i], expression=base.expressions[i], unit=base.units[i], **_owner(base, i)): (
            float(estimate.values[i]),
            float(std[i]),
        )
        for i in np.flatnonzero(estimate.kept & (std > 0.0)).tolist()
    }


def _owner(base: BaseParameters, i: int) -> dict[str, Any]:
    column = base.columns[int(base.independent[i])]
    if isinstance(column, ParameterEntry):
        used = np.any(base.columns.links(base.grouping[i]) != 0.0, axis=1)
        links = tuple(base.robot.link_names[k] for k in np.flatnonzero(used))
        return {"part": LINKS, "place": base.robot.link_names[column.link], "links": links}
    if isinstance(column, FrictionColumn):
        part = OTHER if column.symmetry is Symmetry.EVEN else FRICTION  # an offset is not what wears
        return {"part": part, "place": base.robot.joint_names[column.joint]}
    return {"part": OTHER, "place": ""}


def _common_speeds(speeds: Sequence[Array | None]) -> Array | None:
    """(n,) at which all logs had samples, rounded to two digits; None where it is not known for one."""
    known = [values for values in speeds if values is not None]
    if len(known) < len(speeds):
        return None
    return np.array([float(f"{value:.2g}") for value in _SHARE * np.min(known, axis=0)])


def _friction_levels(estimate: Estimate, speeds: Array) -> dict[Quantity, tuple[float, float]]:
    """Half of the difference between the friction of either direction at constant speed, where it follows from the coefficients."""
    base, levels = estimate.base, dict[Quantity, tuple[float, float]]()
    for j, (joint, row) in enumerate(zip(base.robot.joints, _level_rows(base, speeds), strict=True)):
        shares = row[base.independent]
        size = float(np.abs(row).max())
        identified = np.abs(shares @ base.grouping - row).max() <= _SAME * size and not np.any(shares[~estimate.kept])
        forward, backward = friction_curve(estimate, j, np.array([speeds[j], -speeds[j]])).slopes[:, base.rank :]
        whole = np.append(shares, 0.5 * (forward - backward))
        variance = float(whole @ estimate.whole_covariance @ whole)
        if size > 0.0 and identified and variance > 0.0:
            expression = f"friction of joint {j + 1} at {speeds[j]:g} {joint.units.velocity}"
            quantity = Quantity(name=f"friction {j + 1}", expression=expression, unit=joint.units.effort, part=FRICTION, place=joint.name)
            levels[quantity] = float(shares @ estimate.values), float(np.sqrt(variance))
    return levels


def _level_rows(base: BaseParameters, speeds: Array) -> Array:
    """(n, p) by which the standard columns make the friction of each joint, when it alone moves, half forward minus half backward."""
    rows, n = np.zeros((len(speeds), len(base.columns))), len(speeds)
    if base.friction is None:
        return rows
    motion = Motion.steady(np.concatenate([np.diag(speeds), -np.diag(speeds)]))
    first = base.columns.friction_slice.start
    for k in range(len(base.columns.of_friction)):
        unit = np.zeros(len(base.columns))
        unit[first + k] = 1.0
        torque = friction_torque(base.friction, base.columns.friction(unit), motion)
        rows[:, first + k] = 0.5 * (np.diag(torque[:n]) - np.diag(torque[n:]))
    return rows
