"""Problem (16) as the paper poses it, in masses and centres of mass: a local search from each of K random starts (eq. 17)."""

# pyright: basic

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.links import Objective
from dynident.links.problem import build_retrieval
from dynident.links.solvers.search.box import box_of
from dynident.regression import BaseParameters
from dynident.reproduce.gaz2016.published import MASSES_AND_CENTRES


def restarted_costs(gravity: Objective, base: BaseParameters, starts: int, *, seed: int = 0) -> list[float]:
    """The cost (16) that L-BFGS-B reaches within Table I from each start."""
    from scipy.optimize import minimize

    n = base.robot.n
    places = (10 * np.arange(n)[:, None] + np.arange(4)).ravel()  # m, mcx, mcy, mcz of every link
    A, b = gravity.A[:, places], gravity.b
    box = box_of(build_retrieval(base, gravity, MASSES_AND_CENTRES))
    low, high = box.low[places], box.high[places]

    def cost(p: Array) -> tuple[float, Array]:
        links = p.reshape(n, 4)
        x = links * np.column_stack([np.ones(n), *[links[:, 0]] * 3])
        residual = A @ x.ravel() - b
        slope = (2.0 * A.T @ residual).reshape(n, 4)
        gradient = np.column_stack([slope[:, 0] + np.sum(slope[:, 1:] * links[:, 1:], axis=1), slope[:, 1:] * links[:, :1]])
        return float(residual @ residual), gradient.ravel()

    rng = np.random.default_rng(seed)
    bounds = list(zip(low, high, strict=True))
    options = {"maxiter": 5000, "maxfun": 10000, "ftol": 1e-30, "gtol": 1e-12}
    results = [minimize(cost, low + (high - low) * rng.uniform(size=len(low)), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
             for _ in range(starts)]  # fmt: skip
    return [float(item.fun) for item in results]
