"""The fenced code blocks of a Markdown page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(?P<language>\w*)(?P<options>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """One block. `title` is the file that it stands for, empty when none; `line` is where its code begins.

    The block with its fences is the page's text from `start` to `end`.
    """

    language: str
    title: str
    code: str
    line: int
    start: int
    end: int


def code_blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    blocks: list[Block] = []
    for match in _FENCE.finditer(text):
        title = _TITLE.search(match["options"])
        line = text.count("\n", 0, match.start("code")) + 1
        blocks.append(Block(match["language"], title[1] if title else "", match["code"], line, match.start(), match.end()))
    return blocks
