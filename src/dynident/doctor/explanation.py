"""How well a robot explains an excerpt of a log, and how far from any real arm it has to be for that: a score for hypotheses.

The effort of joint j is Y_j π + φ_j f_j with links π, about which a prior knows what arms are like, and friction f_j that can't drive the
motion. With a noise level s_j of each joint that is not known either, -2 log p = N Σ log s_j² + (π - π₀)ᵀ P (π - π₀) + |f|² but for
constants, with N independent rows of each joint, and plus log det H - log det P by Laplace's method, with H the precision that data and
prior have together: links that have to be known far better than the prior expects are improbable (MacKay, Neural Computation 4, 1992).
What a joint leaves unexplained counts as a share of its own effort, so that a change of all units changes nothing but the distance from
the prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.doctor.excerpt import Excerpt
from dynident.dynamics import inverse_dynamics, torque_regressor
from dynident.feasibility.constraints.terms import FeasibleSet
from dynident.feasibility.prior import NominalPrior, prior_to_robot, uniform_prior
from dynident.parameters.link_metric import weight_of
from dynident.robots.robot import Robot

#: Friction columns of a joint: viscous, Coulomb, offset; and their standard deviations as shares of the joint's effort.
FRICTION = 3
FRICTION_STD = np.array([1.0, 1.0, 1.0 / 3.0])
#: Independent rows per second, as what a model lacks stays the same for about a quarter of a second; and the fewest and most there are.
_INDEPENDENT = 4.0
_FEWEST, _MOST = 20.0, 240.0
#: Links are known to about this factor; where there are no nominal ones, the scale of uniform links is one of these, about one to a factor.
_KNOWN_TO = 2.0
_SCALES = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_SCALE_FACTOR = 4.0
_ROUNDS = 8
#: What keeps equations solvable whose unknowns were taken to one size.
_RIDGE = 1e-13


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkPrior:
    """What arms are like: mean and precision of the links' 10 n parameters, times each of the scales.

    log_det : of the precision. toward : what the links are taken from, for people.
    """

    centre: Array
    precision: Array
    log_det: float
    scales: tuple[float, ...]
    toward: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Moments:
    """Second moments of the columns of every joint's rows: all that a fit needs of them.

    matrices : (n, m + 4, m + 4)   Columns: 10 n links' parameters, dq, its sign, 1, effort; friction columns have RMS 1.
    sizes : (n,)                   RMS effort of each joint, by which all its rows are divided.
    rows : float                   Independent rows of each joint.
    floor : (n,)                   What no model can explain, as a share of the effort.
    speeds : (n,)                  RMS velocity of each joint.
    """

    matrices: Array
    sizes: Array
    rows: float
    speeds: Array
    floor: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Explanation:
    """The most probable links and friction, and what they leave.

    cost : float           -2 log p but for a constant.
    misfit : (n,)          What is unexplained of each joint's effort, as a share of its RMS.
    implausibility : float The part of the cost that is not misfit: distance from the prior, and how narrow links have to be.
    links : (10 n,)        Parameters of the links.
    tangents : (k,)        What the further columns came to.
    friction : (n, 3)      Viscous [N·m·s/rad | N·s/m], Coulomb and offset [N·m | N] of each joint.
    """

    cost: float
    misfit: Array
    implausibility: float
    links: Array
    friction: Array
    tangents: Array

    @property
    def overall(self) -> float:
        """Root mean square of the joints' misfits."""
        return float(np.sqrt(np.mean(self.misfit**2)))


def link_prior(robot: Robot, *, nominal: bool = True) -> LinkPrior:
    """Toward the robot's nominal links where it has some that can be, else toward uniform ones."""
    found = prior_to_robot(robot) if nominal else None
    prior = found or uniform_prior(robot, FeasibleSet(()))
    rows, _ = NominalPrior(nominal=prior.nominal, weight=weight_of(_KNOWN_TO)).rows(10 * robot.n)
    scales, toward = ((1.0,), "nominal links") if found else (_SCALES, "uniform links")
    P = rows.T @ rows
    return LinkPrior(centre=prior.nominal.ravel(), precision=P, log_det=float(np.linalg.slogdet(P)[1]), scales=scales, toward=toward)


