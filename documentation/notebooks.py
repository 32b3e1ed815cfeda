"""The tutorials as notebooks, made from their pages: python -m documentation.notebooks

Every page of docs/tutorials becomes a notebook in notebooks/, without outputs. Text stays text, with its links seen from there; Python is a
cell, a command is a cell that begins with `!`, and a block with a title writes its file. A cell ends where its page would print a result or
draw it: there the notebook shows the result itself, as tables or as a figure.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Generator
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests.docs.blocks import Block, code_blocks

REPOSITORY = Path(__file__).parents[1]
TUTORIALS = REPOSITORY / "docs" / "tutorials"
NOTEBOOKS = REPOSITORY / "notebooks"
#: The tag of a cell that ends with a result.
SHOWS = "shows-result"

#: A notebook's output is no terminal, though commands take it for one: it neither has 80 columns nor can it take back a line.
_NO_TERMINAL = 'import os\n\nos.environ["TTY_COMPATIBLE"] = "0"  # commands print whole tables, and no progress'
#: The target of a link or picture on a page, unless it is an address or a place on the page itself.
_TARGET = re.compile(r"(?<=\]\()(?!#|\w+:)([^)\s]+)")
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def notebook_path(page: Path) -> Path:
    return NOTEBOOKS / f"{page.stem}.ipynb"


def notebook_text(page: Path) -> str:
    """The file of the notebook that a tutorial's page makes."""
    first, *rest = (cell for part in _parts(page) for cell in _cells(part))
    cells = [first, new_code_cell(_NO_TERMINAL), *rest]
    for number, cell in enumerate(cells, start=1):
        cell["id"] = f"cell-{number:02}"
    notebook = new_notebook(cells=cells, metadata=_METADATA)
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n"


def _parts(page: Path) -> Generator[str | Block]:
    """Text and blocks in the page's order. Blocks that nobody runs are text."""
    text = page.read_text(encoding="utf-8")
    done = 0
    for block in code_blocks(page):
        if block.title or block.language in ("python", "bash"):
            yield text[done : block.start]
            yield block
            done = block.end
    yield text[done:]


def _cells(part: str | Block) -> list[nbformat.NotebookNode]:
    if isinstance(part, str):
        return [new_markdown_cell(_TARGET.sub(_seen_from_notebooks, part).strip())] if part.strip() else []
    if part.title:
        return [new_code_cell(f"%%writefile {part.title}\n{part.code.rstrip()}")]
    if part.language == "bash":
        return [new_code_cell("\n".join(f"!{command}" for command in part.code.splitlines()))]
    return list(_python_cells(part.code))


def _seen_from_notebooks(match: re.Match[str]) -> str:
    """Another tutorial is the notebook beside this one; everything else is in docs/."""
    path, mark, place = match[1].partition("#")
    if "/" not in path and path.endswith(".md"):
        return f"{Path(path).stem}.ipynb"
    return posixpath.normpath(f"../docs/tutorials/{path}") + mark + place


def _python_cells(code: str) -> Generator[nbformat.NotebookNode]:
    """The code, cut after each result that it prints or draws; the cells that end with one are tagged."""
    lines = code.splitlines()
    done = 0
    for statement in ast.parse(code).body:
        assert statement.end_lineno is not None
        shown = _shown_result(statement)
        if shown:
            cell = "\n".join([*lines[done : statement.lineno - 1], shown]).strip()
            yield new_code_cell(cell, metadata={"tags": [SHOWS]})
            done = statement.end_lineno
    rest = "\n".join(lines[done:]).strip()
    if rest:
        yield new_code_cell(rest)


def _shown_result(statement: ast.stmt) -> str:
    """What a notebook shows in place of a statement: x of `print(x)`, and all of `x.plot()`; empty for any other statement."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[ast.Name(id=name)], keywords=[])):
            return name
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="plot" | "plot_robot"))):
            return ast.unparse(statement)
        case _:
            return ""


def main() -> None:
    NOTEBOOKS.mkdir(exist_ok=True)
    pages = sorted(TUTORIALS.glob("*.md"))
    for left in set(NOTEBOOKS.glob("*.ipynb")) - {notebook_path(page) for page in pages}:
        left.unlink()
    for page in pages:
        notebook_path(page).write_text(notebook_text(page), encoding="utf-8")
        print(notebook_path(page).relative_to(REPOSITORY))


if __name__ == "__main__":
    main()
