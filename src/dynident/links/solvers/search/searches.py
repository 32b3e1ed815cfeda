"""Searches of f(p) = φ + ξ γ within the box: simulated annealing as in the papers, others in its place, and SciPy's local ones."""

# pyright: basic

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from dynident.core.arrays import Array
from dynident.links.solvers.search.box import ParameterBox
from dynident.links.solvers.search.penalised import Charge, Penalised

#: Temperature at the end, as a share of that at the start.
_COLD = 1e-4
#: Equal bounds are fixed variables, which SciPy scales by zero or refuses: they get a width of nothing to speak of.
_WIDTH = 1e-15

GlobalSearch = Literal["annealing", "dual-annealing", "genetic", "none"]
LocalSearch = Literal["slsqp", "nelder-mead", "l-bfgs-b", "pattern", "slsqp-numerical"]


def search_globally(
    penalised: Penalised, start: Array, box: ParameterBox, charge: Charge, rng: np.random.Generator, method: GlobalSearch, evaluations: int
) -> Array:
    """The best point that a global search meets, the start included."""
    if method == "none":
        return start
    search = {"annealing": anneal, "dual-annealing": anneal_dually, "genetic": evolve}[method]
    return search(penalised, start, box, charge, rng, evaluations)


def anneal(penalised: Penalised, start: Array, box: ParameterBox, charge: Charge, rng: np.random.Generator, evaluations: int) -> Array:
    """The best point that bounded simulated annealing meets, the start included.

    As MATLAB's simulannealbnd does by default: a step in a random direction whose length is the temperature (here a share
    of the box), taken if it is better, else with probability 1 / (1 + exp(rise / temperature)); the temperature falls
    geometrically. A rise is measured in units of the value at the start.
    """
    directions = rng.normal(size=(evaluations, len(start)))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    temperatures = _COLD ** (np.arange(evaluations) / max(evaluations - 1, 1))
    steps = directions, rng.uniform(size=evaluations), temperatures
    compiled = penalised.walk(box.clip(start), box.low, box.high, steps, charge)
    return compiled if compiled is not None else walk(lambda p: charge(*penalised.parts(p)), box.clip(start), box, steps)


def walk(function: Callable[[Array], float], start: Array, box: ParameterBox, steps: tuple[Array, Array, Array]) -> Array:
    """The walk of `anneal` for any function; directions (k, p), chances (k,), temperatures (k,)."""
    width = box.high - box.low
    here = best = start
    value = least = function(here)
    unit = max(abs(value), np.finfo(float).tiny)
    for direction, chance, temperature in zip(*steps, strict=True):
        trial = box.clip(here + temperature * width * direction)
        trial_value = function(trial)
        rise = (trial_value - value) / (unit * temperature)
        if rise <= 0.0 or (rise < 30.0 and chance * (1.0 + np.exp(rise)) < 1.0):
            here, value = trial, trial_value
            if value < least:
                best, least = here, value
    return best


def anneal_dually(
    penalised: Penalised, start: Array, box: ParameterBox, charge: Charge, rng: np.random.Generator, evaluations: int
) -> Array:
    """The best point of SciPy's generalised simulated annealing without its local search (Xiang et al., Physics Letters A 233, 1997).

    Its temperature is in units of the function, so that the value at the start counts as 1, and bounds must not be equal.
    """
    from scipy.optimize import dual_annealing

    def function(p: Array) -> float:
        return charge(*penalised.parts(p))

    first = box.clip(start)
    least = function(first)
    unit, high = max(abs(least), np.finfo(float).tiny), np.maximum(box.high, box.low + _WIDTH)
    bounds = list(zip(box.low, high, strict=True))
    result = dual_annealing(
        lambda p: function(p) / unit, bounds, x0=first, maxiter=evaluations, maxfun=evaluations, no_local_search=True, rng=rng
    )
    best = box.clip(np.asarray(result.x, dtype=float))
    return best if function(best) < least else first


def evolve(penalised: Penalised, start: Array, box: ParameterBox, charge: Charge, rng: np.random.Generator, evaluations: int) -> Array:
    """The best point of a differential evolution whose first population holds the start (Storn, Price 1997)."""
    from scipy.optimize import differential_evolution

    def function(p: Array) -> float:
        return charge(*penalised.parts(p))

    population = max(5, len(start) // 2)
    first = np.array([box.random(rng) for _ in range(population)])
    first[0] = box.clip(start)
    high = np.maximum(box.high, box.low + _WIDTH)
    result = differential_evolution(
        function,
        list(zip(box.low, high, strict=True)),
        init=first,  # pyright: ignore[reportArgumentType]
        maxiter=max(evaluations // population - 1, 1),
        polish=False,
        rng=rng,
    )
    best = box.clip(np.asarray(result.x, dtype=float))
    return best if function(best) < function(first[0]) else first[0]


#: Of the pattern search: steps in units of the box, and the share of the value that a round must gain to count as better.
_FIRST_STEP, _LAST_STEP, _GAIN = 0.25, 1e-4, 1e-3


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

    def better_of(u: Array) -> Array:
        """There, or where the search began: at the beginning itself, since going to units of the box and back rounds."""
        ended, begun = box.clip(box.low + width * u), box.clip(p)
        return ended if charge(*penalised.parts(ended)) <= charge(*penalised.parts(begun)) else begun

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
    elif method == "pattern":
        return better_of(poll(value, u, upper))
    else:
        budget = 300 * len(u)
        settings = {"maxfev": budget, "maxiter": budget, "adaptive": True, "fatol": 1e-12, "xatol": 1e-10}
        result = minimize(lambda u: scale * value(u), u, method="nelder-mead", bounds=bounds, options=settings)
    return better_of(np.clip(np.asarray(result.x, dtype=float), 0.0, upper))


def poll(function: Callable[[Array], float], start: Array, upper: Array) -> Array:
    """Pattern search between 0 and `upper`: a step along one axis after the other, the first that is better is taken.

    As MATLAB's patternsearch: after a round with a better point the step doubles, after one without it halves, until it is small
    (Torczon, SIAM J. Optim. 7(1), 1997).
    """
    here, value, step = start.copy(), function(start), _FIRST_STEP
    while step > _LAST_STEP:
        before = value
        for i in range(len(here)):
            for side in (step, -step):
                trial = here.copy()
                trial[i] = min(max(here[i] + side, 0.0), upper[i])
                trial_value = function(trial)
                if trial_value < value:
                    here, value = trial, trial_value
                    break
        step = min(2.0 * step, _FIRST_STEP) if value < before * (1.0 - _GAIN) else 0.5 * step
    return here
