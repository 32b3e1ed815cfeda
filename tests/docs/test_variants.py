"""Pages that list variants list all that are registered, and CONTRIBUTING's table names files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dynident.core.options import declared_options
from dynident.data.formats.registry import READERS
from dynident.exports import EXPORTERS
from dynident.links.solvers.registry import SOLVERS
from dynident.motions import MOTIONS
from dynident.reports import SECTIONS
from dynident.routes.signs import METHODS

REPOSITORY = Path(__file__).parents[2]


def page(name: str) -> str:
    return (REPOSITORY / name).read_text()


@pytest.mark.parametrize("target", EXPORTERS)
def test_export_targets(target):
    metavar = "FOLDER" if EXPORTERS[target].folder else "FILE"
    assert f"`--{target} {metavar}`" in page("docs/how-to/export.md")
    assert all(f"--{own.name}" in page("docs/how-to/export.md") for own in declared_options(EXPORTERS[target].options))
    assert f"`{target}`" in page("docs/reference/python.md")


@pytest.mark.parametrize("solver", SOLVERS)
def test_solvers(solver):
    assert f"| `{solver}`" in page("docs/how-to/retrieve.md")


@pytest.mark.parametrize("method", METHODS)
def test_searches_for_signs(method):
    assert f"`{method}`" in page("docs/explanation/signs.md")


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_data_formats(reader):
    text = page("docs/how-to/data-files.md")
    assert all(f"`{suffix}`" in text for suffix in reader.suffixes)
    assert all(own.name in text for own in declared_options(reader.options))


@pytest.mark.parametrize("motion", MOTIONS)
def test_motions(motion):
    assert f"`{motion}" in page("docs/how-to/excite.md")


@pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS)
def test_report_sections(section):
    assert f"**{section.title}" in page("docs/how-to/report.md")


def test_the_table_of_variants_names_what_is_there():
    rows = re.findall(r"\| `([\w/]+\.py)` \| `(test_\w+\.py)` \|", page("CONTRIBUTING.md"))
    assert len(rows) == 11
    for registry, suite in rows:
        assert (REPOSITORY / "src" / "dynident" / registry).is_file()
        assert (REPOSITORY / "tests" / "contracts" / suite).is_file()
