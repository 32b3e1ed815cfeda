"""Pages that are made from the code are those that the code makes now, and hold what they should."""

from __future__ import annotations

import importlib

import pytest

from documentation.reference import FOLDER, api, docstrings, made_pages


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return made_pages()


def test_the_pages_are_what_the_code_makes(pages):
    stale = [name for name, text in pages.items() if (FOLDER / name).read_text(encoding="utf-8") != text]
    assert stale == [], "make them anew: python -m documentation.reference"
    assert {f"api/{path.name}" for path in (FOLDER / "api").iterdir()} <= set(pages)


@pytest.mark.parametrize("package", api.PACKAGES)
def test_every_public_name_has_its_place(pages, package):
    module = importlib.import_module(f"dynident.{package}")
    headings = {line[3:] for line in pages[f"api/{package}.md"].splitlines() if line.startswith("## ")}
    assert set(getattr(module, "__all__", headings)) == headings


def test_a_docstring_is_sentences_and_lines_about_names():
    lines = ["q, dq : (N, n)  Positions and", "    velocities.", "rate     Of *samples* [Hz].", "seed One space"]
    text = "\n".join(["Do it.", "", *lines, "", "other : no name of it.", "", "See `fit`."])
    read = docstrings.parse(text, ["q", "dq", "rate", "seed"])
    assert read.sentence == "Do it."
    assert read.entries == {
        "q": "(N, n)  Positions and velocities.",
        "dq": "(N, n)  Positions and velocities.",
        "rate": "Of \\*samples\\* [Hz].",
        "seed": "One space",
    }
    assert read.rest == f"other : no name of it.\n\nSee {docstrings.MENTION}`fit`."


def test_types_are_links_where_they_are_ours(pages):
    page = pages["api/regression.md"]
    assert "| `data` | [`Dataset`](data.md#dataset) or [`ControllerSamples`](data.md#controllersamples) |" in page
    assert "Returns [`Estimate`](regression.md#estimate)." in page
    assert "[`Repair`](feasibility.md#repair_1)" in pages["api/feasibility.md"]  # beside the function repair
