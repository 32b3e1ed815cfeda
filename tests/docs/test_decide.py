"""The pages on decisions tell the limits that the code has, and numbers that were measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dynident.regression.notes import HIGH_CONDITION
from dynident.regression.prepare import DEFAULT_CUTOFF
from dynident.routes.signs.confidence import CLOSE
from dynident.validation.metrics import FAR_FROM_BEST, LARGE, NEAR_BEST, NEGLIGIBLE, VISIBLE

REPOSITORY = Path(__file__).parents[2]
PAGES = REPOSITORY / "docs" / "decide"


def test_the_limits_of_the_report_are_those_of_the_code():
    page = (PAGES / "numbers.md").read_text(encoding="utf-8")
    good = f"at most {NEAR_BEST:g} times the best in hindsight and at most {LARGE:g} %; or at most {NEGLIGIBLE:g} %"
    bad = f"above {VISIBLE:g} % and more than {FAR_FROM_BEST:g} times the best; above {LARGE:g} % and more than {NEAR_BEST:g} times"
    for text in (good, bad, f"above {HIGH_CONDITION:g}", f"above {CLOSE:g}"):
        assert text in page


def test_the_default_filter_is_that_of_the_code():
    assert f"{DEFAULT_CUTOFF:g} Hz, and {4 * DEFAULT_CUTOFF:g} rows per second" in (PAGES / "filter.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["filter", "log-length"])
def test_measured_numbers_are_those_of_the_study(name):
    results = (REPOSITORY / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    study = results.split("<!-- decide -->")[1].split("<!-- ")[0]
    measured = (PAGES / f"{name}.md").read_text(encoding="utf-8").split("## Measured", 1)[1].split("## Why")[0]
    numbers = [number for row in re.findall(r"^\|(.*)\|$", measured, re.M) for number in re.findall(r"\d+\.\d+", row)]
    assert len(numbers) > 20
    known = set(re.findall(r"\d+\.\d+", study))
    assert not [number for number in numbers if number not in known]
