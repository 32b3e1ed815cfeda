"""How large parameters are by the size of their robot alone: what turns a robot of millimetres, or of tons, into one like any other.

Robots of the same shape in the same gravity move alike when times go with the root of lengths (Froude's similarity). A parameter is
then larger by the factors of mass and length that its unit contains: kg·m² by mass · length², N·m by mass · length, N·m·s/rad by
mass · length^1.5. Counted in these units, similar robots have the same numbers, and one threshold serves them all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np

from dynident.core.arrays import Array

#: Powers of mass and length in a unit; a second is the root of a length.
_POWERS = {"kg": (1.0, 0.0), "N": (1.0, 0.0), "m": (0.0, 1.0), "s": (0.0, 0.5)}
_EXPONENTS = {"": 1, "²": 2, "³": 3}
_FACTOR = re.compile(r"([A-Za-z]+)([²³]?)")


def unit_sizes(units: Sequence[str], *, mass: float = 1.0, length: float = 1.0) -> Array:
    """(p,) how large parameters of these units are on a robot of that mass [kg] and length [m]; 1 where a unit has neither."""
    powers = [unit_powers(unit) for unit in units]
    return np.array([mass**of_mass * length**of_length for of_mass, of_length in powers])


@cache
def unit_powers(unit: str) -> tuple[float, float]:
    """The powers of mass and of length that a parameter of this unit goes with."""
    above, _, below = unit.partition("/")
    mass = length = 0.0
    for part, sign in ((above, 1.0), (below, -1.0)):
        for symbol, exponent in _FACTOR.findall(part):
            of_mass, of_length = _POWERS.get(symbol, (0.0, 0.0))
            mass += sign * _EXPONENTS[exponent] * of_mass
            length += sign * _EXPONENTS[exponent] * of_length
    return mass, length
