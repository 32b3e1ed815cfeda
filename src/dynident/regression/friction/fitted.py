"""Fitted shapes of friction with their standard deviations, and which of a joint's parameters are only known together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.core.texts import short_number

#: A parameter that is known to less than this share of its value is in doubt ...
IN_DOUBT = 0.2
#: ... and two of them are known together where their product or ratio is known so many times better.
BETTER_TOGETHER = 4.0


@dataclass(frozen=True, kw_only=True)
class FittedShape:
    """A shape constant of one joint's friction, as it was fitted.

    symbol : str          What the papers call it, where that is something else.
    std : float or None   Standard deviation; None where the shape is at an end of its range, or the data don't tell it.
    at_bound : bool       Whether it is at an end of its range.
    """

    joint: str
    name: str
    symbol: str = ""
    value: float
    std: float | None
    unit: str
    at_bound: bool = False

    @property
    def label(self) -> str:
        """Its name, with that of the papers in brackets."""
        return f"{self.name} ({self.symbol})" if self.symbol else self.name


def shape_notes(shapes: Sequence[FittedShape], together: Sequence[str]) -> Iterator[str]:
    """What a reader of fitted shapes should know. together : what `known_together` found."""
    ends = [f"{shape.label} of {shape.joint} ({short_number(shape.value)} {shape.unit})" for shape in shapes if shape.at_bound]
    if ends:
        yield (
            f"{', '.join(ends)} ended at the end of {'its range' if len(ends) == 1 else 'their ranges'}: these data don't show where it "
            "ends, and a simpler model would do"
        )
    lost = [f"{shape.label} of {shape.joint}" for shape in shapes if shape.std is None and not shape.at_bound]
    if lost:
        yield f"these data don't determine {', '.join(lost)} apart from the other friction parameters"
    if together:
        yield (
            f"only known together: {'; '.join(together)}; each by itself is not, because at these speeds the data don't separate them, so "
            "use them together"
        )


def known_together(joint: str, names: Sequence[str], values: Array, covariance: Array) -> Iterator[str]:
    """Pairs of a joint's parameters whose product or ratio is known and neither of them is, in words."""
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = covariance / np.outer(values, values)
    for a in range(len(names)):
        for b in range(a):
            variance, other, both = (float(relative[i, j]) for i, j in ((a, a), (b, b), (a, b)))
            if not (np.isfinite(variance + other + both) and min(variance, other) > IN_DOUBT**2):
                continue
            spreads = {"product": variance + other + 2.0 * both, "ratio": variance + other - 2.0 * both}
            kind = min(spreads, key=lambda name: spreads[name])
            if spreads[kind] * BETTER_TOGETHER**2 < min(variance, other):
                spread = 100.0 * float(np.sqrt(max(spreads[kind], 0.0)))
                yield f"the {kind} of {names[b]} and {names[a]} of {joint} (to {short_number(spread)} %)"
