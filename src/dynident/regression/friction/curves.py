"""A joint's friction over the speed, as an estimate has it, and how it follows the estimate's coefficients and shapes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array
from dynident.dynamics.friction.model import FrictionModel, Motion
from dynident.dynamics.friction.shapes import shape_constants, shape_slopes
from dynident.errors import InputError
from dynident.regression.equations.columns import FrictionColumn
from dynident.regression.estimate import Estimate


class FrictionCurve(NamedTuple):
    """Friction at s constant speeds.

    torque : (s,)          [N·m | N]
    slopes : (s, b + m)    Its change per unit of each coefficient and of each fitted shape of the estimate.
    """

    torque: Array
    slopes: Array


def friction_curve(estimate: Estimate, j: int, speeds: Array) -> FrictionCurve:
    """The friction of joint j, from 0, through position zero and without load. speeds : (s,) [rad/s | m/s]."""
    base = estimate.base
    slopes = np.zeros((len(speeds), base.rank + len(estimate.shapes)))
    if base.friction is None:
        return FrictionCurve(np.zeros(len(speeds)), slopes)
    columns = separate_columns(estimate, j)
    motion = np.zeros((len(speeds), base.robot.n))
    motion[:, j] = speeds
    phi = base.friction.columns(Motion.steady(motion))[:, j]
    for place, column in columns.items():
        slopes[:, place] = phi[:, column.slot]
    torque = slopes[:, : base.rank] @ estimate.values
    indices = [i for i, shape in enumerate(estimate.shapes) if shape.joint == base.robot.joint_names[j]]
    if indices:
        model, values = base.friction.of_joint(j), dict.fromkeys(base.friction.of_joint(j).parameter_names, 0.0)
        values |= {column.parameter: float(estimate.values[place]) for place, column in columns.items()}
        if len(indices) != len(shape_constants(model)):
            raise InputError(f"of the shapes of the friction of joint {j + 1} some were fitted and some were not; identify again")

        def at_speeds(single: FrictionModel) -> Array:
            return single.columns(Motion.steady(speeds[:, None]))[:, 0].T

        slopes[:, [base.rank + i for i in indices]] = shape_slopes(model, np.array(list(values.values())), at_speeds).T
    return FrictionCurve(torque, slopes)


def separate_columns(estimate: Estimate, j: int) -> dict[int, FrictionColumn]:
    """The friction parameters of joint j that are coefficients by themselves, by their place among the coefficients."""
    base = estimate.base
    entries = ((place, base.columns[standard]) for place, standard in enumerate(base.independent.tolist()))
    return {place: column for place, column in entries if isinstance(column, FrictionColumn) and column.joint == j}
