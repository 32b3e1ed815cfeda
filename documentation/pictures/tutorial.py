"""What a tutorial's page leaves behind when its blocks are run, so that a picture shows what the reader gets."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path
from typing import Any

from tests.commands import run_here
from tests.docs.blocks import code_blocks
from tests.docs.commands import run_command

REPOSITORY = Path(__file__).parents[2]
#: Recorded data, where they are at hand.
SHARED = REPOSITORY.parent / "shared" / "data"


def run_tutorial(name: str, work: Path) -> dict[str, Any]:
    """The names that the page's Python leaves; its files are in `work`."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with chdir(work):
        for block in code_blocks(REPOSITORY / "docs" / "tutorials" / f"{name}.md"):
            if block.title:
                Path(block.title).write_text(block.code)
            elif block.language == "python":
                exec(block.code, names)  # noqa: S102 (our own documentation)
            elif block.language == "bash":
                for line in block.code.splitlines():
                    run_command(line, run_here)
    return names


def run(work: Path, command: str) -> str:
    """What a command prints that is run in `work`."""
    with chdir(work):
        return run_command(command, run_here)


def recorded(folder: str, pictures: str) -> Path | None:
    """A folder of recorded data; without it, a sentence says which pictures stay as they are."""
    if (SHARED / folder).is_dir():
        return SHARED / folder
    print(f"{pictures} is kept: there are no recorded data in ../shared/data/{folder}")
    return None
