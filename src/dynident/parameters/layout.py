"""The ten linear parameters of a link: names, units and order, in one place.

A link's parameter vector is ``m, mcx, mcy, mcz, Jxx, Jxy, Jxz, Jyy, Jyz, Jzz``: mass, first moment and
inertia J about the *origin* of the link's parameter frame. Off-diagonals are the elements of the tensor
(URDF's convention, Jxy = -∫xy dm).
"""

from __future__ import annotations

from typing import NamedTuple

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


def parameter_entries(links: int) -> tuple[ParameterEntry, ...]:
    """Name and unit of every entry of the stacked vector of `links` links (length 10 * links)."""
    entries: list[ParameterEntry] = []
    for link in range(links):
        number = link + 1
        names = [f"m{number}", *(f"mc{number}{axis}" for axis in "xyz"), *(f"J{number}{e}" for e in INERTIA_NAMES)]
        units = ["kg"] + 3 * ["kg·m"] + 6 * ["kg·m²"]
        entries += [ParameterEntry(name, unit, link, slot) for slot, (name, unit) in enumerate(zip(names, units, strict=True))]
    return tuple(entries)


def parameter_names(links: int) -> tuple[str, ...]:
    """Names of the stacked parameter vector: m1, mc1x, ..., J1zz, m2, ..."""
    return tuple(entry.name for entry in parameter_entries(links))