def known_better(prior: LinkPrior, factor: float) -> LinkPrior:
    """The same for links that are known to about this factor."""
    ratio = weight_of(factor) / weight_of(_KNOWN_TO)
    return replace(prior, precision=ratio * prior.precision, log_det=prior.log_det + len(prior.centre) * float(np.log(ratio)))


def moments(robot: Robot, excerpt: Excerpt, tangents: Array | None = None) -> Moments:
    """Of the rows of an excerpt, for a robot as it is mounted.

    tangents : (N, n, k)   Further columns after the links': how efforts change with numbers that are to be found along with them.
    """
    n = robot.n
    Y = torque_regressor(robot, excerpt.q, excerpt.dq, excerpt.ddq)
    if tangents is not None:
        Y = np.concatenate([Y, tangents], axis=2)
    m = Y.shape[2]
    used = excerpt.use.astype(float)
    counts = np.maximum(used.sum(axis=0), 1.0)
    sizes = np.sqrt(np.maximum((used * excerpt.effort**2).sum(axis=0) / counts, np.finfo(float).tiny))
    speeds = np.sqrt(np.maximum((used * excerpt.dq**2).sum(axis=0) / counts, 1e-24))
    A = np.empty((n, len(excerpt.q), m + FRICTION + 1))
    A[:, :, :m] = np.swapaxes(Y, 0, 1) / sizes[:, None, None]
    A[:, :, m] = (excerpt.dq / speeds).T
    A[:, :, m + 1] = excerpt.sign.T
    A[:, :, m + 2] = 1.0
    A[:, :, m + 3] = (excerpt.effort / sizes).T
    A *= np.sqrt(used / counts).T[:, :, None]
    rows = min(max(_INDEPENDENT * excerpt.seconds, _FEWEST), _MOST)
    return Moments(matrices=np.matmul(np.swapaxes(A, 1, 2), A), sizes=sizes, rows=rows, speeds=speeds, floor=excerpt.floor)


def explain(found: Moments, prior: LinkPrior, tangents: Array | None = None) -> Explanation:
    """The most probable explanation, over the prior's scales. tangents : (k,) standard deviations of what the further columns can be."""
    further = np.zeros(0) if tangents is None else tangents
    tried: dict[int, Explanation] = {}

    def at(place: int) -> Explanation:
        if place not in tried:
            tried[place] = _explain(found, prior, prior.scales[place], further)
        return tried[place]

    best = prior.scales.index(1.0)
    while True:  # downhill over the scales
        around = [place for place in (best - 1, best, best + 1) if 0 <= place < len(prior.scales)]
        better = min(around, key=lambda place: at(place).cost)
        if better == best:
            return at(best)
        best = better


def predict(robot: Robot, rows: Excerpt, explanation: Explanation) -> Array:
    """(N, n) the efforts of the rows by an explanation [N·m | N]."""
    viscous, coulomb, offset = explanation.friction.T
    links = inverse_dynamics(robot, explanation.links.reshape(-1, 10), rows.q, rows.dq, rows.ddq)
    return links + viscous * rows.dq + coulomb * rows.sign + offset


def scale_efforts(found: Moments, gains: Sequence[float] | Array) -> Moments:
    """The moments of efforts times these gains, which may be negative."""
    gains = np.asarray(gains, dtype=float)
    matrices, m = found.matrices.copy(), found.matrices.shape[1] - FRICTION - 1
    matrices[:, -1, :] *= np.sign(gains)[:, None]
    matrices[:, :, -1] *= np.sign(gains)[:, None]
    links = 1.0 / np.abs(gains)  # their columns are shares of the effort
    matrices[:, :m, :] *= links[:, None, None]
    matrices[:, :, :m] *= links[:, None, None]
    return replace(found, matrices=matrices, sizes=found.sizes * np.abs(gains))


