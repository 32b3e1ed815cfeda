"""The numbers of M. Pennese, V. Vulcano, "Robotics II final project": Tables 1 to 3, coefficients, and norms of their errors.

The robots are `pendulum_1r` and `spatial_3r` of the library. The report leaves out zeros at the end; here numbers have its four decimals.
"""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array

#: Standard gravity as the report has it [m/s²].
GRAVITY = 9.81
#: Table 2: lengths of the 3R arm [m].
L2, L3, D2 = 0.3, 0.2, 0.09

#: Table 1: m [kg], d [m] and I [kg·m²] of the pendulum: ground truth, then experiments 1 to 4.
TABLE_1: dict[str, tuple[str, str, str, str, str]] = {
    "m": ("5", "6.1966", "7.1361", "7.3009", "6.1980"),
    "d": ("0.5", "0.4035", "0.3488", "0.3428", "0.4036"),
    "I": ("0.4208", "3.9016e-4", "0.0864", "0.1789", "0.0000"),
}
#: Section 2.5: g m d [N·m] and I + m d² [kg·m²], ground truth and experiments; the norm of their error.
COEFFICIENTS_1R: tuple[tuple[str, str], ...] = (
    ("24.5250", "1.6708"),
    ("24.5288", "1.0093"),
    ("24.4203", "0.9547"),
    ("24.5510", "1.0367"),
    ("24.5375", "1.0094"),
)
NORMS_1R = ("0.6615", "0.7237", "0.6346", "0.6616")

#: Table 3: parameters of the 3R arm: ground truth, then experiments 1 to 4 [kg, m, kg·m²].
TABLE_3: dict[str, tuple[str, str, str, str, str]] = {
    "m1": ("10.0000", "8.7750", "12.0069", "8.2248", "8.2510"),
    "m2": ("1.1250", "2.8457", "1.6704", "1.5018", "3.0000"),
    "m3": ("0.7500", "0.3780", "0.7781", "0.3902", "0.5550"),
    "c1x": ("0.0000", "0.0000", "0.0000", "0.0000", "0.0000"),
    "c1y": ("-0.1500", "-0.1775", "-0.2717", "-0.0743", "-0.1428"),
    "c1z": ("0.0000", "0.0000", "0.0000", "0.0000", "0.0000"),
    "c2x": ("-0.1500", "-0.2019", "-0.2042", "-0.1174", "-0.2241"),
    "c2y": ("0.0000", "0.0000", "0.0000", "0.0000", "0.0000"),
    "c2z": ("-0.0600", "0.0000", "0.0000", "0.0000", "0.0000"),
    "c3x": ("-0.1000", "-2.6625e-6", "-0.1028", "-0.0053", "-0.0653"),
    "c3y": ("0.0000", "0.0000", "0.0000", "0.0000", "0.0000"),
    "c3z": ("0.0000", "0.0000", "0.0000", "0.0000", "0.0000"),
    "I1yy": ("0.0042", "0.0000", "0.0000", "0.0000", "0.0000"),
    "I2xx": ("4.6879e-4", "0.0000", "0.0000", "0.0000", "0.0000"),
    "I2yy": ("0.0087", "0.0000", "0.0000", "0.0000", "0.0000"),
    "I2zz": ("0.0087", "0.0000", "0.0000", "0.0000", "0.0000"),
    "I3xx": ("3.1253e-4", "1.7519e-4", "0.0000", "4.8827e-8", "0.0000"),
    "I3yy": ("0.0025", "1.0697e-4", "0.0000", "1.4168e-6", "0.0000"),
    "I3zz": ("0.0025", "2.5175e-4", "0.0000", "1.4949e-6", "0.0000"),
}
#: Section 3.6: the 13 coefficients, ground truth as printed and experiments; the norms of their errors.
COEFFICIENTS_3R: tuple[tuple[str, ...], ...] = (
    ("0.0113", "0.3040", "0.0005", "0.0702", "0.0003", "0.0675", "0.3741", "0.0702", "0.0354", "0.2030", "4.9663", "2.2073", "2.2072"),
    ("0.0261", "0.0614", "0.0000", "0.0152", "0.0002", "0.0227", "0.0768", "0.0154", "0.0353", "0.0068", "2.7377", "0.7416", "1.1124"),
    ("0.0198", "0.0854", "0.0000", "0.0740", "0.0000", "0.0227", "0.0927", "0.0074", "0.0354", "0.0068", "1.5701", "0.7423", "2.2900"),
    ("0.0153", "0.0852", "0.0000", "0.0148", "0.0000", "0.0228", "0.1000", "0.0148", "0.0352", "0.0068", "2.6904", "0.7454", "1.1483"),
    ("0.0288", "0.0672", "0.0000", "0.0101", "0.0000", "0.0224", "0.0773", "0.0101", "0.0355", "0.0067", "2.2342", "0.7334", "1.6332"),
)
NORMS_3R = ("2.9102", "3.7181", "2.9274", "3.1812")

#: The ten combinations of the 13 that the torque contains: π1 + π3 + π5, π2 - π3, π4 - π5, π6, π7, π8, π9, π10, π11 + π13, π12.
TEN = np.zeros((10, 13))
for _row, _terms in enumerate(([1, 3, 5], [2, -3], [4, -5], [6], [7], [8], [9], [10], [11, 13], [12])):
    for _term in _terms:
        TEN[_row, abs(_term) - 1] = np.sign(_term)


#: Misprints among these, (row, coefficient from 0): what the report's own tables and norms require in their place.
MISPRINTS = {(0, 9): 0.0203, (2, 3): 0.0074}


def coefficients_3r(row: int, *, mended: bool = False) -> Array:
    """(13,) the ground truth (row 0) or the estimate of an experiment (1 to 4), as printed or without the misprints."""
    values = np.array([float(text) for text in COEFFICIENTS_3R[row]])
    for (place, k), value in MISPRINTS.items():
        if mended and place == row:
            values[k] = value
    return values


def thirteen(m: Array, b: float, c: float, d: float, inertia: dict[str, float]) -> Array:
    """(13,) the report's coefficients by its own formulas (section 3.1). m : (3,) masses; b, c, d : offsets of the centres of mass [m]."""
    _, m2, m3 = m
    return np.array(
        [
            inertia["I1yy"] + m2 * (c + D2) ** 2 + m3 * D2**2,
            m2 * (L2 - b) ** 2 + m3 * L2**2 + inertia["I2yy"],
            inertia["I2xx"],
            inertia["I3yy"] + m3 * (L3 - d) ** 2,
            inertia["I3xx"],
            m3 * (L3 - d) * L2,
            inertia["I2zz"] + m2 * (L2 - b) ** 2 + inertia["I3zz"] + m3 * (L2**2 + (L3 - d) ** 2),
            m3 * (L3 - d) ** 2 + inertia["I3zz"],
            m2 * (L2 - b) * (c + D2) + m3 * L2 * D2,
            m3 * (L3 - d) * D2,
            GRAVITY * m2 * (L2 - b),
            GRAVITY * m3 * (L3 - d),
            GRAVITY * m3 * L2,
        ]
    )


def true_thirteen() -> Array:
    """(13,) of the robot in the report's simulation, with the inertias that its section 3.2 prints."""
    inertia = {"I1yy": 4.167e-3, "I2xx": 4.6879e-4, "I2yy": 8.6715e-3, "I2zz": 8.6715e-3}
    inertia |= {"I3xx": 3.1252e-4, "I3yy": 2.6565e-3, "I3zz": 2.6565e-3}
    return thirteen(np.array([10.0, 1.125, 0.75]), 0.15, 0.06, 0.1, inertia)
