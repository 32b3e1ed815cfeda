"""The parts of the reference that are made from declarations hold what they should."""

from __future__ import annotations

import re

from documentation.reference.command_line import command_sections
from dynident.cli.overview import VERBS


def test_the_command_line_has_every_option_of_a_verb(dynident):
    """As --help prints them, which is another way to the same commands; what several share is in a section of its own."""
    page = command_sections()
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
