"""Names of parameters as people write them: J2xx with its subscript, powers of ten with their exponent. Everything is escaped."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_SYMBOL = re.compile(
    r"(?P<mantissa>\d(?:\.\d+)?)e(?P<sign>[+-])0*(?P<exponent>\d+)\b"
    r"|\b(?P<name>[A-Za-z]+)(?P<index>\d+)(?P<axes>[xyz]{0,2})\b"
    r"|(?<= )-(?= )|(?<![\w.])-(?=[\w.(])"
)
_MINUS = "\u2212"


def typeset(text: str) -> Markup:
    """HTML of an expression such as "J2xx - J2yy + 0.632 mc3z"."""
    parts: list[Markup] = []
    position = 0
    for match in _SYMBOL.finditer(text):
        parts += [escape(text[position : match.start()]), _symbol(match)]
        position = match.end()
    return Markup("").join([*parts, escape(text[position:])])


def _symbol(match: re.Match[str]) -> Markup:
    if match["name"] is not None:
        return Markup("<var>{}</var><sub>{}{}</sub>").format(match["name"], match["index"], match["axes"])
    if match["mantissa"] is not None:
        sign = _MINUS if match["sign"] == "-" else ""
        return Markup("{}·10<sup>{}{}</sup>").format(match["mantissa"], sign, match["exponent"])
    return Markup(_MINUS)  # noqa: S704 (a constant)
