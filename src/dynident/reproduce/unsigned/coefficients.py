"""The report's coefficients from base parameters: two of the pendulum, ten combinations of thirteen of the 3R arm."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dynident.core.arrays import Array
from dynident.regression import base_parameters
from dynident.reproduce.unsigned.published import D2, GRAVITY, L2, L3
from dynident.robots import load_robot

#: The pendulum's coefficients g m d and I + m d² in linear parameters.
_TWO: tuple[dict[str, float], ...] = ({"mc1x": GRAVITY}, {"J1zz": 1.0})
#: m3 (L3 - d) in linear parameters about the frame at the end of link 3.
_LEVER = {"mc3x": 1.0, "m3": L3}
#: Inertia of links 2 and 3 about axes through their joints, from those about the frames at their ends (a = L): J + 2 L mcx + L² m.
_TEN: tuple[dict[str, float], ...] = (
    {"J1yy": 1.0, "J2xx": 1.0, "J3xx": 1.0, "mc2z": -2 * D2, "m2": D2**2, "m3": D2**2},
    {"J2yy": 1.0, "J2xx": -1.0, "mc2x": 2 * L2, "m2": L2**2, "m3": L2**2},
    {"J3yy": 1.0, "J3xx": -1.0, "mc3x": 2 * L3, "m3": L3**2},
    {name: L2 * factor for name, factor in _LEVER.items()},
    {"J2zz": 1.0, "mc2x": 2 * L2, "m2": L2**2, "J3zz": 1.0, "mc3x": 2 * L3, "m3": L3**2 + L2**2},
    {"J3zz": 1.0, "mc3x": 2 * L3, "m3": L3**2},
    {"J2xz": 1.0, "mc2x": D2, "mc2z": -L2, "m2": L2 * D2, "m3": L2 * D2},
    {name: D2 * factor for name, factor in _LEVER.items()},
    {"mc2x": GRAVITY, "m2": GRAVITY * L2, "m3": GRAVITY * L2},
    {name: GRAVITY * factor for name, factor in _LEVER.items()},
)


def report_coefficients(arm: str, values: Array) -> Array:
    """(2,) or (10,) of the arm "1R" or "3R", from its base parameters (b,)."""
    return _transform(arm) @ values


@lru_cache(maxsize=2)
def _transform(arm: str) -> Array:
    """(k, b) from base parameters to the report's coefficients.

    The report's model leaves out what is zero in its robot; on the parameters that it has, its coefficients are
    combinations of the base parameters.
    """
    base = base_parameters(load_robot("pendulum_1r" if arm == "1R" else "spatial_3r"))
    rows = _TWO if arm == "1R" else _TEN
    used = sorted({name for row in rows for name in row})
    target = np.array([[row.get(name, 0.0) for name in used] for row in rows])
    grouping = base.grouping[:, [base.columns.names.index(name) for name in used]]
    return np.asarray(np.linalg.lstsq(grouping.T, target.T, rcond=1e-12)[0].T, dtype=float)
