"""Every command line that a page shows is understood: its options exist, and their values are allowed."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from documentation.reference.command_line import command_sections
from dynident.cli.app import load_verb
from dynident.cli.command_line import Verb, run_verb
from dynident.cli.overview import VERBS

REPOSITORY = Path(__file__).parents[2]
PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^ *```(?:bash|sh|console|shell)?\n(.*?)^ *```", flags=re.MULTILINE | re.DOTALL)
#: Words that stand for something else, and files that a kind of value reads.
_PLACEHOLDER = re.compile(r"\.\.\.|[\[\]<>|]|\$\(|gains\.yaml")


def page_text(page: Path) -> str:
    """A page, with the sections that are made of the verbs in that on the command line."""
    return page.read_text(encoding="utf-8") + (command_sections() if page.name == "command-line.md" else "")


def commands(page: Path) -> list[str]:
    """The commands in the code blocks of a page that begin with dynident, continued lines joined."""
    text = "\n".join(_FENCE.findall(page_text(page))).replace("\\\n", " ")
    lines = [re.sub(r"^\$ ", "", line.strip()) for line in text.splitlines()]
    return [line for line in lines if re.match(rf"dynident ({'|'.join(VERBS)})( |$)", line) and not _PLACEHOLDER.search(line)]


@cache
def verb_without_work(name: str) -> Verb:
    return replace(load_verb(name), function=lambda *arguments, **options: 0)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_command_lines_are_understood(page: Path) -> None:
    for line in commands(page):
        _, name, *words = shlex.split(line, comments=True)
        words = words[: words.index(">")] if ">" in words else words
        assert run_verb(verb_without_work(name), words) == 0, line


def test_there_are_many() -> None:
    assert sum(len(commands(page)) for page in PAGES) > 100


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_options_in_sentences_exist(page: Path) -> None:
    for name, words in re.findall(r"`(?:dynident )?([a-z]+) ([^`]*--[^`]*)`", page_text(page)):
        if name in VERBS:
            assert set(re.findall(r"(?<![\w\"-])--[a-z][a-z-]+", words)) <= flags_of(name), (name, words)


@cache
def flags_of(name: str) -> set[str]:
    options = [word.option for word in load_verb(name).words if word.option.flag]
    opposites = {f"--no-{option.flag[2:]}" for option in options if option.kind.is_flag}
    return {option.flag for option in options} | opposites | {"--help", "--debug"}
