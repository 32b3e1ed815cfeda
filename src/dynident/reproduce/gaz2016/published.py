"""The numbers of C. Gaz, F. Flacco, A. De Luca, ICRA 2016: eqs. 8, 12, 15 and 18, Tables I and III.

Tables II and IV with the don't-care values of eq. 20 are the robot `kuka_lwr4` of the library.
"""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.links import Bounds, FeasibleSet, TotalMass

#: Eq. 8: the gravity coefficients in masses and first moments, with d1 = 0.4 m and d2 = 0.39 m; eq. 12: their values as printed [kg·m].
GRAVITY: tuple[tuple[dict[str, float], str], ...] = (
    ({"mc7y": 1.0}, "9.5457e-4"),
    ({"mc7x": 1.0}, "-2.9826e-4"),
    ({"mc6x": 1.0}, "8.3524e-4"),
    ({"mc6z": 1.0, "mc7z": 1.0}, "0.0286"),
    ({"mc5z": 1.0, "mc6y": -1.0}, "-0.0407"),
    ({"mc5x": 1.0}, "-6.5637e-4"),
    ({"mc5y": 1.0, "mc4z": 1.0, "m5": 0.39, "m6": 0.39, "m7": 0.39}, "1.334"),
    ({"mc4x": 1.0}, "-0.0035"),
    ({"mc4y": 1.0, "mc3z": 1.0}, "-4.7258e-4"),
    ({"mc2x": 1.0}, "0.0014"),
    ({"mc3x": 1.0}, "9.4532e-4"),
    ({"mc2z": 1.0, "mc3y": -1.0, "m3": 0.4, "m4": 0.4, "m5": 0.4, "m6": 0.4, "m7": 0.4}, "3.4568"),
)

#: Table I: centres of mass of each link, (low, high) of x, y, z [m].
_COM = (
    ((-0.05, 0.05), (-0.2, 0.05), (-0.1, 0.1)),
    ((-0.05, 0.05), (-0.1, 0.1), (-0.05, 0.2)),
    ((-0.05, 0.05), (-0.05, 0.2), (-0.1, 0.1)),
    ((-0.05, 0.05), (-0.1, 0.1), (-0.05, 0.2)),
    ((-0.05, 0.05), (-0.2, 0.05), (-0.1, 0.1)),
    ((-0.05, 0.05), (-0.1, 0.1), (-0.1, 0.1)),
    ((-0.05, 0.05), (-0.05, 0.05), (0.05, 0.1)),
)
#: Table III: largest diagonal element and largest product of each link [kg·m²].
_INERTIA = ((0.05, 0.005),) * 5 + ((0.01, 0.002), (0.005, 0.0005))

MASSES_AND_CENTRES = FeasibleSet(
    tuple(Bounds(f"m{i}", 0.0, 6.0) for i in range(1, 8))
    + tuple(Bounds(f"c{i}{axis}", *limits) for i, link in enumerate(_COM, start=1) for axis, limits in zip("xyz", link, strict=True))
)
INERTIAS = FeasibleSet(
    tuple(Bounds(f"I{i}{e}", 0.0, largest) for i, (largest, _) in enumerate(_INERTIA, start=1) for e in ("xx", "yy", "zz"))
    + tuple(Bounds(f"I{i}{e}", -product, product) for i, (_, product) in enumerate(_INERTIA, start=1) for e in ("xy", "xz", "yz"))
)
#: Eq. 18 [kg].
TOTAL_MASS = TotalMass(13.0, 19.0)


def gravity_rows(names: tuple[str, ...]) -> tuple[Array, Array]:
    """(12, p) the rows of eq. 8 over standard columns, and (12,) the values of eq. 12."""
    K = np.zeros((len(GRAVITY), len(names)))
    for row, (terms, _) in zip(K, GRAVITY, strict=True):
        for name, factor in terms.items():
            row[names.index(name)] = factor
    return K, np.array([float(value) for _, value in GRAVITY])
