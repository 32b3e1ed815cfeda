"""Numbers and lists as texts, the same in sentences, tables and pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

#: Standard deviations below this are shown as powers of ten; decimals would be all zeros.
_SMALLEST_DECIMAL = 1e-8
#: Beside such a deviation, values below this too, those of a robot of grams and millimetres.
_SMALLEST_VALUE = 1e-5


def short_number(value: float) -> str:
    """Two digits, or all before the point: 0.81, 5.3, 228."""
    return f"{value:.0f}" if 10.0 <= abs(value) < 1e6 else f"{value:.2g}"


def percent_text(percent: float) -> str:
    return f"{short_number(percent)} %"


def number_form(decimals: int, values: Iterable[float | None]) -> str:
    """The format of a column of numbers: so many decimals, or three digits and a power of ten where decimals would show next to nothing
    of the largest, or far too much."""
    largest = max((abs(value) for value in values if value is not None and math.isfinite(value)), default=0.0)
    return f".{decimals}f" if largest == 0.0 or 10.0 ** (1 - decimals) <= largest < 1e6 else ".2e"


def decimal_text(value: float, decimals: int) -> str:
    """One number with so many decimals, or with a power of ten where it is too small or too large for that."""
    return format(value, number_form(decimals, [value]))


def value_text(value: float | None, std: float | None) -> str:
    """value ± std with two digits of the standard deviation; a dash where the data determine neither."""
    if value is None or std is None:
        return "–"
    if std < _SMALLEST_DECIMAL and 0.0 < abs(value) < _SMALLEST_VALUE:
        digits = math.floor(math.log10(abs(value))) - math.floor(math.log10(std)) if std > 0.0 else 9
        return f"{value:.{min(max(digits, 1), 15)}e} ± {std:.0e}"
    if std < _SMALLEST_DECIMAL:
        return f"{value:.9f} ± {std:.0e}"
    decimals = max(0, 1 - math.floor(math.log10(std)))
    return f"{value:.{decimals}f} ± {std:.{decimals}f}"


def listing(names: Sequence[str], most: int = 12) -> str:
    """Names with commas, the first few of many."""
    return ", ".join(names) if len(names) <= most else f"{', '.join(names[:most])} and {len(names) - most} more"


def join_words(words: Sequence[str]) -> str:
    """One, two and three."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def count_text(count: int, noun: str) -> str:
    """1 gap, 2 gaps."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def capitalize(text: str) -> str:
    """With a capital; what follows stays as it is."""
    return f"{text[:1].upper()}{text[1:]}"


def as_sentence(text: str) -> str:
    """With a capital and a full stop."""
    return f"{capitalize(text)}."
