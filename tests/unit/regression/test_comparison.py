"""Two estimates of one robot beside each other."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dynident import load_robot, regression
from dynident.errors import InputError
from dynident.regression import Estimate, build_problem
from dynident.regression.comparison import compare
from dynident.reports.regression import comparison_table
from tests.facts import carries, raises
from tests.logs import synthetic_log


@cache
def estimate(seed: int = 1, friction: str = "default") -> Estimate:
    model = None if friction == "none" else "default"
    return regression.estimate(build_problem(load_robot("planar_2r"), synthetic_log(noise=0.1, seed=seed), friction=model))


def test_an_estimate_does_not_differ_from_itself():
    found = compare(estimate(), estimate())
    assert found.distance == 0.0
    assert found.same == found.both.sum() == estimate().base.rank
    assert carries(str(found), f"{found.same} of {found.same}")


def test_differences_are_counted_in_standard_deviations_of_both():
    moved = estimate().values.copy()
    moved[0] += 3.0 * np.sqrt(2.0) * estimate().std[0]
    found = compare(replace(estimate(), values=moved), estimate())
    assert found.deviations[0] == pytest.approx(3.0)
    assert found.same == estimate().base.rank - 1
    assert found.distance == pytest.approx(abs(found.difference[0]) / np.linalg.norm(estimate().values))
    assert compare(estimate(2), estimate()).same > 0.8 * estimate().base.rank  # two logs of one robot


def test_what_one_of_them_dropped_is_not_compared():
    kept = estimate().kept.copy()
    kept[1] = False
    other = replace(estimate(), kept=kept)
    found = compare(estimate(2), other)
    assert not found.both[1]
    assert found.difference[1] == found.deviations[1] == 0.0
    table = comparison_table(estimate(2), other, headings=("new", "old"))
    assert table.headings[2:4] == ("new", "old")
    assert [row.dimmed for row in table.lines] == (~found.both).tolist()
    assert table.lines[1].texts[-1] == "–"


def test_other_coefficients_can_not_be_compared():
    with raises(InputError, "planar_2r", 12, 6):
        compare(estimate(), estimate(friction="none"))
