"""The two routes to an estimate: from a log of motion and torque, or from the M(q) and g(q) that a controller returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from numpy.typing import ArrayLike

from dynident.data import ControllerSamples, Dataset
from dynident.friction.model import FrictionModel
from dynident.regression.base import Equations
from dynident.regression.estimate import Estimate
from dynident.regression.fit import Noise, Prior, fit
from dynident.regression.losses import Loss
from dynident.regression.problem import build_problem
from dynident.robots.robot import Robot


def identify(
    robot: Robot,
    dataset: Dataset,
    *,
    friction: FrictionModel | None = None,
    cutoff: float | None = None,
    rate: float | None = None,
    known: Mapping[str, float] | None = None,
    extra: Mapping[str, ArrayLike] | None = None,
    noise: Noise = "uniform",
    loss: Loss | None = None,
    prior: Prior | None = None,
    drop_above_percent: float | None = 30.0,
    progress: Callable[[str], None] | None = None,
) -> Estimate:
    """Classical route: dynamic coefficients and friction from q, dq, ddq and torque (eqs. 5 to 9 and 24 of the Panda paper).

    The options are those of `build_problem` and `fit`.
    """
    problem = build_problem(robot, dataset, friction=friction, cutoff=cutoff, rate=rate, known=known, extra=extra)
    return fit(problem, noise=noise, loss=loss, prior=prior, drop_above_percent=drop_above_percent, progress=progress)


def identify_from_controller(
    robot: Robot,
    samples: ControllerSamples,
    *,
    equations: Equations | None = None,
    known: Mapping[str, float] | None = None,
    noise: Noise = "uniform",
    prior: Prior | None = None,
    drop_above_percent: float | None = 30.0,
) -> Estimate:
    """Reverse engineering: dynamic coefficients from M(q) and g(q) at static configurations (eqs. 17 to 22).

    equations : "inertia" or "gravity" use only that part, as the KUKA paper does; by default all that the samples hold.
    """
    problem = build_problem(robot, samples, equations=equations, known=known)
    return fit(problem, noise=noise, prior=prior, drop_above_percent=drop_above_percent)
