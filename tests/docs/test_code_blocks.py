"""Every code block of the documentation and of the README runs, page by page and top to bottom, in an empty folder.

Blocks of a page share their names, as a reader who types them would. A block with a title is the file of that name. Commands of the README
are run as they are installed, the others in this process. The tutorials are left to `test_notebooks.py`, which runs the same blocks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dynident.cli.overview import VERBS
from tests.commands import run_here, run_installed
from tests.docs.blocks import code_blocks
from tests.docs.commands import run_command

REPOSITORY = Path(__file__).parents[2]
PAGES = [
    REPOSITORY / "README.md",
    *sorted(page for page in (REPOSITORY / "docs").rglob("*.md") if page.parent.name != "tutorials"),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_code_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in code_blocks(page):
        if block.title:
            (tmp_path / block.title).write_text(block.code)
        elif block.language == "python":
            code = compile("\n" * (block.line - 1) + block.code, str(page), "exec")
            exec(code, names)  # noqa: S102 (our own documentation)
        elif block.language == "bash":
            for line in block.code.splitlines():
                run_command(line, run_installed if page.name == "README.md" else run_here)


def test_the_pages_have_code():
    languages = [block.language for page in PAGES for block in code_blocks(page)]
    assert languages.count("python") >= 8
    assert languages.count("bash") >= 4


def test_the_python_example_of_the_readme_has_15_lines():
    (example,) = [block for block in code_blocks(REPOSITORY / "README.md") if block.language == "python"]
    assert sum(bool(line.strip()) for line in example.code.splitlines()) <= 15


def test_the_line_that_readme_and_home_page_begin_with_is_run_further_down():
    begins = [code_blocks(page)[0] for page in (REPOSITORY / "README.md", REPOSITORY / "docs" / "index.md")]
    assert begins[0].code == begins[1].code
    lines = begins[0].code.replace("arm.urdf", "planar_2r").splitlines()
    assert len(lines) == 1
    tried = [line for block in code_blocks(REPOSITORY / "README.md") if block.language == "bash" for line in block.code.splitlines()]
    assert tried[-1:] == lines


def test_the_readme_names_every_verb():
    readme = (REPOSITORY / "README.md").read_text()
    assert [verb for verb in VERBS if f"`dynident {verb} " not in readme] == []
