"""What people say of a payload: mass, centre of mass and inertia about it, with their uncertainty, from its ten linear parameters.

The centre of mass is a quotient of two uncertain numbers, whose interval is Fieller's (J. R. Stat. Soc. B 16, 1954): all t for which
mc - t m is zero within its uncertainty. It has no end where the mass itself could be zero.
"""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.robots.parameters import INERTIA_ELEMENTS, INERTIA_NAMES, PARAMETERS_PER_LINK, inertia_tensor, link_inertia

NAMES = ("mass", *(f"centre of mass {axis}" for axis in "xyz"), *(f"inertia {element}" for element in INERTIA_NAMES))
UNITS = ("kg", *("m",) * 3, *("kg·m²",) * 6)
_DIAGONAL = [4 + k for k, (i, j) in enumerate(INERTIA_ELEMENTS) if i == j]


def quantities(parameters: Array) -> Array:
    """(10,) mass, centre of mass, and xx, xy, xz, yy, yz, zz of the inertia about it, of linear parameters (10,)."""
    body = link_inertia(parameters)
    return np.array([body.mass, *body.com, *body.elements.values()])


def quantity_jacobian(parameters: Array) -> Array:
    """(10, 10) derivatives of the quantities by the linear parameters: c = mc / m and I = J - (mc·mc 1 - mc mcᵀ) / m."""
    m, mc = float(parameters[0]), parameters[1:4]
    change = np.eye(PARAMETERS_PER_LINK)  # row k is a change of parameter k
    dm, dmc = change[:, 0], change[:, 1:4]
    dc = dmc / m - np.outer(dm, mc) / m**2
    crossed = dmc[:, :, None] * mc[None, None, :]
    moved = 2.0 * (dmc @ mc)[:, None, None] * np.eye(3) - crossed - crossed.swapaxes(1, 2)
    scaled = (mc @ mc) * np.eye(3) - np.outer(mc, mc)
    dI = inertia_tensor(change[:, 4:]) - moved / m + dm[:, None, None] * scaled / m**2
    return np.column_stack([dm, dc, *(dI[:, i, j] for i, j in INERTIA_ELEMENTS)]).T


def quantity_std(parameters: Array, covariance: Array) -> Array:
    """(10,) standard deviations of the quantities, to first order in those of the parameters."""
    J = quantity_jacobian(parameters)
    return np.sqrt(np.einsum("ij,jk,ik->i", J, covariance, J))


def quantity_intervals(parameters: Array, covariance: Array, quantile: float) -> Array:
    """(10, 2) lower and upper ends: so many standard deviations to either side, but no negative masses and moments of inertia."""
    half = quantile * quantity_std(parameters, covariance)
    ends = quantities(parameters)[:, None] + np.outer(half, [-1.0, 1.0])
    ends[[0, *_DIAGONAL], 0] = np.maximum(ends[[0, *_DIAGONAL], 0], 0.0)
    for k in range(1, 4):
        ends[k] = _quotient_interval(parameters[[k, 0]], covariance[np.ix_([k, 0], [k, 0])], quantile)
    return ends


def _quotient_interval(pair: Array, covariance: Array, quantile: float) -> tuple[float, float]:
    """Fieller's interval of pair[0] / pair[1]: where a t² - 2 b t + c <= 0."""
    M = np.outer(pair, pair) - quantile**2 * covariance
    a, b, c = float(M[1, 1]), float(M[0, 1]), float(M[0, 0])
    if a <= 0.0:
        return -np.inf, np.inf
    root = np.sqrt(max(b * b - a * c, 0.0))
    return (b - root) / a, (b + root) / a
