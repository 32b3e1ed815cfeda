"""From data to coefficients: base parameters, compressed problems, and fits with their uncertainty."""

from dynident.regression.equations.base import BaseParameters, base_parameters
from dynident.regression.estimate import Estimate, EstimateStatus
from dynident.regression.fit import fit
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
    "fit",
    "identify",
    "residuals",
]
