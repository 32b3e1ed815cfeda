"""Verdicts follow from the numbers."""

from __future__ import annotations

from typing import Any

import pytest

from dynident.core.documents import to_json
from dynident.errors import ValueRangeError
from dynident.reproduce.claim import Claim, ClaimVerdict, half_digit, printed


def claim(**fields: Any) -> Claim:
    basis: dict[str, Any] = {"published": 1.0, "ours": 1.0, "tolerance": 0.1, "tolerance_from": "rounding"}
    return Claim(paper="p", place="Table I", quantity="x", **(basis | fields))


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({}, ClaimVerdict.EQUAL),
        ({"ours": 1.09}, ClaimVerdict.EQUAL),
        ({"ours": 1.2}, ClaimVerdict.NOT_REPRODUCIBLE),
        ({"ours": 1.2, "goal": "lower"}, ClaimVerdict.NOT_REPRODUCIBLE),
        ({"ours": 0.5, "goal": "lower"}, ClaimVerdict.BETTER),
        ({"ours": 1.2, "goal": "higher"}, ClaimVerdict.BETTER),
        ({"ours": 1.05, "goal": "higher"}, ClaimVerdict.EQUAL),
        ({"ours": 2.1, "truth": 2.0}, ClaimVerdict.BETTER),
        ({"ours": 3.1, "truth": 2.0}, ClaimVerdict.NOT_REPRODUCIBLE),
        ({"missing": "the log was never published"}, ClaimVerdict.NOT_REPRODUCIBLE),
        ({"constructed": "made from it"}, ClaimVerdict.CONSTRUCTED),
        ({"constructed": "made from it", "ours": 1.2}, ClaimVerdict.NOT_REPRODUCIBLE),
        ({"constructed": "made from it", "ours": 0.5, "goal": "lower"}, ClaimVerdict.NOT_REPRODUCIBLE),
        ({"near": "the filter is not told"}, ClaimVerdict.EQUAL),
        ({"near": "the filter is not told", "ours": 1.19}, ClaimVerdict.NEAR),
        ({"near": "the filter is not told", "ours": 1.21}, ClaimVerdict.NOT_REPRODUCIBLE),
        ({"near": "the filter is not told", "ours": 0.85, "goal": "lower"}, ClaimVerdict.BETTER),
        ({"chosen": "the motion"}, ClaimVerdict.NEAR),
        ({"chosen": "the motion", "ours": 0.85, "goal": "lower"}, ClaimVerdict.NEAR),
        ({"chosen": "the motion", "ours": 1.3}, ClaimVerdict.NOT_REPRODUCIBLE),
        ({"implied": 1.05}, ClaimVerdict.EQUAL),
        ({"implied": 1.2}, ClaimVerdict.ERROR),
        ({"implied": 1.2, "missing": "the log was never published"}, ClaimVerdict.ERROR),
    ],
)
def test_verdict(fields: dict[str, Any], verdict: ClaimVerdict):
    assert claim(**fields).verdict is verdict


@pytest.mark.parametrize(("text", "half"), [("48.9", 0.05), ("3.2073e-4", 5e-9), ("-0.0286", 5e-5), ("52", 0.5), ("1.2E3", 50.0)])
def test_half_a_digit_of_a_printed_number(text: str, half: float):
    assert half_digit(text) == pytest.approx(half)
    assert printed(text)["published"] == float(text)


def test_a_number_that_rounds_to_the_printed_one_is_equal():
    assert claim(**{**printed("0.3"), "ours": 0.35}).verdict is ClaimVerdict.EQUAL
    assert claim(**{**printed("0.3"), "ours": 0.3501}).verdict is ClaimVerdict.NOT_REPRODUCIBLE


def test_a_file_keeps_everything_and_a_verdict_in_it_is_not_believed():
    before = claim(ours=3.0, reason="because", unit="kg")
    content = {**to_json(before), "verdict": "equal"}
    assert to_json(before)["verdict"] == "not reproducible"
    assert Claim.of_dict(content) == before


@pytest.mark.parametrize("name", ["published", "ours", "tolerance"])
def test_what_is_no_number_is_refused(name: str):
    with pytest.raises(ValueRangeError, match=rf"{name} of 'x' \(Table I\) is nan"):
        claim(**{name: float("nan")})
