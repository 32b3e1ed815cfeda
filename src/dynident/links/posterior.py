"""One posterior of link and friction parameters: where it is largest, with a proof; its covariance; and how probable the data are.

    -2 log p = ‖A x - b‖² + ν Σ (tr Sᵢ - log det Sᵢ - 4) + what no x changes,    Sᵢ = P0ᵢ⁻¹ Pᵢ

in units of the noise. The rows are those of the data and of what is known of friction (a normal distribution); the pseudo-inertia Pᵢ of a
link has the Wishart distribution with ν degrees of freedom about P0ᵢ, the nominal one (`round_out`). Its density is taken with respect to
dP / |P|^(5/2), a measure that neither frames nor units change, so that the mode of the prior, like its mean, is P0. A prior of another form
(rows of a fleet, a payload's ball) is normal in the links, and its ν is zero.

The function is convex and self-concordant, and keeps links off the edge of consistency. Conditions F(x) ⪰ 0 on top, such as friction that
opposes the motion, are met by a barrier. What each quantity makes of those that are active:

- the mode is the largest density within them;
- the certificate counts them: for any Z ⪰ 0, L(x) = -2 log p - Σ tr(Z F(x)) is below the objective wherever they hold, and by its Newton
  decrement λ no x is below L - ω(λ), ω(λ) = -λ - log(1 - λ) (Nesterov, Nemirovskii 1994; λ² / 2 where all is normal);
- covariance and determinants of the evidence are those of the curvature at the mode, as if no condition were active;
- samples obey them (`sampling`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import least_squares, nearest_within
from dynident.errors import require
from dynident.links.constraints.terms import MET_WITHIN
from dynident.links.interior.central_path import enter, follow
from dynident.links.interior.newton import EXACT, THIN, Cone, Interior, centre, descend_within, least_margin
from dynident.links.interior.reduced import RELIEF, Reduced
from dynident.links.objective import Objective
from dynident.links.prior import NominalPrior
from dynident.links.solvers.certificates import contradict
from dynident.links.solvers.conic import ConicStatus
from dynident.regression.equations.factors import triangular

if TYPE_CHECKING:
    from dynident.links.problem import RetrievalProblem

#: In directions that the data leave open, bounds and contradictions are about parameters up to this many times `RetrievalProblem.units`.
REACH = 1e3
#: How far outside of a half-space a point on it can come by rounding; a tenth of what counts as met.
_ROUNDING = 0.1 * MET_WITHIN
#: What bounds directions that neither data nor prior bound, where there are some, in `RetrievalProblem.units`.
_LOOSE = 1e4
#: A direction that data and prior tell less than this share of the best told one is open.
_OPEN = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class Posterior(Objective):
    """-2 log p of the parameters but for a constant. A, b : of the data and of what is normal in the prior."""

    prior: NominalPrior

    @staticmethod
    def of(data: Objective, prior: NominalPrior) -> Posterior:
        A, b = prior.normal_rows(data.A.shape[1])
        return Posterior(
            name=f"{data.name}, prior included",
            A=np.concatenate([data.A, A]),
            b=np.concatenate([data.b, b]),
            constant=data.constant,
            noise=data.noise,
            levels=data.levels,
            prior=prior,
        )

    @cached_property
    def bodies(self) -> Cone | None:
        """x -> Sᵢ; None where the prior is normal."""
        return self.prior.bodies(self.A.shape[1]) if self.prior.wishart else None

    def value(self, x: Array) -> float:
        return super().value(x) + (0.0 if self.bodies is None else float(self.prior.weight * self.bodies.entropy(x)))

    def gradient(self, x: Array) -> Array:
        return super().gradient(x) + (0.0 if self.bodies is None else self.prior.weight * self.bodies.entropy_gradient(x))


@dataclass(frozen=True, kw_only=True, eq=False)
class Mode:
    """The most probable parameters within the convex conditions.

    status : SOLVED, INFEASIBLE where the conditions contradict each other, INACCURATE where neither was shown.
    x : (p,)
    bound : no x within the conditions has a smaller -2 log p.
    """

    status: ConicStatus
    x: Array
    bound: float


def find_mode(problem: RetrievalProblem) -> Mode:
    """The mode of a problem whose prior is knowledge: within its linear conditions, and by a barrier where others are active."""
    reduced = Reduced.of(problem)
    interior = replace(reduced.interior(), moving=None)
    G, h = _half_spaces(interior.cones, len(interior.anchor))
    y = reduced.y(_prior_mean(problem))
    rows = _at_prior(interior)
    interior = replace(interior, anchor=y, spread=np.full(len(y), _LOOSE if root_of(rows) is None else np.inf))
    y = _nearest(rows, y, G, h)
    if least_margin(interior.domain_at(y)[len(interior.cones) :], y) > 0.0 and np.all(G @ y >= h - _ROUNDING * np.abs(h)):
        y, held = descend_within(interior, y, G, h)
        x = reduced.x(y)
        if problem.margins(x / problem.units).min(initial=0.0) >= -_ROUNDING:
            multipliers = [held[:, None, None] if cone.size == 1 else np.zeros_like(cone.constant) for cone in interior.cones]
            return Mode(status=ConicStatus.SOLVED, x=x, bound=lower_bound(problem, reduced, interior, y, multipliers))
    inside = y
    for relief in (0.0, RELIEF):  # what leaves no interior, such as a box of zero width, is eased a little
        reduced = Reduced.of(problem, relief=relief)
        interior = replace(interior, cones=reduced.cones(problem.terms.blocks))
        inside, margin = enter(interior, inside)
        if margin > 0.0:
            y, t = follow(interior, inside)
            finer, _ = centre(interior, y, t, within=EXACT)
            y = finer if least_margin(interior.domain_at(finer), finer) > THIN else y
            multipliers = [np.asarray(np.linalg.inv(cone.values(y)) / t, dtype=float) for cone in interior.cones]
            return Mode(status=ConicStatus.SOLVED, x=reduced.x(y), bound=lower_bound(problem, reduced, interior, y, multipliers))
    empty = contradict(*problem.counted, np.full(problem.variables, REACH))
    return Mode(status=ConicStatus.INFEASIBLE if empty else ConicStatus.INACCURATE, x=reduced.x(inside), bound=0.0)


def _half_spaces(cones: Sequence[Cone], size: int) -> tuple[Array, Array]:
    """G and h of the linear conditions G y >= h."""
    single = [cone for cone in cones if cone.size == 1]
    if not single:
        return np.zeros((0, size)), np.zeros(0)
    return single[0].tensor[:, 0, 0], -single[0].constant[:, 0, 0]


def _at_prior(interior: Interior) -> Array:
    """The rows of the curvature where every S is the identity, whether or not known values allow it."""
    bodies = interior.bodies
    if bodies is None:
        return interior.A
    identity = replace(bodies, constant=np.broadcast_to(np.eye(4), bodies.constant.shape))
    return replace(interior, bodies=identity).curvature(np.zeros(len(interior.anchor)))


def _nearest(rows: Array, y: Array, G: Array, h: Array) -> Array:
    """The nearest point to y with G y >= h, in the metric of the rows."""
    R = triangular([np.concatenate([rows, np.eye(len(y)) / _LOOSE])])
    return nearest_within(R, R @ y, G, h)[0]


def _prior_mean(problem: RetrievalProblem) -> Array:
    """(p,) the links of the prior, without friction."""
    x = np.zeros(problem.variables)
    if problem.prior is not None:
        x[: problem.prior.nominal.size] = problem.prior.mean.ravel()
    return x


def lower_bound(problem: RetrievalProblem, reduced: Reduced, interior: Interior, y: Array, multipliers: Sequence[Array]) -> float:
    """What no parameters within the conditions are below, from any multipliers Z ⪰ 0; less what the tolerances of conditions can change."""
    goal, x, (_, equalities) = problem.goal, reduced.x(y), problem.counted
    value, gradient = goal.value(x), problem.units * goal.gradient(x)
    for batch, Z in zip(problem.batches, multipliers, strict=True):
        value -= float(np.sum(Z * batch.values(x / problem.units))) + MET_WITHIN * float(np.trace(Z, axis1=1, axis2=2).sum())
        gradient = gradient - np.einsum("bkl,bklp->p", Z, batch.tensor)
    if equalities:
        E = np.zeros((len(equalities), problem.variables))
        for row, equality in zip(E, equalities, strict=True):
            row[equality.indices] = equality.coefficients
        missed = np.array([MET_WITHIN * (1.0 + abs(equality.value)) for equality in equalities])
        value -= float(np.abs(least_squares(E.T, gradient)) @ missed)
    rows = np.sqrt(2.0) * interior.curvature(y)
    scale = np.linalg.norm(rows, axis=0)
    scale[scale == 0.0] = 1.0
    slope = (reduced.basis.T @ gradient) / scale
    step = least_squares((rows / scale).T, slope, rcond=_OPEN)
    # along directions that are open the function falls with its slope, as far as parameters can be
    left = float(np.linalg.norm(scale * ((rows / scale).T @ step - slope)) * REACH * np.sqrt(problem.variables))
    return value - left - _drop(float(np.linalg.norm(step)), interior.nu)


def _drop(decrement: float, nu: float) -> float:
    """How far below its value a function can fall: of a normal distribution λ² / 2; f / c is self-concordant for c of ν up to one."""
    if nu == 0.0:
        return 0.5 * decrement**2
    c = min(nu, 1.0)
    share = decrement / np.sqrt(c)
    return float(c * (-share - np.log1p(-share))) if share < 1.0 else np.inf


def covariance(problem: RetrievalProblem) -> Array | None:
    """(p, p) of the standard columns, within what is declared known; other conditions, which only narrow it, are not counted.

    None where the prior is no knowledge in units of the noise but only chooses, or where both together leave a direction open.
    """
    if problem.prior is None or not problem.prior.fixed:
        return None
    reduced = Reduced.of(problem)
    root = root_of(reduced.interior().curvature(reduced.y(problem.relaxed.x)))
    if root is None:
        return None
    whole = reduced.units[:, None] * (reduced.basis @ root)
    return whole @ whole.T


def standard_deviations(problem: RetrievalProblem) -> tuple[Array, Array]:
    """(p,) of every column by the prior alone, and by data and prior, as if no constraint but what is known were active; infinite where
    nothing is known."""
    reduced = Reduced.of(problem)
    interior, y = reduced.interior(), reduced.y(problem.relaxed.x)
    A, _ = require(problem.prior, "the prior").normal_rows(problem.variables)
    alone = replace(interior, A=(A * reduced.units) @ reduced.basis)
    rows = _at_prior(alone), interior.curvature(y)
    before, after = (reduced.units * _inverse_root(factor, reduced.basis) for factor in rows)
    return before, after


def _inverse_root(A: Array, basis: Array) -> Array:
    """√diag (B (AᵀA)⁻¹ Bᵀ) by QR of the scaled columns; infinite for what A leaves open."""
    scale = np.linalg.norm(A, axis=0)
    used = scale > 0.0
    R = np.linalg.qr(A[:, used] / scale[used], mode="r")
    std = np.linalg.norm((basis[:, used] / scale[used]) @ np.linalg.inv(R), axis=1)
    return np.where(np.any(basis[:, ~used] != 0.0, axis=1), np.inf, std)


def root_of(rows: Array) -> Array | None:
    """(d, d) M with M Mᵀ = (rowsᵀ rows)⁻¹, triangular with a positive diagonal; None where the rows leave a direction open."""
    sizes = np.linalg.norm(rows, axis=0)
    if not np.all(sizes > 0.0):
        return None
    R = triangular([rows / sizes])
    diagonal = np.abs(np.diag(R))
    if diagonal.min(initial=1.0) <= _OPEN * diagonal.max(initial=1.0):
        return None
    return np.asarray(np.linalg.inv(R) * np.sign(np.diag(R)) / sizes[:, None], dtype=float)


def evidence(problem: RetrievalProblem) -> float:
    """-2 log p(data | prior) but for what no prior changes, by Laplace's method: the smaller, the better the prior fits the data.

    -2 log p at the mode + log det H - log det H_prior, both Hessians at the mode, so that what is wrong with Laplace's method for a Wishart
    distribution cancels: zero for a prior without data. Infinite where no mode was found.
    """
    mode, prior = problem.relaxed, problem.prior
    if prior is None or mode.status is not ConicStatus.SOLVED:
        return float("inf")
    reduced = Reduced.of(problem)
    interior, y = reduced.interior(), reduced.y(mode.x)
    A, _ = prior.normal_rows(problem.variables)
    alone = replace(interior, A=(A * reduced.units) @ reduced.basis, b=np.zeros(len(A)))
    return problem.goal.value(mode.x) + _log_det(interior.curvature(y)) - _log_det(alone.curvature(y))


def _log_det(rows: Array) -> float:
    """log det(rowsᵀ rows) of the columns that they contain."""
    scale = np.linalg.norm(rows, axis=0)
    used = scale > 0.0
    R = np.linalg.qr(rows[:, used] / scale[used], mode="r")
    return 2.0 * float(np.sum(np.log(np.abs(np.diag(R)))) + np.sum(np.log(scale[used])))
