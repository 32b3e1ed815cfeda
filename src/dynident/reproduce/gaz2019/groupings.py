"""The groupings of Table III, read from what is printed."""

from __future__ import annotations

import re

from dynident.regression import BaseParameters

#: Printed factors have three or four digits, some cut off rather than rounded (0.0998 for 0.316² = 0.099856).
CUT_OFF = 1.1e-4

_TERM = re.compile(r"([+-]?)(?:(\d+\.\d+)\*)?(?:\(([^)]*)\)|([A-Za-z]\w*)(?:\*(m\d))?)")


def printed_terms(symbol: str) -> dict[str, float]:
    """{name: factor} of a printed grouping, c3z*m3 as mc3z; a factor before parentheses goes to each of the names in them."""
    terms: dict[str, float] = {}
    for match in _TERM.finditer(symbol):
        sign, number, inside, name, mass = match.groups()
        factor = (-1.0 if sign == "-" else 1.0) * float(number or 1.0)
        for each in inside.split("+") if inside else [f"m{name}" if mass else name]:
            terms[each] = factor
    return terms


def same_grouping(base: BaseParameters, row: int, symbol: str) -> bool:
    """Whether a base parameter has the printed terms and no others, with their factors to the printed digits."""
    terms = printed_terms(symbol)
    ours = {name: float(value) for name, value in zip(base.columns.names, base.grouping[row], strict=True) if value != 0.0}
    return ours.keys() == terms.keys() and all(abs(ours[name] - terms[name]) <= CUT_OFF for name in terms)
