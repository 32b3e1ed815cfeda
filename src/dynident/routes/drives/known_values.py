"""Numbers that somebody knows, and how well: what a scale says, a data sheet, or a guess with its doubt."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from dynident.core.kinds import parse_number
from dynident.errors import ValueRangeError

#: Share of a value to which it is known where nothing is said: a kitchen scale, and more than a data sheet's rounding.
USUAL_SHARE = 0.002
_SIGN = re.compile(r"±|\+/-|\+-")


@dataclass(frozen=True)
class KnownValue:
    """A value and its standard deviation, in the unit of the quantity; a plain number is known to 0.2 %.

    Attributes
    ----------
    value : float
        In the unit of the quantity.
    std : float
        Standard deviation in the same unit.
    """

    value: float
    std: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and math.isfinite(self.std) and self.std > 0.0):
            raise ValueRangeError(
                "a known value", f"is {self.value:g} ± {self.std:g}; finite numbers and a positive deviation were expected"
            )

    @staticmethod
    def of(given: float | str, *, share: float = USUAL_SHARE, std: float | None = None) -> KnownValue:
        """Of 2.8, "2.8", "2.8±0.05" or "28.9±5%"; `+-` is ± for keyboards. ± gives one standard deviation.

        Parameters
        ----------
        share, std
            What a number without ± is known to, as a share of it or, where that is given, in its unit.
        """
        first, *rest = _SIGN.split(given) if isinstance(given, str) else (repr(float(given)),)
        value, doubt = parse_number(first), rest[0].strip() if len(rest) == 1 else ""
        deviation = parse_number(doubt.removesuffix("%")) if doubt else None
        if value is None or (rest and deviation is None):
            raise ValueRangeError("a known value", f"is {given!r}; a number was expected, such as 2.8, 2.8±0.05 or 28.9±5%")
        if deviation is None:
            return KnownValue(value, share * abs(value) if std is None else std)
        return KnownValue(value, 0.01 * deviation * abs(value) if doubt.endswith("%") else deviation)

    def __str__(self) -> str:
        return f"{self.value:g} ± {self.std:.2g}"
