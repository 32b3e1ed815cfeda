"""Units of recorded quantities and their factor to SI."""

from __future__ import annotations

import math

from dynident.errors import UnknownNameError

_TURN = 2.0 * math.pi
_LENGTH = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}
_ANGLE = {"rad": 1.0, "mrad": 1e-3, "deg": math.pi / 180.0, "rev": _TURN}
_FORCE = {"N": 1.0, "mN": 1e-3, "kN": 1e3}
_MOMENT = {"Nm": 1.0, "mNm": 1e-3, "kNm": 1e3, "Ncm": 1e-2}
CURRENT_UNITS = {"A": 1.0, "mA": 1e-3}
_POSITION = _ANGLE | _LENGTH

#: Allowed units of each quantity and their factor to SI.
UNITS: dict[str, dict[str, float]] = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0},
    "q": _POSITION,
    "dq": {f"{name}/s": factor for name, factor in _POSITION.items()} | {"rpm": _TURN / 60.0},
    "ddq": {f"{name}/s^2": factor for name, factor in _POSITION.items()},
    "effort": _MOMENT | _FORCE | CURRENT_UNITS,
    "M": {"kgm^2": 1.0, "gm^2": 1e-3, "kg": 1.0},
    "g": _MOMENT | _FORCE,
    "c": _MOMENT | _FORCE,
}


def factor(quantity: str, unit: str) -> float:
    """What to multiply with to get SI; `rad/s²`, `rad/s2` and `N·m` are understood too."""
    known = UNITS[quantity]
    plain = unit.strip().replace("·", "").replace("*", "").replace("²", "^2")
    if plain.endswith("/s2"):
        plain = plain[:-1] + "^2"
    if plain not in known:
        raise UnknownNameError(f"unit of {quantity}", unit, known)
    return known[plain]


def is_current(unit: str) -> bool:
    """Whether a unit of effort is one of current."""
    return unit.strip() in CURRENT_UNITS
