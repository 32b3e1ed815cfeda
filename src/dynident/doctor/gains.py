"""Torque per unit of recorded effort, joint by joint: the gains for which all joints agree about the links that they carry."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.doctor.explanation import FRICTION, FRICTION_STD, LinkPrior, Moments

#: What is unexplained, as a share of the effort, while gains are looked for.
_LEVEL = 0.1
_ROUNDS = 12
#: A gain may change by this factor in a round.
_LARGEST_STEP = 3.0
#: Shares are no smaller than this.
_NONE = 1e-9


def find_gains(found: Moments, prior: LinkPrior) -> Array:
    """(n,) gains, negative where an effort counts the other way.

    With a = 1 / gain the recorded effort is a_j Y_j π + φ_j f_j, linearised in a_j and π together, from the prior's own links on; the
    prior tells how heavy an arm is, and so the gain that all have in common.
    """
    links = prior.centre
    shares = np.array([_slope(matrix, links) for matrix in found.matrices])
    shares = np.where(np.abs(shares) > _NONE, shares, _NONE)  # of a joint without an effort, or whose links have none
    for _ in range(_ROUNDS):
        links, changed = _step(found, prior, links, shares)
        ratio = np.clip(changed / shares, 1.0 / _LARGEST_STEP, _LARGEST_STEP)
        shares = shares * ratio
        if np.abs(ratio - 1.0).max() < 1e-3:
            break
    return 1.0 / shares


def _slope(matrix: Array, links: Array) -> float:
    """Of a joint's recorded effort over the effort of given links, beside friction."""
    A = np.zeros((len(matrix) - 1, 1 + FRICTION))
    A[: len(links), 0] = links
    A[len(links) :, 1:] = np.eye(FRICTION)
    H = A.T @ matrix[:-1, :-1] @ A + np.diag([1e-12, *1e-2 / FRICTION_STD**2])
    return float(np.linalg.solve(H, A.T @ matrix[:-1, -1])[0])


def _step(found: Moments, prior: LinkPrior, links: Array, shares: Array) -> tuple[Array, Array]:
    """Better links and shares, by one step of Gauss and Newton."""
    n, m = len(shares), len(links)
    own = 1 + FRICTION  # the change of the share, then friction
    H, b = np.zeros((m + own * n, m + own * n)), np.zeros(m + own * n)
    H[:m, :m], b[:m] = prior.precision, prior.precision @ prior.centre
    weight = found.rows / _LEVEL**2
    for j, matrix in enumerate(found.matrices):
        A = np.zeros((m + FRICTION, m + own))
        A[:m, :m] = shares[j] * np.eye(m)
        A[:m, m] = links
        A[m:, m + 1 :] = np.eye(FRICTION)
        places = np.append(np.arange(m), m + own * j + np.arange(own))
        H[np.ix_(places, places)] += weight * A.T @ matrix[:-1, :-1] @ A
        b[places] += weight * A.T @ matrix[:-1, -1]
        std = np.array([abs(shares[j]), *FRICTION_STD])
        H[places[m:], places[m:]] += 1.0 / std**2
    x: Array = np.asarray(np.linalg.solve(H, b), dtype=float)
    return x[:m], shares + x[m::own]
