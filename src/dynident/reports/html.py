"""Templates, and what a page carries inside: deflated to a third, and inflated by the browser, from a file and without a network.

Browsers know DecompressionStream since 2023; in an older one the page says so in place of its figures.
"""

from __future__ import annotations

import base64
import re
import zlib
from functools import lru_cache
from importlib import resources
from typing import Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from dynident.reports.figures import COLOURS

#: Six is as small as nine to 0.2 %, and quicker.
_LEVEL = 6
_SYMBOL = re.compile(
    r"(?P<mantissa>\d(?:\.\d+)?)e(?P<sign>[+-])0*(?P<exponent>\d+)\b"
    r"|\b(?P<name>[A-Za-z]+)(?P<index>\d+)(?P<axes>[xyz]{0,2})\b"
    r"|(?<= )-(?= )|(?<![\w.])-(?=[\w.(])"
)
_MINUS = "\u2212"


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates, every text from files escaped."""
    templates = Environment(
        loader=PackageLoader("dynident.reports"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    cast("dict[str, Any]", templates.filters).update(typeset=typeset)
    return templates


def asset(name: str) -> str:
    """A file of the templates as it is."""
    return resources.files("dynident.reports").joinpath("templates", name).read_text(encoding="utf-8")


def style(*more: str) -> str:
    """The style sheet with the light colours of figures; more : names of others after it."""
    colours = "".join(f" --{name}: {colour};" for name, colour in COLOURS.items())
    return "\n".join((f":root {{{colours} }}", asset("page.css"), *map(asset, more)))


def pack(key: str, text: str) -> Markup:
    """An element with the text, which `inflate(key)` of the page's scripts gives back."""
    packed = base64.b64encode(zlib.compress(text.encode(), _LEVEL)).decode()
    return Markup('<script type="text/plain" id="{}">{}</script>').format(key, packed)


@lru_cache(maxsize=1)
def plotly_scripts() -> Markup:
    """Elements that give a page `inflate`, and `plotlyReady`, a promise of Plotly that is rejected where the browser is too old."""
    from plotly.offline import get_plotlyjs  # here, because it takes long

    return pack("plotly", get_plotlyjs()) + Markup("\n<script>{}</script>").format(Markup(asset("packed.js")))  # noqa: S704 (our own)


def typeset(text: str) -> Markup:
    """HTML of an expression such as "J2xx - J2yy + 0.632 mc3z"."""
    return Markup(_SYMBOL.sub(_symbol, str(escape(text))))  # noqa: S704 (escaped)


def _symbol(match: re.Match[str]) -> str:
    if match["name"] is not None:
        return f"<var>{match['name']}</var><sub>{match['index']}{match['axes']}</sub>"
    if match["mantissa"] is not None:
        sign = _MINUS if match["sign"] == "-" else ""
        return f"{match['mantissa']}·10<sup>{sign}{match['exponent']}</sup>"
    return _MINUS
