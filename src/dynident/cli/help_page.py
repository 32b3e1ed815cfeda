"""Help texts: what is typed, what it does, and a box for each group of options, without a library, so that they are there at once."""

from __future__ import annotations

import inspect
import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynident.cli.command_line import Verb, Word

#: Order of the groups of a verb's options; others come before the last of these.
ORDER = ("Arguments", "Options", "Reading the log", "The robot", "Limits", "Search", "Advanced")
DEBUG = "Show the traceback of an error."
_BOLD, _FLAG, _DIM, _END = "\033[1m", "\033[1;36m", "\033[2m", "\033[0m"


def print_help(verb: Verb) -> None:
    """The help of a verb."""
    from dynident.cli.command_line import help_text

    groups: dict[str, list[tuple[str, str]]] = {}
    for word in verb.words:
        remarks = ["[required]"] * word.required + [f"[default: {word.default}]"] * bool(word.default)
        groups.setdefault(word.option.group, []).append((_names(word), " ".join([help_text(word.option), *remarks])))
    groups.setdefault("Advanced", []).append(("--debug", DEBUG))
    ordered = sorted(groups, key=lambda title: ORDER.index(title) if title in ORDER else len(ORDER) - 1.5)
    text = inspect.getdoc(verb.function) or ""
    print_page(verb.synopsis, text, {title: groups[title] for title in ordered}, verb.example)


def _names(word: Word) -> str:
    from dynident.core.options import negative  # here, because the help of the command as a whole has no use for it

    item = word.option
    if word.by_place:
        return word.title
    if item.kind.is_flag:
        return item.flag + f"\n  {negative(item.flag)}" * (item.default is not False)
    return " ".join(filter(None, (item.flag, item.short, word.metavar)))


def print_page(usage: str, text: str, groups: Mapping[str, Sequence[tuple[str, str]]], example: str) -> None:
    """usage : what is typed; groups : rows of names and a sentence, by title. Colours are for terminals alone."""
    width = shutil.get_terminal_size().columns
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    lines = [f"{_BOLD}Usage:{_END} {usage}", *(f"\n{textwrap.fill(part, width)}" for part in paragraphs), ""]
    for title, rows in groups.items():
        lines += _box(title, rows, width)
    page = "\n".join([*lines, "", example, ""])
    for code in (_BOLD, _FLAG, _DIM, _END) if not coloured else ():
        page = page.replace(code, "")
    print(page)


def _box(title: str, rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    inner = max(width - 4, 20)
    left = min(max(len(line) for names, _ in rows for line in names.split("\n")), inner // 2)
    yield f"{_DIM}╭─{_END} {title} {_DIM}{'─' * (inner - len(title) - 1)}╮{_END}"
    for names, sentence in rows:
        begins = [part for line in names.split("\n") for part in textwrap.wrap(line, left, break_on_hyphens=False, drop_whitespace=False)]
        texts = textwrap.wrap(sentence, inner - left - 2, break_on_hyphens=False)
        for k in range(max(len(begins), len(texts))):
            begin, text = (part[k] if k < len(part) else "" for part in (begins, texts))
            yield f"{_DIM}│{_END} {_FLAG}{begin:{left}}{_END}  {text:{inner - left - 2}} {_DIM}│{_END}"
    yield f"{_DIM}╰{'─' * (inner + 2)}╯{_END}"
