"""Pages that are made from the code are those that the code makes now, and hold what they should."""

from __future__ import annotations

import re

import pytest

from documentation.reference import FOLDER, made_pages
from dynident.cli.overview import VERBS


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return made_pages()


def test_the_pages_are_what_the_code_makes(pages):
    stale = [name for name, text in pages.items() if (FOLDER / name).read_text(encoding="utf-8") != text]
    assert stale == [], "make them anew: python -m documentation.reference"
    assert {f"schemas/{path.name}" for path in (FOLDER / "schemas").iterdir()} <= set(pages)


def test_the_command_line_has_every_option_of_a_verb(pages, dynident):
    """As --help prints them, which is another way to the same commands; what several share is in a section of its own."""
    page = pages["command-line.md"]
    section = page.split("## dynident excite")[1].split("\n## ")[0]
    shown = set(re.findall(r"(?<![\w-])--[a-z-]+", dynident("excite", "--help").stdout)) - {
        "--help",
        "--debug",
        "--formats",
    }  # the last is of presets
    assert len(shown) > 40
    assert {option for option in shown if f"`{option}" not in section} == set()
    assert "| `--seed N` | Seed of the random starts. Default: `0`. |" in section
    assert [verb for verb in VERBS if f"\n## dynident {verb}\n" not in page] == []
