"""Local searches of f(p) = φ + ξ γ within the box, from SciPy: with exact, without, and with numerical gradients."""

# pyright: basic

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from dynident.core.arrays import Array
from dynident.feasibility.solvers.search.box import ParameterBox
from dynident.feasibility.solvers.search.penalised import Charge, Penalised

LocalSearch = Literal["barrier", "slsqp", "l-bfgs-b", "nelder-mead", "slsqp-numerical"]


def search_locally(penalised: Penalised, p: Array, box: ParameterBox, charge: Charge, method: LocalSearch) -> Array:
    """The best point met; in units of the box, since masses and products of inertia differ by orders of magnitude."""
    from scipy.optimize import minimize

    width = np.where(box.high > box.low, box.high - box.low, 1.0)
    upper = (box.high - box.low) / width

    def value(u: Array) -> float:
        return charge(*penalised.parts(box.low + width * u))

    def value_and_gradient(u: Array) -> tuple[float, Array]:
        phi, gamma, slope, steep = penalised.parts_and_gradients(box.low + width * u)
        if math.isnan(charge.constant):  # a constant penalty has no slope
            slope = slope + charge.factor * steep
        return charge(phi, gamma), width * slope

    u = np.clip((p - box.low) / width, 0.0, upper)
    bounds = list(zip(np.zeros(len(u)), upper, strict=True))
    scale = 1.0 / max(value(u), np.finfo(float).tiny)
    if method in ("slsqp", "l-bfgs-b"):

        def scaled(u: Array) -> tuple[float, Array]:
            f, g = value_and_gradient(u)
            return scale * f, scale * g

        options = {"slsqp": {"maxiter": 1000, "ftol": 1e-12}, "l-bfgs-b": {"maxiter": 2000, "maxfun": 4000, "ftol": 1e-14, "gtol": 1e-12}}
        result = minimize(scaled, u, jac=True, method=method, bounds=bounds, options=options[method])
    elif method == "slsqp-numerical":
        result = minimize(lambda u: scale * value(u), u, method="slsqp", bounds=bounds, options={"maxiter": 1000, "ftol": 1e-12})
    else:
        budget = 300 * len(u)
        settings = {"maxfev": budget, "maxiter": budget, "adaptive": True, "fatol": 1e-12, "xatol": 1e-10}
        result = minimize(lambda u: scale * value(u), u, method="nelder-mead", bounds=bounds, options=settings)
    found = np.clip(np.asarray(result.x, dtype=float), 0.0, upper)
    return box.clip(box.low + width * (found if value(found) <= value(u) else u))
