"""The exact reference of draws from a posterior: hit and run (Smith 1984) with a slice along every line (Neal 2003)."""

from __future__ import annotations

import numpy as np

from dynident.links.interior.reduced import Reduced
from dynident.links.posterior import root_of
from dynident.links.problem import RetrievalProblem


def hit_and_run(problem: RetrievalProblem, count: int, *, thin: int, seed: int = 0) -> np.ndarray:
    """(count, p) draws of exp(-½ (-2 log p)) d x / Π |P|^(5/2) within the conditions: directions by the curvature at the mode, densities by
    nothing but their definition."""
    rng, reduced, goal = np.random.default_rng(seed), Reduced.of(problem), problem.goal
    y = reduced.y(problem.relaxed.x)
    root = root_of(reduced.interior().curvature(y))

    def log_density(y: np.ndarray) -> float:
        x = reduced.x(y)
        if problem.margins(x / problem.units).min(initial=0.0) < 0.0:
            return -np.inf
        value = -0.5 * goal.value(x)
        if not np.isfinite(value) or goal.bodies is None:
            return value
        return value - 2.5 * float(np.linalg.slogdet(goal.bodies.values(x))[1].sum())

    found = []
    for step in range(thin * (count + 20)):
        d = root @ rng.normal(size=len(y))
        level = log_density(y) - rng.exponential()
        low = -3.0 * rng.uniform()
        high = low + 3.0
        while log_density(y + low * d) > level:
            low -= 3.0
        while log_density(y + high * d) > level:
            high += 3.0
        while log_density(y + (t := rng.uniform(low, high)) * d) <= level:
            low, high = (t, high) if t < 0.0 else (low, t)
        y = y + t * d
        if step >= 20 * thin and step % thin == thin - 1:
            found.append(reduced.x(y))
    return np.array(found)
