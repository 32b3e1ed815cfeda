"""Texts of dynident as Markdown."""

from __future__ import annotations

import re

_TICKS = re.compile(r"(`[^`]*`)")


def markdown(text: str) -> str:
    """Text with what Markdown would take for its own signs marked as plain, outside of code."""
    parts = _TICKS.split(text)
    return "".join(part if place % 2 else _plain(part) for place, part in enumerate(parts))


def cell(text: str) -> str:
    """Markdown as the cell of a table: on one line, and with no sign that would end it; in code none does."""
    parts = _TICKS.split(re.sub(r"\s*\n\s*", " ", text).strip())
    return "".join(part if place % 2 else part.replace("|", "\\|") for place, part in enumerate(parts))


def _plain(text: str) -> str:
    text = re.sub(r"([*\\])", r"\\\1", text).replace("<", "&lt;")
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text).replace("](", "]\\(")
