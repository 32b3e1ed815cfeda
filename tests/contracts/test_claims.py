"""What every claim of a paper has, and what must come out; all experiments in their fast form, run once and shared."""

from __future__ import annotations

import json

import pytest

from dynident.core.documents import to_json
from dynident.reproduce import PAPERS, ClaimVerdict, Reproduction
from dynident.reproduce.document import ReproductionDocument, reproduction_markdown, reproduction_report


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
        assert claim.verdict in ClaimVerdict


def test_what_is_neither_equal_nor_better_has_a_reason(reproduced: Reproduction):
    plain = (ClaimVerdict.EQUAL, ClaimVerdict.BETTER)
    assert [claim for claim in reproduced.claims if claim.verdict not in plain and not claim.why] == []


def test_no_tolerance_was_chosen_after_the_comparison(reproduced: Reproduction):
    """Tolerances follow from digits, counts and noise; what was chosen is told as such, and the number is near at best."""
    assert not any("chosen" in claim.tolerance_from for claim in reproduced.claims)
    assert all("chosen after the comparison" in claim.chosen for claim in reproduced.claims if claim.chosen)
    wide = [
        claim for claim in reproduced.claims if claim.verdict is ClaimVerdict.EQUAL and claim.tolerance > 0.1 * abs(claim.published) > 0.0
    ]
    assert all(claim.tolerance_from.startswith("half a unit") for claim in wide)  # of numbers with one digit


def test_a_virtual_robot_s_own_truth_is_not_called_equal(reproduced: Reproduction):
    """Numbers that were given to a virtual robot and come out of it again are so by construction."""
    for place in ("Table I of the supplement, virtual Panda", "Table III, values", "eq. (12)"):
        claims = [claim for claim in reproduced.claims if claim.place == place]
        assert len(claims) >= 12
        assert {claim.verdict for claim in claims} <= {ClaimVerdict.CONSTRUCTED, ClaimVerdict.NOT_REPRODUCIBLE}
        assert any(claim.verdict is ClaimVerdict.CONSTRUCTED for claim in claims)


def test_an_error_is_shown_by_the_paper_s_own_numbers(reproduced: Reproduction):
    for claim in reproduced.claims:
        if claim.verdict is ClaimVerdict.ERROR:
            assert claim.implied is not None
            assert abs(claim.published - claim.implied) > claim.tolerance


def test_what_was_measured_elsewhere_comes_out_again(reproduced: Reproduction):
    """By an independent implementation: equal within its digits, better, or near with the reason."""
    measured = [claim for claim in reproduced.claims if claim.origin == "prototype" and not claim.missing]
    assert measured
    other = [claim for claim in measured if claim.verdict not in (ClaimVerdict.EQUAL, ClaimVerdict.BETTER, ClaimVerdict.NEAR)]
    assert {claim.place for claim in other} <= {"Table I, filters"}  # of a motion and a noise that are not told


def test_no_number_is_claimed_twice(reproduced: Reproduction):
    keys = [(claim.paper, claim.place, claim.quantity) for claim in reproduced.claims]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("paper", PAPERS)
def test_experiments_have_names_of_their_own(paper: str):
    keys = [experiment.key for experiment in PAPERS[paper].experiments]
    assert len(keys) == len(set(keys))


def test_the_markdown_has_every_number(reproduced: Reproduction):
    text = reproduction_markdown(to_json(ReproductionDocument.of(reproduced)))
    assert text.count("\n| ") - 1 - 2 * len(PAPERS) >= len(reproduced.claims)
    assert all(paper.citation in text for paper in reproduced.papers)


def test_the_terminal_shows_long_tables_as_one_line(reproduced: Reproduction):
    report = reproduction_report(reproduced)
    assert sum(len(table.rows) for table in report.tables) <= len(reproduced.claims)
    assert [table.title.split(":")[0] for table in report.tables] == [paper.key for paper in reproduced.papers]


def test_figures_survive_json(reproduced: Reproduction):
    for step in reproduced.steps:
        json.dumps(step.outcome.to_dict(), allow_nan=False)
