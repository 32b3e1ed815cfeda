"""What a page carries inside: deflated to a third, and inflated by the browser, from a file and without a network.

Browsers know DecompressionStream since 2023; in an older one the page says so in place of its figures.
"""

from __future__ import annotations

import base64
import zlib
from functools import lru_cache
from importlib import resources

from markupsafe import Markup

#: Six is as small as nine to 0.2 %, and quicker.
_LEVEL = 6


def asset(name: str) -> str:
    """A file of the templates as it is."""
    return resources.files("dynident.reports").joinpath("templates", name).read_text(encoding="utf-8")


def pack(key: str, text: str) -> Markup:
    """An element with the text, which `inflate(key)` of the page's scripts gives back."""
    packed = base64.b64encode(zlib.compress(text.encode(), _LEVEL)).decode()
    return Markup('<script type="text/plain" id="{}">{}</script>').format(key, packed)


@lru_cache(maxsize=1)
def plotly_scripts() -> Markup:
    """Elements that give a page `inflate`, and `plotlyReady`, a promise of Plotly that is rejected where the browser is too old."""
    from plotly.offline import get_plotlyjs  # here, because it takes long

    return pack("plotly", get_plotlyjs()) + Markup("\n<script>{}</script>").format(Markup(asset("packed.js")))  # noqa: S704 (our own)
