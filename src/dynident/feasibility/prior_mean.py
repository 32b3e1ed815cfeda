"""Where a prior on consistent links must be centred for the nominal link to be their mean.

In the entropic metric S = P₀^-½ P P₀^-½ has the density exp(-weight/4 ‖S - c 1‖²) over 4x4 matrices S ≻ 0. With c = 1 it is most
probable at the nominal link, but what the boundary cuts off is lighter: at weight one a link is 2.1 times as heavy on average. The
mean is 1 for one c below that. It follows from the density of the eigenvalues, Π |λᵢ - λⱼ| exp(-weight/4 Σ (λᵢ - c)²) for λ > 0, whose
integral is a Pfaffian of double integrals (de Bruijn, J. Indian Math. Soc. 19, 1955; Mehta, Random Matrices, 2004). For small weights
c tends to -5 / weight: the distribution of largest entropy among all with that mean, exp(-5/2 tr S).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from dynident.core.arrays import Array

#: Beyond this weight the boundary cuts off so little that mode and mean are the same to 1e-6.
_NOTHING_CUT = 64.0
_NODES = 300
#: The density is followed down to e to the minus this.
_DEPTH = 60.0


@cache
def centre_for_mean(weight: float) -> float:
    """The c of a prior of that weight for which S is 1 on average."""
    if weight > _NOTHING_CUT:
        return 1.0
    low, high = -6.0 / weight, 1.0  # the means there are below 5/6 and above 1
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if mean_of_truncated(middle, weight) < 1.0 else (low, middle)
    return 0.5 * (low + high)


def mean_of_truncated(centre: float, weight: float) -> float:
    """E tr S / 4 of a density about `centre`: the derivative of the logarithm of its integral along exp(s tr S)."""
    above = max(centre, 0.0)
    reach = 2.0 * _DEPTH / (np.sqrt((above - centre) ** 2 * weight**2 / 4.0 + weight * _DEPTH) + (above - centre) * weight / 2.0)
    nodes, shares = _quadrature()
    values = 0.5 * (above + reach) * (nodes + 1.0)
    exponents = -0.25 * weight * (values - centre) ** 2
    density = shares * np.exp(exponents - exponents.max())
    powers = ((values - values @ density / density.sum()) / reach) ** np.arange(4)[:, None] * density
    plain, tilted = _ordered(powers, powers), _ordered(values * powers, powers) + _ordered(powers, values * powers)
    return (_polarised(tilted, plain) + _polarised(plain, tilted)) / (4.0 * _polarised(plain, plain))


@cache
def _quadrature() -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(_NODES)


def _ordered(f: Array, g: Array) -> Array:
    """(4, 4) sums of fᵢ(x) gⱼ(y) over x < y minus those over x > y."""
    below = np.cumsum(f, axis=1) - 0.5 * f
    above = f.sum(axis=1, keepdims=True) - below
    return np.asarray((below - above) @ g.T, dtype=float)


def _polarised(a: Array, b: Array) -> float:
    """The Pfaffian of an antisymmetric 4x4 matrix, a for its first factors and b for its second ones."""
    return float(a[0, 1] * b[2, 3] - a[0, 2] * b[1, 3] + a[0, 3] * b[1, 2])
