"""How far apart two links are: a metric on a link's ten parameters, and what a factor says in it."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from dynident.core.arrays import Array
from dynident.errors import ValueRangeError
from dynident.robots.parameters.link_parameters import pseudo_inertia

Metric: TypeAlias = Literal["euclidean", "entropic"]

#: A nominal link at the very edge of consistency (a rod, a plate) would hold its thin direction with infinite stiffness:
#: the metric is measured at a link that is thicker by this share of its mean second moment.
SOFTENING = 0.1


def link_metric(link: Array, metric: Metric, *, robot: tuple[float, float] = (1.0, 1.0)) -> Array:
    """(k, 10) rows whose squared length is the distance of a small change of a link's parameters, measured at `link`.

    robot : mass [kg] and length [m] of its links, about: in the euclidean metric a link without mass or size has a thousandth of that
        mass and a hundredth of that length.
    """
    if metric == "euclidean":
        mass, length = robot
        size = max(float(np.sqrt(np.trace(pseudo_inertia(link)[:3, :3]) / max(link[0], 1e-6 * mass))), 1e-2 * length)
        scale = max(link[0], 1e-3 * mass) * np.array([1.0, *[size] * 3, *[size**2] * 6])
        return np.diag(1.0 / scale)
    # ½ ‖P0^-½ dP P0^-½‖_F²: the Hessian of the divergence at the nominal pseudo-inertia P0, taken about the centre of mass
    P, to_com = thicken(link)
    # P has kg beside kg·m²: Cholesky's factor rounds alike whatever the units, where eigenvectors lose the digits of small links
    try:
        root = to_com.T @ np.linalg.inv(np.linalg.cholesky(P).T)
    except np.linalg.LinAlgError:
        raise ValueRangeError("nominal parameters", "are those of no body, so that no distance can be measured from them") from None
    half = np.einsum("ka,pkl,lb->pab", root, pseudo_inertia(np.eye(10)), root).reshape(10, 16)
    return half.T / np.sqrt(2.0)


def thicken(link: Array) -> tuple[Array, Array]:
    """(4, 4) the pseudo-inertia at which the metric is measured, about the centre of mass, and the (4, 4) that goes there."""
    to_com = np.eye(4)
    to_com[:3, 3] = -link[1:4] / link[0]
    P = to_com @ pseudo_inertia(link) @ to_com.T
    P[:3, :3] += SOFTENING * np.trace(P[:3, :3]) / 3.0 * np.eye(3)
    return P, to_com


def round_out(link: Array) -> tuple[Array, Array]:
    """(4, 4) the pseudo-inertia about the centre of mass with no principal second moment below `SOFTENING` of their mean, and the (4, 4)
    that goes there: a rod or a plate as a body that others can be near; nothing is changed of links that are none."""
    to_com = np.eye(4)
    to_com[:3, 3] = -link[1:4] / link[0]
    P = to_com @ pseudo_inertia(link) @ to_com.T
    moments, axes = np.linalg.eigh(P[:3, :3])
    P[:3, :3] = (axes * np.maximum(moments, SOFTENING * float(moments.mean()))) @ axes.T
    return P, to_com


def weight_of(factor: float) -> float:
    """The weight that says that links are known to about this factor: scaling a link by e^σ costs 2 σ², which is one for about two."""
    return float((np.log(2.0) / np.log(factor)) ** 2)


def factor_of(weight: float) -> float:
    """The factor to which a prior of this weight says that links are known."""
    return float(np.exp(np.log(2.0) / np.sqrt(weight)))
