"""What an experiment is to reach, how far it is from it, and what a trajectory that brings it nearer should look at.

`precision` p asks for every coefficient that matters: its standard deviation is to be at most p of its value. A coefficient matters when
its value is known beforehand and makes at least a hundredth of some joint's torque in the task; one that is nearly zero has no relative
precision to speak of, and friction has a value only after a first run. `torque_error` asks for the predicted torques in the task.

Both are of the form tr(W C) of the covariance C: for the coefficients W = diag(1 / value²), for the torques the task's own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, BoolArray, check_positive
from dynident.errors import InputError
from dynident.motions.design.assumptions import Assumptions
from dynident.motions.design.criterion import base_regressor
from dynident.motions.design.precision import ExpectedPrecision
from dynident.regression.equations.base import BaseParameters

#: A coefficient matters when it makes this share of a joint's RMS torque in the task.
MATTERS = 0.01
#: The worst coefficient is looked at through the mean of this power, so that the next worst counts too.
_POWER = 8.0
#: Farther from what is asked for than this, all coefficients count alike.
_FAR = 1e3


@dataclass(frozen=True, kw_only=True, eq=False)
class Goal:
    """What is to be reached; at least one of the two.

    precision : float or None      Standard deviation of every coefficient that matters, as a share of its value.
    torque_error : float or None   RMS error of the predicted torques in the task, as a share of their RMS.
    matters : (b,) bool            The coefficients that `precision` is about.
    """

    matters: BoolArray
    precision: float | None = None
    torque_error: float | None = None

    def ratios(self, precision: ExpectedPrecision) -> Array:
        """(b,) deviation over what is asked for, zero for coefficients that don't matter; above one it is not reached."""
        asked = 1.0 if self.precision is None else self.precision
        values = np.where(self.matters, np.abs(precision.nominal), 1.0)
        return np.where(self.matters, precision.std / (asked * values), 0.0)

    def excess(self, precision: ExpectedPrecision) -> float:
        """The largest of what there is over what is asked for; reached when it is at most one."""
        by_torque = 0.0 if self.torque_error is None else precision.relative_error / self.torque_error
        return max(by_torque, float(self.ratios(precision).max()) if self.precision is not None else 0.0)

    def distance(self, precision: ExpectedPrecision) -> float:
        """The same, smoothly over the coefficients: what falls most is what to drive next."""
        by_torque = 0.0 if self.torque_error is None else precision.relative_error / self.torque_error
        ratios = self.ratios(precision) if self.precision is not None else np.zeros(0)
        with np.errstate(over="ignore"):
            return float((by_torque**_POWER + (ratios**_POWER).sum()) ** (1.0 / _POWER))

    def focus(self, precision: ExpectedPrecision) -> Array | None:
        """(b, b) W for the next trajectory, None where it is that of the task. precision : what there is; what is far off counts more."""
        if self.precision is None or (self.torque_error is not None and self._is_torque_worse(precision, self.torque_error)):
            return None
        ratios = np.minimum(self.ratios(precision), _FAR)
        weights = np.where(self.matters, (ratios / ratios.max()) ** 2 / np.where(self.matters, precision.nominal, 1.0) ** 2, 0.0)
        return np.diag(weights)

    def _is_torque_worse(self, precision: ExpectedPrecision, torque_error: float) -> bool:
        return precision.relative_error / torque_error > float(self.ratios(precision).max())


def check_goal(precision: float | None, torque_error: float | None) -> None:
    """InputError where nothing is asked for, or what can't be."""
    for name, asked in (("precision", precision), ("torque_error", torque_error)):
        if asked is not None:
            check_positive(name, asked, "as a share")
    if precision is None and torque_error is None:
        raise InputError("an experiment needs something to reach; give a precision or a torque error")


def make_goal(base: BaseParameters, assumptions: Assumptions, *, precision: float | None = None, torque_error: float | None = None) -> Goal:
    """What is asked for, of a robot's coefficients. InputError where no coefficient's value is known beforehand."""
    matters = _matter(base, assumptions)
    if precision is not None and not matters.any():
        remedy = "ask for a torque error, or design it after a first run"
        raise InputError("no coefficient's value is known beforehand, so that a relative precision means nothing", remedy=remedy)
    return Goal(matters=matters, precision=precision, torque_error=torque_error)


def _matter(base: BaseParameters, assumptions: Assumptions) -> BoolArray:
    """(b,) which coefficients make a hundredth of some joint's torque in the task."""
    Y = base_regressor(base, assumptions.task.motion)
    sizes = np.sqrt(np.mean(Y**2, axis=2)) * np.abs(np.nan_to_num(assumptions.values))[:, None]
    return np.asarray((sizes >= MATTERS * np.maximum(assumptions.torque, np.finfo(float).tiny)).any(axis=1))
