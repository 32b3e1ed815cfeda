"""From data to coefficients: base parameters, compressed problems, and fits with their uncertainty."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.regression.equations.base import BaseParameters, base_parameters
    from dynident.regression.estimate import Estimate, EstimateStatus
    from dynident.regression.estimation import estimate
    from dynident.regression.friction.choose import choose_friction
    from dynident.regression.friction.fit_friction import fit_friction
    from dynident.regression.friction.refit import refit_friction
    from dynident.regression.identify import build_problem, identify
    from dynident.regression.problem import Problem
    from dynident.regression.solution import Prior, residuals
    from dynident.regression.uncertainty.losses import Huber, Squared, Tukey

__all__ = [
    "BaseParameters",
    "Estimate",
    "EstimateStatus",
    "Huber",
    "Prior",
    "Problem",
    "Squared",
    "Tukey",
    "base_parameters",
    "build_problem",
    "choose_friction",
    "estimate",
    "fit_friction",
    "identify",
    "refit_friction",
    "residuals",
]

make_lazy(__name__)
