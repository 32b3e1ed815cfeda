"""The site builds strictly and offline, and nothing in it leads nowhere."""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from documentation.reference.schemas import DOCUMENTS, schema, schema_file
from documentation.site import REPOSITORY, BuildError, build, link_problems, menu_problems
from dynident.cli.overview import VERBS
from dynident.diagnosis.checks.registry import CHECKS
from tests.schemas import validator


def test_every_link_leads_somewhere(site):
    assert link_problems(site) == []
    assert len(list(site.rglob("*.html"))) > 40


#: Name of a page of the reference by the package that it is about.
PAGES = {
    path.read_text(encoding="utf-8").split(maxsplit=2)[1]: path.stem
    for path in sorted((REPOSITORY / "docs" / "reference" / "api").glob("*.md"))
    if path.stem != "index"
}


def test_every_package_with_public_names_has_a_page_in_the_reference():
    inner = {"dynident.cli", "dynident.core", "dynident.reproduce", "dynident.routes"}
    rooms = {f"dynident.{path.parent.name}" for path in (REPOSITORY / "src" / "dynident").glob("*/__init__.py")}
    assert rooms - inner < set(PAGES)


@pytest.mark.parametrize("package", PAGES)
def test_every_public_name_has_its_place_in_the_reference(site, package):
    page = (site / "reference" / "api" / f"{PAGES[package]}.html").read_text()
    module = importlib.import_module(package)
    names = [name for name in getattr(module, "__all__", ()) if f'id="{package}.{name}"' not in page]
    # A function that has the name of a module is on the page by itself: griffe takes the name for the module.
    missing = [name for name in names if f'id="{getattr(module, name).__module__}.{name}"' not in page]
    assert missing == [], "give them docstrings"


def test_types_are_links_where_they_are_ours(site):
    page = (site / "reference" / "api" / "regression.html").read_text()
    signature = page[page.index('id="dynident.regression.identify.identify"') :].split("</pre>")[0]
    assert 'href="#dynident.regression.Estimate"' in signature
    assert 'href="data.html#dynident.data.Dataset"' in signature


def test_pages_have_what_is_declared_and_measured(site):
    doctor, symptoms = ((site / page).read_text(encoding="utf-8") for page in ("how-to/doctor.html", "decide/symptoms.html"))
    assert all(f"<td>{name}</td>" in doctor and f"<em>{name}</em>" in symptoms for name in CHECKS)
    commands = (site / "reference" / "command-line.html").read_text(encoding="utf-8")
    assert all(f'id="dynident-{verb}"' in commands for verb in VERBS)
    documents = (site / "reference" / "documents.html").read_text(encoding="utf-8")
    for name in DOCUMENTS:
        assert name in documents
        assert json.loads((site / "reference" / "schemas" / schema_file(name)).read_text(encoding="utf-8")) == schema(name)


def test_the_papers_numbers_are_a_file_of_the_command_and_its_page_is_made(site):
    document = json.loads((REPOSITORY / "docs" / "reproduction.json").read_text(encoding="utf-8"))
    validator("reproduction.json").validate(document)
    claims = [claim for paper in document["papers"] for experiment in paper["experiments"] for claim in experiment["claims"]]
    assert Counter(claim["verdict"] for claim in claims) == {name: count for name, count in document["verdicts"].items() if count}
    page = (site / "reproduction.html").read_text(encoding="utf-8")
    assert page.count("<tr>") >= len(claims) > 500


def test_every_page_is_in_the_menu_once():
    assert menu_problems(REPOSITORY) == []


def test_nothing_is_asked_of_the_network(site):
    asked = re.compile(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?//[^"]*"')
    assert {path.name: asked.findall(path.read_text()) for path in site.rglob("*.html") if asked.search(path.read_text())} == {}


def test_the_changelog_is_that_of_the_repository(site):
    page = (site / "changelog.html").read_text()
    assert all(
        f">{heading}<" in page or heading in page for heading in re.findall(r"^## (.*)$", (REPOSITORY / "CHANGELOG.md").read_text(), re.M)
    )


@pytest.fixture
def small(tmp_path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Home\n\n## Part\n\n[there](other.md#word)\n")
    (tmp_path / "docs" / "other.md").write_text("# Other\n\n## Word\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: x\nuse_directory_urls: false\nnav:\n  - index.md\n  - Other: other.md\n")
    return tmp_path


@pytest.mark.parametrize("link", ["[gone](gone.md)", "[gone](other.md#gone)"])
def test_a_link_from_page_to_page_that_leads_nowhere_ends_the_build(small, link):
    (small / "docs" / "index.md").write_text(f"# Home\n\n{link}\n")
    with pytest.raises(BuildError, match="does not exist"):
        build(small)


def test_what_strict_mode_does_not_see_is_found(small):
    assert menu_problems(small) == []
    assert link_problems(build(small)) == []
    (small / "docs" / "alone.md").write_text('# Alone\n\n![gone](gone.png)\n\n<a href="other.html#gone">gone</a>\n')
    (small / "docs" / "other.md").unlink()
    (small / "docs" / "index.md").write_text("# Home\n")
    assert menu_problems(small) == ["other.md is in the menu, and not there", "alone.md is not in the menu"]
    (small / "docs" / "other.md").write_text("# Other\n")
    assert link_problems(build(small)) == ["alone.html: gone.png is not there", "alone.html: other.html#gone has no such anchor"]
