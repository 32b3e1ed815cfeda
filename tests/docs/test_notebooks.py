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


#: A page with one of each.
SMALL = """# A page

See [another](other.md#there), [a guide](../how-to/check.md#mjcf-files), [here](#a-page) and ![a picture](../images/x.png).

```text
what is printed
```

```c title="main.c"
int main(void) { return 0; }
```

```bash
dynident check panda
dynident check x.urdf  # exits with 2
```

```python
estimate = 1
print(estimate)  # the tables

print("text")
links = [
    estimate,
]
links.plot()
```
"""


def test_a_page_becomes_cells(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(SMALL)
    text, _, file, commands, *python = nbformat.reads(notebook_text(page), as_version=4)["cells"]
    assert text["cell_type"] == "markdown"
    for target in ("(other.ipynb)", "(../docs/how-to/check.md#mjcf-files)", "(#a-page)", "(../docs/images/x.png)"):
        assert target in text["source"]
    assert "what is printed" in text["source"]
    assert file["source"] == "%%writefile main.c\nint main(void) { return 0; }"
    assert commands["source"] == "!dynident check panda\n!dynident check x.urdf  # exits with 2"
    assert [cell["source"] for cell in python] == [
        "estimate = 1\nestimate",
        'print("text")\nlinks = [\n    estimate,\n]\nlinks.plot()',
    ]
    assert all(SHOWS in cell["metadata"]["tags"] for cell in python)


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
