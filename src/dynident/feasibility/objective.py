"""What a feasible set of parameters should fit: ‖A x - b‖² over the standard columns x, from an estimate or from the data.

Two-step: φ(x) = ‖W (K x - π̂)‖² with the coefficients of an estimate, as in the papers (W = 1) or weighted by the
estimate's covariance, the statistically right one. One-step: φ(x) = ‖Y x - τ‖² on the compressed problem itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.errors import InputError, UnknownNameError
from dynident.parameters import consistency_margin, pseudo_inertia
from dynident.regression.compress import triangular
from dynident.regression.estimate import Estimate
from dynident.regression.problem import Problem
from dynident.robots.robot import Robot

Weights = Literal["covariance", "none"]

#: A nominal link at the very edge of consistency (a rod, a plate) would hold its thin direction with infinite stiffness:
#: the metric is measured at a link that is thicker by this share of its mean second moment.
SOFTENING = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class Objective:
    """φ(x) = ‖A x - b‖² + constant.

    noise : float or None   What φ amounts to by noise alone (its expectation at the truth), where that is known.
    """

    name: str
    A: Array
    b: Array
    constant: float = 0.0
    noise: float | None = None

    def value(self, x: Array) -> float:
        return float(np.sum((self.A @ x - self.b) ** 2)) + self.constant

    def gradient(self, x: Array) -> Array:
        return 2.0 * self.A.T @ (self.A @ x - self.b)


def two_step(estimate: Estimate, *, weights: Weights = "covariance", drop: Sequence[int] = ()) -> Objective:
    """Fit the kept coefficients of an estimate; `drop` leaves out more of them, by their number from 1."""
    kept = estimate.kept.copy()
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


def one_step(problem: Problem, levels: Sequence[float] | None = None) -> Objective:
    """Fit the data behind a problem, each group of rows divided by its noise level (1 by default)."""
    weights = np.ones(len(problem.groups)) if levels is None else 1.0 / np.asarray(levels, dtype=float)
    R = triangular([problem.stacked(weights)])
    b = problem.base.rank
    return Objective(
        name="squared residual of the data",
        A=R[:b, :b] @ problem.base.grouping,
        b=R[:b, b],
        constant=float(R[b, b] ** 2),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class NominalPrior:
    """Among equally good answers, the one nearest to nominal parameters.

    metric : "euclidean" weighs every entry by its own size; "entropic" is the second-order form of the log-det divergence
        between pseudo-inertias, which doesn't depend on frames and units (Lee, Wensing, Park, T-RO 2020).
    weight : factor on the squared distance, beside φ; `retrieve` makes it as strong as it can be at next to no cost in φ,
        unless it is `fixed`.
    toward : what the nominal parameters are, for the note that reports the prior's cost.
    """

    nominal: Array  #: (n, 10)
    metric: Literal["euclidean", "entropic"] = "entropic"
    weight: float = 1e-8
    fixed: bool = False
    toward: str = "nominal parameters"

    def rows(self, columns: int) -> tuple[Array, Array]:
        """A (rows, columns) and b (rows,) of the squared distance ‖A x - b‖², weight included."""
        blocks = [link_metric(link, self.metric) for link in self.nominal]
        height = sum(len(block) for block in blocks)
        A = np.zeros((height, columns))
        line = 0
        for i, block in enumerate(blocks):
            A[line : line + len(block), 10 * i : 10 * i + 10] = block
            line += len(block)
        A *= np.sqrt(self.weight)
        return A, A[:, : self.nominal.size] @ self.nominal.ravel()


def link_metric(link: Array, metric: Literal["euclidean", "entropic"]) -> Array:
    """(k, 10) rows whose squared length is the distance of a small change of a link's parameters, measured at `link`."""
    if metric == "euclidean":
        size = max(float(np.sqrt(np.trace(pseudo_inertia(link)[:3, :3]) / max(link[0], 1e-6))), 1e-2)
        scale = max(link[0], 1e-3) * np.array([1.0, *[size] * 3, *[size**2] * 6])
        return np.diag(1.0 / scale)
    # ½ ‖P0^-½ dP P0^-½‖_F²: the Hessian of the divergence at the nominal pseudo-inertia P0, taken about the centre of mass
    to_com = np.eye(4)
    to_com[:3, 3] = -link[1:4] / link[0]
    P = to_com @ pseudo_inertia(link) @ to_com.T
    P[:3, :3] += SOFTENING * np.trace(P[:3, :3]) / 3.0 * np.eye(3)
    values, vectors = np.linalg.eigh(P)
    root = to_com.T @ (vectors / np.sqrt(values))
    half = np.einsum("ka,pkl,lb->pab", root, pseudo_inertia(np.eye(10)), root).reshape(10, 16)
    return half.T / np.sqrt(2.0)


def prior_to_robot(robot: Robot, *, metric: Literal["euclidean", "entropic"] = "entropic", weight: float = 1e-8) -> NominalPrior | None:
    """The prior toward a robot's own nominal parameters; None when it has none or they are not consistent."""
    if robot.parameters is None or np.any(consistency_margin(robot.parameters) <= 0.0):
        return None
    return NominalPrior(nominal=robot.parameters, metric=metric, weight=weight)


def uniform_bodies(boxes: Array, masses: Array) -> Array:
    """(n, 10) links "as uniform as possible": homogeneous boxes (n, 2, 3) [m] of the given masses (n,) [kg]."""
    from dynident.parameters import from_com

    low, high = boxes[:, 0], boxes[:, 1]
    sides = high - low
    squares = sides**2
    inertia = np.zeros((len(boxes), 3, 3))
    for k in range(3):
        inertia[:, k, k] = masses / 12.0 * (squares.sum(axis=1) - squares[:, k])
    return from_com(masses, 0.5 * (low + high), inertia)
