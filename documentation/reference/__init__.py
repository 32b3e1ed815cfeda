"""Pages of the reference that are made from the code: python -m documentation.reference

Each maker returns its pages, {file below docs/reference: text}; a test makes them again and compares.
"""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
FOLDER = REPOSITORY / "docs" / "reference"
#: First line of what is made, as a comment of Markdown, which no reader of a page sees.
MADE = "<!-- Made from the code by python -m documentation.reference. -->\n\n"


def made_pages() -> dict[str, str]:
    """All pages, by their place in docs/reference."""
    from documentation.reference import command_line, schemas

    return {**command_line.make(), **schemas.make()}
