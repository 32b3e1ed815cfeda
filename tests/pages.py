"""What a page carries deflated, as text again."""

from __future__ import annotations

import base64
import re
import zlib


def unpack(page: str, key: str = "figures") -> str:
    """The text that the page's script inflates: "figures", or "plotly"."""
    (packed,) = re.findall(rf'<script type="text/plain" id="{key}">([\w+/=]*)</script>', page)
    return zlib.decompress(base64.b64decode(packed)).decode()
