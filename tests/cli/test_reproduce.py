"""`dynident reproduce`, from experiments that were run before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynident.reproduce import PAPERS, Reproduction
from tests.schemas import validator


@pytest.fixture(scope="module")
def finished(dynident_in, reproduced: Reproduction, reproduced_folder: Path):
    return dynident_in(reproduced_folder.parent, "reproduce", "all", "-o", reproduced_folder, "--quick")


def test_it_prints_the_numbers_and_writes_them(finished, reproduced: Reproduction, reproduced_folder: Path):
    assert finished.returncode == 0, finished.stderr
    assert "the paper is in error" in finished.stdout
    content = json.loads((reproduced_folder / "reproduction.json").read_text())
    validator("reproduction.json").validate(content)
    assert [item["paper"] for item in content["papers"]] == list(PAPERS)
    claims = [claim for paper in content["papers"] for experiment in paper["experiments"] for claim in experiment["claims"]]
    assert len(claims) == len(reproduced.claims) == sum(content["verdicts"].values())
    assert (reproduced_folder / "reproduction.md").read_text().startswith("# Reproduction of the papers")
    assert "Not reproducible" in (reproduced_folder / "reproduction.html").read_text()


def test_it_goes_on_where_it_was(finished, reproduced: Reproduction, reproduced_folder: Path):
    content = json.loads((reproduced_folder / "reproduction.json").read_text())
    seconds = [experiment["seconds"] for paper in content["papers"] for experiment in paper["experiments"]]
    assert seconds == [step.seconds for step in reproduced.steps]


def test_progress_is_on_stderr(finished):
    assert finished.stderr.count(" %] ") == sum(len(paper.experiments) for paper in PAPERS.values())


def test_an_unknown_paper(dynident):
    found = dynident("reproduce", "gaz2020", "-o", "out")
    assert found.returncode == 2
    assert "no paper named 'gaz2020'; known: " in found.stderr


def test_an_unknown_experiment_of_a_paper(dynident):
    found = dynident("reproduce", "gaz2016/inertia", "-o", "out")
    assert found.returncode == 2
    assert "no experiment of gaz2016 named 'inertia'; known: coefficients, extraction, validation" in found.stderr
