"""The torque that a motion may need by an identified model: its prediction and a number of standard deviations around it.

With π̂ the coefficients, Σ their covariance and y a joint's row of the base regressor, the torque is y π̂ ± k √(y Σ yᵀ). What the run did
not tell, the prior bounds: Σ is that of both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array, check_array, set_frozen
from dynident.dynamics.friction.model import FrictionModel
from dynident.motions.design.criterion import base_regressor, friction_gradient, scatter
from dynident.motions.limits.torque import TorqueRange
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.regression.equations.base import BaseParameters
from dynident.robots.robot import Robot

#: Standard deviations around the prediction.
DEVIATIONS = 2.0


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorTorque:
    """A `TorqueBound` of a run.

    values : (b,), covariance : (b, b)   The coefficients, friction included.
    friction                             That of `base`, or a smooth stand-in of it.
    source : str                         The run, for the reader.
    """

    base: BaseParameters
    values: Array
    covariance: Array
    friction: FrictionModel | None = None
    deviations: float = DEVIATIONS
    source: str = "the run"

    def __post_init__(self) -> None:
        b = self.base.rank
        set_frozen(self, "values", check_array("values", self.values, (b,), f"({b},) = one per coefficient"))
        set_frozen(self, "covariance", check_array("covariance", self.covariance, (b, b), f"({b}, {b}) = (coefficients, coefficients)"))

    @property
    def statement(self) -> str:
        return f"model of {self.source} and {self.deviations:g} standard deviations of what it predicts"

    @property
    def remedy(self) -> str:
        return "loosen it"

    def applies(self, robot: Robot) -> bool:
        return True

    def torques(self, robot: Robot, motion: SampledMotion) -> TorqueRange:
        Y = base_regressor(self.base, motion, self.friction)
        spread = (self.covariance @ Y.reshape(len(Y), -1)).reshape(Y.shape)
        mean = np.einsum("bjN,b->Nj", Y, self.values)
        std = np.sqrt(np.maximum(np.einsum("bjN,bjN->Nj", Y, spread), 0.0))

        def pull_back(by_lower: Array, by_upper: Array) -> tuple[Array, SampledMotion]:
            by_mean, by_std = by_lower + by_upper, self.deviations * (by_upper - by_lower) / np.maximum(std, np.finfo(float).tiny)
            by = scatter(self.base, self.values[:, None, None] * by_mean.T + spread * by_std.T)
            none = np.zeros_like(motion.q)
            model = self.friction or self.base.friction
            through = (
                SampledMotion(none, none, none) if model is None or by.friction is None else friction_gradient(model, motion, by.friction)
            )
            return by.rigid, through

        return TorqueRange(mean - self.deviations * std, mean + self.deviations * std, pull_back)
