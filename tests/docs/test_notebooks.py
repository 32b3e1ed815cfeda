"""The notebooks are those of the tutorials' pages, run from top to bottom in an empty folder, and show their results.

They stand in for the code blocks of these pages, so that nothing runs twice.
"""

from __future__ import annotations

import shutil

import nbformat
import pytest

from documentation.notebooks import NOTEBOOKS, SHOWS, TUTORIALS, notebook_path, notebook_text
from tests.docs.commands import COMPILER
from tests.docs.kernels import execute

PAGES = sorted(TUTORIALS.glob("*.md"))
#: What a result or a figure gives a notebook to show.
RICH = {"text/html", "application/vnd.plotly.v1+json"}


def test_every_tutorial_has_its_notebook_and_no_other_is_left():
    assert {path.name for path in NOTEBOOKS.glob("*.ipynb")} == {notebook_path(page).name for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_notebook_is_made_from_its_page(page):
    assert notebook_path(page).read_text(encoding="utf-8") == notebook_text(page), "make it anew: python -m documentation.notebooks"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_notebook_runs_and_shows_its_results(page, tmp_path):
    if f"\n{COMPILER} " in page.read_text(encoding="utf-8") and shutil.which(COMPILER) is None:
        pytest.skip(f"the page compiles C, and there is no {COMPILER}")
    notebook = execute(nbformat.reads(notebook_text(page), as_version=4), tmp_path)
    for cell in _showing(notebook):
        assert any(RICH & output.get("data", {}).keys() for output in cell["outputs"]), cell["source"]


def test_tables_and_figures_are_shown_somewhere():
    last = [cell["source"].splitlines()[-1] for page in PAGES for cell in _showing(nbformat.reads(notebook_text(page), as_version=4))]
    assert any(line.endswith(".plot()") for line in last)
    assert any(line.isidentifier() for line in last)


def _showing(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook["cells"] if SHOWS in cell["metadata"].get("tags", ())]
