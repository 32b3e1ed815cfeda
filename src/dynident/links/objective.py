"""What a feasible set of parameters should fit: ‖A x - b‖² over the standard columns x, from an estimate or from the data.

Two-step: φ(x) = ‖W (K x - π̂)‖² with the coefficients of an estimate, as in the papers (W = 1) or weighted by the
estimate's covariance, the statistically right one. One-step: φ(x) = ‖Y x - τ‖² on the compressed problem itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.records import Shape
from dynident.errors import InputError, UnknownNameError
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.factors import triangular
from dynident.regression.estimate import EXACT, Estimate
from dynident.regression.problem import Problem

Weights = Literal["covariance", "none"]

#: Up to this share of its scale an objective is zero up to rounding: a residual of a millionth of what is fitted.
ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class Objective:
    """φ(x) = ‖A x - b‖² + constant.

    Attributes
    ----------
    name : str
        What it is, for a reader.
    A : (a, p) array
        One row per equation.
    b : (a,) array
        Right-hand sides.
    constant : float
        What no x changes.
    noise : float or None
        What φ amounts to by noise alone (its expectation at the truth), where that is known.
    levels : (groups,) array
        The noise level by which each group of rows of a problem was divided; None where φ is not of its rows.
    """

    name: str
    A: Annotated[Array, Shape("a p")]
    b: Annotated[Array, Shape("a")]
    constant: float = 0.0
    noise: float | None = None
    levels: Annotated[Array, Shape("g")] | None = None

    @property
    def scale(self) -> float:
        """φ(0) = ‖b‖² + constant, what parameters of zero leave; below `ROUNDING` times this an objective or a gap is rounding."""
        return float(self.b @ self.b) + self.constant

    def value(self, x: Array) -> float:
        return float(np.sum((self.A @ x - self.b) ** 2)) + self.constant

    def gradient(self, x: Array) -> Array:
        return 2.0 * self.A.T @ (self.A @ x - self.b)


def two_step(
    estimate: Estimate, *, weights: Weights = "covariance", drop: Sequence[int] = (), drop_above_percent: float | None = None
) -> Objective:
    """Fit the kept coefficients of an estimate, or fewer of them.

    Parameters
    ----------
    estimate
        What `identify` returned.
    weights
        "covariance" counts a distance in standard deviations, "none" is the plain one of the papers.
    drop, drop_above_percent
        Leave out more of them, by their number from 1, or by their relative standard deviation.

    Returns
    -------
    Objective
        φ(x) of the coefficients.
    """
    kept = estimate.kept.copy()
    if drop_above_percent is not None:
        kept &= ~(estimate.relative_std_percent > drop_above_percent)
    for number in drop:
        if not 1 <= number <= estimate.base.rank:
            raise UnknownNameError("coefficient", str(number), [f"1 to {estimate.base.rank}"])
        kept[number - 1] = False
    if not np.any(kept):
        raise InputError("no coefficient is left to fit; drop fewer")
    K = estimate.base.grouping[kept]
    target = estimate.values[kept]
    if weights == "none":
        return Objective(name="squared distance to the coefficients", A=K, b=target)
    W = _whitening(estimate, kept)
    return Objective(name="squared distance to the coefficients, in standard deviations", A=W @ K, b=W @ target, noise=float(kept.sum()))


def _whitening(estimate: Estimate, kept: BoolArray) -> Array:
    """W with Wᵀ W = covariance⁻¹, through the correlation matrix so that mixed units do no harm."""
    covariance = estimate.covariance[np.ix_(kept, kept)]
    scale = np.sqrt(np.diag(covariance))
    if not np.all(scale > 0):
        raise InputError("the estimate has coefficients without a standard deviation; use weights none")
    return np.linalg.inv(np.linalg.cholesky(covariance / np.outer(scale, scale))) / scale


def posterior_data(estimate: Estimate) -> Objective:
    """All that the data of an estimate say, in units of their noise: the part of the log-likelihood that the parameters change.

    Each group of rows is divided by `Estimate.row_noise`. Where links and friction come from different data, what each says is known.
    """
    name = "squared residual in units of the noise"
    if estimate.joined is not None:
        return _of_factor(name, estimate.joined.factor, estimate.base, noise=estimate.joined.noise)
    levels, problem = estimate.row_noise, estimate.require_problem()
    return replace(
        one_step(problem, levels),
        name=name,
        noise=float(np.sum(problem.counts / estimate.row_scale**2)) + (0 if problem.controller is None else len(problem.controller.values)),
    )


def one_step(problem: Problem, levels: Sequence[float] | Array | None = None) -> Objective:
    """Fit the data behind a problem, each group of rows divided by its noise level.

    Parameters
    ----------
    problem
        The problem.
    levels : (groups,) array
        Standard deviation of each group's rows, in the unit of its effort; 1 by default.

    Returns
    -------
    Objective
        φ(x), of all rows.
    """
    divisors = np.ones(len(problem.groups)) if levels is None else np.asarray(levels, dtype=float)
    R = triangular([problem.stack(1.0 / divisors, least=EXACT)])
    return replace(_of_factor("squared residual of the data", R, problem.base), levels=divisors)


def _of_factor(name: str, R: Array, base: BaseParameters, noise: float | None = None) -> Objective:
    """R : (b + 1, b + 1) triangular, of the coefficients and the right-hand side."""
    b = base.rank
    return Objective(name=name, A=R[:b, :b] @ base.grouping, b=R[:b, b], constant=float(R[b, b] ** 2), noise=noise)
