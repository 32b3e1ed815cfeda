"""The ten linear parameters of a link: names, units and order, in one place.

A link's parameter vector is ``m, mcx, mcy, mcz, Jxx, Jxy, Jxz, Jyy, Jyz, Jzz``: mass, first moment and
inertia J about the *origin* of the link's parameter frame. Off-diagonals are the elements of the tensor
(URDF's convention, Jxy = -∫xy dm).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, all_finite
from dynident.errors import ShapeError, ValueRangeError

PARAMETERS_PER_LINK = 10

#: Where each element of the symmetric 3x3 inertia stands in the vector: (row, column) of xx, xy, xz, yy, yz, zz.
INERTIA_ELEMENTS: tuple[tuple[int, int], ...] = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
INERTIA_NAMES: tuple[str, ...] = ("xx", "xy", "xz", "yy", "yz", "zz")


class ParameterEntry(NamedTuple):
    """One entry of the parameter vector."""

    name: str  #: with the link's number, as in the papers: m2, mc2x, J2xx
    unit: str
    link: int  #: zero-based
    slot: int  #: 0 to 9 within the link
    quantity: str  #: m, mc or J
    element: str  #: x or xx; empty for a mass


def parameter_entries(links: int) -> tuple[ParameterEntry, ...]:
    """Name and unit of every entry of the stacked vector of `links` links (length 10 * links)."""
    slots = [("m", "", "kg"), *(("mc", axis, "kg·m") for axis in "xyz"), *(("J", element, "kg·m²") for element in INERTIA_NAMES)]
    return tuple(
        ParameterEntry(f"{quantity}{link + 1}{element}", unit, link, slot, quantity, element)
        for link in range(links)
        for slot, (quantity, element, unit) in enumerate(slots)
    )


def parameter_names(links: int) -> tuple[str, ...]:
    """Names of the stacked parameter vector: m1, mc1x, ..., J1zz, m2, ..."""
    return tuple(entry.name for entry in parameter_entries(links))


def link_rows(parameters: ArrayLike, links: Sequence[str]) -> Array:
    """(n, 10) parameters of these links that were given as such, or stacked (10 n,); finite."""
    values, n = np.asarray(parameters, dtype=float, order="C"), len(links)
    if values.shape not in ((n, PARAMETERS_PER_LINK), (n * PARAMETERS_PER_LINK,)):
        raise ShapeError("parameters", values.shape, f"({n}, 10) = (links, parameters) or ({10 * n},)")
    rows = values.reshape(n, PARAMETERS_PER_LINK)
    if not all_finite(rows):
        bad = int(np.argmin(np.isfinite(rows).all(axis=1)))
        raise ValueRangeError(f"parameters of link {links[bad]!r}", "contains NaN or infinity; every link needs ten finite numbers")
    return rows
