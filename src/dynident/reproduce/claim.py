"""A published number beside ours. The verdict follows from the numbers; nobody writes it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from dynident.errors import ValueRangeError


class ClaimVerdict(StrEnum):
    """What became of a claim; the value is the words that the user sees."""

    EQUAL = "equal"
    BETTER = "better"
    NEAR = "near"
    CONSTRUCTED = "by construction"
    NOT_REPRODUCIBLE = "not reproducible"
    ERROR = "the paper is in error"


#: Two numbers are near where they differ by at most this share of the published one. One share for all claims, so that none is judged by
#: a tolerance that was chosen for it.
NEAR_SHARE = 0.2


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One number of a paper, where it stands, and what comes out here.

    Attributes
    ----------
    paper : str
        Key of the paper.
    place : str
        Where in it the number stands.
    quantity : str
        What it is.
    published : float
        The number of the paper [unit].
    ours : float
        What comes out here [unit].
    tolerance : float
        Up to this difference both are the same number: half a printed digit, rounding, an uncertainty that was known before the comparison.
    tolerance_from : str
        Which of these it is.
    unit : str
        Of all these numbers.
    origin : str
        "paper", or "prototype" for a number that an independent implementation measured and no paper prints.
    goal : str
        "lower" or "higher", which way is better; "" where neither is.
    truth : float or None
        The true value, where the robot is virtual: nearer to it is better.
    implied : float or None
        What follows from the paper's other numbers. Where it contradicts the printed one, the paper is in error.
    missing : str
        What would be needed for a comparison and was never published; ours is then the nearest that can be had.
    constructed : str
        How ours was made from the published number itself. That it comes out again then tests our computation, and says nothing about the
        paper.
    near : str
        What is not known of the published number, so that ours may be near it (`NEAR_SHARE`) and not the same.
    chosen : str
        What was chosen after the comparison: ours is near the published number at best, and never equal to it.
    reason : str
        Why ours differs, or how an error is known.
    """

    #: Properties that a document has too, for those who read it.
    DERIVED: ClassVar = ("verdict",)

    paper: str
    place: Annotated[str, "in the paper"]
    quantity: str
    published: float
    ours: float
    tolerance: float
    tolerance_from: str
    unit: str = ""
    origin: Literal["paper", "prototype"] = "paper"
    goal: Literal["", "lower", "higher"] = ""
    truth: float | None = None
    implied: float | None = None
    missing: str = ""
    constructed: str = ""
    near: str = ""
    chosen: str = ""
    reason: str = ""

    def __post_init__(self) -> None:
        for name in ("published", "ours", "tolerance"):
            if not math.isfinite(getattr(self, name)):
                raise ValueRangeError(f"{name} of {self.quantity!r} ({self.place})", f"is {getattr(self, name)}; a number was expected")

    @property
    def verdict(self) -> ClaimVerdict:
        """That follows from the numbers."""
        if self.implied is not None and abs(self.published - self.implied) > self.tolerance:
            return ClaimVerdict.ERROR
        if self.missing:
            return ClaimVerdict.NOT_REPRODUCIBLE
        difference = abs(self.published - self.ours)
        if difference <= self.tolerance and not self.chosen:
            return ClaimVerdict.CONSTRUCTED if self.constructed else ClaimVerdict.EQUAL
        if self._better and not (self.constructed or self.chosen):
            return ClaimVerdict.BETTER
        close = difference <= NEAR_SHARE * abs(self.published)
        return ClaimVerdict.NEAR if close and (self.near or self.chosen) else ClaimVerdict.NOT_REPRODUCIBLE

    @property
    def _better(self) -> bool:
        if self.truth is not None:
            return abs(self.ours - self.truth) < abs(self.published - self.truth)
        return (self.goal == "lower" and self.ours < self.published) or (self.goal == "higher" and self.ours > self.published)

    @property
    def why(self) -> str:
        """What is missing, what makes it no independent comparison, and the reason, in one."""
        return "; ".join(filter(None, (self.missing, self.constructed, self.near, self.chosen, self.reason)))

    @staticmethod
    def of_dict(content: dict[str, Any]) -> Claim:
        """From a file; the verdict is computed again."""
        return Claim(**{name: value for name, value in content.items() if name != "verdict"})


def half_digit(text: str) -> float:
    """Half a unit of the last digit of a number as printed: 0.05 of "48.9", 5e-9 of "3.2073e-4"."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.5 * 10.0 ** (int(exponent or 0) - decimals)


#: The fields `tolerance` and `tolerance_from` of a count.
COUNTED: dict[str, Any] = {"tolerance": 0.0, "tolerance_from": "a count; nothing to round"}
#: Where the tolerance of a printed number comes from.
PRINTED = "half a unit of the last printed digit"


def as_measured(text: str) -> dict[str, Any]:
    """The same fields, and `origin`, of a number that an independent implementation measured and no paper prints."""
    return {**printed(text), "tolerance_from": "half a unit of the last digit that was measured", "origin": "prototype"}


def printed(text: str, *, digits: float = 1.0) -> dict[str, Any]:
    """The fields `published`, `tolerance` and `tolerance_from` of a number as printed. digits : in units of half its last one."""
    slack = 1.0 + 1e-9  # 0.1 + 0.2 is not 0.3
    return {"published": float(text), "tolerance": digits * half_digit(text) * slack, "tolerance_from": PRINTED}
