"""The docstrings of dynident as Markdown.

A docstring has sentences, and lines about single names: `q : (N, n)  Joint positions [rad | m]`, with or without the colon, continued by
lines that are indented.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_ENTRY = re.compile(r"^(?P<names>[A-Za-z_]\w*(?:, \w+)*)(?: : | {2,})(?P<text>.*)$")
#: Within a list of such lines one space will do.
_NEXT_ENTRY = re.compile(r"^(?P<names>[A-Za-z_]\w*)(?: : | +)(?P<text>.*)$")
#: Headings that say what the lines below show.
_HEADING = re.compile(r"^Attributes\n-+\n", re.MULTILINE)
#: Stands before code that a sentence mentions, until it is known what can be linked.
MENTION = "\0"
_TICKS = re.compile(r"(`[^`]*`)")


@dataclass(frozen=True)
class Docstring:
    """sentence : the first paragraph; entries : what single names mean; rest : everything else. All of it Markdown."""

    sentence: str
    entries: dict[str, str]
    rest: str


def parse(text: str, names: Collection[str] | None) -> Docstring:
    """names : of parameters and fields; lines about them, and about what is returned, are entries. None: about any name."""
    entries: dict[str, str] = {}
    prose: list[str] = []
    current: list[str] = []
    for line in _HEADING.sub("", text).splitlines():
        match = _ENTRY.match(line) or (_NEXT_ENTRY.match(line) if current else None)
        told = [name.strip() for name in match["names"].split(",")] if match else []
        if match and all(names is None or name in names or name == "returns" for name in told):
            current = told
            entries.update(dict.fromkeys(told, _squeeze(match["text"])))
        elif current and line.startswith(" ") and line.strip():
            entries.update({name: f"{entries[name]} {_squeeze(line)}" for name in current})
        else:
            current = []
            prose.append(line)
    sentence, _, rest = "\n".join(prose).strip().partition("\n\n")
    return Docstring(markdown(sentence), {name: markdown(value) for name, value in entries.items()}, markdown(rest.strip()))


def markdown(text: str) -> str:
    """Text with what Markdown would take for its own signs marked as plain, outside of code."""
    parts = _TICKS.split(text)
    return "".join(MENTION + part if place % 2 else _plain(part) for place, part in enumerate(parts))


def cell(text: str) -> str:
    """Markdown as the cell of a table: on one line, and with no sign that would end it; in code none does."""
    parts = _TICKS.split(re.sub(r"\s*\n\s*", " ", text).strip())
    return "".join(part if place % 2 else part.replace("|", "\\|") for place, part in enumerate(parts))


def plain(text: str) -> str:
    """What `markdown` was made of, as text."""
    return re.sub(r"\\([*\\_(])", r"\1", text.replace(MENTION, "").replace("&lt;", "<")).replace("\n", " ")


def _plain(text: str) -> str:
    text = re.sub(r"([*\\])", r"\\\1", text).replace("<", "&lt;")
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text).replace("](", "]\\(")


def _squeeze(text: str) -> str:
    return re.sub(r"\s{2,}", "  ", text.strip())
