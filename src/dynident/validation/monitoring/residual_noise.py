"""What noise makes of a residual, posture by posture: a covariance with two variances per joint, found in free motion.

The momentum is M(q) times a measured velocity, so that the noise of the velocity comes into the residual through the inertia, and into
all joints at once; the noise of the effort and the errors of the model come into each joint by itself:

    S(q) = M(q) V M(q)ᵀ + W,        V, W diagonal.

Where the arm is stretched out the residuals are noisier than where it is folded, and the noise of neighbouring joints is alike, while
a push is not. Both variances of each joint are those of the largest likelihood, by the steps of Zhou, Hu, Zhou, Lange ("MM
algorithms for variance components models", Journal of Computational and Graphical Statistics 28, 2019), which never leave the positive
numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from dynident.core.arrays import Array, freeze, per_joint
from dynident.core.records import Shape

#: Steps of the likelihood; the levels, which come after, make up for what is left to gain.
_STEPS = 60
#: Share of the mean square of a residual that the variance of the effort has at least.
_LEAST = 1e-4
#: Rounds in which the rows with contacts in them are told from the others, and the share of rows that is believed in.
_ROUNDS, _BELIEVED = 4, 0.5


@dataclass(frozen=True, kw_only=True, eq=False)
class ResidualNoise:
    """Standard deviations of the residual's noise.

    Attributes
    ----------
    velocity
        Number or (n,) The part that the inertia carries [rad/s² | m/s²].
    effort
        Number or (n,) The part of each joint by itself [N·m | N]; positive.
    """

    velocity: Annotated[Array, Shape("n")]
    effort: Annotated[Array, Shape("n")]

    def for_joints(self, n: int) -> ResidualNoise:
        """The same, checked, with a number for each of n joints."""
        return ResidualNoise(
            velocity=freeze(per_joint("noise of the velocity", self.velocity, n, sign="nonnegative")),
            effort=freeze(per_joint("noise of the effort", self.effort, n, sign="positive")),
        )

    def covariance(self, inertia: Array) -> Array:
        """(N, n, n) S at inertia matrices (N, n, n)."""
        return (inertia * self.velocity**2) @ np.swapaxes(inertia, -1, -2) + np.diag(self.effort**2)


#: Of which nothing is known: one unit of effort in every joint at every posture.
UNIT_NOISE = ResidualNoise(velocity=np.zeros(()), effort=np.ones(()))


def fit_noise(residual: Array, inertia: Array, *, robust: bool = False) -> ResidualNoise:
    """The noise of residuals (N, n) at inertia matrices (N, n, n). robust : some of the rows have contacts in them."""
    if not robust:
        return _fit(residual, inertia)
    quiet = np.maximum(np.quantile(np.abs(residual), _BELIEVED, axis=0), np.finfo(float).tiny)
    noise = _fit_nearest(residual, inertia, np.max(np.abs(residual) / quiet, axis=1))
    for _ in range(_ROUNDS):
        noise = _fit_nearest(residual, inertia, _squared_distance(residual, noise.covariance(inertia)))
    return noise


def _fit_nearest(residual: Array, inertia: Array, distance: Array) -> ResidualNoise:
    """Of the rows that are believed in, those of the smallest distance (N,)."""
    believed = distance <= np.quantile(distance, _BELIEVED)
    return _fit(residual[believed], inertia[believed])


def _fit(r: Array, M: Array) -> ResidualNoise:
    squares = np.maximum(np.mean(r**2, axis=0), np.finfo(float).tiny)
    least = _LEAST * squares
    W = 0.5 * squares
    V = np.full(r.shape[1], np.min(W / np.maximum(np.mean(np.sum(M**2, axis=2), axis=0), np.finfo(float).tiny)))
    for _ in range(_STEPS):
        precision = np.linalg.inv((M * V) @ np.swapaxes(M, 1, 2) + np.diag(W))
        y = np.einsum("Nij,Nj->Ni", precision, r)
        carried = np.einsum("Nij,Ni->Nj", M, y)
        V = V * np.sqrt(np.mean(carried**2, axis=0) / np.mean(np.einsum("Nij,Nij->Nj", M, precision @ M), axis=0))
        W = np.maximum(W * np.sqrt(np.mean(y**2, axis=0) / np.mean(np.diagonal(precision, axis1=1, axis2=2), axis=0)), least)
    return ResidualNoise(velocity=np.sqrt(V), effort=np.sqrt(W))


def _squared_distance(residual: Array, covariance: Array) -> Array:
    return np.einsum("Ni,Ni->N", residual, np.linalg.solve(covariance, residual[..., None])[..., 0])
