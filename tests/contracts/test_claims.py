"""What every claim of a paper has, and what must come out; all experiments in their fast form, run once and shared."""

from __future__ import annotations

import json

import pytest

from dynident.reproduce import PAPERS, Reproduction, Verdict
from dynident.reproduce.document import reproduction_markdown, reproduction_report


def test_every_paper_has_claims(reproduced: Reproduction):
    assert {claim.paper for claim in reproduced.claims} == set(PAPERS)
    for step in reproduced.steps:
        assert step.outcome.claims
        assert all(claim.paper == step.paper.key for claim in step.outcome.claims)


def test_every_claim_has_a_place_a_value_a_tolerance_and_its_origin(reproduced: Reproduction):
    for claim in reproduced.claims:
        assert claim.place
        assert claim.quantity
        assert claim.tolerance >= 0.0
        assert claim.tolerance_from
        assert claim.verdict in Verdict


def test_what_is_not_reproduced_has_a_reason(reproduced: Reproduction):
    unexplained = [claim for claim in reproduced.claims if claim.verdict in (Verdict.NOT_REPRODUCIBLE, Verdict.ERROR) and not claim.why]
    assert unexplained == []


def test_an_error_is_shown_by_the_paper_s_own_numbers(reproduced: Reproduction):
    for claim in reproduced.claims:
        if claim.verdict is Verdict.ERROR:
            assert claim.implied is not None
            assert abs(claim.published - claim.implied) > claim.tolerance


def test_everything_that_was_measured_elsewhere_comes_out_again(reproduced: Reproduction):
    """By an independent implementation: equal within the tolerance, or better."""
    measured = [claim for claim in reproduced.claims if claim.origin == "prototype"]
    assert measured
    assert [claim for claim in measured if claim.verdict not in (Verdict.EQUAL, Verdict.BETTER)] == []


def test_no_number_is_claimed_twice(reproduced: Reproduction):
    keys = [(claim.paper, claim.place, claim.quantity) for claim in reproduced.claims]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("paper", PAPERS)
def test_experiments_have_names_of_their_own(paper: str):
    keys = [experiment.key for experiment in PAPERS[paper].experiments]
    assert len(keys) == len(set(keys))


def test_the_markdown_has_every_number(reproduced: Reproduction):
    text = reproduction_markdown(reproduced)
    assert text.count("\n| ") - 1 - 2 * len(PAPERS) >= len(reproduced.claims)
    assert all(paper.citation in text for paper in reproduced.papers)


def test_the_terminal_shows_long_tables_as_one_line(reproduced: Reproduction):
    report = reproduction_report(reproduced)
    assert sum(len(table.rows) for table in report.tables) <= len(reproduced.claims)
    assert [table.title.split(":")[0] for table in report.tables] == [paper.key for paper in reproduced.papers]


def test_figures_survive_json(reproduced: Reproduction):
    for step in reproduced.steps:
        json.dumps(step.outcome.to_dict(), allow_nan=False)