def _explain(found: Moments, prior: LinkPrior, scale: float, further: Array) -> Explanation:
    n, own = len(found.matrices), len(prior.centre)
    m = own + len(further)
    centre, P = np.append(scale * prior.centre, np.zeros(len(further))), np.zeros((m, m))
    P[:own, :own] = prior.precision / scale**2
    P[own:, own:] = np.diag(1.0 / further**2)
    levels = np.full(n, 0.1**2)
    held = np.zeros((n, FRICTION), dtype=bool)  # friction that would drive the motion is none
    x, log_det = np.zeros(m + FRICTION * n), 0.0
    for round_ in range(_ROUNDS):
        x, log_det = _most_probable(found, centre, P, levels, held)
        friction = x[m:].reshape(n, FRICTION)
        drives = friction < -1e-9
        drives[:, 2] = False
        signed = np.concatenate([np.broadcast_to(x[:m], (n, m)), friction, -np.ones((n, 1))], axis=1)
        left = np.maximum(np.einsum("ja,jab,jb->j", signed, found.matrices, signed), 0.0) + found.floor**2
        settled = bool(np.allclose(left, levels, rtol=0.02)) and not drives.any()
        levels = left
        if round_ < _ROUNDS // 2:
            held |= drives
        if settled:
            break
    away = x[:m] - centre
    friction = x[m:].reshape(n, FRICTION)
    narrow = log_det + 2.0 * own * np.log(scale) - prior.log_det + 2.0 * np.sum(np.log(further))
    away_cost = away @ P @ away + np.sum((friction / FRICTION_STD) ** 2) + (np.log(scale) / np.log(_SCALE_FACTOR)) ** 2
    implausibility = float(away_cost + narrow)
    cost = found.rows * float(np.sum(np.log(levels))) + implausibility
    torques = friction * np.stack([found.sizes / found.speeds, found.sizes, found.sizes], axis=1)
    return Explanation(cost=cost, misfit=np.sqrt(levels), implausibility=implausibility, links=x[:own], friction=torques, tangents=x[own:m])


def _most_probable(found: Moments, centre: Array, P: Array, levels: Array, held: BoolArray) -> tuple[Array, float]:
    """Links and friction for given noise levels, and log det H; friction parameters that are held are zero."""
    n, m = len(levels), len(centre)
    size = m + FRICTION * n
    H, b = np.zeros((size, size)), np.zeros(size)
    weights = found.rows / levels
    H[:m, :m] = P + np.tensordot(weights, found.matrices[:, :m, :m], axes=1)
    b[:m] = P @ centre + np.tensordot(weights, found.matrices[:, :m, -1], axes=1)
    for j, matrix in enumerate(found.matrices):
        own = slice(m + FRICTION * j, m + FRICTION * (j + 1))
        H[:m, own] = weights[j] * matrix[:m, m:-1]
        H[own, :m] = H[:m, own].T
        H[own, own] = weights[j] * matrix[m:-1, m:-1] + np.diag(1.0 / FRICTION_STD**2)
        b[own] = weights[j] * matrix[m:-1, -1]
    free = np.append(np.ones(m, dtype=bool), ~held.ravel())
    # columns of a hypothesis that is far from true can be larger than others by many orders: all are taken to one size
    scale = 1.0 / np.sqrt(np.diag(H)[free])
    even = H[np.ix_(free, free)] * np.outer(scale, scale) + _RIDGE * np.eye(len(scale))
    x = np.zeros(len(b))
    x[free] = scale * np.linalg.solve(even, scale * b[free])
    log_det = float(np.linalg.slogdet(even)[1] - 2.0 * np.sum(np.log(scale)))
    return x, log_det + float(np.sum(np.log(np.broadcast_to(FRICTION_STD**2, held.shape)[~held])))
