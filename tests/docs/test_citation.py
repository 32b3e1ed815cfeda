"""CITATION.cff is of this version, and every paper in it can be found."""

from __future__ import annotations

import tomllib

import yaml

from tests.conftest import REPOSITORY

CITATION = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))


def test_it_names_the_version_and_the_licence_of_the_package():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (CITATION["version"], CITATION["license"]) == (project["version"], project["license"])


def test_every_paper_has_authors_and_a_place_where_it_was_published():
    assert len(CITATION["references"]) >= 7
    for paper in CITATION["references"]:
        assert paper["title"]
        assert all(author["family-names"] for author in paper["authors"])
        assert {"journal", "collection-title", "institution"} & set(paper), paper["title"]
        assert "year" in paper or paper["type"] == "report"
